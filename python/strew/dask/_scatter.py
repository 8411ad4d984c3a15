"""The graph of a scatter: parts of the points are stepped into blocks of the output, in their order."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Optional

from .._convert import numpy_dtype
from . import _routes as routes, _tasks as tasks
from ._blocks import of_shape, with_chunks, without_empty
from ._call import Call
from ._dask import Array, da
from ._exchange import cut, exchange
from ._op import Op, Shape, View

LARGEST_GROUP = 8  # parts that one task steps, and chains that are combined
CHAINS_BYTES = 256 << 20  # of the blocks that chains hold, unless there are two


def scatter(op: Op, arrays: list[Array], threads: Optional[int]) -> Array:
    if op.from_zeros:
        chunks = da.core.normalize_chunks("auto", op.out.shape, dtype=numpy_dtype(op.out.dtype))
        return Scatter(op, arrays, None, chunks, threads).result()
    if op.base is None:
        return scatter_in(op, arrays, arrays[op.out.array], threads)
    base = arrays[op.base.array]
    return Scatter(op, arrays, base, base.chunks, threads).result()


def scatter_in(op: Op, arrays: list[Array], given: Array, threads: Optional[int]) -> Array:
    """Of an operator that works in place elsewhere: the op may show a part of its target, or all of it as a vector."""
    target = without_empty(given)  # Dask's slices with negative steps lose elements beside empty chunks
    if len(op.out.shape) != target.ndim:
        flat = of_shape(target.reshape(-1), op.out.shape)
        call = Scatter(op, arrays, flat, flat.chunks, threads)
        made = call.result()
        return with_chunks(of_shape(made.reshape(target.shape), given.shape) if made.size else call.confirmed(target), given.chunks)
    index, flipped = part_shown(op.out, target.shape)
    if op.out.shape == target.shape and not flipped:
        return Scatter(op, arrays, given, given.chunks, threads).result()
    shown = of_shape(da.flip(target[index], flipped), op.out.shape)
    call = Scatter(op, arrays, shown, shown.chunks, threads)
    made = call.result()
    whole = call.confirmed(target)
    if made.size:
        whole[index] = of_shape(da.flip(made, flipped), target[index].shape)
    return with_chunks(of_shape(whole, given.shape), given.chunks)


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
        return with_chunks(made, self.given) if made.size else made  # Dask would drop the tasks of an array without elements

    def add_chain(self, block: Shape, threads: Optional[int]) -> list[Any]:
        """The tasks of a cell of one block. Returns the key of what holds its first bad index."""
        op, shape, numbers = self.op, self.shape_of(block), self.parts_of(block)
        size = self.group_size(shape)
        groups = [numbers[at:at + size] for at in range(0, len(numbers), size)] or [[]]
        if op.order_free and len(groups) > 1:
            return self.finished(block, self.add_apart(block, groups))
        state: Any = None
        for number, group in enumerate(groups):
            key = (self.name("step"), *block, number)
            parts, blocks = self.group(block, group)
            if state is None:
                self.graph[key] = (partial(tasks.begin_and_step, op, threads, shape, parts), self.key_of(block), *blocks)
            else:
                self.graph[key] = (partial(tasks.step, op, threads, parts), state, *blocks)
            state = key
        return self.finished(block, state)

    def add_apart(self, block: Shape, groups: list[list[Shape]]) -> Any:
        """Chains that may run at the same time, each of which begins with the neutral element, and the task that combines them."""
        op, shape, threads = self.op, self.shape_of(block), self.threads_of(2)
        block_bytes = prod(shape) * numpy_dtype(op.out.dtype).itemsize
        ends = []
        for chain, (first, end) in enumerate(cut(0, len(groups), max(2, min(LARGEST_GROUP, CHAINS_BYTES // max(block_bytes, 1))))):
            state: Any = None
            for number in range(first, end):
                key = (self.name("step"), *block, chain, number - first)
                parts, blocks = self.group(block, groups[number])
                if state is None:
                    self.graph[key] = (partial(tasks.step_apart, op, threads, shape, parts), *blocks)
                else:
                    self.graph[key] = (partial(tasks.step, op, threads, parts), state, *blocks)
                state = key
            ends.append(state)
        combined = (self.name("combine"), *block)
        self.graph[combined] = (partial(tasks.combine, op, threads, shape), self.key_of(block), ends)
        return combined

    def finished(self, block: Shape, state: Any) -> list[Any]:
        base = None if self.op.accumulator is None else self.key_of(block)
        self.graph[(self.name("finish"), *block)] = (partial(tasks.finish, self.op), state, base, self.name("verdict"))
        return [state]

    def group(self, block: Shape, numbers: list[Shape]) -> tuple[list[Any], tuple[list[Any], list[Any]]]:
        """The parts that one task steps, and the keys of their blocks."""
        parts = [self.part(number, self.row_of(block)) for number in numbers]
        return parts, ([self.column_keys(number) for number in numbers], [self.update_key(number, block) for number in numbers])

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
