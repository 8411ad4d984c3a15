"""Where PyTorch may answer otherwise. See rules.py."""
from unittest import mock

import numpy as np

import arithmetic
import fused
import pytorch
from call import undefined_and_empty, wrapped_mean
from tensors import canonical_bits, is_complex, is_integer, is_narrow, make


def fuses_in_vectors(call):
    """index_add of 16-bit floats: whole vectors are fused in float32, what is left of a row is not."""
    expected = fused.index_add(**call.args)
    if expected is None or call.framework.shape != expected.shape:
        return False
    got = canonical_bits(call.framework)
    return bool(np.all((canonical_bits(expected) == got) | (canonical_bits(call.strew) == got)))


def fuses(call):
    """index_add with a factor, and products of complex128, with one rounding for a product and a sum."""
    if not call.both:
        return False
    if call.op == "index_add" and is_narrow(call.data.dtype):
        return fuses_in_vectors(call)
    if call.op == "index_add":
        return call.is_answered(fused.index_add, **call.args)
    if call.data.dtype != "complex128":
        return False
    with mock.patch.object(arithmetic, "complex_mul", fused.complex_mul):
        return call.is_answered(getattr(pytorch, call.op), **call.args)


def divides_untouched(call):
    """The mean of complex numbers divides every place by its count, and by 1 where no index points."""
    if not call.both or call.args.get("reduce") != "mean" or not is_complex(call.data.dtype):
        return False

    def every_place_divided():
        touched = set(pytorch.targets_and_updates(call.data, call.args["dim"] % max(call.data.rank, 1), call.index, call.updates)[0])
        flat = [x if i in touched else arithmetic.complex_mean(call.data.dtype, x, 1) for i, x in enumerate(call.strew.flat())]
        return make(call.data.dtype, flat, call.data.shape)
    return call.is_answered(every_place_divided)


def counts_narrowly(call):
    if not call.both or call.args.get("reduce") != "mean" or not is_integer(call.data.dtype):
        return False
    with mock.patch.object(arithmetic, "mean", wrapped_mean):
        return call.is_answered(getattr(pytorch, call.op), **call.args)


DIFFERENCES = [
    ("A product and a sum rounded once", fuses),
    ("Places that no index names in a complex mean", divides_untouched),
    ("The count of a mean", counts_narrowly),
    ("Nothing to combine, and no way to", undefined_and_empty),
]
UNSAFE = []
