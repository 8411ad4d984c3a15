# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _scatter_elements(Operator):
    def __call__(
        self,
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
    def plan(
        self,
        data: Any,
        indices: Any,
        *,
        axis: SupportsIndex = 0,
        reduction: str = 'none',
        opset: SupportsIndex = 18,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_elements: _scatter_elements

class _scatter_nd(Operator):
    def __call__(
        self,
        data: Any,
        indices: Any,
        updates: Any,
        *,
        reduction: str = 'none',
        opset: SupportsIndex = 18,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        data: Any,
        indices: Any,
        *,
        reduction: str = 'none',
        opset: SupportsIndex = 18,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_nd: _scatter_nd

class _scatter(Operator):
    def __call__(
        self,
        data: Any,
        indices: Any,
        updates: Any,
        *,
        axis: SupportsIndex = 0,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        data: Any,
        indices: Any,
        *,
        axis: SupportsIndex = 0,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter: _scatter

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
