# Written by scripts/python_stubs.
from typing import Any, Iterable, Optional, SupportsIndex, TypeVar, overload

from ._core import Operator, Pieces, Plan

_Array = TypeVar("_Array")

class _add_at(Operator):
    def __call__(
        self,
        a: Any,
        indices: Any,
        b: Any,
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    def plan(
        self,
        a: Any,
        indices: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        a: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

add_at: _add_at

class _subtract_at(Operator):
    def __call__(
        self,
        a: Any,
        indices: Any,
        b: Any,
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    def plan(
        self,
        a: Any,
        indices: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        a: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

subtract_at: _subtract_at

class _multiply_at(Operator):
    def __call__(
        self,
        a: Any,
        indices: Any,
        b: Any,
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    def plan(
        self,
        a: Any,
        indices: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        a: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

multiply_at: _multiply_at

class _minimum_at(Operator):
    def __call__(
        self,
        a: Any,
        indices: Any,
        b: Any,
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    def plan(
        self,
        a: Any,
        indices: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        a: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

minimum_at: _minimum_at

class _maximum_at(Operator):
    def __call__(
        self,
        a: Any,
        indices: Any,
        b: Any,
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    def plan(
        self,
        a: Any,
        indices: Any,
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        a: Any,
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

maximum_at: _maximum_at

class _put_along_axis(Operator):
    def __call__(
        self,
        arr: Any,
        indices: Any,
        values: Any,
        axis: Optional[SupportsIndex],
        *,
        threads: Optional[int] = None,
    ) -> None: ...
    def plan(
        self,
        arr: Any,
        indices: Any,
        axis: Optional[SupportsIndex],
        *,
        dtype: Any = None,
        threads: Optional[int] = None,
    ) -> Plan: ...
    def pieces(
        self,
        arr: Any,
        axis: Optional[SupportsIndex],
        *,
        threads: Optional[int] = None,
    ) -> Pieces: ...

put_along_axis: _put_along_axis
