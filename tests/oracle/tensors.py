"""Tensors of the oracle: read them from JSON, print them, compare their bits."""
import math

import numpy as np

# bfloat16 values are kept in float32, which holds every one of them exactly.
STORAGE = {
    "float16": np.float16, "bfloat16": np.float32, "float32": np.float32, "float64": np.float64,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "bool": np.bool_, "complex64": np.complex64, "complex128": np.complex128, "string": object,
}
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
BITS = {np.float16: np.uint16, np.float32: np.uint32, np.float64: np.uint64}


class OracleError(Exception):
    """The operator must reject this input."""


class OverlapError(OracleError):
    """The operator must reject this input because the written memory overlaps."""


class Array:
    """A dtype by name and its values; `memory` says where they lay, for in-place operators."""

    def __init__(self, dtype, values, memory=None):
        self.dtype, self.values, self.memory = dtype, values, memory

    @property
    def shape(self):
        return self.values.shape

    @property
    def rank(self):
        return self.values.ndim

    @property
    def size(self):
        return self.values.size

    def flat(self):
        """The values in row-major order, each a scalar of its storage type."""
        return list(self.values.reshape(-1))

    def integers(self):
        """The values in row-major order as Python integers (indices)."""
        return self.values.reshape(-1).tolist()


def is_integer(dtype):
    return dtype.startswith(("int", "uint"))


def is_complex(dtype):
    return dtype.startswith("complex")


def is_narrow(dtype):
    return dtype in ("float16", "bfloat16")


def make(dtype, flat, shape):
    """An Array from scalars in row-major order."""
    values = np.empty(len(flat), STORAGE[dtype])
    for i, value in enumerate(flat):
        values[i] = value
    return Array(dtype, values.reshape(shape))


def zeros(dtype, shape):
    if dtype == "string":
        return Array(dtype, np.full(shape, "", object))
    return Array(dtype, np.zeros(shape, STORAGE[dtype]))


def real_number(x):
    return WORDS[x] if isinstance(x, str) else x


def number(x):
    """A number argument: NaN, infinities and complex numbers come wrapped in {"scalar": x}."""
    if isinstance(x, list):
        return complex(real_number(x[0]), real_number(x[1]))
    return real_number(x)


def from_data(dtype, data):
    """The flat buffer of a JSON tensor."""
    if dtype == "string":
        buffer = np.empty(len(data), object)
        buffer[:] = data
        return buffer
    if is_complex(dtype):
        parts = [real_number(p) for pair in data for p in pair]
        part_type = np.float32 if dtype == "complex64" else np.float64
        return np.array(parts, part_type).view(STORAGE[dtype])
    if not is_integer(dtype) and dtype != "bool":
        data = [real_number(x) for x in data]
    return np.array(data, STORAGE[dtype])


def places(t):
    """The element of the buffer that each element of a view lies in."""
    shape = tuple(t["shape"])
    at = np.full(shape, t.get("offset", 0), np.int64)
    strides = t.get("strides")
    if strides is None:
        return at + np.arange(at.size).reshape(shape)
    for axis, (extent, stride) in enumerate(zip(shape, strides)):
        step = np.arange(extent) * stride
        at = at + step.reshape((extent,) + (1,) * (len(shape) - axis - 1))
    return at


def load(t, name=None, buffers=None):
    """One JSON tensor; `buffers` holds those of the arguments read before it."""
    buffers = {} if buffers is None else buffers
    owner = t.get("shares", name)
    if "shares" not in t:
        buffers[owner] = from_data(t["dtype"], t["data"])
    if "strides" not in t and "shares" not in t:
        return Array(t["dtype"], buffers[owner].reshape(t["shape"]), (owner, None))
    at = places(t)
    # Flat, because a string taken by a rank-0 array of places would come out as no array.
    return Array(t["dtype"], buffers[owner][at.reshape(-1)].reshape(at.shape), (owner, at))


def load_part(part, name):
    """One part of what stands in a[...]."""
    if part == "...":
        return Ellipsis
    if not isinstance(part, dict):
        return part
    return slice(*part["slice"]) if "slice" in part else load(part, name)


def load_arguments(args):
    """The arguments of a case: tensors as Arrays, numbers as Python numbers, the rest unchanged."""
    buffers, loaded = {}, {}
    tensors = {k: v for k, v in args.items() if isinstance(v, dict) and "dtype" in v}
    for name, value in sorted(tensors.items(), key=lambda item: "shares" in item[1]):
        loaded[name] = load(value, name, buffers)
    for name, value in args.items():
        if name in tensors:
            continue
        if isinstance(value, dict) and "key" in value:
            loaded[name] = [load_part(part, "%s[%d]" % (name, i)) for i, part in enumerate(value["key"])]
        else:
            loaded[name] = number(value["scalar"]) if isinstance(value, dict) else value
    return loaded


def check_overlap(out, *inputs):
    """In place, one element of memory may not be two of `out`, nor of `out` and an input."""
    if out.memory is None:
        return
    owner, at = out.memory
    at = np.arange(out.size) if at is None else at
    if np.unique(at).size < at.size:
        raise OverlapError("elements of the output share memory")
    for array in inputs:
        if isinstance(array, Array) and array.memory is not None and array.memory[0] == owner:
            theirs = array.memory[1]
            theirs = np.arange(array.size) if theirs is None else theirs
            if np.intersect1d(at, theirs).size:
                raise OverlapError("the output shares memory with an input")


def canonical_bits(array):
    """Bits of the values, every NaN made the same."""
    values = np.ascontiguousarray(array.values).reshape(-1)
    if is_complex(array.dtype):
        values = values.view(np.float32 if array.dtype == "complex64" else np.float64)
    if values.dtype.type not in BITS:
        return values
    values = np.where(np.isnan(values), values.dtype.type(math.nan), values)
    return values.view(BITS[values.dtype.type])


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and bool(np.all(canonical_bits(a) == canonical_bits(b)))


def text(array, limit=24):
    """A tensor on one line."""
    flat = [repr(x) if isinstance(x, str) else str(x) for x in array.flat()]
    more = " .. %d in all" % len(flat) if len(flat) > limit else ""
    return "%s%s [%s%s]" % (array.dtype, list(array.shape), " ".join(flat[:limit]), more)
