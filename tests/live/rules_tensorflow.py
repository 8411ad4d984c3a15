"""Where TensorFlow may answer otherwise: numbers below the normal range. See rules.py."""
import operator

import numpy as np

import arithmetic
import tensorflow
from tensors import OracleError, canonical_bits, zeros

FLUSHED = ("bfloat16", "float32", "float64", "complex64", "complex128")


def flush(x):
    """A number below the normal range becomes a zero of its sign."""
    if isinstance(x, np.complexfloating):
        part = np.float32 if x.dtype == np.complex64 else np.float64
        return np.array([flush(part(x.real)), flush(part(x.imag))], part).view(x.dtype)[0]
    return np.copysign(x.dtype.type(0), x) if abs(x) < np.finfo(x.dtype).tiny else x


def flushed(step):
    return lambda old, new: flush(step(flush(old), flush(new)))


def compared(less):
    """Flushed only to be compared."""
    return lambda old, new: new if less(flush(new), flush(old)) else old


def steps(op, dtype):
    """The steps that TensorFlow may take. In bfloat16 whole vectors are flushed, what is left of a row is flushed only to be compared."""
    if op in ("min", "max"):
        less = operator.lt if op == "min" else operator.gt
        whole = flushed(arithmetic.keep_out(less))
        return [whole, compared(less)] if dtype == "bfloat16" else [whole]
    return [flushed((arithmetic.sub if op == "sub" else arithmetic.add)(dtype))]


def flushes(call):
    op = call.op.removeprefix("tensor_scatter_nd_")
    if not call.both or op in ("update", "gather_nd") or call.strew.dtype not in FLUSHED:
        return False
    out = call.data if call.data is not None else zeros(call.strew.dtype, tuple(call.args["shape"]))
    policy = call.args.get("bad_indices_policy", "DEFAULT")
    try:
        possible = [tensorflow.tensor_scatter_nd(out, call.index, call.updates, policy, step) for step in steps(op, out.dtype)]
    except OracleError:
        return False
    got = canonical_bits(call.framework)
    return call.framework.shape == out.shape and bool(np.all(np.any([canonical_bits(p) == got for p in possible], axis=0)))


def too_few_dimensions(call):
    return call.op != "gather_nd" and call.updates.rank < call.index.rank - 1


DIFFERENCES = [("Numbers below the normal range", flushes)]
UNSAFE = [("TensorFlow aborts: updates of lower rank than the batch of the index", too_few_dimensions)]
