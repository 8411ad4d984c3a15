# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar

_Array = TypeVar("_Array")

def scatter(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    src: Any,
    *,
    reduce: Optional[str] = None,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter_(
    input: _Array,
    dim: SupportsIndex,
    index: Any,
    src: Any,
    *,
    reduce: Optional[str] = None,
    threads: Optional[int] = None,
) -> _Array: ...

def scatter_add(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    src: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter_add_(
    input: _Array,
    dim: SupportsIndex,
    index: Any,
    src: Any,
    *,
    threads: Optional[int] = None,
) -> _Array: ...

def scatter_reduce(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    src: Any,
    reduce: str,
    *,
    include_self: bool = True,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter_reduce_(
    input: _Array,
    dim: SupportsIndex,
    index: Any,
    src: Any,
    reduce: str,
    *,
    include_self: bool = True,
    threads: Optional[int] = None,
) -> _Array: ...

def index_add(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    source: Any,
    *,
    alpha: complex = 1,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def index_add_(
    input: _Array,
    dim: SupportsIndex,
    index: Any,
    source: Any,
    *,
    alpha: complex = 1,
    threads: Optional[int] = None,
) -> _Array: ...

def index_copy(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    source: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def index_copy_(
    input: _Array,
    dim: SupportsIndex,
    index: Any,
    source: Any,
    *,
    threads: Optional[int] = None,
) -> _Array: ...

def gather(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
