"""Scatter operators with the exact behaviour of the frameworks, on arrays of any library.

>>> import numpy, strew
>>> mass = numpy.zeros(4)
>>> strew.scatter_add(mass, [2, 0, 2], [1.0, 2.0, 3.0])
array([2., 0., 4., 0.])
>>> strew.pytorch.scatter_add_(mass, 0, numpy.array([2, 0, 2]), numpy.array([1.0, 2.0, 3.0]))
array([4., 0., 8., 0.])

Strew's own functions are in the package itself, and there is a module for each framework. `strew.list()` lists the operators,
`help(strew.pytorch.scatter_add)` describes one, `strew.explain(strew.pytorch.scatter_add, ...)` describes how a call would run,
`strew.draw(strew.pytorch.scatter_add, ...)` draws what it does, and `strew.compare(...)` compares the results of all dialects for the same
input. `strew.pytorch.scatter_add.plan(...)` reads indices once
for many calls.
"""

from __future__ import annotations

import builtins as _builtins
import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Optional as _Optional

from . import _core
from ._compare import compare as compare
from ._core import (
    Operator as Operator,
    Pieces as Pieces,
    Plan as Plan,
    explain as explain,
    places as places,
    winners as winners,
)
from ._picture import draw as draw
from ._errors import (
    ArrayError as ArrayError,
    AxisError as AxisError,
    BadIndex as BadIndex,
    BadIndexError as BadIndexError,
    ChangedError as ChangedError,
    DtypeError as DtypeError,
    Error as Error,
    GradientError as GradientError,
    NoMemoryError as NoMemoryError,
    OverlapError as OverlapError,
    ShapeError as ShapeError,
    UnsupportedError as UnsupportedError,
    ArgumentError as ArgumentError,
    got as _got,
    word_of as _word_of,
)

if _TYPE_CHECKING:
    from ._dialects import *

__version__ = _core.version
# The names of `from strew import *`: none that hides a builtin of Python or NumPy's module.
__all__ = [
    "compare", "draw", "explain", "get_scratch_limit", "get_threads", "places", "release_scratch", "set_scratch_limit", "set_threads",
    "show_config", "winners",
]  # fmt: skip

# A dialect is a module: `import strew.pytorch` and `from strew.pytorch import scatter_add` work as well. Strew's own functions are in the package.
for _name, _module in _core.dialects.items():
    if _name == __name__:
        globals().update({_function: getattr(_module, _function) for _function in _module.__all__})
        __all__ += _module.__all__
    else:
        globals()[_name] = _sys.modules[f"{__name__}.{_name}"] = _module
        __all__ += [_name] if _name != "numpy" else []


# Defined in Python so that they can be pickled: another process can call set_threads as its initializer.
def get_threads() -> int:
    """Returns the number of threads of calls without `threads=`: the value of set_threads(), or what the machine allows this process."""
    return _core.get_threads()


def set_threads(count: int) -> None:
    """Sets the number of threads of calls without `threads=`; 0 restores the default. The number does not affect the bits of results."""
    _core.set_threads(count)


def release_scratch() -> None:
    """Frees the scratch memory that is kept for later calls."""
    _core.release_scratch()


def get_scratch_limit() -> int:
    """Returns how many bytes of scratch memory may be kept for later calls."""
    return _core.get_scratch_limit()


def set_scratch_limit(bytes: int) -> None:
    """Sets how many bytes of scratch memory may be kept for later calls; 0 keeps nothing.

    >>> import strew
    >>> before = strew.get_scratch_limit()
    >>> strew.set_scratch_limit(0)
    >>> strew.set_scratch_limit(before)
    """
    _core.set_scratch_limit(bytes)


def list(dialect: _Optional[str] = None) -> _builtins.list[Operator]:
    """Returns all operators, or those of one dialect.

    >>> import strew
    >>> strew.list("onnx")[0]
    <strew.onnx.scatter_elements(data, indices, updates, *, axis=0, reduction='none', opset=18, out=None, threads=None)>
    """
    word = _word_of(dialect)
    if dialect is not None and word not in _core.dialects:
        raise ArgumentError(f"list: there is no dialect {_got(dialect)}; there are {', '.join(_core.dialects)}")
    modules = _core.dialects.values() if word is None else [_core.dialects[word]]
    return [getattr(module, name) for module in modules for name in module.__all__]


def show_config() -> None:
    """Prints the version, the build, the dialects and the number of threads."""
    rows = {
        "strew": __version__,
        "compiler": _core.compiler,
        "python": _sys.version.split()[0],
        "dialects": ", ".join(_core.dialects),
        "operators": str(len(list())),
        "threads": f"{get_threads()} ({_core.threads_from})" if _core.threads_from else "1 (built without oneTBB)",
    }
    print("\n".join(f"{name + ':':11}{value}" for name, value in rows.items()))
