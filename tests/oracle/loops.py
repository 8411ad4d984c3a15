"""The naive loops that the operators share: which element each index names, then one update after the other."""
import itertools
import math
import re

from tensors import OracleError, make


def require(condition, message):
    if not condition:
        raise OracleError(message)


def require_dtype(array, allowed, name):
    require(array.dtype in allowed, "%s must be one of %s, got %s" % (name, " ".join(allowed), array.dtype))


def wrap_axis(axis, rank):
    require(isinstance(axis, int) and -rank <= axis < rank, "axis %s is not in [%d, %d]" % (axis, -rank, rank - 1))
    return axis % rank


def output_shape(shape, dtype):
    """A shape given as a list of numbers, for an output of this dtype."""
    bits = [int(digits) for digits in re.findall(r"\d+", dtype)]
    element = bits[0] // 8 if bits else 32 if dtype == "string" else 1
    size = 1
    for n in shape:
        require(n >= 0, "a dimension is negative")
        # A zero among the sizes does not excuse the others.
        size *= max(n, 1)
        require(size * element < 2 ** 63, "the shape has too many bytes")
    require(math.prod(shape) < 2 ** 28, "the output cannot be held")
    return tuple(shape)


def coordinate(value, extent, wrap, otherwise="error"):
    """An index value as a coordinate; None means: drop what it names."""
    at = value + extent if wrap and value < 0 else value
    if 0 <= at < extent:
        return at
    if otherwise == "skip":
        return None
    if otherwise == "clamp" and extent:
        return min(max(at, 0), extent - 1)
    raise OracleError("index %d is out of bounds for size %d" % (value, extent))


def strides_of(shape):
    return [math.prod(shape[axis + 1:]) for axis in range(len(shape))]


def along_axis(index, axis, shape, wrap, otherwise="error"):
    """For each index in row-major order: the flat place of (its own position, the index on the axis)."""
    strides = strides_of(shape)
    positions = itertools.product(*map(range, index.shape))
    targets = []
    for position, value in zip(positions, index.integers()):
        at = coordinate(value, shape[axis], wrap, otherwise)
        targets.append(sum(s * (at if d == axis else p) for d, (s, p) in enumerate(zip(strides, position))))
    return targets


def tuples(index, shape, wrap, otherwise="error", batch=0):
    """For each index tuple in row-major order: the flat places of the slice it names (None if dropped)."""
    depth = index.shape[-1]
    points = index.shape[:-1]
    strides = strides_of(shape)
    row = math.prod(shape[batch + depth:])
    values = index.integers()
    targets = []
    for n, position in enumerate(itertools.product(*map(range, points))):
        start = sum(p * s for p, s in zip(position[:batch], strides))
        dropped = False
        for j, value in enumerate(values[n * depth:(n + 1) * depth]):
            at = coordinate(value, shape[batch + j], wrap, otherwise)
            if at is None:
                dropped = True
            else:
                start += at * strides[batch + j]
        targets.extend([None] * row if dropped else range(start, start + row))
    return targets


def slices(index, axis, shape, wrap):
    """For each index, then each position off the axis: the flat place in the target, and in the source."""
    strides = strides_of(shape)
    source_shape = list(shape)
    source_shape[axis] = index.size
    source_strides = strides_of(source_shape)
    others = [range(1 if d == axis else n) for d, n in enumerate(shape)]
    targets, sources = [], []
    for i, value in enumerate(index.integers()):
        at = coordinate(value, shape[axis], wrap)
        for position in itertools.product(*others):
            targets.append(at * strides[axis] + sum(map(int.__mul__, position, strides)))
            sources.append(i * source_strides[axis] + sum(map(int.__mul__, position, source_strides)))
    return targets, sources


def fold(out, targets, updates, step):
    """Update a list of scalars in place, in order."""
    for target, update in zip(targets, updates):
        if target is not None:
            out[target] = step(out[target], update)


def scatter(base, targets, updates, step):
    """A copy of `base` with every update applied."""
    out = base.flat()
    fold(out, targets, updates, step)
    return make(base.dtype, out, base.shape)


def gather(source, targets, shape, missing=None):
    flat = source.flat()
    return make(source.dtype, [missing if t is None else flat[t] for t in targets], shape)


def prefix(array, shape):
    """The leading corner of an array, flat."""
    corner = array.values[tuple(slice(0, n) for n in shape)]
    return list(corner.reshape(-1))
