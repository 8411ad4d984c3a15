"""What every library must do with Strew, written once; each test file says how its library spells it."""

import ctypes
import functools
import resource

import numpy as np
import pytest

import strew

HANDED_OVER = []  # addresses, as the libraries were given them


def address_in(handed):
    """Where the memory lies that Strew hands to a library, as its own object or in a DLPack capsule."""
    if type(handed).__name__ != "PyCapsule":
        return np.asarray(memoryview(handed)).ctypes.data
    pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_in.restype, pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    # The tensor stands first in the struct, and its address first in the tensor.
    return ctypes.c_void_p.from_address(pointer_in(handed, b"dltensor")).value


def watch_maker(module):
    """Notes what goes into the library's from_dlpack. Strew looks that function up once, so this comes before the first result."""
    original = module.from_dlpack

    @functools.wraps(original)
    def from_dlpack(handed, *arguments, **keywords):
        if type(handed).__name__ == "PyCapsule" or isinstance(handed, strew._core.Memory):
            HANDED_OVER.append(address_in(handed))
        return original(handed, *arguments, **keywords)

    module.from_dlpack = from_dlpack


def resident():
    """The memory that the process has now, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize()


class Interop:
    """Subclassed per library, which gives the functions below and what it can do."""

    immutable = False
    dtypes = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]

    def make(self, values, dtype="float32"):
        raise NotImplementedError

    def to_numpy(self, array):
        raise NotImplementedError

    def pointer(self, array):
        raise NotImplementedError

    def is_mine(self, array):
        raise NotImplementedError

    def index(self, values):
        return self.make(values, "int32")

    def test_the_result_is_of_the_callers_type(self):
        result = strew.pytorch.scatter_add(self.make([1, 2, 3]), 0, self.index([0, 0]), self.make([5, 6]))
        assert self.is_mine(result)
        assert self.to_numpy(result).tolist() == [12, 2, 3]

    def test_every_dtype(self):
        for dtype in self.dtypes:
            x = self.make([1, 0, 1], dtype)
            result = strew.pytorch.scatter(x, 0, self.index([1]), self.make([1], dtype))
            assert self.is_mine(result) and result.dtype == x.dtype, dtype
            assert self.to_numpy(result).astype("complex128").tolist() == [1, 1, 1], dtype

    def test_sums_in_bfloat16(self):
        # 256 + 1 is not a bfloat16; PyTorch's scatter_add rounds once, at the end: 256 + 1 + 1 = 258.
        result = strew.pytorch.scatter_add(self.make([256], "bfloat16"), 0, self.index([0, 0]), self.make([1, 1], "bfloat16"))
        assert self.to_numpy(result).astype("float32").tolist() == [258]

    def test_in_place(self):
        x = self.make([1, 2, 3])
        if self.immutable:
            with pytest.raises(strew.ArrayError, match="pytorch.scatter_add returns a new array instead"):
                strew.pytorch.scatter_add_(x, 0, self.index([0, 0]), self.make([5, 6]))
            assert self.to_numpy(x).tolist() == [1, 2, 3]
            return
        before = self.pointer(x)
        assert strew.pytorch.scatter_add_(x, 0, self.index([0, 0]), self.make([5, 6])) is x
        assert self.pointer(x) == before and self.to_numpy(x).tolist() == [12, 2, 3]

    def test_inputs_are_not_copied(self):
        """Out is NumPy's; an input that lies in the same memory is found out, so it cannot have been copied."""
        x = self.make(list(range(64)))
        address = self.pointer(x)
        shared = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_float * 64).from_address(address))
        with pytest.raises(strew.OverlapError):
            strew.pytorch.scatter_add(np.zeros(63, np.float32), 0, np.arange(63), x, out=shared[1:])

    def test_results_are_not_copied(self):
        """A result of a megabyte stays at the address where Strew made it."""
        HANDED_OVER.clear()
        made = strew.pytorch.scatter_add(self.make([0] * 300_000), 0, self.index([0]), self.make([1]))
        assert HANDED_OVER == [self.pointer(made)] and self.to_numpy(made)[0] == 1

    def test_empty_and_rank_0(self):
        empty = strew.pytorch.scatter_add(self.make([]), 0, self.index([]), self.make([]))
        assert self.is_mine(empty) and self.to_numpy(empty).shape == (0,)
        scalar = strew.pytorch.gather(self.make(5), 0, self.index(0))
        assert self.is_mine(scalar) and self.to_numpy(scalar).shape == () and float(self.to_numpy(scalar)) == 5

    def test_mixed_with_numpy(self):
        x, index, src = np.zeros(3, np.float32), np.array([0, 0]), np.ones(2, np.float32)
        ours = strew.pytorch.scatter_add(self.make([0, 0, 0]), 0, index, src)
        theirs = strew.pytorch.scatter_add(x, 0, self.index([0, 0]), self.make([1, 1]))
        assert self.is_mine(ours) and isinstance(theirs, np.ndarray)
        assert self.to_numpy(ours).tolist() == theirs.tolist() == [2, 0, 0]
        assert strew.pytorch.scatter_add_(x, 0, self.index([0, 0]), self.make([1, 1])) is x and x[0] == 2

    def test_other_dialects(self):
        x = self.make([[1, 2], [3, 4]])
        nd = strew.onnx.scatter_nd(x, self.make([[1]], "int64"), self.make([[7, 8]]))
        assert self.is_mine(nd) and self.to_numpy(nd).tolist() == [[1, 2], [7, 8]]
        zeros = strew.tensorflow.scatter_nd(self.index([[1]]), self.make([5]), [3])
        assert self.is_mine(zeros) and self.to_numpy(zeros).tolist() == [0, 5, 0]
        a = np.zeros(3, np.float32)
        strew.numpy.add_at(a, self.index([1, 1]), self.make([1, 2]))
        assert a.tolist() == [0, 3, 0]

    def test_plans(self):
        x = self.make([1, 2, 3])
        copies = strew.pytorch.scatter_add.plan(x, 0, self.index([0, 0]))
        result = copies(self.make([5, 6]), base=x)
        assert self.is_mine(result) and self.to_numpy(result).tolist() == [12, 2, 3] and self.to_numpy(x).tolist() == [1, 2, 3]
        zeros = strew.tensorflow.scatter_nd.plan(self.index([[1]]), [3], dtype=x.dtype)(self.make([5]))
        assert self.is_mine(zeros) and self.to_numpy(zeros).tolist() == [0, 5, 0]
        writes = strew.pytorch.scatter_add_.plan(x, 0, self.index([0, 0]))
        if self.immutable:
            with pytest.raises(strew.ArrayError, match="out cannot be changed: .* pytorch.scatter_add returns a new array instead"):
                writes(self.make([5, 6]), out=x)
            return
        before = self.pointer(x)
        assert writes(self.make([5, 6]), out=x) is x and copies([1, 1], out=x) is x
        assert self.pointer(x) == before and self.to_numpy(x).tolist() == [14, 2, 3]

    def test_an_error_leaves_it_alone(self):
        x = self.make([1, 2, 3])
        with pytest.raises(IndexError, match="index 7 is out of bounds"):
            strew.pytorch.scatter_add(x, 0, self.index([0, 7]), self.make([5, 6]))
        assert self.to_numpy(x).tolist() == [1, 2, 3]

    def test_memory_is_given_back(self):
        x, index, src = self.make([0] * 250_000), self.index([0]), self.make([1])
        strew.pytorch.scatter_add(x, 0, index, src)
        before = resident()
        for _ in range(300):
            strew.pytorch.scatter_add(x, 0, index, src)  # a megabyte each
        assert resident() - before < 100e6

    def test_results_outlive_everything(self):
        results = [strew.pytorch.scatter_add(self.make([i] * 100), 0, self.index([0]), self.make([1])) for i in range(100)]
        assert [self.to_numpy(result)[:2].tolist() for result in results] == [[i + 1, i] for i in range(100)]
