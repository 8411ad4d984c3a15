"""What one update does to one element, in the arithmetic of each dtype."""
import operator

import numpy as np

from tensors import OracleError, STORAGE, is_complex, is_integer, is_narrow

# Overflow wraps or gives infinity, and NaN is a value: nothing here is worth a warning.
np.seterr(all="ignore")

PART = {"complex64": np.float32, "complex128": np.float64}


def to_bfloat16(x):
    """A float32 rounded to bfloat16 (nearest, ties to even), still held in a float32."""
    x = np.float32(x)
    if x != x:
        return x
    bits = int(x.view(np.uint32))
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return np.uint32(bits).view(np.float32)


def narrow(dtype, x):
    """A float32 rounded to a 16-bit dtype."""
    return to_bfloat16(x) if dtype == "bfloat16" else np.float16(x)


def complex_of(dtype, re, im):
    """A complex scalar from its parts; re + im*1j would spoil infinities and signs of zeros."""
    return np.array([re, im], PART[dtype]).view(STORAGE[dtype])[0]


def complex_mul(dtype):
    def mul(a, b):
        return complex_of(dtype, a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)
    return mul


def rounded(dtype, operation):
    """The operation in the dtype: bfloat16 needs its own rounding, the others have NumPy's."""
    if dtype == "bfloat16":
        return lambda a, b: to_bfloat16(operation(a, b))
    return operation


def assign(dtype):
    return lambda old, new: new


def add(dtype):
    return operator.or_ if dtype == "bool" else rounded(dtype, operator.add)


def sub(dtype):
    if dtype in ("bool", "string"):
        raise OracleError("no subtraction of " + dtype)
    return rounded(dtype, operator.sub)


def mul(dtype):
    if dtype == "string":
        raise OracleError("no multiplication of strings")
    if dtype == "bool":
        return operator.and_
    return complex_mul(dtype) if is_complex(dtype) else rounded(dtype, operator.mul)


# Three formulas of min; max is the same with the comparison turned round. Only NaN and -0.0 tell them apart.
def keep_out(less):
    return lambda old, new: new if less(new, old) else old


def take_update(less):
    return lambda old, new: old if less(old, new) else new


def propagate(less):
    return lambda old, new: new if less(new, old) or new != new else old


def ordered(dtype, formula, less):
    if is_complex(dtype) or dtype == "string":
        raise OracleError("no order of " + dtype)
    return formula(less)


def minimum(dtype, formula):
    return ordered(dtype, formula, operator.lt)


def maximum(dtype, formula):
    return ordered(dtype, formula, operator.gt)


def lowest(dtype):
    if dtype == "bool":
        return np.False_
    return np.iinfo(dtype).min if is_integer(dtype) else -np.inf


def highest(dtype):
    if dtype == "bool":
        return np.True_
    return np.iinfo(dtype).max if is_integer(dtype) else np.inf


def complex_mean(dtype, total, count):
    """PyTorch divides by c + di = count + 0i with d / c = 0. Paddle has no complex mean to differ from it."""
    part = PART[dtype]
    re, im, ratio = part(total.real), part(total.imag), part(0)
    scale = part(1) / part(count)
    return complex_of(dtype, (re + im * ratio) * scale, (im - re * ratio) * scale)


def mean(dtype, total, count):
    """total / count: integers floor; 16-bit floats round the count too."""
    if dtype in ("bool", "string"):
        raise OracleError("no mean of " + dtype)
    if is_integer(dtype):
        return int(total) // count
    if is_narrow(dtype):
        return narrow(dtype, np.float32(total) / np.float32(narrow(dtype, np.float32(count))))
    if is_complex(dtype):
        return complex_mean(dtype, total, count)
    return total / STORAGE[dtype](count)
