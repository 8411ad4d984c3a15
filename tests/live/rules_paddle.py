"""Where Paddle may answer otherwise. See rules.py."""
import math
from unittest import mock

import numpy as np

import arithmetic
import paddle
from call import wrapped_mean
from tensors import Array, is_integer, make, zeros


def adds_instead(call):
    """scatter_nd_add and scatter_nd with an index without elements: x + updates, or an error if that does not broadcast."""
    if call.op not in ("scatter_nd_add", "scatter_nd") or call.index.size > 0:
        return False
    x = call.data if call.op == "scatter_nd_add" else zeros(call.updates.dtype, tuple(call.args["shape"]))
    try:
        shape = np.broadcast_shapes(x.shape, call.updates.shape)
    except ValueError:
        return call.framework is None
    pairs = zip(np.broadcast_to(x.values, shape).reshape(-1), np.broadcast_to(call.updates.values, shape).reshape(-1))
    return call.is_answered(lambda: make(x.dtype, [arithmetic.add(x.dtype)(old, new) for old, new in pairs], shape))


def unchecked_and_empty(call):
    """With nothing to do, shapes and dtypes are not looked at: the answer is x, or x as often as it is asked for, or nothing."""
    if call.refused not in ("shape", "dtype", "axis", "unsupported") or call.framework is None:
        return False
    if all(getattr(x, "size", 1) > 0 for x in (call.data, call.index, call.updates)):
        return False
    if call.op == "gather_nd" and call.index.rank > 0 and call.index.shape[-1] == 0:
        shape = call.index.shape[:-1] + call.data.shape
        return call.is_answered(lambda: Array(call.data.dtype, np.broadcast_to(call.data.values, shape)))
    return call.unchanged or call.framework.size == 0


def reads_shorter(call):
    """index_add with more values than indices reads their memory as if it had the shorter shape."""
    if call.op != "index_add" or call.refused != "shape" or call.index.rank != 1 or call.updates.rank != call.data.rank:
        return False
    axis, value = call.args["axis"] % call.data.rank, call.updates
    shape = tuple(call.index.size if d == axis else n for d, n in enumerate(call.data.shape))
    if any(m != n for d, (m, n) in enumerate(zip(value.shape, shape)) if d != axis) or value.shape[axis] <= shape[axis]:
        return False
    shorter = Array(value.dtype, value.values.reshape(-1)[:math.prod(shape)].reshape(shape))
    return call.is_answered(paddle.index_add, call.data, call.index, axis, shorter)


def number_does_not_fit(call):
    """A float outside of an integer type: the cast has no defined result."""
    if call.op != "put_along_axis" or call.refused != "argument" or not isinstance(call.updates, float) or not is_integer(call.data.dtype):
        return False
    limits, number = np.iinfo(call.data.dtype), np.float32(call.updates)
    return not (np.isfinite(number) and limits.min <= int(number) <= limits.max)


def rank_limit(call):
    """Paddle's own words for a rank that it cannot hold, broadcast or repeat."""
    limits = ("only supports access to dimension 0 to 9", "must not be greater than 8", "rank being between 0 and 7")
    return call.refused is None and any(text in call.message for text in limits)


def negative_into_nothing(call):
    """Without broadcast only the upper end of the range is checked before an empty tensor is given back."""
    return (call.op == "put_along_axis" and call.args.get("broadcast") is False and call.data.size == 0 and call.refused == "index"
            and call.unchanged and all(i < 0 for i in call.index.integers()))


def ignores_wrong_type(call):
    """In place, an index of a type that the kernel does not know changes nothing."""
    return (call.op == "put_along_axis" and call.refused == "dtype" and call.index.dtype not in ("int32", "int64") and call.unchanged)


def counts_narrowly(call):
    """A mean is counted in the dtype itself. A count that wraps to nothing ends the process."""
    if call.refused or call.args.get("reduce") != "mean" or not is_integer(call.data.dtype):
        return False
    counts = []

    def mean(dtype, total, count):
        counts.append(np.int64(count).astype(dtype))
        return wrapped_mean(dtype, total, count)
    with mock.patch.object(arithmetic, "mean", mean):
        answered = call.is_answered(paddle.put_along_axis, **call.args)
    return 0 in counts if call.crashed else answered


def wider_off_the_axis(call):
    if call.op != "put_along_axis" or call.index.rank != call.data.rank or call.data.size == 0:
        return False
    if call.args.get("broadcast") is False and isinstance(call.updates, Array):
        # The one form whose shapes are checked.
        return False
    axis = call.args["axis"] + (call.data.rank if call.args["axis"] < 0 else 0)
    return any(d != axis and n > m for d, (n, m) in enumerate(zip(call.index.shape, call.data.shape)))


def row_of_another_shape(call):
    return call.op == "scatter" and call.index.rank == 0 and call.data.rank > 0 and call.updates.shape != call.data.shape[1:]


def gathers_from_nothing(call):
    if call.op != "gather_nd" or call.data.size > 0 or call.index.rank == 0 or call.index.shape[-1] > call.data.rank:
        return False
    return math.prod(call.index.shape[:-1] + call.data.shape[call.index.shape[-1]:]) > 0


DIFFERENCES = [
    ("An index without elements in Paddle", adds_instead),
    ("Nothing to do in Paddle", unchecked_and_empty),
    ("More values than indices", reads_shorter),
    ("The count of a mean", counts_narrowly),
    ("A number that the type cannot hold", number_does_not_fit),
    ("Ranks above seven in Paddle", rank_limit),
    ("A negative index into nothing", negative_into_nothing),
    ("An index of another type in place", ignores_wrong_type),
]
UNSAFE = [
    ("Paddle writes outside of the tensor: put_along_axis with an index wider than arr off the axis", wider_off_the_axis),
    ("Paddle reads outside of updates: scatter with an index of rank 0 and a row of another shape", row_of_another_shape),
    ("Paddle returns memory that nobody wrote: gather_nd from an empty tensor", gathers_from_nothing),
]
