"""Where ONNX Runtime, or the reference evaluator where it answers, may differ. See rules.py."""
from unittest import mock

import numpy as np

import arithmetic
import fused
import onnx
from call import undefined_and_empty
from tensors import is_complex


def unknown_word(call):
    words = onnx.words_at(call.args.get("opset", 18))
    return call.refused == "argument" and call.framework is not None and bool(words) and call.args.get("reduction") not in words


def batches_differ(call):
    """GatherND whose leading dimensions are not equal, but divide."""
    batch = call.args.get("batch_dims", 0)
    return (call.op == "gather_nd" and call.refused == "shape" and call.framework is not None and batch > 0
            and call.data.shape[:batch] != call.index.shape[:batch])


def no_order(call):
    return (call.refused == "unsupported" and call.by_reference and call.args.get("reduction") in ("max", "min")
            and (call.data.dtype == "string" or is_complex(call.data.dtype)))


def tie_of_zeros(call):
    """The evaluator takes the update when 0.0 meets -0.0 in bfloat16: only signs of zeros may differ."""
    if not (call.both and call.op == "scatter_nd" and call.data.dtype == "bfloat16" and call.args.get("reduction") in ("max", "min")):
        return False
    return call.by_reference and call.strew.shape == call.framework.shape and np.array_equal(
        call.strew.values, call.framework.values, equal_nan=True)


def fuses(call):
    """NumPy, with which the evaluator computes, fuses in its products of complex numbers."""
    if not (call.both and call.by_reference and is_complex(call.data.dtype) and call.args.get("reduction") == "mul"):
        return False
    with mock.patch.object(arithmetic, "complex_mul", fused.complex_mul):
        return call.is_answered(getattr(onnx, call.op), **call.args)


def no_such_batch(call):
    batch = call.args.get("batch_dims", 0)
    return batch != 0 and not 0 <= batch < min(call.data.rank, call.index.rank)


DIFFERENCES = [
    ("Words that the opset does not have", unknown_word),
    ("Batch dimensions that differ", batches_differ),
    ("No order for complex numbers and strings", no_order),
    ("A tie of zeros in bfloat16 ScatterND", tie_of_zeros),
    ("A product and a sum rounded once", fuses),
    ("Nothing to combine, and no way to", undefined_and_empty),
]
UNSAFE = [("ONNX Runtime reads outside of its shapes: GatherND with batch_dims that the ranks do not have", no_such_batch)]
