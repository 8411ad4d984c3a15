"""Chunks of Dask arrays: which block of an argument a part of the op reads, and how arrays are rechunked for that."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np

from .._convert import numpy_dtype
from ._dask import Array, HighLevelGraph, config, da, parse_bytes, tokenize
from ._op import NONE, Op, Shape, View

Chunks = tuple[int, ...]  # the sizes along one dimension


def nonempty(chunks: Chunks) -> Chunks:
    return tuple(size for size in chunks if size) or (0,)


def starts(chunks: Chunks) -> list[int]:
    return [0, *np.cumsum(chunks[:-1], dtype=np.int64).tolist()]


def clipped(chunks: Chunks, size: int) -> Chunks:
    """The chunks of the first `size` positions."""
    parts, left = [], size
    for chunk in chunks:
        parts.append(min(chunk, left))
        left -= parts[-1]
    return nonempty(tuple(parts))


def rechunked(array: Array, chunks: tuple[Chunks, ...]) -> Array:
    """Dask's rechunk, with the empty blocks of the array left out first: they would take part in every block of the result."""
    array = without_empty(array)
    return array if array.chunks == chunks else array.rechunk(chunks)


def without_empty(array: Array) -> Array:
    if not any(0 in sizes and len(sizes) > 1 for sizes in array.chunks):
        return array
    kept = [[number for number, size in enumerate(sizes) if size] or [0] for sizes in array.chunks]
    name = f"nonempty-{tokenize(array)}"
    graph = {}
    for at in product(*(enumerate(numbers) for numbers in kept)):
        graph[(name, *(number for number, _ in at))] = (array.name, *(number for _, number in at))
    layer = HighLevelGraph.from_collections(name, graph, dependencies=[array])
    return da.Array(layer, name, tuple(nonempty(sizes) for sizes in array.chunks), meta=array._meta)


def with_chunks(array: Array, chunks: tuple[Chunks, ...]) -> Array:
    """The array in these chunks, empty ones included, each of which depends on a block beside it: computing it raises the same errors."""
    dense = rechunked(array, tuple(map(nonempty, chunks)))
    if dense.chunks == chunks:
        return dense
    numbers = [np.maximum(np.cumsum([size > 0 for size in sizes]) - 1, 0).tolist() for sizes in chunks]
    name = f"chunks-{tokenize(dense, chunks)}"
    graph: dict[Any, Any] = {}
    for at in product(*(range(len(sizes)) for sizes in chunks)):
        shape = tuple(sizes[number] for sizes, number in zip(chunks, at))
        key = (dense.name, *(kept[number] for kept, number in zip(numbers, at)))
        graph[(name, *at)] = key if prod(shape) else (partial(no_elements, shape), key)
    layer = HighLevelGraph.from_collections(name, graph, dependencies=[dense])
    return da.Array(layer, name, chunks, meta=dense._meta)


def no_elements(shape: Shape, block: Any) -> Any:
    return np.empty(shape, block.dtype)


def of_shape(array: Array, shape: Shape) -> Array:
    """The array, which must have this shape: Dask loses elements in some operations on arrays with empty chunks."""
    if array.shape != shape:
        raise AssertionError(f"Dask made an array of shape {array.shape} where {shape} was expected; please report this")
    return array


class Shown:
    """An argument, rechunked so that each part of the op reads one block of it."""

    def __init__(self, array: Array, view: View, chunks: tuple[Chunks, ...]) -> None:
        self.dimensions = view.dimensions(array.ndim)
        sizes = {dimension: chunks[at] for at, dimension in enumerate(self.dimensions) if dimension is not None}
        wanted = tuple(sizes.get(dimension, (size,)) for dimension, size in enumerate(array.shape))
        if any(sum(part) < size for part, size in zip(wanted, array.shape)):
            array = of_shape(without_empty(array)[tuple(slice(sum(part)) for part in wanted)], tuple(map(sum, wanted)))
        self.array = rechunked(array, wanted)

    def key(self, at: Shape) -> tuple[Any, ...]:
        """The key of the block for these numbers of chunks along the dimensions of the view."""
        number = {dimension: at[i] for i, dimension in enumerate(self.dimensions) if dimension is not None}
        return (self.array.name, *(number.get(dimension, 0) for dimension in range(self.array.ndim)))


def point_chunks(op: Op, arrays: list[Array], out_chunks: tuple[Chunks, ...]) -> tuple[Chunks, ...]:
    """How the points are cut, so that parts in row-major order hold the points of each place in their order.

    Points that an axis of the output follows are cut like that axis. Of the other dimensions, along which points may meet in one place,
    one may be cut only if those before it are cut into single positions and those after it not at all."""
    pinned = op.pinned
    free = [dimension for dimension in range(len(op.points)) if dimension not in pinned]
    wanted = {dimension: own_chunks(op, arrays, dimension) for dimension in free}
    times = enlargement(op, arrays, out_chunks, wanted)
    largest = prod(max(sizes) for sizes in wanted.values()) * times
    chunks = [clipped(out_chunks[pinned[d]], size) if d in pinned else (size,) for d, size in enumerate(op.points)]
    for at, dimension in enumerate(free):
        rest = prod(op.points[later] for later in free[at + 1:])
        sizes = wanted[dimension]
        if max(sizes) * rest > largest:  # parts must not grow because later dimensions are joined
            sizes = evenly(op.points[dimension], max(1, largest // rest))
        elif times > 1:
            sizes = joined(sizes, largest // max(rest, 1))
        chunks[dimension] = sizes
        if max(sizes) > 1 or rest <= largest:
            break
    return tuple(chunks)


def enlargement(op: Op, arrays: list[Array], out_chunks: tuple[Chunks, ...], wanted: dict[int, Chunks]) -> int:
    """How many times larger parts have to be along the points that meet, because the output cuts the chunks of an argument along rows, or
    along the points that an axis follows. Otherwise the number of parts would grow with the product of both numbers of chunks."""
    view = next((view for view in (op.updates, *op.columns) if view is not None), None)
    if view is None or view.array == NONE:
        return 1
    array = arrays[view.array]
    shown = view.dimensions(array.ndim)
    cut, spread, width = 1.0, 1, 1  # cuts of the argument's chunks; cuts along dimensions that the argument does not have; elements of a row
    followed = [*((at, axis) for at, axis in op.pinned.items()), *((len(op.points) + at, axis) for at, axis in enumerate(op.row_axes))]
    for at, axis in followed:
        largest = max(out_chunks[axis])
        dimension = shown[at] if at < len(shown) else None
        if dimension is not None:
            cut *= max(clipped(array.chunks[dimension], sum(out_chunks[axis]))) / max(largest, 1)
        else:
            spread *= len(out_chunks[axis])
            width *= largest
    each = 8 * len(op.columns) + (0 if op.source is None else width * numpy_dtype(op.out.dtype).itemsize)
    room = parse_bytes(config.get("array.chunk-size")) // max(1, each * prod(max(sizes) for sizes in wanted.values()))
    return int(max(1, round(cut)) * max(1, min(spread, room)))


def joined(chunks: Chunks, largest: int) -> Chunks:
    """Neighbouring chunks joined as long as they do not exceed this size."""
    sizes = [0]
    for size in chunks:
        if sizes[-1] and sizes[-1] + size > largest:
            sizes.append(0)
        sizes[-1] += size
    return tuple(sizes)


def own_chunks(op: Op, arrays: list[Array], dimension: int) -> Chunks:
    """How the arguments are cut along a dimension of the points: the updates, which are the largest, come first."""
    for view in (op.updates, *op.columns):
        if view is None or view.array == NONE:
            continue
        shown = view.dimensions(arrays[view.array].ndim)[dimension]
        if shown is not None:
            return clipped(arrays[view.array].chunks[shown], op.points[dimension])
    return (op.points[dimension],)


def evenly(size: int, step: int) -> Chunks:
    return (step,) * (size // step) + ((size % step,) if size % step else ())
