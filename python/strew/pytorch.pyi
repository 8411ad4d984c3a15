# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _scatter(Operator):
    @overload
    def __call__(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        src: Any,
        *,
        reduce: Optional[str] = None,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    @overload
    def __call__(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        value: Any,
        reduce: Optional[str] = None,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        reduce: Optional[str] = None,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter: _scatter

class _scatter_(Operator):
    @overload
    def __call__(
        self,
        input: _Array,
        dim: SupportsIndex,
        index: Any,
        src: Any,
        *,
        reduce: Optional[str] = None,
        threads: Optional[int] = None,
    ) -> _Array: ...
    @overload
    def __call__(
        self,
        input: _Array,
        dim: SupportsIndex,
        index: Any,
        *,
        value: Any,
        reduce: Optional[str] = None,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        reduce: Optional[str] = None,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        input: Any,
        dim: SupportsIndex,
        *,
        reduce: Optional[str] = None,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_: _scatter_

class _scatter_add(Operator):
    def __call__(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        src: Any,
        *,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_add: _scatter_add

class _scatter_add_(Operator):
    def __call__(
        self,
        input: _Array,
        dim: SupportsIndex,
        index: Any,
        src: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        input: Any,
        dim: SupportsIndex,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_add_: _scatter_add_

class _scatter_reduce(Operator):
    def __call__(
        self,
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
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        reduce: str,
        *,
        include_self: bool = True,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

scatter_reduce: _scatter_reduce

class _scatter_reduce_(Operator):
    def __call__(
        self,
        input: _Array,
        dim: SupportsIndex,
        index: Any,
        src: Any,
        reduce: str,
        *,
        include_self: bool = True,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        reduce: str,
        *,
        include_self: bool = True,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        input: Any,
        dim: SupportsIndex,
        reduce: str,
        *,
        include_self: bool = True,
        threads: Optional[int] = None,
    ) -> Pieces: ...

scatter_reduce_: _scatter_reduce_

class _index_add(Operator):
    def __call__(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        source: Any,
        *,
        alpha: Any = 1,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        alpha: Any = 1,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

index_add: _index_add

class _index_add_(Operator):
    def __call__(
        self,
        input: _Array,
        dim: SupportsIndex,
        index: Any,
        source: Any,
        *,
        alpha: Any = 1,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        alpha: Any = 1,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        input: Any,
        dim: SupportsIndex,
        *,
        alpha: Any = 1,
        threads: Optional[int] = None,
    ) -> Pieces: ...

index_add_: _index_add_

class _index_copy(Operator):
    def __call__(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        source: Any,
        *,
        out: Optional[Any] = None,
        threads: Optional[int] = None,
    ) -> Any: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...

index_copy: _index_copy

class _index_copy_(Operator):
    def __call__(
        self,
        input: _Array,
        dim: SupportsIndex,
        index: Any,
        source: Any,
        *,
        threads: Optional[int] = None,
    ) -> _Array: ...
    def plan(
        self,
        input: Any,
        dim: SupportsIndex,
        index: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        input: Any,
        dim: SupportsIndex,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

index_copy_: _index_copy_

def gather(
    input: Any,
    dim: SupportsIndex,
    index: Any,
    *,
    out: Optional[Any] = None,
    threads: Optional[int] = None,
) -> Any: ...
