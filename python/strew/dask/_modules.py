"""Makes a module for each dialect, and a function for each operator, from the registry."""

from __future__ import annotations

import sys
import types
from typing import Any, Collection, NoReturn

from .. import _core
from .._core import Operator
from ._function import Function


def add_modules(package: str, names: dict[str, Any]) -> list[str]:
    """Adds the modules of the dialects to the package, and Strew's own functions. Returns the names of `from strew.dask import *`."""
    public: list[str] = []
    for dialect, module in _core.dialects.items():
        functions = {name: Function(getattr(module, name), dialect) for name in module.__all__ if is_functional(module, name)}
        if dialect == "strew":
            names.update(functions)
            public += functions
            continue
        path = f"{package}.{dialect}"
        made = types.ModuleType(path, f"The operators of {dialect} on Dask arrays.")
        made.__dict__.update(functions, __all__=list(functions))
        made.__dict__["__getattr__"] = lambda name, path=path, known=tuple(functions): refuse(path, name, known)
        names[dialect] = sys.modules[path] = made
        public += [dialect] if dialect != "numpy" else []
    return public


def is_functional(module: types.ModuleType, name: str) -> bool:
    """Whether it returns a new array, or is the only form of its operator."""
    operator: Operator = getattr(module, name)
    return not (operator.in_place and name.endswith("_") and hasattr(module, name[:-1]))


def refuse(path: str, name: str, known: Collection[str]) -> NoReturn:
    functional = name[:-1]
    if name.endswith("_") and not name.startswith("_") and functional in known:
        raise AttributeError(
            f"{path} has no {name}: Dask may run a task twice, so no task writes into an array of the caller; {functional} returns a new array"
        )
    raise AttributeError(f"module {path!r} has no attribute {name!r}")
