"""The graph of a gather: parts of the points read blocks of the source."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import Any, Optional

from .._convert import numpy_dtype
from . import _routes as routes, _tasks as tasks
from ._blocks import starts
from ._call import Call
from ._dask import Array, da
from ._exchange import exchange
from ._op import NONE, Op, Shape

WIDE_ROW = 4  # times the bytes of the indices of a point


def gather(op: Op, arrays: list[Array], threads: Optional[int]) -> Array:
    assert op.source is not None
    if op.source.array == NONE:  # a result without elements, which reads nothing
        return da.zeros(op.out.shape, dtype=numpy_dtype(op.out.dtype))
    source = arrays[op.source.array]
    return Gather(op, arrays, source, source.chunks, threads).result()


class Gather(Call):
    """If a cell has one block, each part reads it; else parts send the numbers of their points to the blocks, which send rows back."""

    def result(self) -> Array:
        records: list[Any] = []
        cells = self.cells()
        if len(self.blocks(cells[0])) == 1 and self.checks_first():
            self.add_verdict_on_indices()
            for cell in cells:
                self.add_checked_parts(cell, self.blocks(cell)[0])
            self.add_empty()
            return self.layered(self.name("finish"), self.points + self.rows)
        for cell in cells:
            blocks = self.blocks(cell)
            held = self.add_parts(cell, blocks[0]) if len(blocks) == 1 else self.add_exchange(cell, blocks)
            if not any(self.row_of(cell)):
                records += held
        self.add_empty()
        self.add_verdict(records)
        return self.layered(self.name("finish"), self.points + self.rows)

    def add_parts(self, cell: Shape, block: Shape) -> list[Any]:
        row, keys = self.row_of(cell), []
        for at in self.parts_of(cell):
            key = (self.name("gather"), *at, *row)
            threads = self.threads_of(prod(map(len, self.points + self.rows)))
            shape = self.shape_of(block)
            run = partial(tasks.gather_part, self.op, threads, shape, self.part(at, row))
            self.graph[key] = (run, self.key_of(block), self.column_keys(at))
            self.graph[(self.name("finish"), *at, *row)] = (tasks.confirm_gathered, key, self.name("verdict"))
            keys.append(key)
        return keys

    def checks_first(self) -> bool:
        """Whether a pass over the indices gives the verdict before anything is read. Until then it holds the indices instead of the result, so
        it pays if the row of a point is much larger than its indices."""
        row = prod(self.op.row) * numpy_dtype(self.op.out.dtype).itemsize
        return bool(self.op.columns) and row >= WIDE_ROW * sum(numpy_dtype(view.dtype).itemsize for view in self.op.columns)

    def add_verdict_on_indices(self) -> None:
        """The tasks of that pass."""
        row = (0,) * len(self.rows)
        parts = [at for at in product(*(range(len(sizes)) for sizes in self.points)) if prod(self.part(at, row).points)]
        held = [(self.name("check"), 0, number) for number in range(len(parts))]
        for key, at in zip(held, parts):
            run = partial(tasks.check, self.op, self.threads_of(len(parts)), self.part(at, row))
            self.graph[key] = (run, self.column_keys(at))
        self.add_judge(held)

    def add_checked_parts(self, cell: Shape, block: Shape) -> None:
        """The parts of a cell of one block, if the verdict is known before."""
        row, threads = self.row_of(cell), self.threads_of(prod(map(len, self.points + self.rows)))
        for at in self.parts_of(cell):
            run = partial(tasks.gather_checked, self.op, threads, self.shape_of(block), self.part(at, row))
            self.graph[(self.name("finish"), *at, *row)] = (run, self.key_of(block), self.column_keys(at), self.name("verdict"))

    def add_exchange(self, cell: Shape, blocks: list[Shape]) -> list[Any]:
        op, grid, threads, row = self.op, self.grid(cell), self.threads_of(2), self.row_of(cell)
        numbers = self.parts_of(cell)
        if not numbers:
            return []
        parts = [self.part(at, row) for at in numbers]
        first = tuple(starts(tuple(prod(part.points) for part in parts)))
        asking = [(self.name("ask"), *cell, number) for number in range(len(parts))]
        for key, at, part, begin in zip(asking, numbers, parts, first):
            self.graph[key] = (partial(routes.ask, op, threads, grid, begin, part), self.column_keys(at))
        answers = [(self.name("answer"), *block) for block in blocks]
        for number, (key, block, held) in enumerate(zip(answers, blocks, exchange(self.graph, self.name("send"), cell, asking, len(blocks)))):
            self.graph[key] = (partial(routes.answer, op, grid, number, self.shape_of(block), first), self.key_of(block), held)
        back = exchange(self.graph, self.name("return"), cell, answers, len(parts))
        for number, (at, part, held) in enumerate(zip(numbers, parts, back)):
            self.graph[(self.name("finish"), *at, *row)] = (partial(routes.assemble, op, number, part), held, self.name("verdict"))
        return asking

    def add_empty(self) -> None:
        """The blocks of a result without points."""
        chunks = self.points + self.rows
        if prod(map(sum, self.points)):
            return
        for at in product(*(range(len(sizes)) for sizes in chunks)):
            shape = tuple(sizes[number] for sizes, number in zip(chunks, at))
            self.graph[(self.name("finish"), *at)] = (partial(tasks.empty, self.op, shape), self.name("verdict"))
