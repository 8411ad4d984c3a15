"""The function of an operator on Dask arrays."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from .. import _docs
from .._core import Operator
from ._arguments import read
from ._dask import Array
from ._gather import gather
from ._scatter import scatter


class Function:
    """Takes the arguments of the in-memory operator, and returns a lazy Dask array."""

    def __init__(self, operator: Operator, dialect: str) -> None:
        self.operator = operator
        self.__name__ = operator.__name__
        self.__module__ = "strew.dask" if dialect == "strew" else f"strew.dask.{dialect}"
        self.__qualname__ = self.__name__
        own = [name for name, *_ in operator.parameters]
        parameters = _docs.signature(operator).parameters.values()
        self.__signature__ = inspect.Signature([one for one in parameters if one.name in own or one.name != "out"])
        self.__doc__ = (
            f"{operator.summary}\n\nAs strew.{'' if dialect == 'strew' else dialect + '.'}{self.__name__}, on Dask arrays: array arguments may"
            " be Dask arrays, the result is a lazy one.\nthreads: how many threads each task may use.\n"
        )

    def __call__(self, *arguments: Any, threads: Any = None, **keywords: Any) -> Array:
        if "out" in keywords and "out" not in (name for name, *_ in self.operator.parameters):
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument 'out': the result is a new Dask array")
        op, arrays = read(self.operator, arguments, keywords if threads is None else {**keywords, "threads": threads})
        return (scatter if op.source is None else gather)(op, arrays, threads)

    def __repr__(self) -> str:
        return f"<{self.__module__}.{self.__name__}{self.__signature__}>"

    def __reduce__(self) -> Any:
        return find, (self.__module__, self.__name__)


def find(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)
