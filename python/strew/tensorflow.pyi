# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _tensor_scatter_nd_update(Operator):
    def __call__(
        self,
        tensor: Any,
        indices: Any,
        updates: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        tensor: Any,
        indices: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

tensor_scatter_nd_update: _tensor_scatter_nd_update

class _tensor_scatter_nd_add(Operator):
    def __call__(
        self,
        tensor: Any,
        indices: Any,
        updates: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        tensor: Any,
        indices: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

tensor_scatter_nd_add: _tensor_scatter_nd_add

class _tensor_scatter_nd_sub(Operator):
    def __call__(
        self,
        tensor: Any,
        indices: Any,
        updates: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        tensor: Any,
        indices: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

tensor_scatter_nd_sub: _tensor_scatter_nd_sub

class _tensor_scatter_nd_min(Operator):
    def __call__(
        self,
        tensor: Any,
        indices: Any,
        updates: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        tensor: Any,
        indices: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

tensor_scatter_nd_min: _tensor_scatter_nd_min

class _tensor_scatter_nd_max(Operator):
    def __call__(
        self,
        tensor: Any,
        indices: Any,
        updates: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        tensor: Any,
        indices: Any,
        *,
        bad_indices_policy: str = 'DEFAULT',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

tensor_scatter_nd_max: _tensor_scatter_nd_max

class _scatter_nd(Operator):
    def __call__(
        self,
        indices: Any,
        updates: Any,
        shape: Iterable[SupportsIndex],
        *,
        bad_indices_policy: str = 'DEFAULT',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        indices: Any,
        shape: Iterable[SupportsIndex],
        *,
        bad_indices_policy: str = 'DEFAULT',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_nd: _scatter_nd

def gather_nd(
    params: Any,
    indices: Any,
    *,
    bad_indices_policy: str = 'DEFAULT',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
