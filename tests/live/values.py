"""What the adapters share: from the oracle's arrays to NumPy's, and from NumPy's to JSON."""
import math

import numpy as np

from tensors import Array


class Lacking(Exception):
    """The framework has no tensor of this kind."""


def packed(array):
    """A writable array of its own, in row-major order: where a view lay in memory is no part of the comparison."""
    return np.array(array.values, order="C", copy=True)


def real(x):
    x = float(x)
    if math.isnan(x):
        return "NaN"
    return x if math.isfinite(x) else ("Infinity" if x > 0 else "-Infinity")


def element(x):
    if isinstance(x, (complex, np.complexfloating)):
        return [real(x.real), real(x.imag)]
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if isinstance(x, (int, np.integer)):
        return int(x)
    if isinstance(x, bytes):
        return x.decode("utf-8")
    return x if isinstance(x, str) else real(x)


def result(dtype, values):
    """An answer from values in NumPy; bfloat16 comes as float32."""
    return {"result": {"dtype": dtype, "shape": list(values.shape), "data": [element(x) for x in values.reshape(-1)]}}


def converted(arguments, convert):
    """The arguments, every tensor converted and everything else as it is."""
    return {name: convert(value) if isinstance(value, Array) else value for name, value in arguments.items()}
