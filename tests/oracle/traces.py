"""What every call combines: for each operator, which element of which argument each update is, and where it goes. Nothing is computed.

Arguments are plain NumPy arrays and are assumed to be valid; what is invalid is tested elsewhere.
"""
import math

import numpy as np

from loops import along_axis as along, slices, tuples
from tensors import Array, OracleError, is_narrow

ADD, SUB, MUL, MIN, MAX, ASSIGN = "add", "sub", "mul", "min", "max", "assign"
# The formulas of arithmetic.py, by which NaN is kept or dropped.
KEEP_OUT, TAKE_UPDATE, PROPAGATE, LATE = "keep_out", "take_update", "propagate", "late"


class Trace:
    """`targets[i]` is the element of the output that update i goes to (None: skipped), `places[i]` its element of the argument `source`."""

    def __init__(self, shape, base, source, targets, places, step=ASSIGN, begin="current", mean=False, scale=1, formula=None):
        self.shape, self.base, self.source = tuple(shape), base, source
        self.targets, self.places = list(targets), list(places)
        self.step, self.begin, self.mean, self.scale, self.formula = step, begin, mean, scale, formula


def positions(shape):
    return np.arange(math.prod(shape)).reshape(shape)


def flat(positions_of_view):
    return np.asarray(positions_of_view).reshape(-1).tolist()


def corner(shape, sizes):
    """The positions of the leading corner of an array."""
    return flat(positions(shape)[tuple(slice(0, n) for n in sizes)])


def index_of(array):
    array = np.asarray(array)
    return Array(array.dtype.name, array)


def name_of(array, name):
    """The name of an argument that is an array; None for a number, which has no gradient."""
    return name if isinstance(array, np.ndarray) else None


def gathered(shape, source, places):
    return Trace(shape, None, source, [i if p is not None else None for i, p in enumerate(places)], places)


def at_least_1d(array):
    return array if array.ndim else array.reshape(1)


# TensorFlow

def tensorflow_update(step, formula=None):
    def trace(tensor, indices, updates, bad_indices_policy="DEFAULT"):
        return tensorflow_scatter("tensor", tensor.shape, indices, updates, bad_indices_policy, step, formula)
    return trace


def tensorflow_scatter(base, shape, indices, updates, policy, step, formula=None):
    otherwise = "skip" if policy == "IGNORE" else "error"
    targets = tuples(index_of(indices), shape, wrap=False, otherwise=otherwise) if indices.size else []
    return Trace(shape, base, "updates", targets, range(len(targets)), step, formula=formula)


def tensorflow_scatter_nd(indices, updates, shape, bad_indices_policy="DEFAULT"):
    return tensorflow_scatter(None, shape, indices, updates, bad_indices_policy, ADD)


def tensorflow_gather_nd(params, indices, bad_indices_policy="DEFAULT"):
    otherwise = "skip" if bad_indices_policy == "IGNORE" else "error"
    places = tuples(index_of(indices), params.shape, wrap=False, otherwise=otherwise)
    return gathered(indices.shape[:-1] + params.shape[indices.shape[-1]:], "params", places)


TENSORFLOW = {
    "tensor_scatter_nd_update": tensorflow_update(ASSIGN),
    "tensor_scatter_nd_add": tensorflow_update(ADD),
    "tensor_scatter_nd_sub": tensorflow_update(SUB),
    "tensor_scatter_nd_min": tensorflow_update(MIN, KEEP_OUT),
    "tensor_scatter_nd_max": tensorflow_update(MAX, KEEP_OUT),
    "scatter_nd": tensorflow_scatter_nd,
    "gather_nd": tensorflow_gather_nd,
}


# PyTorch

def pytorch_targets(input, dim, index):
    """The elements that an index selects along a dimension."""
    if not index.size:
        return []
    shape = at_least_1d(input).shape
    return along(index_of(at_least_1d(index)), dim % len(shape), shape, wrap=False)


def pytorch_along(input, dim, index, src, step, **more):
    targets = pytorch_targets(input, dim, index)
    places = range(len(targets))
    if targets and isinstance(src, np.ndarray):
        places = corner(at_least_1d(src).shape, at_least_1d(index).shape)
    return Trace(input.shape, "input", name_of(src, "src"), targets, places, step, **more)


def pytorch_scatter(input, dim, index, src=None, reduce=None, value=None):
    return pytorch_along(input, dim, index, src if src is not None else value, {None: ASSIGN, "add": ADD, "multiply": MUL}[reduce])


def pytorch_scatter_add(input, dim, index, src):
    return pytorch_along(input, dim, index, src, ADD)


def pytorch_scatter_reduce(input, dim, index, src, reduce, include_self=True):
    step = {"sum": ADD, "mean": ADD, "prod": MUL, "amax": MAX, "max": MAX, "amin": MIN, "min": MIN}[reduce]
    begin = "current" if include_self else "identity"
    return pytorch_along(input, dim, index, src, step, begin=begin, mean=reduce == "mean", formula=PROPAGATE)


def pytorch_gather(input, dim, index):
    return gathered(index.shape, "input", pytorch_targets(input, dim, index))


def pytorch_slices(input, dim, index, source, step, scale=1):
    shape = at_least_1d(input).shape
    targets, places = ([], []) if 0 in shape else slices(index_of(at_least_1d(index)), dim % len(shape), shape, wrap=False)
    return Trace(input.shape, "input", "source", targets, places, step, scale=scale)


def pytorch_index_add(input, dim, index, source, alpha=1):
    return pytorch_slices(input, dim, index, source, ADD, alpha)


def pytorch_index_copy(input, dim, index, source):
    return pytorch_slices(input, dim, index, source, ASSIGN)


PYTORCH = {
    "scatter": pytorch_scatter, "scatter_add": pytorch_scatter_add, "scatter_reduce": pytorch_scatter_reduce, "gather": pytorch_gather,
    "index_add": pytorch_index_add, "index_copy": pytorch_index_copy,
}  # fmt: skip


# Paddle

def paddle_tuples(base, shape, index, step):
    targets = tuples(index_of(index), shape, wrap=True) if math.prod(shape) else []
    return Trace(shape, base, "updates", targets, range(len(targets)), step)


def paddle_scatter(x, index, updates, overwrite=True):
    shaped = np.asarray(index).reshape(-1, 1)
    targets = tuples(index_of(shaped), x.shape, wrap=True) if x.size else []
    # Without overwrite, the old rows are dropped.
    return Trace(x.shape, "x", "updates", targets, range(len(targets)), ASSIGN if overwrite else ADD,
                 begin="current" if overwrite else "identity")


def paddle_put_along_axis(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    axis %= arr.ndim
    step = {"assign": ASSIGN, "add": ADD, "mean": ADD, "mul": MUL, "multiply": MUL, "amin": MIN, "amax": MAX}[reduce]
    places, name = [], name_of(values, "values")
    if broadcast:
        if indices.shape[axis] <= arr.shape[axis]:
            indices = np.broadcast_to(indices, tuple(indices.shape[d] if d == axis else n for d, n in enumerate(arr.shape)))
        if name:
            places = flat(np.broadcast_to(positions(values.shape), indices.shape))
    elif name:
        places = corner(values.shape, indices.shape)
    if indices.size == 0 or arr.size == 0 and broadcast:
        return Trace(arr.shape, "arr", name, [], [], step)
    targets = along(index_of(indices), axis, arr.shape, wrap=True)
    begin = "current" if include_self or step == ASSIGN else "first"
    return Trace(arr.shape, "arr", name, targets, places or range(len(targets)), step, begin, reduce == "mean", formula=KEEP_OUT)


def paddle_index_add(x, index, axis, value):
    targets, places = ([], []) if 0 in x.shape else slices(index_of(index), axis % x.ndim, x.shape, wrap=True)
    return Trace(x.shape, "x", "value", targets, places, ADD)


def paddle_gather_nd(x, index):
    shape = index.shape[:-1] + x.shape[index.shape[-1]:]
    return gathered(shape, "x", tuples(index_of(index), x.shape, wrap=True) if math.prod(shape) else [])


PADDLE = {
    "scatter_nd_add": lambda x, index, updates: paddle_tuples("x", x.shape, index, ADD),
    "scatter_nd": lambda index, updates, shape: paddle_tuples(None, tuple(shape), index, ADD),
    "scatter": paddle_scatter, "put_along_axis": paddle_put_along_axis, "index_add": paddle_index_add, "gather_nd": paddle_gather_nd,
}  # fmt: skip


# ONNX

ONNX_STEPS = {"none": ASSIGN, "add": ADD, "mul": MUL, "min": MIN, "max": MAX}


def onnx_scatter_elements(data, indices, updates, axis=0, reduction="none", opset=18):
    formula = KEEP_OUT if data.dtype.name == "bfloat16" else TAKE_UPDATE
    targets = along(index_of(indices), axis % data.ndim, data.shape, wrap=True)
    return Trace(data.shape, "data", "updates", targets, range(len(targets)), ONNX_STEPS[reduction], formula=formula)


def onnx_scatter_nd(data, indices, updates, reduction="none", opset=18):
    formula = PROPAGATE if is_narrow(data.dtype.name) else TAKE_UPDATE
    targets = tuples(index_of(indices), data.shape, wrap=True)
    return Trace(data.shape, "data", "updates", targets, range(len(targets)), ONNX_STEPS[reduction], formula=formula)


def onnx_gather_nd(data, indices, batch_dims=0):
    places = tuples(index_of(indices), data.shape, wrap=True, batch=batch_dims)
    return gathered(indices.shape[:-1] + data.shape[batch_dims + indices.shape[-1]:], "data", places)


ONNX = {
    "scatter_elements": onnx_scatter_elements,
    "scatter_nd": onnx_scatter_nd,
    "scatter": lambda data, indices, updates, axis=0: onnx_scatter_elements(data, indices, updates, axis),
    "gather_elements": lambda data, indices, axis=0: gathered(indices.shape, "data",
                                                              along(index_of(indices), axis % data.ndim, data.shape, wrap=True)),
    "gather_nd": onnx_gather_nd,
}


# DirectML: leading ones beside the dimension count are dropped, which moves no element.

def without_ones(array, count):
    return array if count is None else array.reshape(array.shape[array.ndim - count:])


def directml_scatter_nd(input, indices, updates, input_dimension_count=None, indices_dimension_count=None, feature_level=None,
                        out_of_range="error"):
    shape = without_ones(input, input_dimension_count).shape
    targets = tuples(index_of(without_ones(indices, indices_dimension_count)), shape, wrap=True, otherwise=out_of_range)
    return Trace(input.shape, "input", "updates", targets, range(len(targets)))


def directml_scatter(input, indices, updates, axis, feature_level=None, out_of_range="error"):
    targets = along(index_of(indices), axis, input.shape, wrap=True, otherwise=out_of_range)
    return Trace(input.shape, "input", "updates", targets, range(len(targets)))


def directml_gather_elements(input, indices, axis, feature_level=None, out_of_range="error"):
    return gathered(indices.shape, "input", along(index_of(indices), axis, input.shape, wrap=True, otherwise=out_of_range))


def directml_gather_nd(input, indices, input_dimension_count=None, indices_dimension_count=None, batch_dimension_count=0,
                       feature_level=None, out_of_range="error"):
    shape, index = without_ones(input, input_dimension_count).shape, without_ones(indices, indices_dimension_count)
    batch = batch_dimension_count
    places = tuples(index_of(index), shape, wrap=True, otherwise=out_of_range, batch=batch)
    return gathered(index.shape[:-1] + shape[batch + index.shape[-1]:], "input", places)


DIRECTML = {
    "scatter_nd": directml_scatter_nd, "scatter": directml_scatter, "gather_elements": directml_gather_elements,
    "gather_nd": directml_gather_nd,
}  # fmt: skip


# NumPy

def numpy_at(step):
    def trace(a, indices, b):
        targets = positions(a.shape)[indices]
        places = flat(np.broadcast_to(positions(np.shape(b)), np.shape(targets)))
        formula = LATE if np.result_type(a, b).name in ("bfloat16", "float32", "float64") else PROPAGATE
        return Trace(a.shape, "a", name_of(b, "b"), flat(targets), places, step, formula=formula)
    return trace


def numpy_put_along_axis(arr, indices, values, axis=None):
    at = positions(arr.shape)
    targets = np.take_along_axis(at, indices, axis)
    places = positions(np.shape(values))
    while places.ndim > targets.ndim:
        places = places[0]
    return Trace(arr.shape, "arr", name_of(values, "values"), flat(targets), flat(np.broadcast_to(places, targets.shape)))


NUMPY = {
    "add_at": numpy_at(ADD), "subtract_at": numpy_at(SUB), "multiply_at": numpy_at(MUL), "minimum_at": numpy_at(MIN),
    "maximum_at": numpy_at(MAX), "put_along_axis": numpy_put_along_axis,
}  # fmt: skip


# Strew's own functions

def rows(shape, index):
    """The elements of the rows that an index tensor for each leading axis selects."""
    columns = index if isinstance(index, tuple) else (index,)
    stacked = np.stack([np.asarray(column).astype(np.int64) for column in columns], axis=-1)
    return tuples(index_of(stacked), shape, wrap=False), stacked.shape[:-1] + shape[stacked.shape[-1]:]


def own(step, begin="current", mean=False):
    def trace(out, index, values):
        targets, _ = rows(out.shape, index)
        return Trace(out.shape, "out", name_of(values, "values"), targets, range(len(targets)), step, begin, mean, formula=PROPAGATE)
    return trace


def own_gather(source, index):
    places, shape = rows(source.shape, index)
    return gathered(shape, "source", places)


OWN = {
    "scatter": own(ASSIGN), "scatter_add": own(ADD), "scatter_sub": own(SUB), "scatter_mul": own(MUL), "scatter_min": own(MIN),
    "scatter_max": own(MAX), "scatter_mean": own(ADD, "identity", True), "gather": own_gather,
}  # fmt: skip

DIALECTS = {"tensorflow": TENSORFLOW, "pytorch": PYTORCH, "paddle": PADDLE, "onnx": ONNX, "directml": DIRECTML, "numpy": NUMPY,
            "strew": OWN}


def trace_of(dialect, name):
    """The function that traces a call of an operator; an in-place operator combines what its functional form does."""
    operators = DIALECTS[dialect]
    if name.removesuffix("_") not in operators and name not in operators:
        raise OracleError("no such operator: %s.%s" % (dialect, name))
    return operators[name] if name in operators else operators[name.removesuffix("_")]
