"""The operators of Strew on Dask arrays, with the bits of the in-memory call for every chunking, number of workers and scheduler.

>>> import dask.array, numpy, strew.dask
>>> cell = dask.array.from_array(numpy.array([2, 0, 2]), chunks=2)
>>> strew.dask.scatter_add(dask.array.zeros(4), cell, numpy.array([1.0, 2.0, 3.0])).compute()
array([2., 0., 4., 0.])

Every operator that returns a new array is here under its own name: `strew.dask.pytorch.scatter_add`. NumPy's operators and Strew's own
functions, which write into their first argument elsewhere, return a new array here. Every array argument may be a Dask array. The result
is a lazy Dask array. docs/scaling.md describes how a call is divided into tasks, and what it costs.
"""

from typing import Any as _Any

try:
    import dask.array as _array  # noqa: F401
except ImportError as _missing:
    raise ImportError("strew.dask needs Dask: pip install strew[dask]") from _missing

from ._modules import add_modules as _add_modules

__all__ = _add_modules(__name__, globals())


def __getattr__(name: str) -> _Any:
    from ._modules import refuse

    refuse(__name__, name, __all__)
