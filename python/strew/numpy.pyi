# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar

_Array = TypeVar("_Array")

def add_at(
    a: Any,
    indices: Any,
    b: Any,
    *,
    threads: Optional[int] = None,
) -> None: ...

def subtract_at(
    a: Any,
    indices: Any,
    b: Any,
    *,
    threads: Optional[int] = None,
) -> None: ...

def multiply_at(
    a: Any,
    indices: Any,
    b: Any,
    *,
    threads: Optional[int] = None,
) -> None: ...

def minimum_at(
    a: Any,
    indices: Any,
    b: Any,
    *,
    threads: Optional[int] = None,
) -> None: ...

def maximum_at(
    a: Any,
    indices: Any,
    b: Any,
    *,
    threads: Optional[int] = None,
) -> None: ...

def put_along_axis(
    arr: Any,
    indices: Any,
    values: Any,
    axis: Optional[SupportsIndex],
    *,
    threads: Optional[int] = None,
) -> None: ...
