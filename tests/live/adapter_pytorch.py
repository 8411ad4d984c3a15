"""PyTorch: the methods of Tensor on one thread."""
import torch

from values import Lacking, converted, packed, result

torch.set_num_threads(1)


def versions():
    return {"torch": torch.__version__}


def is_lacking(error, message):
    return isinstance(error, Lacking) or "not implemented for" in message


def to_framework(array):
    if array.dtype == "string":
        raise Lacking("no tensors of strings")
    tensor = torch.from_numpy(packed(array))
    return tensor.to(torch.bfloat16) if array.dtype == "bfloat16" else tensor


def run(op, arguments):
    call = converted(arguments, to_framework)
    if "src" in call and not isinstance(call["src"], torch.Tensor):
        call["value"] = call.pop("src")
    out = getattr(call.pop("input"), op)(**call)
    dtype = str(out.dtype).removeprefix("torch.")
    return result(dtype, (out.float() if dtype == "bfloat16" else out).numpy())
