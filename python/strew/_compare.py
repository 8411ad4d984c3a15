"""One input through every dialect that can express it."""

from __future__ import annotations

from operator import index as operator_index
from typing import Any, NamedTuple, Optional

from . import _core
from ._errors import AxisError, Error, WordError

Words = dict[str, tuple[str, dict[str, Any]]]  # by reduction: the operator, and the words that it wants


def with_word(operator: str, attribute: str, words: dict[str, str]) -> Words:
    return {reduction: (operator, {attribute: word}) for reduction, word in words.items()}


def by_name(operators: dict[str, str]) -> Words:
    return {reduction: (operator, {}) for reduction, operator in operators.items()}


ONNX_WORDS = {"assign": "none", "add": "add", "mul": "mul", "min": "min", "max": "max"}
ALONG_AXIS = {
    "pytorch": {
        **by_name({"assign": "scatter", "add": "scatter_add"}),
        **with_word("scatter_reduce", "reduce", {"mul": "prod", "min": "amin", "max": "amax", "mean": "mean"}),
    },
    "paddle": with_word(
        "put_along_axis", "reduce", {"assign": "assign", "add": "add", "mul": "mul", "min": "amin", "max": "amax", "mean": "mean"}
    ),
    "onnx": with_word("scatter_elements", "reduction", ONNX_WORDS),
    "directml": by_name({"assign": "scatter"}),
    "numpy": by_name({"assign": "put_along_axis"}),
}
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
    "numpy": by_name({"add": "add_at", "sub": "subtract_at", "mul": "multiply_at", "min": "minimum_at", "max": "maximum_at"}),
}
NOT_TAKEN = ("dtype", "unsupported")
REDUCTIONS = ("assign", "add", "sub", "mul", "min", "max", "mean")


class Answer(NamedTuple):
    """What one dialect says: a result, an error, or neither if it cannot express the input."""

    dialect: str
    operator: Optional[str]
    result: Any
    error: Optional[Error]

    def __str__(self) -> str:
        if self.error is not None:
            return f"error: {self.error}"
        return "cannot express it" if self.operator is None else " ".join(str(self.result.tolist()).split())


class Comparison(dict[str, Answer]):
    """The answers by dialect. Prints as a table, here and in a notebook.

    `agree` says whether all say the same that have words for the input and take its dtypes.
    """

    @property
    def agree(self) -> bool:
        asked = [answer for answer in self.values() if answer.operator and (answer.error is None or answer.error.code not in NOT_TAKEN)]
        return len({str(answer) if answer.error is None else "error" for answer in asked}) <= 1

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


class Call(NamedTuple):
    """An operator with its words, and the indices as it wants them."""

    operator: str
    words: dict[str, Any]
    indices: Any
    axis: Optional[int]


def call_of(dialect: str, data: Any, indices: Any, axis: Optional[int], reduction: str) -> Optional[Call]:
    """Nothing if the dialect has no words for it."""
    own, other = (TUPLES, ALONG_AXIS) if axis is None else (ALONG_AXIS, TUPLES)
    if reduction in own.get(dialect, {}):
        return Call(*own[dialect][reduction], indices, axis)
    # Places along the one axis of a vector are tuples of one index, and the other way round.
    if data.ndim == 1 and reduction in other.get(dialect, {}):
        if axis is not None and indices.ndim == 1:
            return Call(*other[dialect][reduction], indices[:, None], None)
        if axis is None and indices.ndim == 2 and indices.shape[1] == 1:
            return Call(*other[dialect][reduction], indices[:, 0], 0)
    return None


def run_call(dialect: str, call: Call, data: Any, updates: Any) -> Any:
    operator = getattr(_core.dialects[dialect], call.operator)
    key = tuple(call.indices.T) if call.indices.ndim else call.indices
    roles = {"indices": call.indices, "index_key": key, "updates": updates, "source": updates, "integer": call.axis}
    first, *rest = operator.parameters
    arguments = {first[0]: data}
    for name, kind, _, default in rest:
        if name not in call.words and (not default or name == "axis"):
            arguments[name] = roles[kind.split()[0]]
    result = operator(**arguments, **call.words)
    return data if result is None else result


def is_number(dtype: Any) -> bool:
    from ._convert import KINDS, kind_of

    return kind_of(dtype) in KINDS


def as_array(name: str, given: Any, dtype: Optional[str] = None) -> Any:
    """An array as it is; a list as the operators take it, of `dtype` if that can hold its values."""
    import numpy

    from ._convert import from_list

    return numpy.asarray(given) if hasattr(given, "dtype") else from_list(f"compare: {name}", given, dtype, "int64", "float64")


def compare(data: Any, indices: Any, updates: Any, *, axis: Optional[int] = None, reduction: str = "assign") -> Comparison:
    """What each dialect makes of the same data, indices and updates.

    With `axis`, indices point along it, as in torch.scatter and ScatterElements; without, the last axis of indices holds
    tuples, as in scatter_nd. `reduction` is one of assign, add, sub, mul, min, max, mean.

    >>> import strew
    >>> answers = strew.compare([1.0, 2.0, 3.0], [0, -1], [10.0, 20.0], axis=0, reduction="add")
    >>> answers["onnx"].result
    array([11.,  2., 23.])
    >>> answers["pytorch"].error.bad_index
    BadIndex(value=-1, position=(1,), axis=0, extent=3, count=1)
    >>> answers.agree
    False
    """
    if reduction not in REDUCTIONS:
        raise WordError(f"compare: reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    values, places = as_array("data", data), as_array("indices", indices)
    changes = as_array("updates", updates, values.dtype.name if is_number(values.dtype) else None)
    if axis is not None and not -values.ndim <= operator_index(axis) < values.ndim:
        raise AxisError(f"compare: axis must be in [{-values.ndim}, {values.ndim}), got {axis}")
    answers = Comparison()
    for dialect in _core.dialects:
        call, result, error = call_of(dialect, values, places, axis, reduction), None, None
        if call is not None:
            try:
                result = run_call(dialect, call, values.copy(), changes)
            except Error as problem:
                error = problem
        answers[dialect] = Answer(dialect, call.operator if call else None, result, error)
    return answers
