"""Calls of every operator, for the tests of gradients: (dialect, name, args, kwargs), with duplicates almost everywhere.

`number(shape)` makes the data, so that the same calls come with distinct values or with ties and zeros.
"""
import numpy as np


class Maker:
    def __init__(self, seed, number):
        self.rng, self.number = np.random.default_rng(seed), number

    def index(self, shape, size, low=0, dtype=np.int64):
        return np.asarray(self.rng.integers(low, size, shape), dtype)

    def tuples(self, shape, sizes, negative=False, dtype=np.int64):
        columns = [self.index(shape, size, -size if negative else 0, dtype) for size in sizes]
        return np.stack(columns, axis=-1) if columns else np.zeros((*shape, 0), dtype)


def signs(rng, shape):
    return np.where(rng.integers(0, 2, shape) == 0, -1.0, 1.0)


def distinct(seed=0):
    """Values without ties and away from 0, which a difference quotient can follow."""
    rng = np.random.default_rng(seed)

    def number(shape):
        count = int(np.prod(shape, dtype=np.int64))
        magnitudes = rng.permutation(np.arange(1, count + 1)) / 7 + rng.uniform(0, 0.05)
        return np.asarray(magnitudes.reshape(shape) * signs(rng, shape))
    return number


def with_ties(seed=0):
    """Small integers: ties, zeros and zeros of both signs."""
    rng = np.random.default_rng(seed)
    return lambda shape: np.asarray(rng.integers(-1, 2, shape) * signs(rng, shape))


def complex_of(number):
    return lambda shape: np.asarray(number(shape) + 1j * number(shape))


def tensorflow_calls(m):
    for name in ("update", "add", "sub", "min", "max"):
        name = "tensor_scatter_nd_" + name
        yield name, (m.number((4, 3)), m.tuples((6,), (4,)), m.number((6, 3))), {}
        yield name, (m.number((3, 2)), m.tuples((4, 2), (3, 2), dtype=np.int32), m.number((4, 2))), {}
        bad = np.array([[0], [7], [0], [-1]])
        yield name, (m.number((2, 2)), bad, m.number((4, 2))), {"bad_indices_policy": "IGNORE"}
        yield name, (m.number((3,)), np.zeros((0, 1), np.int64), m.number((0,))), {}
    yield "scatter_nd", (m.tuples((6,), (4,)), m.number((6, 2)), [4, 2]), {}
    yield "scatter_nd", (np.array([[0], [9], [1]]), m.number((3,)), [3]), {"bad_indices_policy": "IGNORE"}
    yield "gather_nd", (m.number((3, 2)), m.tuples((5,), (3,))), {}
    yield "gather_nd", (m.number((3, 2)), m.tuples((2, 4), (3, 2), dtype=np.int32)), {}
    yield "gather_nd", (m.number((3, 2)), np.array([[1], [5], [1], [-1]])), {"bad_indices_policy": "IGNORE"}
    yield "gather_nd", (m.number((3, 2)), np.zeros((2, 0), np.int64)), {}


def pytorch_calls(m):
    def along(dim, *more, shape=(3, 4), index=(5, 3), src=(6, 4)):
        return (m.number(shape), dim, m.index(index, shape[dim]), m.number(src), *more)

    for reduce in (None, "add", "multiply"):
        yield "scatter", along(0), {"reduce": reduce}
        yield "scatter", along(-1, index=(2, 6), src=(2, 6)), {"reduce": reduce}
        yield "scatter", (m.number((3,)), 0, m.index((5,), 3), 1.5), {"reduce": reduce}
        yield "scatter", (m.number(()), 0, np.array(0), m.number(())), {"reduce": reduce}
        yield "scatter", (m.number((2, 2)), 0, np.zeros((0, 2), np.int64), m.number((2, 2))), {"reduce": reduce}
    yield "scatter_add", along(0), {}
    yield "scatter_add", along(1, index=(2, 6), src=(3, 7)), {}
    yield "scatter_add", (m.number((0, 3)), 0, np.zeros((0, 3), np.int64), m.number((0, 3))), {}
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            yield "scatter_reduce", along(0, reduce), {"include_self": include_self}
            yield "scatter_reduce", along(1, reduce, index=(3, 6), src=(3, 6)), {"include_self": include_self}
            yield "scatter_reduce", (m.number((4,)), 0, m.index((9,), 3, dtype=np.int32), m.number((9,)), reduce), {
                "include_self": include_self}
            yield "scatter_reduce", (m.number(()), 0, np.array([0, 0]), m.number((3,)), reduce), {"include_self": include_self}
    for alpha in (1, 2, -0.5):
        yield "index_add", (m.number((4, 3)), 0, m.index((6,), 4), m.number((6, 3))), {"alpha": alpha}
        yield "index_add", (m.number((2, 4, 2)), 1, m.index((6,), 4, dtype=np.int32), m.number((2, 6, 2))), {"alpha": alpha}
        yield "index_add", (m.number((3,)), 0, m.index((5,), 3), m.number((5,))), {"alpha": alpha}
    yield "index_add", (m.number(()), 0, np.array(0), m.number(())), {}
    yield "index_copy", (m.number((4, 3)), 0, m.index((6,), 4), m.number((6, 3))), {}
    yield "index_copy", (m.number((2, 4)), -1, m.index((5,), 4), m.number((2, 5))), {}
    yield "gather", (m.number((3, 4)), 0, m.index((5, 2), 3)), {}
    yield "gather", (m.number((3, 4)), 1, m.index((3, 7), 4, dtype=np.int32)), {}
    yield "gather", (m.number(()), 0, np.array([0, 0, 0])), {}
    yield "gather", (m.number((3,)), 0, np.zeros((0,), np.int64)), {}


def paddle_calls(m):
    yield "scatter_nd_add", (m.number((4, 3)), m.tuples((6,), (4,), True), m.number((6, 3))), {}
    yield "scatter_nd_add", (m.number((3, 2)), m.tuples((5,), (3, 2), dtype=np.int32), m.number((5,))), {}
    yield "scatter_nd_add", (m.number((2, 2)), np.zeros((3, 0), np.int64), m.number((3, 2, 2))), {}
    yield "scatter_nd", (m.tuples((6,), (4,), True), m.number((6, 2)), [4, 2]), {}
    for overwrite in (True, False):
        yield "scatter", (m.number((4, 3)), m.index((6,), 4, -4), m.number((6, 3))), {"overwrite": overwrite}
        yield "scatter", (m.number((4,)), m.index((3, 1), 4), m.number((5,))), {"overwrite": overwrite}
        yield "scatter", (m.number((4, 2)), np.array(2), m.number((2,))), {"overwrite": overwrite}
    for reduce in ("assign", "add", "mul", "multiply", "mean", "amax", "amin"):
        for include_self in (True, False):
            how = {"reduce": reduce, "include_self": include_self}
            yield "put_along_axis", (m.number((3, 4)), m.index((6, 4), 3, -3), m.number((6, 4)), 0), how
            yield "put_along_axis", (m.number((3, 4)), m.index((3, 1), 3), m.number((1, 1)), 0), how
            yield "put_along_axis", (m.number((3, 4)), m.index((2, 5), 4), m.number((3, 6)), 1), {**how, "broadcast": False}
    yield "index_add", (m.number((4, 3)), m.index((6,), 4, -4), 0, m.number((6, 3))), {}
    yield "index_add", (m.number((2, 4)), m.index((5,), 4, dtype=np.int32), -1, m.number((2, 5))), {}
    yield "gather_nd", (m.number((3, 2)), m.tuples((5,), (3,), True)), {}
    yield "gather_nd", (m.number((3, 2)), m.tuples((2, 4), (3, 2))), {}


def onnx_calls(m):
    for reduction in ("none", "add", "mul", "max", "min"):
        yield "scatter_elements", (m.number((3, 4)), m.index((6, 3), 3, -3), m.number((6, 3))), {"reduction": reduction}
        yield "scatter_elements", (m.number((2, 3)), m.index((2, 5), 3), m.number((2, 5))), {"axis": 1, "reduction": reduction}
        yield "scatter_nd", (m.number((4, 3)), m.tuples((6,), (4,), True), m.number((6, 3))), {"reduction": reduction}
        yield "scatter_nd", (m.number((2, 2)), np.zeros((3, 0), np.int64), m.number((3, 2, 2))), {"reduction": reduction}
    yield "scatter", (m.number((3, 4)), m.index((5, 4), 3, -3), m.number((5, 4))), {}
    yield "gather_elements", (m.number((3, 4)), m.index((3, 7), 4, -4)), {"axis": 1}
    yield "gather_nd", (m.number((3, 2)), m.tuples((5,), (3,), True)), {}
    yield "gather_nd", (m.number((2, 3, 2)), m.tuples((2, 5), (3,))), {"batch_dims": 1}


def directml_calls(m):
    how = {"feature_level": "4_1"}
    for policy in ("error", "clamp"):
        far = {"out_of_range": policy, **how}
        index = m.index((6, 1), 9 if policy == "clamp" else 4)
        yield "scatter_nd", (m.number((4, 3)), index, m.number((6, 3))), far
        yield "scatter", (m.number((3, 2)), m.index((5, 2), 9 if policy == "clamp" else 3, -3), m.number((5, 2))), {"axis": 0, **far}
        yield "gather_elements", (m.number((3, 2)), m.index((5, 2), 9 if policy == "clamp" else 3)), {"axis": 0, **far}
        yield "gather_nd", (m.number((4, 3)), index), far
    yield "gather_nd", (m.number((2, 3, 2)), m.tuples((2, 5), (3,))), {"batch_dimension_count": 1, **how}


def numpy_calls(m):
    for name in ("add_at", "subtract_at", "multiply_at", "minimum_at", "maximum_at"):
        yield name, (m.number((4, 3)), m.index((6,), 4, -4), m.number((6, 3))), {}
        yield name, (m.number((4, 3)), (m.index((5, 1), 4), slice(None, None, 2)), m.number((2,))), {}
        yield name, (m.number((3, 2)), (Ellipsis, m.index((2, 4), 2)), m.number(())), {}
        yield name, (m.number((3, 2)), (np.array([True, False, True]), 1), m.number((2,))), {}
        yield name, (m.number((3,)), (m.index((4,), 3),), 1.5), {}
    yield "put_along_axis", (m.number((3, 4)), m.index((6, 4), 3, -3), m.number((6, 4)), 0), {}
    yield "put_along_axis", (m.number((3, 4)), m.index((3, 1), 4), m.number((4, 1))[:3], 1), {}
    yield "put_along_axis", (m.number((2, 3)), m.index((5,), 6), m.number((5,)), None), {}


def own_calls(m):
    for name in ("scatter", "scatter_add", "scatter_sub", "scatter_mul", "scatter_min", "scatter_max", "scatter_mean"):
        yield name, (m.number((4, 3)), m.index((6,), 4), m.number((6, 3))), {}
        yield name, (m.number((3, 4, 2)), (m.index((2, 3), 3), m.index((2, 3), 4, dtype=np.int32)), m.number((2, 3, 2))), {}
        yield name, (m.number((3,)), m.index((5,), 3), 2.5), {}
        yield name, (m.number((3, 2)), np.zeros((0,), np.int64), m.number((0, 2))), {}
    yield "gather", (m.number((4, 3)), m.index((2, 5), 4)), {}
    yield "gather", (m.number((4, 3)), (m.index((6,), 4), m.index((6,), 3))), {}


DIALECTS = {"tensorflow": tensorflow_calls, "pytorch": pytorch_calls, "paddle": paddle_calls, "onnx": onnx_calls,
            "directml": directml_calls, "numpy": numpy_calls, "strew": own_calls}


def all_calls(seed, number):
    """Every call of every dialect."""
    for dialect, calls in DIALECTS.items():
        for name, args, kwargs in calls(Maker(seed, number)):
            yield dialect, name, args, kwargs
