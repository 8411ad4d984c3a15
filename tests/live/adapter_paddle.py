"""Paddle: dygraph on one thread."""
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import paddle

from values import Lacking, converted, packed, result

paddle.set_device("cpu")

# uint16 is how Paddle spells bfloat16 in NumPy; the wider unsigned types and strings it does not have.
MISSING = ("uint16", "uint32", "uint64", "string")


def versions():
    return {"paddlepaddle": paddle.__version__}


def is_lacking(error, message):
    return isinstance(error, Lacking) or "is not registered" in message


def to_framework(array):
    if array.dtype in MISSING:
        raise Lacking("no tensors of " + array.dtype)
    tensor = paddle.to_tensor(packed(array))
    return tensor.astype("bfloat16") if array.dtype == "bfloat16" else tensor


def run(op, arguments):
    call = converted(arguments, to_framework)
    # The first argument is named by keyword in the functions; the in-place forms are methods.
    if op.endswith("_"):
        target = call.pop("arr" if "arr" in call else "x")
        out = getattr(target, op)(**call)
    else:
        out = getattr(paddle, op)(**call)
    dtype = str(out.dtype).removeprefix("paddle.")
    return result(dtype, (out.astype("float32") if dtype == "bfloat16" else out).numpy())
