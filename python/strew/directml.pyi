# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar

_Array = TypeVar("_Array")

def scatter_nd(
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

def scatter(
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
