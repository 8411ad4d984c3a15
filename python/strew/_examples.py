"""An example for each operator, shown by help() and run as a test. Keys are dialect and name."""

from __future__ import annotations

from ._core import Operator

EXAMPLES = {
    "strew.scatter": """
>>> x = numpy.zeros(4)
>>> strew.scatter(x, [0, 2, 0], [1.0, 2.0, 3.0])
array([3., 0., 2., 0.])
""",
    "strew.scatter_add": """
>>> mass, cell = numpy.zeros(3), numpy.array([2, 0, 2])
>>> strew.scatter_add(mass, cell, numpy.array([1.0, 2.0, 3.0])) is mass
True
>>> mass
array([2., 0., 4.])
>>> i, j = numpy.array([0, 1]), numpy.array([2, 2])
>>> strew.scatter_add(numpy.zeros((2, 3)), (i, j), 1.5)
array([[0. , 0. , 1.5],
       [0. , 0. , 1.5]])
""",
    "strew.scatter_sub": """
>>> strew.scatter_sub(numpy.array([10, 20, 30]), [1, 1], 3)
array([10, 14, 30])
""",
    "strew.scatter_mul": """
>>> strew.scatter_mul(numpy.array([1.0, 2.0, 3.0]), [2, 1, 2], [10.0, 1.0, 10.0])
array([  1.,   2., 300.])
""",
    "strew.scatter_min": """
>>> strew.scatter_min(numpy.array([5, 5, 5]), [0, 2], [3, 9])
array([3, 5, 5])
""",
    "strew.scatter_max": """
>>> height = numpy.zeros((2, 2))
>>> strew.scatter_max(height, [1, 1], [[1.0, 2.0], [3.0, 0.5]])
array([[0., 0.],
       [3., 2.]])
""",
    "strew.scatter_mean": """
>>> strew.scatter_mean(numpy.array([7.0, 7.0, 7.0]), [0, 0, 2], [1.0, 2.0, 5.0])
array([1.5, 7. , 5. ])
""",
    "strew.gather": """
>>> nodes = numpy.array([[1, 2], [3, 4], [5, 6]])
>>> strew.gather(nodes, [2, 0])
array([[5, 6],
       [1, 2]])
>>> strew.gather(nodes, ([2, 0], [1, 1]))
array([6, 2])
""",
    "numpy.add_at": """
>>> a = numpy.zeros(4)
>>> strew.numpy.add_at(a, [0, 2, 0], [1.0, 2.0, 3.0])
>>> a
array([4., 0., 2., 0.])
>>> b = numpy.zeros((2, 3))
>>> strew.numpy.add_at(b, (slice(None), [0, 0]), 1.0)
>>> b
array([[2., 0., 0.],
       [2., 0., 0.]])
""",
    "numpy.subtract_at": """
>>> a = numpy.array([10, 20, 30])
>>> strew.numpy.subtract_at(a, [1, 1], 3)
>>> a
array([10, 14, 30])
""",
    "numpy.multiply_at": """
>>> a = numpy.array([1.0, 2.0, 3.0])
>>> strew.numpy.multiply_at(a, a > 1.5, 10.0)
>>> a
array([ 1., 20., 30.])
""",
    "numpy.minimum_at": """
>>> a = numpy.array([5, 5, 5])
>>> strew.numpy.minimum_at(a, [0, 2], [3, 9])
>>> a
array([3, 5, 5])
""",
    "numpy.maximum_at": """
>>> a = numpy.array([5, 5, 5])
>>> strew.numpy.maximum_at(a, [0, 2], [3, 9])
>>> a
array([5, 5, 9])
""",
    "numpy.put_along_axis": """
>>> a = numpy.array([[10, 30, 20], [60, 40, 50]])
>>> strew.numpy.put_along_axis(a, a.argmax(axis=1, keepdims=True), 99, axis=1)
>>> a
array([[10, 99, 20],
       [99, 40, 50]])
""",
    "tensorflow.tensor_scatter_nd_update": """
>>> strew.tensorflow.tensor_scatter_nd_update([1, 1, 1, 1], [[1], [3]], [5, 7])
array([1, 5, 1, 7], dtype=int32)
""",
    "tensorflow.tensor_scatter_nd_add": """
>>> strew.tensorflow.tensor_scatter_nd_add([[1, 2], [3, 4]], [[0], [0]], [[10, 10], [5, 5]])
array([[16, 17],
       [ 3,  4]], dtype=int32)
""",
    "tensorflow.tensor_scatter_nd_sub": """
>>> strew.tensorflow.tensor_scatter_nd_sub([9, 9, 9], [[2], [2]], [1, 3])
array([9, 9, 5], dtype=int32)
""",
    "tensorflow.tensor_scatter_nd_min": """
>>> strew.tensorflow.tensor_scatter_nd_min([4, 4, 4], [[0], [1]], [6, 2])
array([4, 2, 4], dtype=int32)
""",
    "tensorflow.tensor_scatter_nd_max": """
>>> strew.tensorflow.tensor_scatter_nd_max([4, 4, 4], [[0], [1]], [6, 2])
array([6, 4, 4], dtype=int32)
""",
    "tensorflow.scatter_nd": """
>>> strew.tensorflow.scatter_nd([[1], [3], [1]], [5, 6, 7], [5])
array([ 0, 12,  0,  6,  0], dtype=int32)
>>> strew.tensorflow.scatter_nd([[1], [9]], [5, 6], [3], bad_indices_policy="IGNORE")
array([0, 5, 0], dtype=int32)
""",
    "tensorflow.gather_nd": """
>>> strew.tensorflow.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]])
array([3, 2], dtype=int32)
""",
    "pytorch.scatter": """
>>> x, index = numpy.zeros((2, 3)), numpy.array([[2, 0], [1, 1]])
>>> strew.pytorch.scatter(x, 1, index, numpy.array([[1.0, 2.0], [3.0, 4.0]]))
array([[2., 0., 1.],
       [0., 4., 0.]])
>>> strew.pytorch.scatter(x, 1, index, 1.5, reduce="add")
array([[1.5, 0. , 1.5],
       [0. , 3. , 0. ]])
""",
    "pytorch.scatter_": """
>>> x = numpy.ones(3)
>>> strew.pytorch.scatter_(x, 0, numpy.array([0, 2]), 7.0) is x
True
>>> x
array([7., 1., 7.])
""",
    "pytorch.scatter_add": """
>>> strew.pytorch.scatter_add(numpy.ones(3), 0, numpy.array([0, 2, 0]), numpy.array([1.0, 2.0, 3.0]))
array([5., 1., 3.])
""",
    "pytorch.scatter_add_": """
>>> mass = numpy.zeros(3)
>>> strew.pytorch.scatter_add_(mass, 0, numpy.array([0, 2, 0]), numpy.array([1.0, 2.0, 3.0]))
array([4., 0., 2.])
""",
    "pytorch.scatter_reduce": """
>>> x, index, src = numpy.array([10.0, 10.0]), numpy.array([0, 0]), numpy.array([1.0, 3.0])
>>> strew.pytorch.scatter_reduce(x, 0, index, src, "mean", include_self=False)
array([ 2., 10.])
""",
    "pytorch.scatter_reduce_": """
>>> x = numpy.array([2.0, 2.0])
>>> strew.pytorch.scatter_reduce_(x, 0, numpy.array([0, 1]), numpy.array([1.0, 3.0]), "amax")
array([2., 3.])
""",
    "pytorch.index_add": """
>>> x, rows = numpy.zeros((3, 2)), numpy.array([[1.0, 2.0], [3.0, 4.0]])
>>> strew.pytorch.index_add(x, 0, numpy.array([2, 2]), rows, alpha=10)
array([[ 0.,  0.],
       [ 0.,  0.],
       [40., 60.]])
""",
    "pytorch.index_add_": """
>>> x = numpy.zeros(3)
>>> strew.pytorch.index_add_(x, 0, numpy.array([1, 1]), numpy.array([1.0, 2.0]))
array([0., 3., 0.])
""",
    "pytorch.index_copy": """
>>> strew.pytorch.index_copy(numpy.zeros(3), 0, numpy.array([2, 0]), numpy.array([5.0, 6.0]))
array([6., 0., 5.])
""",
    "pytorch.index_copy_": """
>>> x = numpy.zeros(3)
>>> strew.pytorch.index_copy_(x, 0, numpy.array([2, 0]), numpy.array([5.0, 6.0]))
array([6., 0., 5.])
""",
    "pytorch.gather": """
>>> strew.pytorch.gather(numpy.array([[1, 2], [3, 4]]), 1, numpy.array([[1, 1], [0, 1]]))
array([[2, 2],
       [3, 4]])
""",
    "paddle.scatter_nd_add": """
>>> x, index = numpy.arange(6), numpy.array([[1], [2], [1]])
>>> strew.paddle.scatter_nd_add(x, index, numpy.array([9, 10, 11]))
array([ 0, 21, 12,  3,  4,  5])
""",
    "paddle.scatter": """
>>> x, index, updates = numpy.ones((3, 2)), numpy.array([2, 0, 2]), numpy.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
>>> strew.paddle.scatter(x, index, updates)
array([[2., 2.],
       [1., 1.],
       [3., 3.]])
>>> strew.paddle.scatter(x, index, updates, overwrite=False)
array([[2., 2.],
       [1., 1.],
       [4., 4.]])
""",
    "paddle.scatter_": """
>>> x = numpy.zeros(3)
>>> strew.paddle.scatter_(x, numpy.array([1]), numpy.array([8.0]))
array([0., 8., 0.])
""",
    "paddle.scatter_nd": """
>>> strew.paddle.scatter_nd(numpy.array([[1], [-1]]), numpy.array([5.0, 6.0]), [3])
array([0., 5., 6.])
""",
    "paddle.put_along_axis": """
>>> x = numpy.array([[10, 30, 20], [60, 40, 50]])
>>> strew.paddle.put_along_axis(x, numpy.array([[0]]), numpy.array([[99]]), 0)
array([[99, 99, 99],
       [60, 40, 50]])
""",
    "paddle.put_along_axis_": """
>>> x = numpy.array([1, 2, 3])
>>> strew.paddle.put_along_axis_(x, numpy.array([0, 0]), numpy.array([5, 6]), 0, reduce="add")
array([12,  2,  3])
""",
    "paddle.index_add": """
>>> strew.paddle.index_add(numpy.ones((2, 2)), numpy.array([1, 1]), 0, numpy.ones((2, 2)))
array([[1., 1.],
       [3., 3.]])
""",
    "paddle.index_add_": """
>>> x = numpy.zeros(3)
>>> strew.paddle.index_add_(x, numpy.array([1, 1]), 0, numpy.array([1.0, 2.0]))
array([0., 3., 0.])
""",
    "paddle.gather_nd": """
>>> strew.paddle.gather_nd(numpy.array([[1, 2], [3, 4]]), numpy.array([[1], [0]]))
array([[3, 4],
       [1, 2]])
""",
    "onnx.scatter_elements": """
>>> data, indices = numpy.array([[1.0, 2.0, 3.0]]), numpy.array([[1, -1]])
>>> strew.onnx.scatter_elements(data, indices, numpy.array([[10.0, 20.0]]), axis=1, reduction="add")
array([[ 1., 12., 23.]])
""",
    "onnx.scatter_nd": """
>>> strew.onnx.scatter_nd(numpy.array([1, 2, 3, 4]), numpy.array([[3], [0]]), numpy.array([9, 8]))
array([8, 2, 3, 9])
""",
    "onnx.scatter": """
>>> strew.onnx.scatter(numpy.array([1, 2, 3]), numpy.array([2, 0]), numpy.array([9, 8]))
array([8, 2, 9])
""",
    "onnx.gather_elements": """
>>> strew.onnx.gather_elements(numpy.array([[1, 2], [3, 4]]), numpy.array([[0, 0], [1, 0]]), axis=1)
array([[1, 1],
       [4, 3]])
""",
    "onnx.gather_nd": """
>>> strew.onnx.gather_nd(numpy.array([[1, 2], [3, 4]]), numpy.array([[0], [1]]), batch_dims=1)
array([1, 4])
""",
    "directml.scatter_nd": """
>>> input, indices = numpy.arange(1, 9, dtype=numpy.float32), numpy.array([[4], [3], [1], [7]], dtype=numpy.uint32)
>>> strew.directml.scatter_nd(input, indices, numpy.array([9, 10, 11, 12], dtype=numpy.float32))
array([ 1., 11.,  3., 10.,  9.,  6.,  7., 12.], dtype=float32)
""",
    "directml.scatter": """
>>> input, indices = numpy.zeros((2, 3), dtype=numpy.float32), numpy.array([[2], [0]], dtype=numpy.int32)
>>> strew.directml.scatter(input, indices, numpy.array([[1], [2]], dtype=numpy.float32), axis=1)
array([[0., 0., 1.],
       [2., 0., 0.]], dtype=float32)
""",
    "directml.gather_elements": """
>>> strew.directml.gather_elements([[1, 2], [3, 4]], [[1, 0], [0, 5]], axis=1, out_of_range="clamp")
array([[2, 1],
       [3, 4]], dtype=int32)
""",
    "directml.gather_nd": """
>>> strew.directml.gather_nd([[1, 2], [3, 4]], [[1, 1], [0, 0]])
array([4, 1], dtype=int32)
""",
}

# For plans, one for each form of calling them.
PLAN_EXAMPLES = {
    "in place": """
>>> force, cell = numpy.zeros(3), numpy.array([2, 0, 2])
>>> plan = strew.pytorch.index_add_.plan(force, 0, cell)
>>> plan(numpy.array([1.0, 2.0, 4.0]), out=force)
array([2., 0., 5.])
>>> plan(numpy.array([1.0, 2.0, 4.0]), out=force)
array([ 4.,  0., 10.])
""",
    "a copy": """
>>> tensor, indices = numpy.zeros(3), numpy.array([[2], [0], [2]])
>>> plan = strew.tensorflow.tensor_scatter_nd_add.plan(tensor, indices)
>>> plan(numpy.array([1.0, 2.0, 4.0]), base=tensor)
array([2., 0., 5.])
>>> plan([1, 1, 1], out=tensor) is tensor
True
>>> tensor
array([1., 0., 2.])
""",
    "zeros": """
>>> plan = strew.tensorflow.scatter_nd.plan([[1], [3], [1]], [5], dtype="int32")
>>> plan([5, 6, 7])
array([ 0, 12,  0,  6,  0], dtype=int32)
>>> plan([1, 1, 1])
array([0, 2, 0, 1, 0], dtype=int32)
""",
}

# For pieces: the same for every operator, as their arguments are its own.
PIECES_EXAMPLE = """
>>> totals = numpy.zeros(3)
>>> with strew.pytorch.index_add_.pieces(totals, 0) as pieces:
...     for index, values in ([2, 0], [1.0, 2.0]), ([2], [4.0]):
...         pieces.step(numpy.array(index), numpy.array(values))
>>> totals
array([2., 0., 5.])
"""


def example_of(operator: Operator) -> str:
    return ">>> import numpy, strew" + EXAMPLES[f"{operator.dialect}.{operator.__name__}"]


def plan_example_of(function: Operator) -> str:
    from ._docs import takes_base

    way = "in place" if function.in_place else "a copy" if takes_base(function) else "zeros"
    return ">>> import numpy, strew" + PLAN_EXAMPLES[way]


def pieces_example() -> str:
    return ">>> import numpy, strew" + PIECES_EXAMPLE
