# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _scatter(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter: _scatter

class _scatter_add(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_add: _scatter_add

class _scatter_sub(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_sub: _scatter_sub

class _scatter_mul(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_mul: _scatter_mul

class _scatter_min(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_min: _scatter_min

class _scatter_max(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_max: _scatter_max

class _scatter_mean(Operator):
    def __call__(
        self,
        out: _Array,
        index: Any,
        values: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        out: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        out: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_mean: _scatter_mean

def gather(
    source: Any,
    index: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
