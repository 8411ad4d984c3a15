"""PyTorch: scatter, scatter_add, scatter_reduce, index_add, index_copy and gather, as version 2.13 runs them on a CPU."""
import numpy as np

import arithmetic as a
from loops import along_axis, fold, gather as gather_places, prefix, require, require_dtype, slices, wrap_axis
from tensors import Array, check_overlap, is_narrow, make
from torch_numbers import element


def at_least_1d(shape):
    """A tensor of rank 0 acts as one of shape [1]."""
    return tuple(shape) or (1,)


def check_no_strings(*arrays):
    require(all(x.dtype != "string" for x in arrays if isinstance(x, Array)), "PyTorch has no strings")


def check_scatter(input, dim, index, src):
    """The checks that scatter, scatter_add and scatter_reduce share; an empty index is not looked at."""
    check_no_strings(input, src)
    dim = wrap_axis(dim, len(at_least_1d(input.shape)))
    if isinstance(src, Array):
        require(input.dtype == src.dtype, "self.dtype and src.dtype differ")
    if index.size:
        require_dtype(index, ("int32", "int64"), "index")
        shape, index_shape = at_least_1d(input.shape), at_least_1d(index.shape)
        require(len(index_shape) == len(shape), "index and self differ in rank")
        for d, n in enumerate(index_shape):
            require(d == dim or n <= shape[d], "index exceeds self")
        if isinstance(src, Array):
            src_shape = at_least_1d(src.shape)
            require(len(index_shape) == len(src_shape), "index and src differ in rank")
            require(all(n <= m for n, m in zip(index_shape, src_shape)), "index exceeds src")
    return dim


def targets_and_updates(input, dim, index, src):
    if not index.size:
        return [], []
    shaped = Array(index.dtype, index.values.reshape(at_least_1d(index.shape)))
    targets = along_axis(shaped, dim, at_least_1d(input.shape), wrap=False)
    if not isinstance(src, Array):
        return targets, [element(src, input.dtype)] * len(targets)
    source = Array(src.dtype, src.values.reshape(at_least_1d(src.shape)))
    return targets, prefix(source, shaped.shape)


def widen(dtype, values):
    """16-bit floats are combined in float32 and rounded once, at the end of the call."""
    return [np.float32(x) for x in values] if is_narrow(dtype) else values


def finish(dtype, values, shape):
    if is_narrow(dtype):
        values = [a.narrow(dtype, x) for x in values]
    return make(dtype, values, shape)


def wide(dtype):
    return "float32" if is_narrow(dtype) else dtype


def scatter(input, dim, index, src, reduce=None):
    dim = check_scatter(input, dim, index, src)
    require(reduce in (None, "add", "multiply"), "reduce must be add or multiply")
    step = {None: a.assign, "add": a.add, "multiply": a.mul}[reduce](wide(input.dtype))
    targets, updates = targets_and_updates(input, dim, index, src)
    out = widen(input.dtype, input.flat())
    fold(out, targets, widen(input.dtype, updates), step)
    return finish(input.dtype, out, input.shape)


def scatter_add(input, dim, index, src):
    return scatter(input, dim, index, src, "add")


def reduction(word, dtype):
    """The step of a scatter_reduce word, and what include_self=False starts from."""
    kind = wide(dtype)
    if word in ("amax", "max"):
        return a.maximum(kind, a.propagate), a.lowest(kind)
    if word in ("amin", "min"):
        return a.minimum(kind, a.propagate), a.highest(kind)
    require(word in ("sum", "prod", "mean"), "unknown reduce word")
    if word == "mean":
        require(dtype != "bool", "no mean of bool")
    return (a.mul(kind), 1) if word == "prod" else (a.add(kind), 0)


def scatter_reduce(input, dim, index, src, reduce, include_self=True):
    dim = check_scatter(input, dim, index, src)
    step, identity = reduction(reduce, input.dtype)
    targets, updates = targets_and_updates(input, dim, index, src)
    out = widen(input.dtype, input.flat())
    if not include_self:
        start = make(wide(input.dtype), [identity], (1,)).flat()[0]
        for target in targets:
            out[target] = start
    fold(out, targets, widen(input.dtype, updates), step)
    result = finish(input.dtype, out, input.shape)
    if reduce == "mean":
        out = result.flat()
        for target in set(targets):
            count = targets.count(target) + bool(include_self)
            out[target] = a.mean(input.dtype, out[target], count)
        result = make(input.dtype, out, input.shape)
    return result


def gather(input, dim, index):
    dim = check_scatter(input, dim, index, None)
    if not index.size:
        return make(input.dtype, [], index.shape)
    targets, _ = targets_and_updates(input, dim, index, Array(input.dtype, np.empty(index.shape, input.values.dtype)))
    return gather_places(input, targets, index.shape)


def without(shape, dim):
    return shape[:dim] + shape[dim + 1:]


def is_number_one(alpha):
    return not isinstance(alpha, bool) and alpha == 1


def index_add(input, dim, index, source, alpha=1):
    check_no_strings(input, source)
    dim = wrap_axis(dim, max(input.rank, 1))
    require(index.rank <= 1, "index must be a vector")
    require_dtype(index, ("int32", "int64"), "index")
    require(input.dtype == source.dtype, "dtypes differ")
    require(dim == 0 or dim < source.rank, "dim is out of bounds of source")
    require(index.size == (source.shape[dim] if source.rank else 1), "index and source differ in length")
    if input.rank and source.rank:
        require(without(input.shape, dim) == without(source.shape, dim), "shapes differ off dim")
    else:
        require(input.shape == source.shape, "shapes differ")
    dtype, updates = input.dtype, source.flat()
    buffered = (input.rank >= 2 and dim in (0, input.rank - 1) and is_number_one(alpha) and index.dtype == "int64")
    if input.rank >= 2 and (input.size == 0 or index.size == 0):
        return input
    kind = wide(dtype) if buffered else dtype
    if not buffered:
        # A number 1 leaves real numbers as they are; complex ones are multiplied by 1 + 0i, which shows in infinities.
        factor, multiply = element(alpha, dtype), a.mul(dtype)
        updates = [multiply(x, factor) for x in updates]
    targets, sources = slices(index, dim, at_least_1d(input.shape), wrap=False)
    out, updates = input.flat(), [updates[s] for s in sources]
    if buffered:
        out, updates = widen(dtype, out), widen(dtype, updates)
    fold(out, targets, updates, a.add(kind))
    return finish(dtype, out, input.shape)


def index_copy(input, dim, index, source):
    check_no_strings(input, source)
    dim = wrap_axis(dim, max(input.rank, 1))
    require(index.rank <= 1, "index must have rank 0 or 1")
    require(source.rank > 0 or index.size == 1, "a source of rank 0 needs one index")
    require(source.rank == input.rank or source.rank == 0 or input.rank == 0, "ranks differ")
    require_dtype(index, ("int64",), "index")
    require(input.dtype == source.dtype, "dtypes differ")
    require(without(input.shape, dim) == without(source.shape, dim), "slices differ in shape")
    require(source.rank == 0 or index.size == source.shape[dim], "index and source differ in length")
    if 0 in without(input.shape, dim):
        # Slices without elements: the indices are not looked at.
        return input
    targets, sources = slices(index, dim, at_least_1d(input.shape), wrap=False)
    out, updates = input.flat(), source.flat()
    fold(out, targets, [updates[s] for s in sources], a.assign(input.dtype))
    return make(input.dtype, out, input.shape)


def scatter_(input, dim, index, src, reduce=None):
    check_overlap(input, index, src)
    return scatter(input, dim, index, src, reduce)


def scatter_add_(input, dim, index, src):
    check_overlap(input, index, src)
    return scatter_add(input, dim, index, src)


def scatter_reduce_(input, dim, index, src, reduce, include_self=True):
    check_overlap(input, index, src)
    return scatter_reduce(input, dim, index, src, reduce, include_self)


def index_add_(input, dim, index, source, alpha=1):
    check_overlap(input, index, source)
    return index_add(input, dim, index, source, alpha)


def index_copy_(input, dim, index, source):
    check_overlap(input, index, source)
    return index_copy(input, dim, index, source)
