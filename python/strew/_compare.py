"""strew.compare: one input for every dialect that can express it."""

from __future__ import annotations

from math import prod
from operator import index as operator_index
from typing import Any, NamedTuple, Optional

from . import _core
from ._errors import ArgumentError, ArrayError, AxisError, DtypeError, Error, bounded, caused, got, make, type_name, word_of

REDUCTIONS = ("assign", "add", "sub", "mul", "min", "max", "mean")
STRINGS = "OSUT"  # NumPy's letters for types that may hold strings
SHOWN, EDGE = 100, 3  # largest number of elements that is printed in full; elements printed at each end of an axis of larger arrays


def shown(array: Any) -> str:
    """Formats an array on one line, as a list; of a large array the first and last elements along each axis."""
    return str(array.tolist()) if array.size <= SHOWN else shown_edges(array)


def shown_edges(array: Any) -> str:
    if array.ndim == 0:
        return str(array.tolist())
    if prod(min(size, 2 * EDGE) for size in array.shape) > 10 * SHOWN:  # too many axes to show both ends of each
        return f"[{shown_edges(array[0])}, ...]"
    if len(array) <= 2 * EDGE:
        return f"[{', '.join(map(shown_edges, array))}]"
    return f"[{', '.join(map(shown_edges, array[:EDGE]))}, ..., {', '.join(map(shown_edges, array[-EDGE:]))}]"


class Answer(NamedTuple):
    """The answer of one dialect: a result, an error, or the reason why it cannot express the input."""

    dialect: str
    operator: Optional[str]
    result: Any
    error: Optional[Error]
    reason: Optional[str] = None

    def __str__(self) -> str:
        if self.error is not None:
            return f"error: {self.error}"
        return "cannot express it" if self.operator is None else bounded(shown(self.result))

    def __repr__(self) -> str:
        return f"<{self.dialect}{'.' if self.operator else ''}{self.operator or ''}: {self}>"


class Differences(NamedTuple):
    """Where a result differs from another: in how many elements, and the positions of the first ten; none unless dtypes and shapes are equal."""

    same_form: bool
    elements: int
    positions: list[tuple[int, ...]]


class Mine(NamedTuple):
    """The caller's own answer among the others."""

    sentence: str
    agrees_with: tuple[str, ...]
    differs_from: dict[str, Differences]

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return self.sentence


class Comparison(dict[str, Answer]):
    """The answers by dialect. Prints as a table; notebooks show a table and, unless the arrays are large, a picture of
    every different answer.

    `agree` is whether all dialects that can express the input and support its dtypes give the same answer, `summary` says so in a sentence,
    and `mine` says with whom the caller's own answer agrees.
    """

    agree: bool
    summary: str
    mine: Optional[Mine]
    _pictures: dict[str, str]

    def __str__(self) -> str:
        rows = [(answer.dialect, answer.operator or "", str(answer)) for answer in self.values()]
        widths = [max(len(row[column]) for row in rows) for column in range(2)]
        lines = [f"{dialect:{widths[0]}}  {operator:{widths[1]}}  {said}" for dialect, operator, said in rows]
        return "\n".join([*lines, *([self.mine.sentence] if self.mine else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        cells = [(answer.dialect, answer.operator or "", str(answer)) for answer in self.values()]
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
        sentences = "".join(f"<p>{html.escape(text)}</p>" for text in (self.summary, self.mine.sentence if self.mine else "") if text)
        table = f"<table><tr><th>dialect</th><th>operator</th><th>says</th></tr>{rows}</table>"
        return sentences + table + "".join(self._pictures.values())


def is_number(dtype: Any) -> bool:
    from ._convert import KINDS, kind_of

    return kind_of(dtype) in KINDS


def as_array(name: str, given: Any, dtype: Optional[str] = None) -> Any:
    """Returns an array unchanged, and converts a list as the operators do, to `dtype` if that can represent its values."""
    try:
        return converted(f"compare: {name}", given, dtype)
    except (Error, MemoryError):
        raise
    except Exception as problem:
        raise caused(f"compare: {name}", problem)


def has_memory(given: Any) -> bool:
    """Whether it exports memory of one type. That must not be read here: another argument may have freed it."""
    try:
        return not isinstance(given, (bytes, bytearray)) and memoryview(given) is not None
    except TypeError:
        return False


def converted(where: str, given: Any, dtype: Optional[str]) -> Any:
    import numpy

    from ._convert import from_list

    if isinstance(given, numpy.ma.MaskedArray):
        raise DtypeError(f"{where} is a masked array; pass its data, or fill it")
    require_computed(where, given)
    if hasattr(given, "dtype") or has_memory(given):
        return numpy.asarray(given)
    array = from_list(where, given, dtype, "int64", "float64")
    return array.astype(object) if array.dtype.kind in STRINGS else array  # objects, so that longer strings fit


def require_computed(where: str, given: Any) -> None:
    """Refuses Dask arrays, also in lists: NumPy would compute them."""
    left: list[Any] = [given]
    seen: set[int] = set()
    while left:
        item = left.pop()
        if hasattr(item, "__dask_graph__") and item.__dask_graph__() is not None:
            raise ArrayError(f"{where} is or contains a Dask array; pass its compute()")
        if isinstance(item, (list, tuple)) and id(item) not in seen:
            seen.add(id(item))
            left += (part for part in item if type(part) not in (int, float))


def as_axis(given: Any, rank: int) -> int:
    try:
        require_computed("compare: axis", given)
        axis = operator_index(given)
    except (ArrayError, MemoryError):
        raise
    except Exception as error:
        raise DtypeError(f"compare: axis must be an integer, got {type_name(given)}") from error
    if not -rank <= axis < rank:
        number = str(axis) if axis.bit_length() < 64 else f"an integer of {axis.bit_length()} bits"
        raise AxisError(f"compare: axis must be in [{-rank}, {rank}), got {number}")
    return axis


def compare(data: Any, indices: Any, updates: Any, *, axis: Optional[int] = None, reduction: str = "assign", mine: Any = None) -> Comparison:
    """Compares the results of all dialects for the same data, indices and updates.

    With `axis`, indices are positions along it: one per element of the updates, as in torch.scatter and ScatterElements; or one per
    row, if they are a vector and data is not, as in torch.index_add. Without `axis`, the last axis of indices contains tuples, as in
    scatter_nd. `reduction` is one of assign, add, sub, mul, min, max, mean. For a dialect whose operators take indices in another
    form, the input is converted to that form. `mine` is the caller's own answer: with whom does it agree, and where does it differ?

    >>> import strew
    >>> answers = strew.compare([1.0, 2.0, 3.0], [0, -1], [10.0, 20.0], axis=0, reduction="add", mine=[11.0, 2.0, 3.0])
    >>> answers["onnx"].result
    array([11.,  2., 23.])
    >>> answers["pytorch"].error.bad_index
    BadIndex(value=-1, position=(1,), axis=0, extent=3, count=1)
    >>> answers.agree
    False
    >>> answers.mine.differs_from["onnx"].positions
    [(2,)]
    """
    word = word_of(reduction)
    if word is None or word not in REDUCTIONS:
        raise ArgumentError(f"compare: reduction must be one of {', '.join(REDUCTIONS)}, got {got(reduction)}")
    values, places = as_array("data", data), as_array("indices", indices)
    name = values.dtype.name if is_number(values.dtype) else None
    changes = as_array("updates", updates, name)
    own = None if mine is None else as_array("mine", mine, name)
    if places.dtype.kind not in "iu":
        raise DtypeError(f"compare: indices must be integers, got {places.dtype.name}")
    if axis is not None:
        axis = as_axis(axis, values.ndim)
    answers, results, agree, summary, mine_ = _core.compare(values, places, changes, axis, word, own)
    comparison = Comparison()
    comparison._pictures = {}
    for (dialect, operator, error, reason, picture), result in zip(answers, results):
        comparison[dialect] = Answer(dialect, operator, result, None if error is None else make(*error), reason)
        if picture is not None:
            comparison._pictures[dialect] = picture
    comparison.agree, comparison.summary = agree, summary
    comparison.mine = None
    if mine_ is not None:
        sentence, same, differing = mine_
        for dialect, found in differing.items():
            differing[dialect] = Differences(*found)
        comparison.mine = Mine(sentence, tuple(same), differing)
    return comparison
