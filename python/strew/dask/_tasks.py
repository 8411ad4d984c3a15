"""What tasks run: pure functions on blocks. Each returns new memory, so a task may run again."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn, Optional

import numpy as np

from .. import _core
from .._convert import numpy_dtype
from .._errors import BadIndexError, DtypeError, ShapeError
from ._op import COLUMN, ROW, Number, Op, Shape, View

ADD = 1  # Reduction::add
ONE = ("int64", np.int64(1).tobytes())


class Bad(NamedTuple):
    """The first bad index of some points, in the coordinates of the call, and how many there are."""

    point: Shape
    column: int
    indices: Shape  # of all columns
    number: int


class Part(NamedTuple):
    """Some points of the op: where they begin, how many there are along each dimension, and their row."""

    origin: Shape
    points: Shape
    row: Shape


class State(NamedTuple):
    """A block of the output between two parts of the points."""

    values: Any  # accumulators, or the output itself
    counts: Any  # of the updates of each place; None if the fold does not need them
    bad: Optional[Bad]


def first_bad(records: list[Optional[Bad]]) -> Optional[Bad]:
    found = [record for record in records if record is not None]
    return min(found)._replace(number=sum(record.number for record in found)) if found else None


def bad_of(held: Any) -> Optional[Bad]:
    bad: Optional[Bad] = held.bad
    return bad


def judge(op: Op, shape: Shape, records: list[Optional[Bad]]) -> None:
    """Raises the error of the call if any of its indices is bad."""
    bad = first_bad(records)
    if bad is not None:
        dtypes = tuple(view.dtype for view in op.columns)
        _core.raise_bad_index(op.operator, op.name, op.rules, dtypes, shape, bad.point, bad.indices, bad.column, bad.number)


def check(op: Op, threads: Optional[int], part: Part, blocks: list[Any]) -> Optional[Bad]:
    """Only reads the indices."""
    columns = show_columns(op, blocks, part)
    try:
        number_places(op, threads, part, columns, places_of(op, part, tuple(op.shape[axis] for axis in op.place_axes)))
    except BadIndexError as error:
        return bad_from(op, error, columns, part, place_rules(op)[0])
    return None


def confirm(block: Any, verdict: None) -> Any:
    """The block. The verdict is a dependency only: it raises if any index of the call is bad."""
    return block


def native(op: Op, view: View, block: Any) -> Any:
    """The block of an argument as an array in the byte order of the machine. Its chunk may not be what the Dask array declares."""
    block = np.asarray(block)
    name, _, declared = op.arrays[view.array]
    if block.dtype.name != declared:
        raise DtypeError(f"{op.name}: {name} is declared as {declared}, but has a chunk of {block.dtype.name}")
    return block if block.dtype.isnative else block.astype(block.dtype.newbyteorder("="))


def refuse_shape(op: Op, view: View, block: Any) -> NoReturn:
    raise ShapeError(f"{op.name}: {op.arrays[view.array][0]} has a chunk of shape {list(block.shape)}, which is not the one that it declares")


def show(op: Op, block: Any, view: View, shape: Shape) -> Any:
    """A tensor of the op, of a part's shape, as a view of the block of its argument."""
    block, rank = native(op, view, block), op.ranks[view.array]
    dimensions, fixed = view.dimensions(rank), view.fixed(rank)
    sizes = {dimension: shape[at] for at, dimension in enumerate(dimensions) if dimension is not None}
    if block.ndim != rank or any(
        fixed[d] >= block.shape[d] if d not in sizes else sizes[d] != block.shape[d] for d in range(rank)
    ):
        refuse_shape(op, view, block)
    shown = sorted(sizes)
    order = [shown.index(dimension) for dimension in dimensions if dimension is not None]
    ordered = block[(*fixed, ...)].transpose(order)  # the ellipsis keeps a block of rank 0 an array
    return np.broadcast_to(ordered[(*(None if dimension is None else slice(None) for dimension in dimensions), ...)], shape)


def addressed(op: Op, block: Any, shape: Shape) -> Any:
    """A block of the array that the op addresses; its shape is that of the block as the op sees it."""
    view = op.source or op.base or op.out
    block = native(op, view, block)
    if block.shape != shape and not (block.ndim == 0 and shape == (1,)):
        refuse_shape(op, view, block)
    return block.reshape(shape)


def show_columns(op: Op, blocks: list[Any], part: Part) -> tuple[Any, ...]:
    shown = (show(op, block, view, part.points) for block, view in zip(blocks, op.columns))
    # NumPy's dialect reads uint64 as int64.
    return tuple(column if column.dtype == view.dtype else column.view(view.dtype) for column, view in zip(shown, op.columns))


def show_updates(op: Op, block: Any, part: Part) -> Any:
    return None if op.updates is None else show(op, block, op.updates, part.points + part.row)


def narrowed(op: Op, block: Any, part: Part, axes: Shape) -> Any:
    """What points of the part can address of a block, which may be larger where an axis follows the points. `axes` are those of the block."""
    following = {axis: dimension for dimension, axis in op.pinned.items()}
    index = (slice(part.points[following[axis]]) if axis in following else slice(None) for axis in axes)
    return block[(*index, ...)]


def bad_from(op: Op, error: BadIndexError, columns: tuple[Any, ...], part: Part, axes: Optional[tuple[Shape, ...]] = None) -> Bad:
    """What an error says about a part. `axes` are those that its axis counts, if they are not all of the op's."""
    found = error.bad_index
    assert found is not None
    position = found.position[:-1] if op.tuples else found.position
    indices = tuple(int(column[position].astype(np.int64)) for column in columns)
    return Bad(tuple(a + b for a, b in zip(part.origin, position)), (axes or op.axes)[found.axis][1], indices, found.count)


def begin(op: Op, base: Any, shape: Shape) -> State:
    """The state of a block before the first part. `base` is None for zeros."""
    dtype = numpy_dtype(op.accumulator or op.out.dtype)
    counts = None if op.accumulator is None else np.zeros(tuple(shape[axis] for axis in op.place_axes), np.int64)
    if op.begin == "identity":
        return State(np.full(shape, element(op.identity)), counts, None)
    values = np.zeros(shape, dtype) if base is None else np.array(addressed(op, base, shape), dtype, order="C", copy=True)
    return State(values, counts, None)


def element(number: Optional[Number]) -> Any:
    assert number is not None
    return np.frombuffer(number[1], numpy_dtype(number[0]))[0]


def combine(op: Op, threads: Optional[int], shape: Shape, base: Any, states: list[State]) -> State:
    """A block with what was stepped into blocks of the neutral element."""
    state = begin(op, base, shape)
    rules = (tuple((ROW, axis) for axis in range(len(shape))), 0, 0, False, *op.words)
    for one in states:
        _core.step(
            op.operator, op.name, rules, (), shape, state.values, (), one.values, None, op.out.dtype, None, op.step, op.compare, threads
        )
    return state._replace(bad=first_bad([one.bad for one in states]))


def step_apart(op: Op, threads: Optional[int], shape: Shape, parts: list[Part], columns: list[Any], updates: list[Any]) -> State:
    """Steps parts into the neutral element."""
    return step_owned(op, threads, State(np.full(shape, element(op.identity)), None, None), parts, columns, updates)


def begin_and_step(op: Op, threads: Optional[int], shape: Shape, parts: list[Part], base: Any, columns: list[Any], updates: list[Any]) -> State:
    return step_owned(op, threads, begin(op, base, shape), parts, columns, updates)


def step(op: Op, threads: Optional[int], parts: list[Part], state: State, columns: list[Any], updates: list[Any]) -> State:
    """Steps parts into a copy of a state, in their order. `columns` has a list of blocks for each part, `updates` one block."""
    copy = State(state.values.copy(), None if state.counts is None else state.counts.copy(), state.bad)
    return step_owned(op, threads, copy, parts, columns, updates)


def step_owned(op: Op, threads: Optional[int], state: State, parts: list[Part], all_columns: list[Any], all_updates: list[Any]) -> State:
    records = [state.bad]
    for part, blocks, block in zip(parts, all_columns, all_updates):
        columns = show_columns(op, blocks, part)
        try:
            step_part(op, threads, state, part, columns, show_updates(op, block, part))
        except BadIndexError as error:
            records.append(bad_from(op, error, columns, part))
    return state._replace(bad=first_bad(records))


def step_part(op: Op, threads: Optional[int], state: State, part: Part, columns: Any, updates: Any) -> None:
    values = narrowed(op, state.values, part, tuple(range(len(op.axes))))
    if state.counts is None:
        step_rows(op, threads, op.rules, part, values, columns, updates)
        return
    counts = narrowed(op, state.counts, part, op.place_axes)
    if op.begin == "first":
        step_first(op, threads, values, counts, part, number_places(op, threads, part, columns, counts.shape), wide_updates(op, updates, part))
    else:
        step_wide(op, threads, op.rules, part, values, columns, wide_updates(op, updates, part))
    count(op, threads, place_rules(op), part, counts, columns)


def step_rows(op: Op, threads: Optional[int], rules: Any, part: Part, values: Any, columns: Any, updates: Any) -> None:
    """The op's own step: in the type that its updates have or are converted to, with its scale."""
    dtype = op.updates.dtype if op.updates is not None else op.number[0] if op.number is not None else ""
    _core.step(
        op.operator, op.name, rules, part.points, part.row, values, columns, updates, op.number, dtype, op.scale, op.step, op.compare, threads
    )


def wide_updates(op: Op, updates: Any, part: Part) -> Any:
    """The updates in the type of the accumulators, scaled."""
    if updates is None:
        updates = np.broadcast_to(element(op.number), part.points + part.row)
    if op.scale is not None:
        updates = updates * element(op.scale)
    return updates.astype(numpy_dtype(op.accumulator or ""), copy=False)


def step_wide(op: Op, threads: Optional[int], rules: Any, part: Part, values: Any, columns: Any, updates: Any) -> None:
    """Steps updates that have the type of the accumulators."""
    dtype = op.accumulator
    _core.step(
        op.operator, op.name, rules, part.points, part.row, values, columns, updates, None, dtype, None, op.step, op.compare, threads
    )


def place_rules(op: Op) -> Any:
    """The rules without the axes of the row."""
    return (tuple(axis for axis in op.axes if axis[0] != ROW), *op.rules[1:])


def places_of(op: Op, part: Part, sizes: Shape) -> Shape:
    """The places that points of the part can address, of those in an array of these sizes."""
    following = {axis: dimension for dimension, axis in op.pinned.items()}
    return tuple(part.points[following[axis]] if axis in following else size for axis, size in zip(op.place_axes, sizes))


def number_places(op: Op, threads: Optional[int], part: Part, columns: Any, places: Shape) -> Any:
    """The number of the place of each point in an array of places of that shape, as a vector; -1 where a point is skipped."""
    return _core.number_places(op.operator, op.name, place_rules(op), part.points, (), columns, places, threads).reshape(-1)


def listed_rules(op: Op, places: int, row: int) -> Any:
    """The rules for a list of points with valid coordinates for all axes of the places, which come before those of the row."""
    axes = tuple((COLUMN, at) for at in range(places)) + tuple((ROW, at) for at in range(row))
    return (axes, 0, 0, False, *op.words)


def count(op: Op, threads: Optional[int], rules: Any, part: Part, counts: Any, columns: Any) -> None:
    _core.step(op.operator, op.name, rules, part.points, (), counts, columns, None, ONE, "int64", None, ADD, 0, threads)


def rows_last(op: Op, block: Any) -> Any:
    """The block with the axes of the places first."""
    return np.moveaxis(block, op.row_axes, range(len(op.place_axes), len(op.axes)))


def step_first(op: Op, threads: Optional[int], values: Any, counts: Any, part: Part, numbers: Any, updates: Any) -> None:
    """The first update of each place replaces what it holds; the others are stepped. `numbers` has the place of each point."""
    rows = rows_last(op, values)
    listed = updates.reshape(numbers.size, *part.row)
    _, first = np.unique(numbers, return_index=True)
    is_first = np.zeros(numbers.size, bool)
    is_first[first] = True
    is_first &= (numbers >= 0) & (counts.reshape(-1)[numbers] == 0)
    rows[np.unravel_index(numbers[is_first], counts.shape)] = listed[is_first]
    left = (numbers >= 0) & ~is_first
    others = Part((0,), (int(left.sum()),), part.row)
    coordinates = tuple(np.unravel_index(numbers[left], counts.shape))
    step_wide(op, threads, listed_rules(op, counts.ndim, len(part.row)), others, rows, coordinates, listed[left])


def finish(op: Op, state: State, base: Any, verdict: None) -> Any:
    """A block of the result. The verdict is a dependency only, as in confirm()."""
    if state.counts is None:
        return state.values
    values = rows_last(op, state.values)
    start = np.zeros(state.values.shape, numpy_dtype(op.out.dtype)) if base is None else addressed(op, base, state.values.shape)
    result = np.array(rows_last(op, start), order="C", copy=True)
    width = int(np.prod(values.shape[len(op.place_axes):], dtype=np.int64))
    shape = (state.counts.size, width)
    accumulators, counts = np.ascontiguousarray(values).reshape(shape), np.ascontiguousarray(state.counts).reshape(-1)
    _core.finish(op.operator, result.reshape(shape), accumulators, counts, op.finish, int(op.begin == "current"))
    return np.moveaxis(result, range(len(op.place_axes), len(op.axes)), op.row_axes)


class Gathered(NamedTuple):
    """A part of the result of a gather."""

    values: Any
    bad: Optional[Bad]


def gather_part(op: Op, threads: Optional[int], shape: Shape, part: Part, source: Any, blocks: list[Any]) -> Gathered:
    columns = show_columns(op, blocks, part)
    source = narrowed(op, addressed(op, source, shape), part, tuple(range(len(op.axes))))
    try:
        made = _core.gather_part(op.operator, op.name, op.rules, part.points, part.row, source, columns, threads)
        return Gathered(made, None)
    except BadIndexError as error:
        return Gathered(None, bad_from(op, error, columns, part))


def empty(op: Op, shape: Shape, verdict: None) -> Any:
    return np.empty(shape, numpy_dtype(op.out.dtype))


def confirm_gathered(gathered: Gathered, verdict: None) -> Any:
    return gathered.values


def gather_checked(op: Op, threads: Optional[int], shape: Shape, part: Part, source: Any, blocks: list[Any], verdict: None) -> Any:
    """A part of the result of a gather whose indices are known to be good."""
    gathered = gather_part(op, threads, shape, part, source, blocks)
    judge(op, op.shape, [gathered.bad])  # raises only if indices changed after the verdict
    return gathered.values
