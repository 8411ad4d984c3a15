# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar

_Array = TypeVar("_Array")

def scatter_elements(
    data: Any,
    indices: Any,
    updates: Any,
    *,
    axis: SupportsIndex = 0,
    reduction: str = 'none',
    opset: SupportsIndex = 18,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter_nd(
    data: Any,
    indices: Any,
    updates: Any,
    *,
    reduction: str = 'none',
    opset: SupportsIndex = 18,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter(
    data: Any,
    indices: Any,
    updates: Any,
    *,
    axis: SupportsIndex = 0,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def gather_elements(
    data: Any,
    indices: Any,
    *,
    axis: SupportsIndex = 0,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def gather_nd(
    data: Any,
    indices: Any,
    *,
    batch_dims: SupportsIndex = 0,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
