# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar

_Array = TypeVar("_Array")

def scatter_nd_add(
    x: Any,
    index: Any,
    updates: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter(
    x: Any,
    index: Any,
    updates: Any,
    overwrite: bool = True,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter_(
    x: _Array,
    index: Any,
    updates: Any,
    overwrite: bool = True,
    *,
    threads: Optional[int] = None,
) -> _Array: ...

def scatter_nd(
    index: Any,
    updates: Any,
    shape: Iterable[SupportsIndex],
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def put_along_axis(
    arr: Any,
    indices: Any,
    values: Any,
    axis: SupportsIndex,
    reduce: str = 'assign',
    include_self: bool = True,
    broadcast: bool = True,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def put_along_axis_(
    arr: _Array,
    indices: Any,
    values: Any,
    axis: SupportsIndex,
    reduce: str = 'assign',
    include_self: bool = True,
    broadcast: bool = True,
    *,
    threads: Optional[int] = None,
) -> _Array: ...

def index_add(
    x: Any,
    index: Any,
    axis: SupportsIndex,
    value: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def index_add_(
    x: _Array,
    index: Any,
    axis: SupportsIndex,
    value: Any,
    *,
    threads: Optional[int] = None,
) -> _Array: ...

def gather_nd(
    x: Any,
    index: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
