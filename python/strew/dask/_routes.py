"""What the tasks of an exchange run: rows on their way to the blocks that they go to. Pure functions."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, Optional

import numpy as np

from .._convert import numpy_dtype
from .._errors import BadIndexError
from . import _tasks as tasks
from ._op import Op, Shape
from ._tasks import Bad, Part


class Grid(NamedTuple):
    """How the places of a cell are cut into blocks."""

    shape: Shape  # of the places of the cell
    starts: tuple[Shape, ...]  # for each axis of the places, where its blocks begin
    largest: Shape  # the largest block; a place is numbered within these sizes


class Routed(NamedTuple):
    """Rows sorted by the block that they go to, those of one block in the order of their points."""

    blocks: Any  # the number of the block of each row
    numbers: Any  # and that of the place in it
    rows: Any  # None where every update is the same number
    bad: Optional[Bad] = None

    def to(self, first: int, end: int) -> Routed:
        """The rows that go to the blocks from `first` to before `end`."""
        kind = self.blocks.dtype.type
        part = slice(np.searchsorted(self.blocks, kind(first)), np.searchsorted(self.blocks, kind(end - 1), side="right"))
        return Routed(self.blocks[part], self.numbers[part], None if self.rows is None else self.rows[part])


def sorted_by_block(blocks: Any, numbers: Any, rows: Any, points: Any = None) -> Routed:
    """`points` are the numbers of the rows, if they are not all of them."""
    order = np.argsort(blocks, kind="stable")  # linear time for 16-bit integers
    return Routed(blocks[order], numbers[order], None if rows is None else rows[order if points is None else points[order]])


def narrow(numbers: Any, end: int) -> Any:
    """Numbers below `end` in few bytes, which travel between workers."""
    return numbers.astype(np.uint16 if end <= 1 << 16 else np.uint32 if end <= 1 << 32 else np.int64)


def nowhere(op: Op, error: BadIndexError, grid: Grid, columns: Any, part: Part, row: Shape, dtype: Any) -> Routed:
    """No rows, of points of which one is bad."""
    bad = tasks.bad_from(op, error, columns, part, tasks.place_rules(op)[0])
    none = narrow(np.empty(0, np.int64), prod(map(len, grid.starts)))
    return Routed(none, none, None if dtype is None else np.empty((0, *row), dtype), bad)


def joined(first: int, end: int, routed: list[Routed]) -> Routed:
    """What several sources send to some blocks, in the order of the sources."""
    parts = [one.to(first, end) for one in routed]
    rows = None if parts[0].rows is None else np.concatenate([part.rows for part in parts])
    blocks, numbers = (np.concatenate([getattr(part, field) for part in parts]) for field in ("blocks", "numbers"))
    return Routed(blocks, numbers, rows) if end - first == 1 else sorted_by_block(blocks, numbers, rows)


def in_blocks(coordinate: Any, starts: Shape, largest: int) -> tuple[Any, Any]:
    """The number of the block that each coordinate is in, and where in it."""
    if all(start == number * largest for number, start in enumerate(starts)):
        return np.divmod(coordinate, max(largest, 1))
    begins = np.asarray(starts, np.int64)
    at = np.searchsorted(begins, coordinate, side="right") - 1
    return at, coordinate - begins[at]


def located(op: Op, threads: Optional[int], grid: Grid, part: Part, columns: Any) -> tuple[Any, Any, Any]:
    """Of the points that are not skipped: their numbers, the block that each goes to, and the place in it."""
    places = tasks.places_of(op, part, grid.shape)
    numbers = tasks.number_places(op, threads, part, columns, places)
    points = np.flatnonzero(numbers >= 0)
    listed = numbers if points.size == numbers.size else numbers[points]
    coordinates = (listed,) if len(places) == 1 else np.unravel_index(listed, places)
    block: Any = 0
    within: Any = 0
    for starts, largest, coordinate in zip(grid.starts, grid.largest, coordinates):
        at, rest = in_blocks(coordinate, starts, largest)
        block, within = block * len(starts) + at, within * largest + rest
    return points, narrow(block, prod(map(len, grid.starts))), narrow(within, prod(grid.largest))


def route(op: Op, threads: Optional[int], grid: Grid, part: Part, blocks: list[Any], block: Any) -> Routed:
    """The updates of some points, sorted by the block of the output that they go to."""
    columns, updates = tasks.show_columns(op, blocks, part), tasks.show_updates(op, block, part)
    try:
        points, to, numbers = located(op, threads, grid, part, columns)
    except BadIndexError as error:
        return nowhere(op, error, grid, columns, part, part.row, None if updates is None else updates.dtype)
    rows = None if updates is None else updates.reshape(prod(part.points), *part.row)
    return sorted_by_block(to, numbers, rows, points)


def apply(
    op: Op, threads: Optional[int], grid: Grid, number: int, shape: Shape, base: Any, routed: list[Routed], verdict: None
) -> Any:
    """A block of the result."""
    together = joined(number, number + 1, routed)
    state = tasks.begin(op, base, shape)
    rows = tasks.rows_last(op, state.values)
    part = Part((0,), (together.numbers.size,), rows.shape[len(op.place_axes):])
    rules = tasks.listed_rules(op, len(op.place_axes), len(op.row_axes))
    columns = tuple(np.unravel_index(together.numbers, grid.largest))
    if state.counts is None:
        tasks.step_rows(op, threads, rules, part, rows, columns, together.rows)
        return state.values
    updates = tasks.wide_updates(op, together.rows, part)
    if op.begin == "first":
        numbers = np.ravel_multi_index(columns, state.counts.shape) if part.points[0] else together.numbers
        tasks.step_first(op, threads, state.values, state.counts, part, numbers, updates)
    else:
        tasks.step_wide(op, threads, rules, part, rows, columns, updates)
    tasks.count(op, threads, tasks.listed_rules(op, len(op.place_axes), 0), part, state.counts, columns)
    return tasks.finish(op, state, base, verdict)


def ask(op: Op, threads: Optional[int], grid: Grid, first: int, part: Part, blocks: list[Any]) -> Routed:
    """The points of a gather, sorted by the block of the source that they read. A row is the number of its point, from `first`."""
    columns = tasks.show_columns(op, blocks, part)
    try:
        points, to, numbers = located(op, threads, grid, part, columns)
    except BadIndexError as error:
        return nowhere(op, error, grid, columns, part, (), np.int64)
    return sorted_by_block(to, numbers, points + first)


def answer(op: Op, grid: Grid, number: int, shape: Shape, starts: Shape, source: Any, asked: list[Routed]) -> Routed:
    """The rows of a block of the source that points read, sorted by the part that they belong to. Parts begin at the points `starts`."""
    together = joined(number, number + 1, asked)
    rows = tasks.rows_last(op, tasks.addressed(op, source, shape))
    found = rows[np.unravel_index(together.numbers, grid.largest)]
    begins = np.asarray(starts, np.int64)
    part = np.searchsorted(begins, together.rows, side="right") - 1
    return sorted_by_block(narrow(part, len(starts)), together.rows - begins[part], found)


def assemble(op: Op, number: int, part: Part, answered: list[Routed], verdict: None) -> Any:
    """A part of the result of a gather; points that are skipped read zero."""
    together = joined(number, number + 1, answered)
    result = np.zeros((int(np.prod(part.points, dtype=np.int64)), *part.row), numpy_dtype(op.out.dtype))
    result[together.numbers] = together.rows
    return result.reshape(part.points + part.row)
