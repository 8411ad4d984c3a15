"""The exceptions of Strew. Every class also derives from the matching built-in exception."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional


class BadIndex(NamedTuple):
    """The first bad index of a call, in row-major order."""

    value: int
    position: tuple[int, ...]
    axis: int
    extent: int
    count: int  # type: ignore[assignment]


HEAD, CUT, TAIL = 700, " [...] ", 280  # the parts of a shortened message


def bounded(message: str) -> str:
    """Shortens a message and escapes lone surrogates, because it may contain any text of the caller. Idempotent, because copying an
    error does this again."""
    message = message.encode(errors="backslashreplace").decode()
    return message[:HEAD] + CUT + message[-TAIL:] if len(message) > HEAD + len(CUT) + TAIL else message


class Error(Exception):
    """An error of Strew. `code` is its category; `bad_index` is set if that is "index"."""

    code: str = ""
    bad_index: Optional[BadIndex] = None

    def __init__(self, message: object = "") -> None:
        super().__init__(bounded(message if isinstance(message, str) else str(message)))


class ShapeError(Error, ValueError):
    """Ranks or sizes do not match."""

    code = "shape"


class DtypeError(Error, TypeError):
    """The argument does not support this type."""

    code = "dtype"


class ArgumentError(Error, ValueError):
    """A word or a number is not one of the allowed values."""

    code = "argument"


class AxisError(Error, ValueError, IndexError):
    """An axis is out of range."""

    code = "axis"


class OverlapError(Error, ValueError):
    """The output shares memory with an input or with itself."""

    code = "overlap"


class UnsupportedError(Error, ValueError):
    """The reduction is not defined for the dtype."""

    code = "unsupported"


class BadIndexError(Error, IndexError):
    """An index is out of range; nothing was written."""

    code = "index"


class NoMemoryError(Error, ValueError, MemoryError):
    """Memory for the result or for scratch space could not be allocated; nothing was written."""

    code = "memory"


class ChangedError(Error, ValueError):
    """Another thread changed the indices during the call; the output may contain a part of the updates."""

    code = "changed"


class ArrayError(Error, ValueError):
    """An array cannot be used: read-only, on another device, part of a gradient."""

    code = "array"


class GradientError(ArrayError, RuntimeError):
    """A gradient cannot be recorded, such as through a write into a leaf that requires one."""


CLASSES = {kind.code: kind for kind in Error.__subclasses__()}
for _kind in (BadIndex, Error, GradientError, *CLASSES.values()):
    _kind.__module__ = "strew"


def make(code: str, message: str, bad_index: Optional[tuple[int, tuple[int, ...], int, int, int]]) -> Error:
    error = CLASSES[code](message)
    if bad_index is not None:
        error.bad_index = BadIndex(*bad_index)
    return error


def type_name(value: Any) -> str:
    """A metaclass of the caller's may have another answer, or none."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def word_of(value: Any) -> Optional[str]:
    """Text without the class that it may have of its own; None if it is no text."""
    return str.__str__(value) if issubclass(type(value), str) else None


def got(value: Any) -> str:
    """What a message says was given instead of a word. Runs no code of the caller's."""
    word = word_of(value)
    return type_name(value) if word is None else repr(word)


def caused(where: str, cause: Exception) -> Error:
    """Returns the Error for an exception of the caller's code, or of a library that Strew called."""
    try:
        text = str(cause)
    except Exception:
        text = ""  # str() of the exception raises
    name = type_name(cause)
    error = (DtypeError if isinstance(cause, TypeError) else ArrayError)(f"{where}: {name[:HEAD // 2]}{': ' if text else ''}{text}")
    error.__cause__ = cause
    return error
