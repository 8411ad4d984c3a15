"""Scatter with the exact behaviour of TensorFlow, PyTorch, Paddle, ONNX, DirectML and NumPy, on the arrays that you have.

    >>> import numpy, strew
    >>> mass = numpy.zeros(4)
    >>> strew.pytorch.scatter_add_(mass, 0, numpy.array([2, 0, 2]), numpy.array([1.0, 2.0, 3.0]))
    array([2., 0., 4., 0.])

`strew.list()` lists every operator, `help(strew.pytorch.scatter_add)` describes one, and `strew.compare(...)` shows what the
dialects make of the same input.
"""

from __future__ import annotations

import sys as _sys

from . import _core
from ._core import explain, get_threads, set_threads
from ._errors import Error

__version__ = _core.version

# A dialect is a module: `import strew.pytorch` and `from strew.pytorch import scatter_add` work as well.
for _name, _module in _core.dialects.items():
    globals()[_name] = _sys.modules[f"{__name__}.{_name}"] = _module
