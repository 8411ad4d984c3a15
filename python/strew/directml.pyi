# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _scatter_nd(Operator):
    def __call__(
        self,
        input: Any,
        indices: Any,
        updates: Any,
        *,
        input_dimension_count: Optional[SupportsIndex] = None,
        indices_dimension_count: Optional[SupportsIndex] = None,
        feature_level: str = '3_0',
        out_of_range: str = 'error',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        input: Any,
        indices: Any,
        *,
        input_dimension_count: Optional[SupportsIndex] = None,
        indices_dimension_count: Optional[SupportsIndex] = None,
        feature_level: str = '3_0',
        out_of_range: str = 'error',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_nd: _scatter_nd

class _scatter(Operator):
    def __call__(
        self,
        input: Any,
        indices: Any,
        updates: Any,
        *,
        axis: SupportsIndex,
        feature_level: str = '3_0',
        out_of_range: str = 'error',
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        input: Any,
        indices: Any,
        *,
        axis: SupportsIndex,
        feature_level: str = '3_0',
        out_of_range: str = 'error',
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter: _scatter

def gather_elements(
    input: Any,
    indices: Any,
    *,
    axis: SupportsIndex,
    feature_level: str = '3_0',
    out_of_range: str = 'error',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...

def gather_nd(
    input: Any,
    indices: Any,
    *,
    input_dimension_count: Optional[SupportsIndex] = None,
    indices_dimension_count: Optional[SupportsIndex] = None,
    batch_dimension_count: SupportsIndex = 0,
    feature_level: str = '3_0',
    out_of_range: str = 'error',
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
