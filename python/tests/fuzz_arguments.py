"""Random arguments for fuzz_calls: valid arrays of every kind, numbers, words and keys, and hostile objects."""

import array
import ctypes
import decimal

import ml_dtypes
import numpy as np

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16]
WORDS = ["add", "sum", "mul", "multiply", "prod", "mean", "amax", "amin", "max", "min", "none", "update", "assign", "error", "ignore", "clamp",
         "DEFAULT", "", "\ud800", "x" * 5000, "a\0b", "ß" * 300]
EDGES = [0, 1, -1, 2, 3, -4, 7, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 2**63, 2**64, 1 << 20_000, -(1 << 20_000)]


class Plain(np.ndarray):
    """A subclass that changes nothing."""


class Named(float):
    """A subclass of a number type."""


class Hostile:
    """Runs code whenever it is read: resizes the arrays of the call, raises, or returns invalid values."""

    def __init__(self, random, victims):
        self.random, self.victims = random, victims

    def act(self):
        for victim in self.victims:
            if isinstance(victim, np.ndarray) and self.random.random() < 0.5:
                try:
                    victim.resize(self.random.choice([0, 1, 5000]), refcheck=False)
                except ValueError:
                    pass  # it does not own its memory
        what = self.random.randrange(6)
        if what == 0:
            raise self.random.choice([ValueError("boom"), TypeError("\ud800"), KeyError(), RuntimeError("x" * 10_000), IndexError("no"), OSError(2, "no")])
        return self.random.choice([np.zeros(3), np.zeros(3, np.int64), np.ones((2, 2), "f4"), None, "text", 1 << 100, 0, 1])

    def answer(self, *_, **__):
        return self.act()


def hostile(random, victims):
    names = ["__array__", "__dlpack__", "__dlpack_device__", "__index__", "__float__", "__len__", "__getitem__", "__iter__", "__str__",
             "__bool__", "__complex__", "__array_interface__", "__array_struct__", "dtype", "_mask", "flags", "__buffer__", "item"]
    chosen = random.sample(names, random.randint(1, 4))
    body = {name: property(Hostile.answer) if name in ("dtype", "flags", "_mask") and random.random() < 0.7 else Hostile.answer for name in chosen}
    module = random.choice(["__main__", "torch", "numpy.hostile", "jaxlib.xla", "tensorflow", "paddle", "\ud800", 3])
    return type(random.choice(["Hostile", "Tensor", "EagerTensor", "ArrayImpl", "T" * 3000]), (Hostile,), {**body, "__module__": module})(random, victims)


def hostile_array(random, victims):
    """An array subclass whose hooks run on every attribute access."""
    def ask(self, name):
        if name in ("dtype", "shape", "__array__", "__dlpack__", "flags", "_mask") and random.random() < 0.3:
            Hostile(random, victims).act()
        return np.ndarray.__getattribute__(self, name)

    return np.zeros(random.randint(0, 5), random.choice(["f8", "i8"])).view(type("ndarray", (np.ndarray,), {"__getattribute__": ask, "__module__": "numpy.hostile"}))


def values(random, shape, dtype):
    """Small whole numbers, so that sums are exact in every order, with a few edges."""
    count = int(np.prod(shape))
    numbers = np.array([random.randint(-3, 9) for _ in range(count)], dtype=np.int64).reshape(shape)
    with np.errstate(all="ignore"):
        return numbers.astype(dtype)


def laid_out(random, made):
    """The same values in memory of another layout."""
    kind = random.randrange(12)
    if kind == 0 and made.ndim:
        wide = np.zeros([2 * size for size in made.shape], made.dtype)[(slice(None, None, 2),) * made.ndim]
        wide[...] = made
        return wide
    if kind == 1:
        return np.asfortranarray(made)
    if kind == 2 and made.ndim:
        return made[::-1].copy()[::-1]
    if kind == 3:
        return made.view(Plain)
    if kind == 4 and made.dtype.kind in "iufc":
        return made.astype(made.dtype.newbyteorder(">"))
    if kind == 5:
        packed = np.zeros(made.shape, [("a", "u1"), ("b", made.dtype)])["b"]
        packed[...] = made
        return packed
    if kind == 6:
        made.flags.writeable = False
    return made


def odd(random, victims):
    """An object that few arguments accept."""
    return random.choice([
        lambda: hostile(random, victims),
        lambda: hostile(random, victims),
        lambda: hostile_array(random, victims),
        lambda: [hostile(random, victims), 1],
        lambda: random.choice(EDGES),
        lambda: random.choice(WORDS),
        lambda: random.choice([None, True, 1.5, float("nan"), float("inf"), 1j, b"\xff", ..., object(), int, {}, {1}, range(3), decimal.Decimal(1)]),
        lambda: random.choice([slice(None), slice("a"), slice(1 << 100, None, -1), (..., ...), (None,) * random.randint(1, 70)]),
        lambda: random.choice([np.float64(1), np.float16(2), np.longdouble(1), np.int8(-1), np.bool_(True), np.str_("\ud800"), np.datetime64("2020"),
                               np.void(b"abc"), np.array(1, ">i4")[()], np.array(2, ">f8"), np.array(3)]),
        lambda: random.choice([[], [[]], [1, 2], [[1], [2, 3]], ["a", "\ud800"], [1 << 100], [1.5, "a"], [np.zeros(2), np.zeros(3)], (1, [2])]),
        lambda: random.choice([np.ma.masked_array([1.0, 2.0], [True, False]), np.matrix([[1.0]]), np.zeros(2, "M8[s]"), np.zeros(2, [("a", "f4")]),
                               np.zeros(3, "g"), np.array(["a", "bc"]), np.array([b"a"]), np.array(["a", 1], object), np.array([1 << 99], object)]),
        lambda: random.choice([array.array("d", [1, 2, 3]), memoryview(b"abc"), (ctypes.c_int * 3)(0, 1, 2), bytearray(b"ab")]),
        lambda: np.zeros((1,) * random.choice([33, 64])),
        lambda: np.broadcast_to(np.zeros(1), random.choice([(3,), (0, 5), (2, 3)])),
        lambda: Named(2.0),
    ])()


def key(random, size):
    """A key for a[...] of an array with one or more axes."""
    parts = [
        lambda: random.randint(-size - 1, size),
        lambda: slice(*(random.choice([None, random.randint(-size - 1, size + 1)]) for _ in range(2)), random.choice([None, 1, -1, 2])),
        lambda: ...,
        lambda: None,
        lambda: laid_out(random, np.array([random.randint(-size, size - 1) for _ in range(random.randint(0, 5))], random.choice(["i8", "i4", "i2"]))
                         if size else np.zeros(0, int)),
        lambda: [random.randint(-size - 1, size) for _ in range(random.randint(0, 4))],
        lambda: np.array([random.random() < 0.5 for _ in range(size)], bool),
        lambda: random.random() < 0.5,
    ]
    if random.random() < 0.7:
        return random.choice(parts)()
    return tuple(random.choice(parts)() for _ in range(random.randint(0, 3)))
