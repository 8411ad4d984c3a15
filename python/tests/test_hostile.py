"""Code of the caller that runs while one argument is read and frees the memory of another; and objects with wrong metadata."""

import ctypes
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest

import strew

PROGRAM = pathlib.Path(__file__).parent / "hostile.py"
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_no_code_runs_between_taking_an_address_and_using_it(part):
    """Every operator and plan, with such an argument in every position. A call that uses freed memory ends the process."""
    # Memory of an array that is made small is no longer mapped then, and cannot be used without being noticed.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "16384"}
    seed = os.environ.get("STREW_SEED", str(int(time.time())))
    print(f"STREW_SEED={seed}")
    run = subprocess.run([sys.executable, str(PROGRAM), str(part), str(PARTS), seed], env=environment, capture_output=True, text=True)
    last = run.stdout.rstrip().rpartition("\n")[2]
    assert run.returncode == 0, f"{last}\n{run.stderr}"
    assert int(last.split()[0]) > 1_000


class Tensor(ctypes.Structure):
    """DLPack's struct, version 0, with fields that a producer may set wrongly."""

    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), *Tensor._fields_[:10]]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """Three floats, unless a field is overridden."""

    def __init__(self, name=b"dltensor", struct=Tensor, **fields):
        self.name, self.values = name, (ctypes.c_double * 3)(1, 2, 3)
        self.shape, self.strides = (ctypes.c_int64 * 1)(fields.pop("size", 3)), (ctypes.c_int64 * 1)(fields.pop("stride", 1))
        good = {"data": ctypes.addressof(self.values), "device": 1, "ndim": 1, "code": 2, "bits": 64, "lanes": 1,
                "shape": ctypes.addressof(self.shape), "strides": ctypes.addressof(self.strides)}
        self.struct = struct(**{**good, **fields})

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return new_capsule(ctypes.addressof(self.struct), self.name, None)


def read(array):
    return strew.pytorch.scatter_add(np.zeros(3), 0, np.arange(3), array).tolist()


def test_a_sound_struct_is_read():
    assert read(Producer()) == [1, 2, 3]
    assert read(Producer(b"dltensor_versioned", Versioned, major=1)) == [1, 2, 3]


WRONG = {
    "no shape": {"shape": None},
    "a negative size": {"size": -3},
    "the least size": {"size": -(2**63)},
    "fewer axes than none": {"ndim": -1},
    "as many axes as there are": {"ndim": 2**31 - 1},
    "no memory": {"data": None},
    "no memory, and an offset": {"data": None, "byte_offset": 64},
    "an offset around the end": {"byte_offset": 2**64 - 8},
    "an offset beyond all memory": {"byte_offset": 2**63},
    "vectors": {"lanes": 2},
    "no lanes": {"lanes": 0},
    "no bits": {"bits": 0},
    "odd bits": {"bits": 63},
    "an unknown type": {"code": 200},
    "another device": {"device": 2},
    "no device": {"device": -1},
    "more elements than bytes": {"size": 2**62},
    "a stride around the end": {"stride": 2**62},
    "a stride beyond all memory": {"stride": -(2**57)},
    "another name": {"name": b"dltensor2"},
    "the name of a used capsule": {"name": b"used_dltensor"},
    "a version of the future": {"name": b"dltensor_versioned", "struct": Versioned, "major": 9},
    "a version of the past": {"name": b"dltensor_versioned", "struct": Versioned, "major": 0},
    "a negative size, versioned": {"name": b"dltensor_versioned", "struct": Versioned, "major": 1, "size": -1},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_nothing_in_a_struct_is_believed(fields):
    with pytest.raises(strew.Error, match=r"pytorch\.scatter_add: "):
        read(Producer(**fields))


@pytest.mark.parametrize("stride", [2**58, 2**60, 2**61, 2**63 - 1, -(2**63)])
def test_tuples_are_not_read_beyond_all_memory(stride):
    wide = Producer(ndim=2, code=0)
    wide.shape, wide.strides = (ctypes.c_int64 * 2)(1, 2), (ctypes.c_int64 * 2)(2, stride)
    wide.struct.shape, wide.struct.strides = ctypes.addressof(wide.shape), ctypes.addressof(wide.strides)
    for call in (strew.onnx.gather_nd, strew.tensorflow.gather_nd, strew.paddle.gather_nd):
        with pytest.raises(strew.ArrayError, match="its strides lead beyond all memory"):
            call(np.zeros((2, 2)), wide)


DEVICES = [None, (), (1,), (1, 0, 0), "cpu", ("1", 0), (None, 0), (1.0, 0), [1, 0], 1, (2**100, 0), (-(2**100), 0), {0: 1}]


@pytest.mark.parametrize("device", DEVICES, ids=repr)
def test_a_device_is_two_integers(device):
    class Lost(Producer):
        def __dlpack_device__(self):
            return device

    with pytest.raises(strew.ArrayError, match=r"pytorch\.scatter_add: src (does not say on which device it is|is on another device)"):
        read(Lost())


@pytest.mark.parametrize("method", ["__dlpack__", "__dlpack_device__"])
@pytest.mark.parametrize("raised", [RuntimeError("\ud800 no text"), ValueError(b"\xff"), OSError(), KeyError("\udfff")], ids=ascii)
def test_what_a_producer_raises_becomes_an_error(method, raised):
    def fail(self, **_):
        raise raised

    with pytest.raises(strew.ArrayError, match="src has no memory that its library exports"):
        read(type("Failing", (Producer,), {method: fail})())


FAKE = """
import numpy, strew

def fake(module, name, **more):
    return type(name, (), {"__module__": module, **more})

# Seen before any array of the library.
for module, name in [("numpy", "ndarray"), ("torch", "Tensor"), ("jaxlib", "ArrayImpl"), ("tensorflow", "EagerTensor"), ("paddle", "Tensor")]:
    kind = fake(module, name)
    for arguments in [(kind(), 0, kind(), kind()), (numpy.zeros(3), 0, numpy.arange(3), kind())]:
        try:
            strew.pytorch.scatter_add_(*arguments)
        except strew.Error as error:
            assert "must be an array" in str(error), error
        else:
            raise AssertionError(name)
    held = numpy.ones(3)
    shown = fake(module, name, __array__=lambda self, dtype=None, copy=None: held)()
    assert strew.pytorch.scatter_add(numpy.zeros(3), 0, numpy.arange(3), shown).tolist() == [1, 1, 1]

x = numpy.zeros(3)
assert strew.pytorch.scatter_add_(x, 0, numpy.arange(3), numpy.ones(3)) is x and x.tolist() == [1, 1, 1]
"""


def test_a_class_that_claims_to_be_a_librarys_is_none_of_its():
    run = subprocess.run([sys.executable, "-c", FAKE], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


ATTRIBUTES = """
import strew

for operator in (strew.pytorch.scatter_add, strew.pytorch.scatter_add.plan):
    for name in (5, None, b"__module__", 1.5, ("a",), object()):
        try:
            type(operator).__getattribute__(operator, name)
        except TypeError:
            continue
        raise AssertionError(name)
    assert type(operator).__getattribute__(operator, type("Text", (str,), {})("__module__")) == "strew.pytorch"
"""


def test_the_name_of_an_attribute_is_text():
    run = subprocess.run([sys.executable, "-c", ATTRIBUTES], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


class Lying(np.ndarray):
    """Reports a larger element type than its memory has room for."""

    dtype = property(lambda self: type("Dtype", (), {"name": "bfloat16", "isnative": True, "kind": "V"}))


@pytest.mark.parametrize("held", ["float8_e5m2", "int4", "M8[s]"])
def test_a_class_cannot_make_bfloat16_of_other_elements(held):
    import ml_dtypes

    array = np.zeros(1 << 16, getattr(ml_dtypes, held, held))
    for given in (array.view(Lying), array):  # nothing is learned from what the first one says
        with pytest.raises(strew.DtypeError, match="input has a dtype that Strew does not know"):
            strew.pytorch.gather(given, 0, np.zeros(1, int))
    assert strew.pytorch.gather(np.zeros(3, ml_dtypes.bfloat16).view(Lying), 0, np.zeros(1, int)).dtype == ml_dtypes.bfloat16
