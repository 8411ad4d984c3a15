"""NumPy's ufunc.at and put_along_axis: the place of every indexed position, then one update after the other."""
import warnings

import numpy as np

import arithmetic as a
from loops import require
from tensors import Array, OracleError, OverlapError, STORAGE, is_complex, is_integer, make

STEPS = {"add": a.add, "subtract": a.sub, "multiply": a.mul}
NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def promote(x, y):
    """NumPy's promotion; bfloat16 as ml_dtypes has it."""
    if x == y or "bfloat16" not in (x, y):
        return np.promote_types(STORAGE[x], STORAGE[y]).name
    other = y if x == "bfloat16" else x
    if other in ("bool", "int8", "uint8"):
        return "bfloat16"
    return np.promote_types(np.float32, STORAGE[other]).name


def integer_from(value, dtype):
    """Truncated. What does not fit is left open by C: it is taken as on x86-64, by way of an int32 or an int64."""
    bits = np.iinfo(dtype).bits
    via = 2 ** 31 if bits < 32 or dtype == "int32" else 2 ** 63
    if dtype == "uint64" and value >= via:
        whole = int(value) if value < 2 ** 64 else 0
    else:
        whole = int(value) if np.isfinite(value) and -via <= int(value) < via else -via
    return np.array([whole % 2 ** bits], "uint%d" % bits).view(dtype)[0]


def cast(value, dtype):
    """A scalar as another dtype, as C casts it."""
    if isinstance(value, np.complexfloating) and not is_complex(dtype) and dtype != "bool":
        value = value.real
    if is_integer(dtype) and isinstance(value, np.floating):
        return integer_from(value, dtype)
    if dtype == "bfloat16":
        return a.to_bfloat16(np.float32(value))
    return np.asarray(value).astype(STORAGE[dtype])[()]


def late(less):
    """A tie takes the update, and NaN from either side stays."""
    return lambda old, new: old if less(old, new) or old != old else new


def lexical(less):
    """Complex numbers by their real parts, then by the imaginary ones; a NaN in either part stays, the first one if both have one."""
    def choose(old, new):
        if old != old or new != new:
            return old if old != old else new
        return new if less((new.real, new.imag), (old.real, old.imag)) else old
    return choose


def comparison(name, dtype):
    require(dtype != "string", "no order of strings")
    ordered = a.minimum if name == "minimum" else a.maximum
    if is_complex(dtype):
        return lexical(min_less if name == "minimum" else max_less)
    return ordered(dtype, late if dtype in ("bfloat16", "float32", "float64") else a.propagate)


def min_less(x, y):
    return x < y


def max_less(x, y):
    return x > y


def places_of(target):
    """The element of its buffer that each element of the target lies in."""
    at = target.memory[1] if target.memory is not None else None
    return np.arange(target.size).reshape(target.shape) if at is None else at


def plain(part):
    return part.values if isinstance(part, Array) else part


def basic(part):
    """A part of the key without its choice of elements: what the written view is."""
    if not isinstance(part, Array) or (part.rank == 0 and is_integer(part.dtype)):
        return (plain(part),)
    return (slice(None),) * (part.rank if part.dtype == "bool" else 1)


def look_up(places, key):
    """places[key], and its errors."""
    for part in key:
        require(not isinstance(part, Array) or is_integer(part.dtype) or part.dtype == "bool", "an index that is no integer")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return places[tuple(plain(part) for part in key)]
    except (IndexError, ValueError, TypeError, OverflowError, Warning) as error:
        raise OracleError(str(error))


def require_apart(places, key=()):
    """Comes first: the view that is written must not share memory with itself, whatever else is wrong."""
    try:
        view = np.asarray(places[tuple(p for part in key for p in basic(part))])
    except (IndexError, ValueError, OverflowError):
        return
    if np.unique(view).size < view.size:
        raise OverlapError("elements of the output share memory")


def updated(target, places, indexed, updates, step):
    """The target after every update, in row-major order of the indexed positions; memory that it shares with itself shows."""
    memory = dict(zip(places.reshape(-1).tolist(), target.flat()))
    indexed = np.asarray(indexed)
    for position in np.ndindex(indexed.shape):
        at = int(indexed[position])
        memory[at] = step(memory[at], updates[position])
    return make(target.dtype, [memory[at] for at in places.reshape(-1).tolist()], target.shape)


def spread(values, shape):
    try:
        return np.broadcast_to(values, shape)
    except ValueError as error:
        raise OracleError(str(error))


def at(name, target, indices, b):
    places = places_of(target)
    require_apart(places, indices)
    indexed = np.asarray(look_up(places, indices))
    if not isinstance(b, Array):
        own = "uint64" if type(b) is int and b >= 2 ** 63 else NUMBERS[type(b)]
        b = Array(own, np.asarray(b, STORAGE[own]))
    updates = spread(b.values, indexed.shape)
    require((target.dtype == "string") == (b.dtype == "string"), "strings and numbers")
    dtype = "string" if b.dtype == "string" else promote(target.dtype, b.dtype)
    operation = STEPS[name](dtype) if name in STEPS else comparison(name, dtype)
    if dtype == "string":
        return updated(target, places, indexed, updates, operation)

    def step(old, new):
        return cast(operation(cast(old, dtype), cast(new, dtype)), target.dtype)

    return updated(target, places, indexed, updates, step)


def add_at(a, indices, b):
    return at("add", a, indices, b)


def subtract_at(a, indices, b):
    return at("subtract", a, indices, b)


def multiply_at(a, indices, b):
    return at("multiply", a, indices, b)


def minimum_at(a, indices, b):
    return at("minimum", a, indices, b)


def maximum_at(a, indices, b):
    return at("maximum", a, indices, b)


def assigned(number, dtype):
    """A Python number that is assigned to an element."""
    require(dtype != "string", "a number into strings")
    if isinstance(number, complex):
        require(is_complex(dtype) or dtype == "bool", "a complex number into a real dtype")
        return cast(np.complex128(number), dtype)
    if is_integer(dtype):
        require(np.isfinite(number), "no integer")
        whole, limits = int(number), np.iinfo(dtype)
        require(limits.min <= whole <= limits.max, "out of bounds for " + dtype)
        return np.array([whole], dtype)[0]
    return cast(np.float64(number), dtype)


def put_along_axis(arr, indices, values, axis=None):
    places = places_of(arr)
    require_apart(places)
    if axis is None:
        require(indices.rank == 1, "indices must be a vector")
        places = places.reshape(-1)
        require(places.size == 0 or bool(np.all(np.diff(places) == 1)), "the destination is not contiguous")
    else:
        require(-arr.rank <= axis < arr.rank, "axis out of bounds")
        axis %= arr.rank
    require(is_integer(indices.dtype), "indices must be integers")
    require(indices.rank == places.ndim, "indices and arr differ in rank")
    key = []
    for d, size in enumerate(places.shape):
        shape = [1] * places.ndim
        shape[d] = size
        key.append(indices if d == (axis or 0) else Array("int64", np.arange(size).reshape(shape)))
    indexed = look_up(places, key)
    if not isinstance(values, Array):
        updates = np.empty((), STORAGE[arr.dtype])
        updates[()] = assigned(values, arr.dtype)
    else:
        require((arr.dtype == "string") == (values.dtype == "string"), "strings and numbers")
        updates = values.values
        while updates.ndim > indexed.ndim and updates.shape[0] == 1:
            updates = updates[0]
    updates = spread(updates, indexed.shape)

    def step(old, new):
        return new if arr.dtype == "string" else cast(new, arr.dtype)

    return updated(arr, places_of(arr), indexed, updates, step)
