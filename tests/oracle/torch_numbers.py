"""A Python number becomes an element of a PyTorch tensor, or is refused because it does not fit."""
import numpy as np

import arithmetic as a
from loops import require
from tensors import STORAGE, is_complex, is_integer, is_narrow

LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": float(np.finfo(np.float32).max),
           "float64": float(np.finfo(np.float64).max)}


def fits_real(x, dtype):
    if dtype == "float64" and isinstance(x, float):
        return True
    if dtype in LARGEST:
        # NaN and infinities are values of every float dtype.
        return not np.isfinite(x) or -LARGEST[dtype] <= x <= LARGEST[dtype]
    limits = np.iinfo(dtype)
    if isinstance(x, float):
        return np.isfinite(x) and limits.min <= x <= limits.max
    if limits.min == 0 and x < 0:
        # Negative integers wrap into unsigned dtypes as far as their size fits.
        return -x <= limits.max
    return limits.min <= x <= limits.max


def to_real(x, dtype):
    require(fits_real(x, dtype), "value cannot be converted to %s without overflow" % dtype)
    if is_narrow(dtype):
        return a.narrow(dtype, np.float32(x))
    if is_integer(dtype):
        bits = np.iinfo(dtype).bits
        wrapped = int(x) % (1 << bits)
        return STORAGE[dtype](wrapped - (1 << bits) if wrapped > np.iinfo(dtype).max else wrapped)
    return STORAGE[dtype](x)


def element(x, dtype):
    """The number as a scalar of the dtype."""
    if dtype == "bool":
        return np.bool_(x != 0)
    if isinstance(x, bool):
        x = int(x)
    if isinstance(x, int):
        require(-2 ** 63 <= x < 2 ** 64, "the integer does not fit in 64 bits")
    if is_complex(dtype):
        part = "float32" if dtype == "complex64" else "float64"
        return a.complex_of(dtype, to_real(getattr(x, "real", x), part), to_real(getattr(x, "imag", 0), part))
    if isinstance(x, complex):
        require(x.imag == 0, "a complex number into a real dtype")
        x = x.real
    return to_real(x, dtype)
