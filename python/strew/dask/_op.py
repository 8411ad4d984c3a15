"""The op of a call as plain data: what the call does, in the terms of ARCHITECTURE.md, without memory."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

POINT, COLUMN, ROW = 0, 1, 2  # where an axis of the addressed array takes its coordinate from

Shape = tuple[int, ...]
Number = tuple[str, bytes]  # a dtype, and one element of it
NONE = -1


class View(NamedTuple):
    """A tensor of the op, as a view of one of the arguments."""

    array: int  # the number of the argument; NONE: memory of the op's own
    offset: int
    strides: Shape
    shape: Shape
    dtype: str

    def dimensions(self, rank: int) -> tuple[Optional[int], ...]:
        """The dimension of the argument that each dimension shows; None where elements repeat."""
        return tuple(stride - 1 if 0 < stride <= rank else None for stride in self.strides)

    def fixed(self, rank: int) -> tuple[Any, ...]:
        """Selects what is not shown from an array of the argument's rank: position 0, or a coordinate of tuples on the last axis."""
        shown = self.dimensions(rank)
        index: list[Any] = [slice(None) if dimension in shown else 0 for dimension in range(rank)]
        if self.offset:
            index[-1] = self.offset // rank
        return tuple(index)


class Op(NamedTuple):
    """One scatter or gather. Field names are those of `ScatterOp`, `GatherOp` and `Addressing` in include/strew/op.h."""

    operator: Any  # the in-memory function
    name: str
    arrays: tuple[tuple[str, int, str], ...]  # name, number within a key or -1, dtype
    ranks: Shape  # of the arrays
    points: Shape
    row: Shape
    axes: tuple[tuple[int, int], ...]
    columns: tuple[View, ...]
    negative: int
    out_of_range: int
    tuples: bool
    words: tuple[str, str]
    out: View
    source: Optional[View] = None  # of a gather
    base: Optional[View] = None
    from_zeros: bool = False
    updates: Optional[View] = None
    number: Optional[Number] = None  # in place of updates
    scale: Optional[Number] = None
    step: int = 0
    compare: int = 0
    finish: int = 0
    begin: str = "current"
    accumulator: Optional[str] = None  # dtype of the accumulators, if the fold needs them
    identity: Optional[Number] = None
    order_free: bool = False  # updates may be combined in any order before they are applied

    @property
    def addressed(self) -> View:
        return self.out if self.source is None else self.source

    @property
    def shape(self) -> Shape:
        """That of the addressed array, where a rank-0 array counts as a vector of one element."""
        shape = self.addressed.shape
        return (1,) if shape == () and len(self.axes) == 1 else shape

    @property
    def rules(self) -> tuple[Any, ...]:
        """What the functions of strew._core take."""
        return (self.axes, self.negative, self.out_of_range, self.tuples, *self.words)

    @property
    def place_axes(self) -> tuple[int, ...]:
        return tuple(axis for axis, (source, _) in enumerate(self.axes) if source != ROW)

    @property
    def row_axes(self) -> tuple[int, ...]:
        """The axis of the addressed array for each dimension of the row."""
        return tuple(self.axes.index((ROW, dimension)) for dimension in range(len(self.row)))

    @property
    def pinned(self) -> dict[int, int]:
        """The dimensions of the points that an axis follows, and that axis."""
        return {at: axis for axis, (source, at) in enumerate(self.axes) if source == POINT}


def op_from(operator: Any, described: dict[str, Any]) -> Op:
    fields = {**described, "operator": operator, "source": described.get("from"), "ranks": ()}
    fields.pop("from", None)
    fields["columns"] = tuple(map(view_from, fields["columns"]))
    for name in ("out", "source", "base", "updates"):
        if fields.get(name) is not None:
            fields[name] = view_from(fields[name])
    return Op(**fields)


def view_from(described: tuple[Any, ...]) -> View:
    return View(NONE if described[0] is None else described[0], *described[1:])
