"""Converts lists and strings to arrays and back. Imported by the first call that has any."""

from __future__ import annotations

from typing import Any, Optional

try:
    import numpy
except ImportError as problem:
    raise ImportError("lists and strings reach Strew through NumPy, which is not installed: pip install numpy") from problem

from ._errors import ArrayError, DtypeError, Error, ShapeError, ArgumentError, caused, type_name

KINDS = "biufc"  # NumPy's letters for bool, integers, floats and complex numbers; each kind can represent those before it
COMPLEX = {"float32": "complex64", "float64": "complex128"}


def numpy_dtype(name: str) -> Any:
    if name != "bfloat16":
        return numpy.dtype(name)
    import ml_dtypes

    return numpy.dtype(ml_dtypes.bfloat16)


def kind_of(dtype: Any) -> str:
    return "f" if dtype.name == "bfloat16" else dtype.kind


def shown(number: int) -> str:
    """Formats a value although Python may reject printing an integer of many digits."""
    return str(number) if number.bit_length() <= 256 else f"an integer of {number.bit_length()} bits"


def require_strings(where: str, array: Any) -> None:
    """Raises an error that names the value for which NumPy found no type, unless all values are strings."""
    for value in array.ravel().tolist():
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            raise ArgumentError(f"{where} contains {shown(int(value))}, which does not fit 64 bits")
        if not isinstance(value, (int, float, complex, str, bytes)):
            raise DtypeError(f"{where} contains {type(value).__name__}; a list may contain numbers or strings")


def from_list(where: str, values: Any, dtype: Optional[str], integer: str, floating: str) -> Any:
    """Converts a list to an array of `dtype` if that can represent its values, else of the dialect's default type."""
    if isinstance(values, range) and all(-(2**63) <= bound < 2**63 for bound in (values.start, values.stop, values.step)):
        values = numpy.arange(values.start, values.stop, values.step)  # NumPy takes it for a list
    try:
        array = numpy.asarray(values)
    except ValueError as problem:
        if "inhomogeneous" not in str(problem):
            raise caused(where, problem)
        raise ShapeError(f"{where} is a list whose parts differ in size") from problem
    kind = kind_of(array.dtype)
    if kind == "O":
        require_strings(where, array)
    if kind not in KINDS:
        return array
    if dtype == "string" and array.size:
        raise DtypeError(f"{where} contains {array.dtype.name} values, which string cannot represent")
    if dtype == "string":
        return array.astype(object)
    by_kind = {"b": "bool", "i": integer, "u": "uint64", "f": floating, "c": COMPLEX[floating]}
    # An empty list has no type.
    wanted = numpy_dtype(dtype or by_kind["i" if array.size == 0 else kind])
    if array.size and KINDS.index(kind) > KINDS.index(kind_of(wanted)) and not (kind == "u" and wanted.kind == "i"):
        raise DtypeError(f"{where} contains {array.dtype.name} values, which {wanted.name} cannot represent")
    if array.dtype == wanted:
        return array
    try:
        return numpy.asarray(values, dtype=wanted)
    except OverflowError as problem:
        raise ArgumentError(f"{where} contains a number that {wanted.name} cannot represent: {problem}") from problem


def to_bytes(where: str, value: Any) -> bytes:
    kind = type(value)  # not __class__, which may run code of the caller's, as its methods may
    if issubclass(kind, str):
        try:
            return str.encode(value)
        except UnicodeEncodeError as problem:
            raise ArgumentError(f"{where} contains a string with lone surrogates, which UTF-8 cannot represent: {str.__getitem__(value, slice(100))!r}") from problem
    if issubclass(kind, bytes):
        return bytes.__getitem__(value, slice(None))
    raise DtypeError(f"{where} contains {type_name(value)}; arrays of objects must contain strings")


def strings(where: str, array: Any) -> tuple[tuple[int, ...], list[bytes]]:
    """The shape and the elements in row-major order."""
    values = numpy.array(array)  # a copy: another thread may reshape the caller's array meanwhile
    flat = []
    for value in values.ravel().tolist():  # a comprehension that uses a variable from outside leaks in Python 3.11 when memory is short
        flat.append(to_bytes(where, value))
    return values.shape, flat


def as_text(flat: list[bytes], like: Any) -> list[Any]:
    """Decodes strings to str unless all inputs were bytes."""
    held = numpy.asarray(like).ravel().tolist()
    if held and all(issubclass(type(value), bytes) for value in held):
        return list(flat)
    return [value.decode() for value in flat]


def store_strings(where: str, array: Any, flat: list[bytes]) -> None:
    """Writes strings to an array of the caller if all of them fit."""
    values = numpy.empty(len(flat), dtype=object)
    values[:] = as_text(flat, array)
    width = {"U": array.dtype.itemsize // 4, "S": array.dtype.itemsize}.get(array.dtype.kind)
    longest = max((len(value) for value in values), default=0)
    if width is not None and longest > width:
        raise ArrayError(f"{where} has room for {width} characters an element, {longest} are needed; use dtype object")
    array[...] = values.reshape(array.shape)


def string_array(like: Any, shape: tuple[int, ...], flat: list[bytes]) -> Any:
    """Returns an array of the strings, of the same string type as `like`."""
    given = numpy.asarray(like)
    values = as_text(flat, given)
    dtype = {"U": str, "S": bytes}.get(given.dtype.kind, given.dtype)
    array = numpy.array(values, dtype=dtype) if values else numpy.empty(0, dtype=given.dtype)
    result = array.reshape(shape)
    if type(like).__module__.partition(".")[0] == "tensorflow":
        import tensorflow  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return tensorflow.constant(result)
    return result
