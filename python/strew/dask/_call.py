"""What scatters and gathers share: how a call is cut into cells, blocks and parts, and its tasks."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import Any, Optional

import numpy as np

from .._convert import numpy_dtype
from . import _tasks as tasks
from ._blocks import Chunks, Shown, nonempty, point_chunks, rechunked, starts
from ._dask import Array, HighLevelGraph, config, da, parse_bytes, tokenize
from ._op import COLUMN, Op, Shape
from ._routes import Grid
from ._tasks import Part

RECORDS = 64  # how many parts one task judges
MERGE_BELOW = "128 MiB"  # of dask.config's strew.merge-below


class Call:
    """One call. A cell is what a chunk of the addressed array holds along all axes except those along which indices select: a point of one
    cell goes to no other. Along the others a cell is cut into blocks."""

    def __init__(self, op: Op, arrays: list[Array], addressed: Optional[Array], chunks: tuple[Chunks, ...], threads: Optional[int]) -> None:
        self.op, self.threads = op, threads
        if len(chunks) != len(op.shape):  # of rank 0
            chunks = ((1,),)
            addressed = None if addressed is None else addressed.reshape(1)
        self.given, self.cut = chunks, tuple(map(nonempty, chunks))
        self.chunks = self.merged()
        self.addressed = None if addressed is None else rechunked(addressed, self.chunks)
        self.points = point_chunks(op, arrays, self.chunks)
        self.origins = tuple(map(starts, self.points))
        self.rows = tuple(self.chunks[axis] for axis in op.row_axes)
        self.columns = [Shown(arrays[view.array], view, self.points) for view in op.columns]
        self.updates = None if op.updates is None else Shown(arrays[op.updates.array], op.updates, self.points + self.rows)
        self.token = tokenize("strew", op, arrays, chunks, threads, self.chunks)
        self.graph: dict[Any, Any] = {}

    def merged(self) -> tuple[Chunks, ...]:
        """The chunks of the addressed array, those of a cell in one block if that is small."""
        selected = [source == COLUMN for source, _ in self.op.axes]
        whole = prod(sum(sizes) if merges else max(sizes) for sizes, merges in zip(self.cut, selected))
        if whole * numpy_dtype(self.op.out.dtype).itemsize > parse_bytes(config.get("strew.merge-below", MERGE_BELOW)):
            return self.cut
        return tuple((sum(sizes),) if merges else sizes for sizes, merges in zip(self.cut, selected))

    def name(self, what: str) -> str:
        return f"{self.op.operator.__name__}-{what}-{self.token}"

    # Cells and blocks. A cell is a tuple of numbers of chunks with 0 for each axis along which indices select.

    def cells(self) -> list[Shape]:
        return list(product(*(range(1 if source == COLUMN else len(sizes)) for sizes, (source, _) in zip(self.chunks, self.op.axes))))

    def blocks(self, cell: Shape) -> list[Shape]:
        """The numbers of the chunks of a cell."""
        numbers = (range(len(sizes)) if source == COLUMN else [at] for sizes, at, (source, _) in zip(self.chunks, cell, self.op.axes))
        return list(product(*numbers))

    def shape_of(self, block: Shape) -> Shape:
        return tuple(sizes[at] for sizes, at in zip(self.chunks, block))

    def key_of(self, block: Shape) -> Any:
        return None if self.addressed is None else (self.addressed.name, *block)

    def grid(self, cell: Shape) -> Grid:
        axes = self.op.place_axes
        sizes = [self.chunks[axis] if self.op.axes[axis][0] == COLUMN else (self.chunks[axis][cell[axis]],) for axis in axes]
        return Grid(tuple(map(sum, sizes)), tuple(tuple(starts(some)) for some in sizes), tuple(map(max, sizes)))

    # Parts of the points.

    def parts_of(self, cell: Shape) -> list[Shape]:
        """The numbers of the chunks of points that go to a cell, in row-major order."""
        pinned, ranges = self.op.pinned, []
        for dimension, sizes in enumerate(self.points):
            at = [cell[pinned[dimension]]] if dimension in pinned else range(len(sizes))
            ranges.append([number for number in at if number < len(sizes) and sizes[number]])
        return list(product(*ranges))

    def part(self, at: Shape, row: Shape) -> Part:
        return Part(
            tuple(origins[number] for origins, number in zip(self.origins, at)),
            tuple(sizes[number] for sizes, number in zip(self.points, at)),
            tuple(sizes[number] for sizes, number in zip(self.rows, row)),
        )

    def column_keys(self, at: Shape) -> list[Any]:
        return [column.key(at) for column in self.columns]

    def row_of(self, cell: Shape) -> Shape:
        return tuple(cell[axis] for axis in self.op.row_axes)

    def threads_of(self, tasks_at_once: int) -> Optional[int]:
        """Of a task: one, unless it runs alone."""
        return self.threads if self.threads is not None or tasks_at_once == 1 else 1

    # Tasks.

    def add_verdict(self, keys: list[Any]) -> None:
        """The task that raises the error of the first bad index among the parts that these keys hold."""
        held = [(self.name("check"), 0, number) for number in range(len(keys))]
        self.graph.update((key, (tasks.bad_of, at)) for key, at in zip(held, keys))
        self.add_judge(held)

    def add_judge(self, held: list[Any]) -> None:
        level = 0
        while len(held) > RECORDS:
            level += 1
            groups = [held[at:at + RECORDS] for at in range(0, len(held), RECORDS)]
            held = [(self.name("check"), level, number) for number in range(len(groups))]
            self.graph.update(zip(held, ((tasks.first_bad, group) for group in groups)))
        self.graph[self.name("verdict")] = (partial(tasks.judge, self.op, self.op.shape), held)

    def layered(self, name: str, chunks: tuple[Chunks, ...], other: Optional[Array] = None, more: Optional[dict[Any, Any]] = None) -> Array:
        """The Dask array of these tasks, whose blocks have this name."""
        shown = [*self.columns, *([] if self.updates is None else [self.updates])]
        arrays = [array for array in (self.addressed, other, *(one.array for one in shown)) if array is not None]
        layer = HighLevelGraph.from_collections(name, {**self.graph, **(more or {})}, dependencies=arrays)
        return da.Array(layer, name, chunks, meta=np.empty((0,) * len(chunks), numpy_dtype(self.op.out.dtype)))

    def confirmed(self, array: Array) -> Array:
        """An array whose blocks are computed only if all indices of the call are good."""
        name = self.name("unchanged")
        numbers = product(*(range(len(sizes)) for sizes in array.chunks))
        graph = {(name, *at): (tasks.confirm, (array.name, *at), self.name("verdict")) for at in numbers}
        return self.layered(name, array.chunks, array, graph)
