"""strew.compare: one input for every dialect that can express it."""

from __future__ import annotations

from math import prod
from operator import index as operator_index
from typing import Any, Iterator, NamedTuple, Optional

from . import _core
from ._errors import AxisError, DtypeError, Error, ArgumentError, bounded, caused, got, type_name, word_of

Words = dict[str, tuple[str, dict[str, Any]]]  # by reduction: the operator and its keyword arguments


def with_word(operator: str, attribute: str, words: dict[str, str], **others: Any) -> Words:
    return {reduction: (operator, {attribute: word, **others}) for reduction, word in words.items()}


def by_name(operators: dict[str, str]) -> Words:
    return {reduction: (operator, {}) for reduction, operator in operators.items()}


ONNX_WORDS = {"assign": "none", "add": "add", "mul": "mul", "min": "min", "max": "max"}
NUMPY_AT = by_name({"add": "add_at", "sub": "subtract_at", "mul": "multiply_at", "min": "minimum_at", "max": "maximum_at"})
# One index per element of the updates, along an axis. Without `broadcast`, Paddle's may cover a leading part, as the others may.
ELEMENTS = {
    "pytorch": {
        **by_name({"assign": "scatter", "add": "scatter_add"}),
        **with_word("scatter_reduce", "reduce", {"mul": "prod", "min": "amin", "max": "amax", "mean": "mean"}),
    },
    "paddle": with_word(
        "put_along_axis",
        "reduce",
        {"assign": "assign", "add": "add", "mul": "mul", "min": "amin", "max": "amax", "mean": "mean"},
        broadcast=False,
    ),
    "onnx": with_word("scatter_elements", "reduction", ONNX_WORDS),
}
# The same, for operators whose indices must cover all of the data on the other axes.
COVERING_ELEMENTS = {"directml": by_name({"assign": "scatter"})}
COVERING_ELEMENTS_IN_PLACE = {"numpy": by_name({"assign": "put_along_axis"})}
# One index per row of the updates, along any axis; and along the first axis only.
ROWS = {
    "pytorch": {**by_name({"assign": "index_copy", "add": "index_add"}), "sub": ("index_add", {"alpha": -1})},
    "paddle": by_name({"add": "index_add"}),
    "numpy": NUMPY_AT,
}
OWN = by_name({name: "scatter" if name == "assign" else f"scatter_{name}" for name in ("assign", "add", "sub", "mul", "min", "max")})
FIRST_ROWS = {"paddle": by_name({"assign": "scatter"}), "strew": OWN}
# Index tuples, each for an element or for a row of all remaining axes.
TUPLES = {
    "tensorflow": by_name(
        {
            "assign": "tensor_scatter_nd_update",
            "add": "tensor_scatter_nd_add",
            "sub": "tensor_scatter_nd_sub",
            "min": "tensor_scatter_nd_min",
            "max": "tensor_scatter_nd_max",
        }
    ),
    "paddle": by_name({"add": "scatter_nd_add"}),
    "onnx": with_word("scatter_nd", "reduction", ONNX_WORDS),
    "directml": by_name({"assign": "scatter_nd"}),
}
KEYS = {"numpy": NUMPY_AT, "strew": OWN}  # the same, with one index array per axis
NOT_TAKEN = ("dtype", "unsupported")
REDUCTIONS = ("assign", "add", "sub", "mul", "min", "max", "mean")
STRINGS = "OSUT"  # NumPy's letters for types that may hold strings
MOST_AXES = 32  # the lowest limit on the rank in any version of NumPy
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
    """The answer of one dialect: a result, an error, or neither if it cannot express the input."""

    dialect: str
    operator: Optional[str]
    result: Any
    error: Optional[Error]

    def __str__(self) -> str:
        if self.error is not None:
            return f"error: {self.error}"
        return "cannot express it" if self.operator is None else bounded(shown(self.result))

    def __repr__(self) -> str:
        return f"<{self.dialect}{'.' if self.operator else ''}{self.operator or ''}: {self}>"


def same(a: Any, b: Any) -> bool:
    """Whether two results have equal elements: all NaNs are equal, 0.0 and -0.0 differ."""
    import numpy

    from ._convert import kind_of

    if a.shape != b.shape:
        return False
    kind = kind_of(a.dtype)
    if kind == "c":
        return same(a.real, b.real) and same(a.imag, b.imag)
    equal = a == b
    if kind == "f":
        equal = (equal & (numpy.signbit(a) == numpy.signbit(b))) | (numpy.isnan(a) & numpy.isnan(b))
    return bool(numpy.all(equal))


class Comparison(dict[str, Answer]):
    """The answers by dialect. Prints as a table, also in notebooks.

    `agree` is whether all dialects that can express the input and support its dtypes give the same answer.
    """

    @property
    def agree(self) -> bool:
        asked = [answer for answer in self.values() if answer.operator and (answer.error is None or answer.error.code not in NOT_TAKEN)]
        refused = [answer.error is not None for answer in asked]
        return all(refused) or (not any(refused) and all(same(asked[0].result, answer.result) for answer in asked[1:]))

    def __str__(self) -> str:
        rows = [(answer.dialect, answer.operator or "", str(answer)) for answer in self.values()]
        widths = [max(len(row[column]) for row in rows) for column in range(2)]
        return "\n".join(f"{dialect:{widths[0]}}  {operator:{widths[1]}}  {said}" for dialect, operator, said in rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        cells = [(answer.dialect, answer.operator or "", str(answer)) for answer in self.values()]
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
        return f"<table><tr><th>dialect</th><th>operator</th><th>says</th></tr>{rows}</table>"


class Way(NamedTuple):
    """One form of the input: the operators that take it, and their arguments. `data` may be a view of the whole."""

    table: dict[str, Words]
    data: Any
    indices: Any
    updates: Any
    axis: Optional[int] = None


# The forms of an input, the most similar first. They rearrange indices and updates, and add the coordinates that a point has by its
# position. They never compute with an index, so that each dialect itself handles negative indices and indices out of range.


def element_ways(data: Any, indices: Any, updates: Any, axis: int) -> Iterator[Way]:
    """Indices have the rank of data."""
    yield Way(ELEMENTS, data, indices, updates, axis)
    if indices.ndim != data.ndim:
        return
    covered = [slice(size) for size in indices.shape]
    covered[axis] = slice(None)
    part = data[tuple(covered)]
    sizes = list(indices.shape)
    sizes[axis] = data.shape[axis]
    if list(part.shape) == sizes:
        yield Way(COVERING_ELEMENTS_IN_PLACE, part, indices, updates, axis)
        if part.shape == data.shape:
            yield Way(COVERING_ELEMENTS, data, indices, updates, axis)


def row_ways(data: Any, index: Any, updates: Any, axis: int) -> Iterator[Way]:
    """The index is a vector that selects rows of data along the axis."""
    import numpy

    yield Way(ROWS, data, index, updates, axis)
    first = axis in (0, -data.ndim)
    if first:
        yield Way(FIRST_ROWS, data, index, updates)
        yield Way(TUPLES, data, index[:, None], updates)
    sizes, alone = list(data.shape), [1] * data.ndim
    sizes[axis] = alone[axis] = len(index)
    repeated = numpy.broadcast_to(index.reshape(alone), sizes)
    yield from element_ways(data, repeated, updates, axis)
    if not first:
        depth = range(data.ndim)[axis] + 1
        tuples = with_coordinates(data, repeated[(...,) + (0,) * (data.ndim - depth)], depth - 1)
        yield Way(TUPLES, data, tuples, updates)
        yield Way(KEYS, data, tuples, updates)


def with_coordinates(data: Any, indices: Any, axis: int) -> Any:
    """Tuples: the position of each index in `indices`, with the index itself as the coordinate on the axis."""
    import numpy

    # In the dtype of the indices if that can represent the coordinates.
    fits = max(data.shape) <= numpy.iinfo(indices.dtype).max
    tuples = numpy.empty((*indices.shape, indices.ndim), indices.dtype if fits else numpy.int64)
    for d in range(indices.ndim):
        alone = [1] * indices.ndim
        alone[d] = -1
        tuples[..., d] = numpy.arange(indices.shape[d]).reshape(alone)
    tuples[..., axis] = indices
    return tuples


def along_ways(data: Any, indices: Any, updates: Any, axis: int) -> Iterator[Way]:
    if indices.ndim == 1 < data.ndim:
        yield from row_ways(data, indices, updates, axis)
        return
    yield from element_ways(data, indices, updates, axis)
    if indices.ndim == data.ndim == 1:
        yield from row_ways(data, indices, updates, axis)
    elif indices.ndim == data.ndim < MOST_AXES:
        tuples = with_coordinates(data, indices, axis)
        yield Way(TUPLES, data, tuples, updates)
        yield Way(KEYS, data, tuples, updates)


def tuple_ways(data: Any, indices: Any, updates: Any) -> Iterator[Way]:
    """The last axis of indices contains tuples."""
    import numpy

    yield Way(TUPLES, data, indices, updates)
    if indices.ndim == 0 or indices.shape[-1] > 0:
        yield Way(KEYS, data, indices, updates)
    if indices.ndim == 0 or indices.shape[-1] > min(1, data.ndim) or data.ndim == MOST_AXES:
        return
    points = indices.shape[:-1]
    index = indices.reshape(-1)
    if indices.shape[-1] == 0:  # each tuple selects the whole of data, as one row
        data, index = data[None], numpy.zeros(prod(points), indices.dtype)
    if updates.shape[: len(points)] == points:
        updates = updates.reshape(len(index), *updates.shape[len(points) :])
    yield from row_ways(data, index, updates, 0)


def takes(operator: Any, way: Way) -> bool:
    data = "string" if way.data.dtype.kind in STRINGS else way.data.dtype.name
    return data in operator.dtypes and way.indices.dtype.name in operator.index_dtypes


def ask(dialect: str, data: Any, indices: Any, updates: Any, axis: Optional[int], reduction: str) -> Answer:
    """The answer of the dialect in the first form that it can express; if possible one whose operator supports the dtypes."""
    whole = data.copy()
    chosen: Optional[tuple[Any, Way, dict[str, Any]]] = None
    for way in tuple_ways(whole, indices, updates) if axis is None else along_ways(whole, indices, updates, axis):
        name, words = way.table.get(dialect, {}).get(reduction, (None, {}))
        # For bool, multiplying by -1 changes nothing, and addition is "or".
        if name is None or ("alpha" in words and data.dtype == bool):
            continue
        operator = getattr(_core.dialects[dialect], name)
        if chosen is None or takes(operator, way):
            chosen = operator, way, words
            if takes(operator, way):
                break
    if chosen is None:
        return Answer(dialect, None, None, None)
    try:
        result = call(*chosen)
    except Error as problem:
        return Answer(dialect, chosen[0].__name__, None, problem)
    return Answer(dialect, chosen[0].__name__, whole if result is None else result.reshape(whole.shape), None)


def call(operator: Any, way: Way, words: dict[str, Any]) -> Any:
    roles = {"indices": way.indices, "index_key": key_of(way), "columns": key_of(way), "updates": way.updates, "source": way.updates, "integer": way.axis}
    first, *rest = operator.parameters
    arguments = {first[0]: way.data}
    for name, kind, _, default in rest:
        if name not in words and (not default or name == "axis"):
            arguments[name] = roles[kind.split()[0]]
    return operator(**arguments, **words)


def key_of(way: Way) -> Any:
    """The key of a[...] for the indices, or one array per leading axis."""
    if way.table is ROWS:
        return (slice(None),) * range(way.data.ndim)[way.axis or 0] + (way.indices,)
    if way.table is FIRST_ROWS:
        return way.indices
    return tuple(way.indices[..., d] for d in range(way.indices.shape[-1])) if way.indices.ndim else way.indices


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


def converted(where: str, given: Any, dtype: Optional[str]) -> Any:
    import numpy

    from ._convert import from_list

    if isinstance(given, numpy.ma.MaskedArray):
        raise DtypeError(f"{where} is a masked array; pass its data, or fill it")
    if hasattr(given, "dtype"):
        return numpy.asarray(given)
    array = from_list(where, given, dtype, "int64", "float64")
    return array.astype(object) if array.dtype.kind in STRINGS else array  # objects, so that longer strings fit


def as_axis(given: Any, rank: int) -> int:
    try:
        axis = operator_index(given)
    except MemoryError:
        raise
    except Exception as error:
        raise DtypeError(f"compare: axis must be an integer, got {type_name(given)}") from error
    if not -rank <= axis < rank:
        number = str(axis) if axis.bit_length() < 64 else f"an integer of {axis.bit_length()} bits"
        raise AxisError(f"compare: axis must be in [{-rank}, {rank}), got {number}")
    return axis


def compare(data: Any, indices: Any, updates: Any, *, axis: Optional[int] = None, reduction: str = "assign") -> Comparison:
    """Compares the results of all dialects for the same data, indices and updates.

    With `axis`, indices are positions along it: one per element of the updates, as in torch.scatter and ScatterElements; or one per
    row, if they are a vector and data is not, as in torch.index_add. Without `axis`, the last axis of indices contains tuples, as in
    scatter_nd. `reduction` is one of assign, add, sub, mul, min, max, mean. For a dialect whose operators take indices in another
    form, the input is converted to that form.

    >>> import strew
    >>> answers = strew.compare([1.0, 2.0, 3.0], [0, -1], [10.0, 20.0], axis=0, reduction="add")
    >>> answers["onnx"].result
    array([11.,  2., 23.])
    >>> answers["pytorch"].error.bad_index
    BadIndex(value=-1, position=(1,), axis=0, extent=3, count=1)
    >>> answers.agree
    False
    """
    word = word_of(reduction)
    if word is None or word not in REDUCTIONS:
        raise ArgumentError(f"compare: reduction must be one of {', '.join(REDUCTIONS)}, got {got(reduction)}")
    values, places = as_array("data", data), as_array("indices", indices)
    changes = as_array("updates", updates, values.dtype.name if is_number(values.dtype) else None)
    if places.dtype.kind not in "iu":
        raise DtypeError(f"compare: indices must be integers, got {places.dtype.name}")
    if axis is not None:
        axis = as_axis(axis, values.ndim)
    return Comparison({dialect: ask(dialect, values, places, changes, axis, word) for dialect in _core.dialects})
