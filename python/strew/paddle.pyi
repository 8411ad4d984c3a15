# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _scatter_nd_add(Operator):
    def __call__(
        self,
        x: Any,
        index: Any,
        updates: Any,
        *,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        x: Any,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_nd_add: _scatter_nd_add

class _scatter(Operator):
    def __call__(
        self,
        x: Any,
        index: Any,
        updates: Any,
        overwrite: bool = True,
        *,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        x: Any,
        index: Any,
        overwrite: bool = True,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter: _scatter

class _scatter_(Operator):
    def __call__(
        self,
        x: _Array,
        index: Any,
        updates: Any,
        overwrite: bool = True,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        x: Any,
        index: Any,
        overwrite: bool = True,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        x: Any,
        overwrite: bool = True,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_: _scatter_

class _scatter_nd(Operator):
    def __call__(
        self,
        index: Any,
        updates: Any,
        shape: Iterable[SupportsIndex],
        *,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        index: Any,
        shape: Iterable[SupportsIndex],
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_nd: _scatter_nd

class _put_along_axis(Operator):
    def __call__(
        self,
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
    def plan(
        self,
        arr: Any,
        indices: Any,
        axis: SupportsIndex,
        reduce: str = 'assign',
        include_self: bool = True,
        broadcast: bool = True,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

put_along_axis: _put_along_axis

class _put_along_axis_(Operator):
    def __call__(
        self,
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
    def plan(
        self,
        arr: Any,
        indices: Any,
        axis: SupportsIndex,
        reduce: str = 'assign',
        include_self: bool = True,
        broadcast: bool = True,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        arr: Any,
        axis: SupportsIndex,
        reduce: str = 'assign',
        include_self: bool = True,
        broadcast: bool = True,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

put_along_axis_: _put_along_axis_

class _index_add(Operator):
    def __call__(
        self,
        x: Any,
        index: Any,
        axis: SupportsIndex,
        value: Any,
        *,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        x: Any,
        index: Any,
        axis: SupportsIndex,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

index_add: _index_add

class _index_add_(Operator):
    def __call__(
        self,
        x: _Array,
        index: Any,
        axis: SupportsIndex,
        value: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        x: Any,
        index: Any,
        axis: SupportsIndex,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        x: Any,
        axis: SupportsIndex,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

index_add_: _index_add_

def gather_nd(
    x: Any,
    index: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
