"""Paddle: scatter_nd_add, scatter, scatter_nd, put_along_axis, index_add and gather_nd, as version 3.3's CPU kernels run them."""
import math

import numpy as np

import arithmetic as a
from loops import (along_axis, coordinate, fold, gather, output_shape, prefix, require, require_dtype,
                   scatter as scatter_places, slices, tuples, wrap_axis)
from tensors import STORAGE, Array, check_overlap, is_integer, is_narrow, make, zeros

INDEX = ("int32", "int64")


def check_no_strings(*arrays):
    require(all(x.dtype != "string" for x in arrays if isinstance(x, Array)), "Paddle has no strings here")


def scatter_nd_add(x, index, updates):
    check_no_strings(x, updates)
    require(x.dtype == updates.dtype, "dtypes differ")
    require_dtype(index, INDEX, "index")
    require(index.rank >= 1, "index must have rank 1 or more")
    depth = index.shape[-1]
    require(depth <= x.rank, "index tuples are longer than the rank of x")
    require(updates.shape == index.shape[:-1] + x.shape[depth:], "updates have the wrong shape")
    if x.size == 0:
        return x
    return scatter_places(x, tuples(index, x.shape, wrap=True), updates.flat(), a.add(x.dtype))


def scatter_nd(index, updates, shape):
    return scatter_nd_add(zeros(updates.dtype, output_shape(shape, updates.dtype)), index, updates)


def scatter(x, index, updates, overwrite=True):
    check_no_strings(x, updates)
    require(x.dtype == updates.dtype, "dtypes differ")
    require_dtype(index, INDEX, "index")
    require(x.rank >= 1, "x must have rank 1 or more")
    require(index.rank <= 1 or index.rank == 2 and index.shape[1] == 1, "index must have shape [], [N] or [N, 1]")
    if index.rank == 0:
        require(updates.shape == x.shape[1:], "updates have the wrong shape")
    else:
        # Updates beyond the last index are ignored.
        require(updates.rank == x.rank and updates.shape[1:] == x.shape[1:], "updates have the wrong shape")
        require(index.shape[0] <= updates.shape[0], "fewer updates than indices")
    if x.size == 0:
        return x
    row = math.prod(x.shape[1:])
    starts = [coordinate(value, x.shape[0], wrap=True) * row for value in index.integers()]
    targets = [start + j for start in starts for j in range(row)]
    out = x.flat()
    if not overwrite:
        # The rows named are cleared first: their old content is dropped, not added to.
        nothing = zeros(x.dtype, (1,)).flat()[0]
        for target in targets:
            out[target] = nothing
    fold(out, targets, updates.flat(), a.assign(x.dtype) if overwrite else a.add(x.dtype))
    return make(x.dtype, out, x.shape)


def broadcast_to(array, shape):
    """To `shape`, as NumPy broadcasts, but never dropping or growing a dimension other than 1."""
    try:
        return Array(array.dtype, np.broadcast_to(array.values, shape))
    except ValueError:
        require(False, "cannot broadcast %s to %s" % (array.shape, shape))


def number_as_values(number, dtype, may_broadcast):
    """Paddle makes a tensor first, of a dtype that follows from the number's type."""
    require(not isinstance(number, complex) or dtype.startswith("complex"), "a complex number into a real dtype")
    if may_broadcast:
        own = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}
        require(own[type(number)] == dtype, "a number of another dtype than arr")
    require(type(number) is not int or -2 ** 63 <= number < 2 ** 63, "no int64")
    if isinstance(number, float):
        number = np.float32(number)
    if is_integer(dtype):
        if isinstance(number, np.float32):
            # A float that is no integer of the dtype has no defined cast.
            limits = np.iinfo(dtype)
            require(np.isfinite(number) and limits.min <= int(number) <= limits.max, "no integer of this dtype")
        number = int(number)
    if is_narrow(dtype):
        number = a.narrow(dtype, np.float32(number))
    return Array(dtype, np.array(number).astype(STORAGE[dtype]))


def step_of(reduce, dtype):
    if reduce == "amin":
        return a.minimum(dtype, a.keep_out)
    if reduce == "amax":
        return a.maximum(dtype, a.keep_out)
    words = {"assign": a.assign, "add": a.add, "mean": a.add, "mul": a.mul, "multiply": a.mul}
    require(reduce in words, "unknown reduce word")
    require(reduce != "mean" or dtype != "bool", "no mean of bool")
    return words[reduce](dtype)


def fold_reduce(out, targets, updates, dtype, step, is_mean, include_self):
    """put_along_axis: without self, the first update to a place replaces what was there."""
    counts = {}
    for target, update in zip(targets, updates):
        first = target not in counts
        out[target] = update if first and not include_self else step(out[target], update)
        counts[target] = counts.get(target, int(bool(include_self))) + 1
    if is_mean:
        for target, count in counts.items():
            out[target] = a.mean(dtype, out[target], count)


def put_along_axis(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    check_no_strings(arr, values)
    require(indices.rank == arr.rank, "indices and arr differ in rank")
    axis = wrap_axis(axis, arr.rank)
    require_dtype(indices, INDEX, "indices")
    step = step_of(reduce, arr.dtype)
    if not isinstance(values, Array):
        values = broadcast_to(number_as_values(values, arr.dtype, broadcast), (1,) * arr.rank if broadcast else indices.shape)
    require(values.dtype == arr.dtype, "dtypes differ")
    if broadcast:
        require(all(d == axis or n <= arr.shape[d] for d, n in enumerate(indices.shape)), "indices exceed arr")
        # An index that is longer than arr on the axis is left as it is.
        if indices.shape[axis] <= arr.shape[axis]:
            indices = broadcast_to(indices, tuple(indices.shape[d] if d == axis else n for d, n in enumerate(arr.shape)))
        values = broadcast_to(values, indices.shape)
    else:
        require(values.rank == indices.rank, "indices and values differ in rank")
        for d, n in enumerate(indices.shape):
            require(n <= values.shape[d] and (d == axis or n <= arr.shape[d]), "indices exceed arr or values")
    if indices.size == 0 or arr.size == 0 and broadcast:
        return arr
    targets = along_axis(indices, axis, arr.shape, wrap=True)
    out = arr.flat()
    fold_reduce(out, targets, prefix(values, indices.shape), arr.dtype, step, reduce == "mean", include_self)
    return make(arr.dtype, out, arr.shape)


def index_add(x, index, axis, value):
    check_no_strings(x, value)
    axis = wrap_axis(axis, x.rank)
    require(x.dtype == value.dtype, "dtypes differ")
    require_dtype(index, INDEX, "index")
    require(index.rank == 1, "index must be a vector")
    require(value.rank == x.rank, "value and x differ in rank")
    for d, n in enumerate(value.shape):
        # Paddle takes a longer value and reads it as if its memory had another shape: refused here, see docs/differences.md.
        require(n == (index.size if d == axis else x.shape[d]), "value has the wrong shape")
    if x.size == 0 or index.size == 0:
        return x
    targets, sources = slices(index, axis, x.shape, wrap=True)
    flat = value.flat()
    return scatter_places(x, targets, [flat[s] for s in sources], a.add(x.dtype))


def gather_nd(x, index):
    check_no_strings(x)
    require_dtype(index, INDEX, "index")
    require(index.rank >= 1, "index must have rank 1 or more")
    depth = index.shape[-1]
    require(depth <= x.rank, "index tuples are longer than the rank of x")
    shape = index.shape[:-1] + x.shape[depth:]
    if math.prod(shape) == 0:
        # Nothing is read, so the indices are not looked at.
        return zeros(x.dtype, shape)
    return gather(x, tuples(index, x.shape, wrap=True), shape)


def scatter_(x, index, updates, overwrite=True):
    check_overlap(x, index, updates)
    return scatter(x, index, updates, overwrite)


def put_along_axis_(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    check_overlap(arr, indices, values)
    return put_along_axis(arr, indices, values, axis, reduce, include_self, broadcast)


def index_add_(x, index, axis, value):
    check_overlap(x, index, value)
    return index_add(x, index, axis, value)
