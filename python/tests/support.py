"""Recorded and generated cases as calls of the Python package, and the comparison of bits."""

import importlib.util
import json
import pathlib

import ml_dtypes
import numpy as np

import strew

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIALECTS = {"onnxruntime": "onnx", "onnx_reference": "onnx"}


def module_at(path):
    """Imports a module of the oracle from its file: some names equal those of installed packages."""
    spec = importlib.util.spec_from_file_location("oracle_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tensors = module_at(ROOT / "tests" / "oracle" / "tensors.py")


def buffer_of(tensor):
    flat = tensors.from_data(tensor["dtype"], tensor["data"])
    return flat.astype(ml_dtypes.bfloat16) if tensor["dtype"] == "bfloat16" else flat


def view_of(tensor, buffer):
    """Creates the view that a case describes, in memory whose other elements are arbitrary."""
    shape = tuple(tensor["shape"])
    if "strides" not in tensor:
        return buffer.reshape(shape)
    strides = [stride * buffer.itemsize for stride in tensor["strides"]]
    base = buffer[tensor.get("offset", 0):]
    return np.lib.stride_tricks.as_strided(base, shape, strides)


def part_of(part):
    """One part of a key of a[...]."""
    if not isinstance(part, dict):
        return ... if part == "..." else part
    return slice(*part["slice"]) if "slice" in part else view_of(part, buffer_of(part))


def plain(value):
    """An argument that is not a tensor."""
    if not isinstance(value, dict):
        return value
    return tuple(map(part_of, value["key"])) if "key" in value else tensors.number(value["scalar"])


def arguments_of(case):
    tensor_arguments = {k: v for k, v in case["args"].items() if isinstance(v, dict) and "dtype" in v}
    buffers = {k: buffer_of(v) for k, v in tensor_arguments.items() if "shares" not in v}
    arguments = {}
    for name, value in case["args"].items():
        if name in tensor_arguments:
            arguments[name] = view_of(value, buffers[value.get("shares", name)])
        elif value is not None:
            arguments[name] = plain(value)
    return arguments


def operator_of(case):
    return getattr(strew._core.dialects[DIALECTS.get(case["system"], case["system"])], case["op"])


def answer(case):
    """The result, or the error."""
    operator = operator_of(case)
    arguments = arguments_of(case)
    for name, kind, _, _ in operator.parameters:
        if kind.endswith(" or None"):
            arguments.setdefault(name, None)
    try:
        result = operator(**arguments)
        return next(iter(arguments.values())) if result is None else result  # NumPy's return nothing
    except strew.Error as error:
        return error


def bits(array):
    """Bits in row-major order, every NaN the same; strings as they are."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind not in "fcV" and flat.dtype != ml_dtypes.bfloat16:
        return flat.tolist()
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    flat = np.where(np.isnan(flat), np.array(np.nan, flat.dtype), flat)
    return flat.view(f"u{flat.itemsize}").tolist()


def dtype_name(array):
    return "string" if array.dtype.kind in "OUT" else array.dtype.name


def same(a, b):
    return dtype_name(a) == dtype_name(b) and a.shape == b.shape and bits(a) == bits(b)


def recorded(system):
    with open(ROOT / "tests" / "golden" / f"{system}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
