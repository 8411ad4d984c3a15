"""The arrays of a workload, the same in every run."""
import functools

import ml_dtypes
import numpy as np

# Sums and products of these are exact in any order, so a single lost update shows, and no peer is blamed for its order.
VALUES = {"add": (-8, 9), "mean": (-8, 9), "amax": (-(2**20), 2**20), "assign": (-(2**20), 2**20), "gather": (-(2**20), 2**20)}


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def placed(array, offset, line=64):
    """The array in memory that begins so many bytes behind the start of a cache line."""
    room = np.empty(array.nbytes + line, np.uint8)
    begin = (offset - room.ctypes.data) % line
    moved = room[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    np.copyto(moved, array)
    return moved


def uniform(random, extent, count):
    return random.integers(0, extent, count)


def zipf(random, extent, count):
    """Target k is hit 1/k as often as the first; the order of targets is shuffled, as that of words or nodes is."""
    rank = np.floor((extent + 1.0) ** random.random(count)).astype(np.int64) - 1
    return random.permutation(extent)[rank]


def one(random, extent, count):
    return np.full(count, extent // 2)


def ascending(random, extent, count):
    return np.sort(random.integers(0, extent, count))


def hot(random, extent, count):
    return np.where(random.random(count) < 0.5, 0, random.integers(0, extent, count))


def twice(random, extent, count):
    return random.permutation(np.repeat(np.arange(extent), 2))


def shared(random, extent, count):
    """An index for each element, equal along a row."""
    return np.repeat(random.integers(0, extent, count[:1]), count[1]).reshape(count)


def tuples(random, extents, count):
    return np.stack([random.integers(0, extent, count) for extent in extents], axis=-1)


def clustered(random, extents, count):
    """Points around 1000 centres."""
    centres = random.random((1000, len(extents)))[random.integers(0, 1000, count)]
    places = (centres + random.normal(0, 0.02, centres.shape)) * extents
    return np.clip(places, 0, np.array(extents) - 1).astype(np.int64)


def tokens(random, extents, count):
    """One position in each sequence, for all of its heads."""
    sequences, heads, positions = extents
    sequence, head = np.divmod(np.arange(sequences * heads), heads)
    return np.stack([sequence, head, random.integers(0, positions, sequences)[sequence]], axis=1)


SPREADS = {spread.__name__: spread for spread in (uniform, zipf, one, ascending, hot, twice, shared, tuples, clustered, tokens)}


class Problem:
    """`out` is shared by all that work in place; `reset` puts it back."""

    def __init__(self, workload):
        self.workload, self.op, self.axis, self.depth, self.rounding = (
            workload, workload.op, workload.axis, workload.depth, workload.rounding)
        self.dtype, self.random = dtype_of(workload.dtype), np.random.default_rng(1)
        self.width = int(np.prod(workload.shape[self.depth:])) if workload.kind in ("rows", "nd") else 1
        place = functools.partial(placed, offset=0 if workload.aligned else 16)
        self.index = place(self.make_index(workload))
        table, moved = self.values(workload.shape), workload.count + self.row_shape()
        if self.op == "gather":
            self.source, self.initial, self.updates = place(table), np.zeros(moved, self.dtype), None
        else:
            self.source, self.initial = None, table
            self.updates = place(np.ones(moved, self.dtype) if workload.dtype == "int64" else self.values(moved))
        self.out = place(self.initial)

    def row_shape(self):
        return self.workload.shape[self.depth:] if self.workload.kind in ("rows", "nd") else ()

    def make_index(self, workload):
        extents = workload.shape[:workload.depth] if workload.kind == "nd" else workload.shape[workload.axis]
        return SPREADS[workload.spread](self.random, extents, workload.count)

    def values(self, shape):
        if self.op == "mul":
            return (self.random.integers(0, 2, shape, np.int8) * 2 - 1).astype(self.dtype)
        if self.dtype == np.dtype(ml_dtypes.bfloat16):
            # Sums that do round: they tell once from every update.
            return self.random.standard_normal(shape, np.float32).astype(self.dtype)
        low, high = VALUES[self.op]
        return self.random.integers(low, high, shape, np.int32).astype(self.dtype)

    def reset(self):
        np.copyto(self.out, self.initial)

    def column(self):
        """The indices as tuples."""
        return self.index if self.workload.kind == "nd" else self.index[:, None]

    def blocks(self):
        """The shape of the target around the axis: before it, along it, behind it; then how many indices there are along it."""
        shape, axis = self.workload.shape, self.axis
        return int(np.prod(shape[:axis])), shape[axis], int(np.prod(shape[axis + 1:])), self.workload.count[axis]

    def updates_count(self):
        return int(np.prod(self.workload.count))

    def places(self):
        """The row of the target (or its element) that each index means."""
        if self.workload.kind != "elements":
            return np.ravel_multi_index(tuple(self.column().T), self.workload.shape[:self.depth])
        outer, extent, inner, _ = self.blocks()
        before, behind = np.arange(outer)[:, None, None] * extent, np.arange(inner)
        return ((before + self.index.reshape(outer, -1, inner)) * inner + behind).ravel()

    @functools.cached_property
    def touched(self):
        """The rows of the target that some index means."""
        touched = np.zeros(int(np.prod(self.workload.shape)) // self.width, bool)
        touched[self.places()] = True
        return np.flatnonzero(touched)

    def has_duplicates(self):
        return len(self.touched) < self.updates_count()

    def bytes(self):
        """What must move at least: indices, updates and the lines of the target that are touched (docs/performance.md)."""
        row, size, touched = self.width * self.dtype.itemsize, int(np.prod(self.workload.shape)) * self.dtype.itemsize, self.touched
        lines = np.zeros(size // 64 + 1, bool)
        for at in range(0, row, 64):
            lines[(touched * row + at) // 64] = True
        lines, moved = int(lines.sum()) * 64, self.updates_count() * row
        if self.op == "gather":
            return self.index.nbytes + lines + moved
        if self.op == "assign":
            return self.index.nbytes + len(touched) * row + lines
        return self.index.nbytes + moved + 2 * lines
