"""ONNX: ScatterElements, ScatterND, Scatter, GatherElements and GatherND; ONNX Runtime's answer where the text leaves it open."""
import math

import arithmetic as a
from loops import along_axis, gather as gather_places, require, require_dtype, scatter as scatter_places, tuples, wrap_axis
from tensors import zeros

REDUCTIONS = {11: ("none",), 13: ("none",), 16: ("none", "add", "mul"), 18: ("none", "add", "mul", "max", "min")}

NEWEST = 28  # of onnx 1.23


def words_at(opset):
    """The reductions of the last definition up to an opset; none before the first."""
    return max((version, words) for version, words in {0: (), **REDUCTIONS}.items() if version <= opset)[1]


def check_operator(data, updates, reduction, opset):
    require(min(REDUCTIONS) <= opset <= NEWEST, "there is no such operator in that opset")
    require(reduction in words_at(opset), "reduction is not a word of this opset")
    require(data.dtype == updates.dtype, "dtypes differ")
    require(opset >= 13 or data.dtype != "bfloat16", "bfloat16 came with opset 13")


def step_of(reduction, dtype, formula):
    if reduction == "min":
        return a.minimum(dtype, formula)
    if reduction == "max":
        return a.maximum(dtype, formula)
    return {"none": a.assign, "add": a.add, "mul": a.mul}[reduction](dtype)


def check_elements(data, indices, axis):
    """Indices lie inside data off the axis; returns the axis counted from the front."""
    axis = wrap_axis(axis, data.rank)
    require_dtype(indices, ("int32", "int64"), "indices")
    require(indices.rank == data.rank, "ranks differ")
    for d in range(data.rank):
        require(d == axis or indices.shape[d] <= data.shape[d], "indices exceed data off the axis")
    return axis


def scatter_elements(data, indices, updates, axis=0, reduction="none", opset=18):
    check_operator(data, updates, reduction, opset)
    axis = check_elements(data, indices, axis)
    require(updates.shape == indices.shape, "updates and indices differ in shape")
    # ONNX Runtime has no bfloat16 min and max; the reference evaluator's Python min and max keep the existing value.
    formula = a.keep_out if data.dtype == "bfloat16" else a.take_update
    step = step_of(reduction, data.dtype, formula)
    return scatter_places(data, along_axis(indices, axis, data.shape, wrap=True), updates.flat(), step)


def scatter(data, indices, updates, axis=0):
    return scatter_elements(data, indices, updates, axis, "none", 11)


def scatter_nd(data, indices, updates, reduction="none", opset=18):
    check_operator(data, updates, reduction, opset)
    require_dtype(indices, ("int64",), "indices")
    require(data.rank >= 1 and indices.rank >= 1, "data and indices must have rank 1 or more")
    depth = indices.shape[-1]
    require(depth <= data.rank, "index tuples are longer than the rank of data")
    require(updates.shape == indices.shape[:-1] + data.shape[depth:], "updates have the wrong shape")
    # ONNX Runtime has no 16-bit min and max here; the reference evaluator's np.minimum lets NaN through.
    formula = a.propagate if data.dtype in ("float16", "bfloat16") else a.take_update
    step = step_of(reduction, data.dtype, formula)
    return scatter_places(data, tuples(indices, data.shape, wrap=True), updates.flat(), step)


def gather_elements(data, indices, axis=0):
    axis = check_elements(data, indices, axis)
    return gather_places(data, along_axis(indices, axis, data.shape, wrap=True), indices.shape)


def gather_nd(data, indices, batch_dims=0):
    require_dtype(indices, ("int64",), "indices")
    require(indices.rank >= 1, "indices must have rank 1 or more")
    # ONNX Runtime takes data of rank 0 as well, and tuples of no coordinates.
    require(0 <= batch_dims < max(1, min(data.rank, indices.rank)), "batch_dims is out of range")
    require(data.shape[:batch_dims] == indices.shape[:batch_dims], "batch dimensions differ")
    depth = indices.shape[-1]
    require(batch_dims + depth <= data.rank, "index tuples are longer than the rank of data")
    shape = indices.shape[:-1] + data.shape[batch_dims + depth:]
    if math.prod(shape) == 0:
        # Nothing is read, so the indices are not looked at.
        return zeros(data.dtype, shape)
    return gather_places(data, tuples(indices, data.shape, wrap=True, batch=batch_dims), shape)
