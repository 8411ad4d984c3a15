# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar

_Array = TypeVar("_Array")

def tensor_scatter_nd_update(
    tensor: Any,
    indices: Any,
    updates: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def tensor_scatter_nd_add(
    tensor: Any,
    indices: Any,
    updates: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def tensor_scatter_nd_sub(
    tensor: Any,
    indices: Any,
    updates: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def tensor_scatter_nd_min(
    tensor: Any,
    indices: Any,
    updates: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def tensor_scatter_nd_max(
    tensor: Any,
    indices: Any,
    updates: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def scatter_nd(
    indices: Any,
    updates: Any,
    shape: Iterable[SupportsIndex],
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def gather_nd(
    params: Any,
    indices: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
