"""The graph of a scatter: parts of the points are stepped into blocks of the output, in their order."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Optional

from .._convert import numpy_dtype
from . import _routes as routes, _tasks as tasks
from ._blocks import rechunked
from ._call import Call
from ._dask import Array, da
from ._exchange import exchange
from ._op import Op, Shape, View

LARGEST_GROUP = 8  # parts that one task steps


def scatter(op: Op, arrays: list[Array], threads: Optional[int]) -> Array:
    if op.from_zeros:
        chunks = da.core.normalize_chunks("auto", op.out.shape, dtype=numpy_dtype(op.out.dtype))
        return Scatter(op, arrays, None, chunks, threads).result()
    if op.base is None:
        return scatter_in(op, arrays, arrays[op.out.array], threads)
    base = arrays[op.base.array]
    return Scatter(op, arrays, base, base.chunks, threads).result()


def scatter_in(op: Op, arrays: list[Array], target: Array, threads: Optional[int]) -> Array:
    """Of an operator that works in place elsewhere: the op may show a part of its target, or all of it as a vector."""
    if len(op.out.shape) != target.ndim:
        flat = target.reshape(-1)
        call = Scatter(op, arrays, flat, flat.chunks, threads)
        made = call.result()
        return made.reshape(target.shape) if made.size else call.confirmed(target)
    index, flipped = part_shown(op.out, target.shape)
    if op.out.shape == target.shape and not flipped:
        return Scatter(op, arrays, target, target.chunks, threads).result()
    shown = da.flip(target[index], flipped)
    call = Scatter(op, arrays, shown, shown.chunks, threads)
    made = call.result()
    whole = call.confirmed(target)
    if made.size:
        whole[index] = da.flip(made, flipped)
    return whole


def part_shown(view: View, shape: Shape) -> tuple[tuple[slice, ...], Shape]:
    """The slices that a view of a dense array shows, and the axes along which it runs backwards."""
    index, flipped, offset = [], [], view.offset
    is_empty = 0 in view.shape
    for axis, length in enumerate(view.shape):
        dense = prod(shape[axis + 1:])
        start, offset = (0, 0) if is_empty else divmod(offset, dense)
        step = 1 if is_empty or length == 1 else view.strides[axis] // dense
        if step < 0:
            flipped.append(axis)
            start, step = start + (length - 1) * step, -step
        index.append(slice(start, start + max(0, (length - 1) * step + 1), step))
    return tuple(index), tuple(flipped)


class Scatter(Call):
    """A cell of one block takes its parts one after the other; parts of a cell of several blocks exchange their updates first."""

    def result(self) -> Array:
        cells = self.cells()
        alone = len(cells) == 1
        records = []
        for cell in cells:
            blocks = self.blocks(cell)
            held = self.add_chain(blocks[0], self.threads_of(1 if alone else 2)) if len(blocks) == 1 else self.add_exchange(cell, blocks)
            if not any(self.row_of(cell)):
                records += held
        self.add_verdict(records)
        made = self.layered(self.name("finish"), self.chunks)
        if self.op.out.shape == () and self.op.shape != ():
            return made.reshape(())
        return rechunked(made, self.cut) if made.size else made  # Dask would drop the tasks of an array without elements

    def add_chain(self, block: Shape, threads: Optional[int]) -> list[Any]:
        """The tasks of a cell of one block. Returns the key of what holds its first bad index."""
        op, shape, numbers = self.op, self.shape_of(block), self.parts_of(block)
        size = self.group_size(shape)
        state: Any = None
        for at in range(0, max(len(numbers), 1), size):
            group = numbers[at:at + size]
            parts = [self.part(number, self.row_of(block)) for number in group]
            blocks = [self.column_keys(number) for number in group], [self.update_key(number, block) for number in group]
            key = (self.name("step"), *block, at // size)
            if state is None:
                self.graph[key] = (partial(tasks.begin_and_step, op, threads, shape, parts), self.key_of(block), *blocks)
            else:
                self.graph[key] = (partial(tasks.step, op, threads, parts), state, *blocks)
            state = key
        base = None if op.accumulator is None else self.key_of(block)
        self.graph[(self.name("finish"), *block)] = (partial(tasks.finish, op), state, base, self.name("verdict"))
        return [state]

    def update_key(self, number: Shape, cell: Shape) -> Any:
        return None if self.updates is None else self.updates.key(number + self.row_of(cell))

    def group_size(self, shape: Shape) -> int:
        """How many parts a task steps: it copies the block, which should not cost more than the parts do."""
        part = prod(max(sizes) for sizes in self.points + self.rows)
        return max(1, min(LARGEST_GROUP, prod(shape) // max(part, 1)))

    def add_exchange(self, cell: Shape, blocks: list[Shape]) -> list[Any]:
        """The tasks of a cell of several blocks. Returns the keys of what holds its bad indices."""
        op, grid, threads, numbers = self.op, self.grid(cell), self.threads_of(2), self.parts_of(cell)
        if not numbers:
            return [held for block in blocks for held in self.add_chain(block, threads)]
        sources = [(self.name("route"), *cell, at) for at in range(len(numbers))]
        for key, number in zip(sources, numbers):
            run = partial(routes.route, op, threads, grid, self.part(number, self.row_of(cell)))
            self.graph[key] = (run, self.column_keys(number), self.update_key(number, cell))
        arriving = exchange(self.graph, self.name("exchange"), cell, sources, len(blocks))
        for at, (block, held) in enumerate(zip(blocks, arriving)):
            apply = partial(routes.apply, op, threads, grid, at, self.shape_of(block))
            self.graph[(self.name("finish"), *block)] = (apply, self.key_of(block), held, self.name("verdict"))
        return sources
