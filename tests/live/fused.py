"""Arithmetic with one rounding for a product and a sum, as a machine with fused multiply-add does it."""
import math
from fractions import Fraction

import numpy as np

import arithmetic
from loops import fold, slices
from tensors import is_narrow, make
from torch_numbers import element

# Digits of the significand, the exponent of the smallest number, and that of the first power of two that is too large.
FORMAT = {np.float32: (24, -149, 128), np.float64: (53, -1074, 1024)}


def nearest(exact, kind):
    """A fraction other than 0, rounded to a float type: to nearest, ties to even."""
    digits, least, end = FORMAT[kind]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length() - digits
    if size >= Fraction(2) ** (exponent + digits):
        exponent += 1
    exponent = max(exponent, least)
    # round() takes the even one of two equally near neighbours.
    count = round(size / Fraction(2) ** exponent)
    value = math.ldexp(count, exponent) if count.bit_length() + exponent <= end else math.inf
    return kind(value if exact > 0 else -value)


def fma(a, b, c):
    """a * b + c, rounded once."""
    plain = a * b + c
    if not (np.isfinite(a) and np.isfinite(b)):
        return plain
    if not np.isfinite(c):
        # A product that is too large for its type is still no infinity here.
        return c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    # A sum of exactly zero has the sign that two steps give it: its product was exact.
    return nearest(exact, type(a)) if exact else plain


def complex_mul(dtype):
    part = arithmetic.PART[dtype]

    def mul(a, b):
        ar, ai, br, bi = part(a.real), part(a.imag), part(b.real), part(b.imag)
        return arithmetic.complex_of(dtype, fma(ar, br, -(ai * bi)), fma(ar, bi, ai * br))
    return mul


def index_add(input, dim, index, source, alpha=1):
    """PyTorch's index_add on tensors of rank 2 and more, where it fuses, 16-bit floats in float32; None where it does not."""
    narrow = is_narrow(input.dtype)
    if input.rank < 2 or not narrow and input.dtype not in ("float32", "float64"):
        return None
    kind = np.float64 if input.dtype == "float64" else np.float32
    factor = kind(element(alpha, input.dtype))

    def step(old, new):
        exact = fma(factor, kind(new), kind(old))
        return arithmetic.narrow(input.dtype, exact) if narrow else exact
    targets, sources = slices(index, dim % input.rank, input.shape, wrap=False)
    out, updates = input.flat(), source.flat()
    fold(out, targets, [updates[s] for s in sources], step)
    return make(input.dtype, out, input.shape)
