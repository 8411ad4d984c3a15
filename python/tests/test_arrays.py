"""Array arguments: whose memory is used, what is rejected, and the type of the result."""

import array
import ctypes
import gc
import itertools
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import strew

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128", ml_dtypes.bfloat16]


def add(x, index, src, **more):
    return strew.pytorch.scatter_add(x, 0, index, src, **more)


def add_(x, index, src, **more):
    return strew.pytorch.scatter_add_(x, 0, index, src, **more)


INDEX = np.array([1, 1])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes_go_in_and_out(dtype):
    x = np.array([1, 0, 1]).astype(dtype)
    result = strew.pytorch.scatter(x, 0, np.array([1]), np.array([1]).astype(dtype))
    assert type(result) is np.ndarray and result.dtype == x.dtype and result.flags.writeable
    assert result.astype("complex128").tolist() == [1, 1, 1]
    assert strew.pytorch.scatter_(x, 0, np.array([1]), np.array([1]).astype(dtype)) is x
    assert x.astype("complex128").tolist() == [1, 1, 1]


LAYOUTS = {
    "dense": lambda a: a,
    "reversed": lambda a: a[::-1, ::-1],
    "spread": lambda a: a[::2, 1::3],
    "transposed": lambda a: a.T,
    "repeated": lambda a: np.broadcast_to(a[0], (5, 8)),
    "empty": lambda a: a[:0],
    "one": lambda a: a[1:2, 1:2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES[:-1])
def test_arrays_are_seen_as_their_buffers_show_them(dtype, layout):
    """NumPy arrays are read through their struct, views of their memory through the buffer protocol."""
    x = LAYOUTS[layout](np.arange(48).reshape(6, 8).astype(dtype))
    index = np.zeros((1, x.shape[1]), int) if x.size else np.zeros((0, 8), int)
    seen, shown = strew.onnx.gather_elements(x, index), strew.onnx.gather_elements(memoryview(x), index)
    assert seen.dtype == shown.dtype == x.dtype and seen.tolist() == shown.tolist() == x[:1].tolist()


# In a process of its own, because the first call with such an array is what learns the type.
FIRST_VIEW = """
import ml_dtypes, numpy, strew
strew.pytorch.scatter_add_(numpy.zeros(1), 0, numpy.array([0]), numpy.ones(1))
base = numpy.zeros(8, ml_dtypes.bfloat16)
strew.pytorch.scatter_add_(base[2:], 0, numpy.arange(8)[2:] - 2, numpy.ones(8, ml_dtypes.bfloat16)[2:])
assert base.tolist() == [0, 0, 1, 1, 1, 1, 1, 1]
"""


def test_a_view_of_bfloat16_may_come_first():
    run = subprocess.run([sys.executable, "-c", FIRST_VIEW], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr


def test_views_of_elements_of_another_size():
    records = np.zeros(4, [("number", "f8"), ("time", "M8[s]")])
    numbers = records.view("f8")
    strew.pytorch.scatter_add_(numbers, 0, np.array([7, 0, 7]), np.array([1.0, 2.0, 3.0]))
    assert numbers.tolist() == [2, 0, 0, 0, 0, 0, 0, 4]
    bytes_ = np.zeros(16, "u1")
    strew.pytorch.scatter_add_(bytes_[8:].view("f8"), 0, np.array([0]), np.array([1.0]))
    assert bytes_.view("f8").tolist() == [0, 1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bfloat16_is_seen_as_its_bits(layout):
    """Twice: the first array of another package's type is read through a protocol, later ones through their struct."""
    bfloat16 = DTYPES[-1]
    x = LAYOUTS[layout](np.arange(48).reshape(6, 8).astype(bfloat16))
    index = np.zeros((1, x.shape[1]), int) if x.size else np.zeros((0, 8), int)
    for _ in range(2):
        seen = strew.onnx.gather_elements(x, index)
        assert seen.dtype == x.dtype and seen.view(np.uint16).tolist() == x[:1].copy().view(np.uint16).tolist()


def test_arrays_that_only_warn_are_not_written():
    """NumPy says that these may be written, warns when it is done, and shows them as read-only."""
    x = np.broadcast_arrays(np.zeros(3), np.zeros((2, 3)))[0]
    with pytest.raises(strew.ArrayError, match="input is read-only"):
        strew.pytorch.scatter_add_(x, 0, np.zeros((1, 3), int), np.ones((1, 3)))


def test_an_array_is_held_while_it_is_used():
    x = np.zeros(3)
    before = sys.getrefcount(x)
    for _ in range(10):
        add_(x, INDEX, np.ones(2))
        with pytest.raises(IndexError):
            add_(x, np.array([7, 7]), np.ones(2))
    assert sys.getrefcount(x) == before


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "l", "q", "L", "Q"])
def test_integers_by_any_name(dtype):
    assert strew.onnx.gather_elements(np.array([1, 2], dtype), np.array([1, 0])).tolist() == [2, 1]


def test_views_are_not_copied():
    base = np.zeros((4, 6))
    view = base[::-2, 1::2]
    strew.pytorch.scatter_add_(view, 1, np.array([[2, 0], [1, 1]])[:, ::-1], np.array([[1.0, 2.0], [3.0, 4.0]]).T)
    expected = np.zeros((4, 6))
    # index [[0, 2], [1, 1]], src [[1, 3], [2, 4]]; row 0 of the view is row 3 of the base, column c is 1 + 2c.
    expected[3, 1], expected[3, 5], expected[1, 3] = 1, 3, 6
    assert base.tolist() == expected.tolist()


def test_empty_arrays():
    assert add(np.zeros((0,)), np.zeros(0, int), np.zeros(0)).shape == (0,)
    x = np.zeros((3, 0))
    assert add_(x, np.zeros((2, 0), int), np.zeros((2, 0))) is x
    assert strew.onnx.gather_nd(np.zeros((2, 3)), np.zeros((0, 1), int)).shape == (0, 3)


def test_rank_0():
    result = strew.pytorch.gather(np.array(5.0), 0, np.array(0))
    assert result.shape == () and result == 5.0


def test_fields_of_a_record_are_read_and_not_written():
    records = np.zeros(3, dtype=[("flag", "i1"), ("value", "f8")])
    records["value"] = [1, 2, 3]
    assert add(records["value"], INDEX, np.ones(2)).tolist() == [1, 4, 3]
    with pytest.raises(strew.ArrayError, match="strides"):
        add_(records["value"], INDEX, np.ones(2))


def test_unaligned_memory():
    x = np.frombuffer(bytearray(1 + 3 * 8), dtype="f8", offset=1)
    assert add_(x, INDEX, np.ones(2)) is x and x.tolist() == [0, 2, 0]


def test_out():
    out = np.full(3, 9.0)
    assert add(np.zeros(3), INDEX, np.ones(2), out=out) is out
    assert out.tolist() == [0, 2, 0]
    with pytest.raises(strew.ShapeError, match=r"had shape \[4\], which does not match the required output shape \[3\]"):
        add(np.zeros(3), INDEX, np.ones(2), out=np.zeros(4))
    with pytest.raises(strew.DtypeError, match="Expected out tensor to have dtype float64, but got float32 instead"):
        add(np.zeros(3), INDEX, np.ones(2), out=np.zeros(3, np.float32))
    with pytest.raises(strew.ArrayError, match="out is read-only"):
        add(np.zeros(3), INDEX, np.ones(2), out=np.broadcast_to(0.0, 3))
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not list"):
        add(np.zeros(3), INDEX, np.ones(2), out=[0.0] * 3)
    with pytest.raises(TypeError, match="onnx.scatter_elements: out must be an array, got list"):
        strew.onnx.scatter_elements(np.zeros(3), INDEX, np.ones(2), out=[0.0] * 3)


def test_out_may_be_the_input():
    x = np.zeros(3)
    assert add(x, INDEX, np.ones(2), out=x) is x and x.tolist() == [0, 2, 0]


def test_in_place_refuses_read_only_memory():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(strew.ArrayError, match=r"input is read-only; pytorch.scatter_add returns a new array"):
        add_(x, INDEX, np.ones(2))
    with pytest.raises(strew.ArrayError, match="read-only"):
        strew.numpy.add_at(x, [0], 1.0)
    with pytest.raises(strew.ArrayError, match="read-only"):
        add_(memoryview(bytes(24)).cast("d"), INDEX, np.ones(2))
    with pytest.raises(strew.ArrayError, match="is a list"):
        add_([0.0, 0.0], INDEX, np.ones(2))
    assert x.tolist() == [0, 0, 0]
    assert add(x, INDEX, np.ones(2)).tolist() == [0, 2, 0]


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]", "V8", [("a", "f8")], "longdouble", "clongdouble"])
def test_other_dtypes_are_type_errors(dtype):
    with pytest.raises(TypeError, match="pytorch.scatter_add: input has a dtype that Strew does not know") as caught:
        add(np.zeros(3, dtype), INDEX, np.zeros(2, dtype))
    assert isinstance(caught.value, strew.Error)


@pytest.mark.parametrize("layout", ["dense", "spread", "transposed", "repeated", "empty"])
@pytest.mark.parametrize("dtype", DTYPES[2:5] + DTYPES[6:], ids=str)
def test_the_other_byte_order_is_read_by_copy(dtype, layout):
    native = LAYOUTS[layout](np.arange(-9, 39).reshape(6, 8).astype(dtype))
    swapped = LAYOUTS[layout](np.arange(-9, 39).reshape(6, 8).astype(dtype).astype(np.dtype(dtype).newbyteorder(">")))
    index = np.zeros((1, native.shape[1]), int) if native.size else np.zeros((0, 8), int)
    result = strew.onnx.gather_elements(swapped, index.astype(">i8"))
    assert result.dtype == native.dtype and result.tolist() == native[:1].tolist()
    for view in (swapped, memoryview(swapped) if dtype != ml_dtypes.bfloat16 else swapped):
        with pytest.raises(strew.ArrayError, match="has non-native byte order, which Strew can only read; .* returns a new array instead"):
            strew.pytorch.scatter_(view, 0, index, native)


@pytest.mark.parametrize("dtype", [">i2", ">i4", ">i8", ">u2", ">u4", ">u8"])
def test_indices_of_the_other_byte_order_are_numpys(dtype):
    for index in (np.array([0, 2, 2], dtype), np.array(2, dtype), (np.array([[1], [0]], dtype), slice(None, 2)), [np.array(1, dtype)]):
        a, b = np.zeros((4, 3)), np.zeros((4, 3))
        np.add.at(a, index, 2.0)
        strew.numpy.add_at(b, index, 2.0)
        assert a.tolist() == b.tolist() != np.zeros((4, 3)).tolist()
    a, index = np.zeros((3, 2)), np.array([[0, 2]], dtype)
    strew.numpy.put_along_axis(a, index, np.array([[5.0, 6.0]], ">f8"), 0)
    assert a.tolist() == [[5, 0], [0, 0], [0, 6]]
    plan = strew.numpy.add_at.plan(a, index)
    plan(np.ones(2, ">f8").reshape(1, 2, 1), out=a)
    assert a.tolist() == [[6, 1], [0, 0], [1, 7]]
    with pytest.raises(strew.BadIndexError, match="index 9 is out of bounds"):
        strew.numpy.add_at(a, np.array([0, 9], dtype), 1.0)
    big = (ctypes.c_int64.__ctype_be__ * 2)(1, 2)
    assert strew.pytorch.index_add(np.zeros(3), 0, big, np.ones(2)).tolist() == [0, 1, 1]


def test_masked_arrays_are_refused():
    with pytest.raises(TypeError, match="masked"):
        add(np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]), INDEX, np.ones(2))


def test_other_ndarrays_are_arrays():
    class Mine(np.ndarray):
        pass

    x = np.zeros(3).view(Mine)
    assert type(add(x, INDEX, np.ones(2))) is np.ndarray
    assert add_(x, INDEX, np.ones(2)) is x and x.tolist() == [0, 2, 0]


def test_buffers_without_numpy():
    x = array.array("d", [0, 0, 0])
    assert add_(x, array.array("q", [1, 1]), array.array("d", [1, 2])) is x
    assert x.tolist() == [0, 3, 0]
    view = memoryview(bytearray(b"\x00\x00\x00"))
    add_(view, INDEX, np.ones(2, np.uint8))
    assert bytes(view) == b"\x00\x02\x00"
    assert isinstance(add(memoryview(x), INDEX, np.ones(2)), np.ndarray)


class Producer:
    """An array of a library that Strew does not know."""

    def __init__(self, array, versioned, device=(1, 0)):
        self.array, self.versioned, self.device = array, versioned, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **how):
        if self.versioned:
            return self.array.__dlpack__(**how)
        if how:
            raise TypeError("no arguments, please")
        return self.array.__dlpack__()


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack(versioned):
    x = np.zeros((2, 4))[:, ::2]
    given = Producer(x, versioned)
    assert strew.pytorch.scatter_add_(given, 1, np.array([[1]]), np.array([[5.0]])) is given
    assert x.tolist() == [[0, 5], [0, 0]]
    assert isinstance(strew.pytorch.gather(given, 1, Producer(np.array([[1]]), versioned)), np.ndarray)


def test_dlpack_lets_go():
    x = np.zeros(3)
    before = sys.getrefcount(x)
    for versioned in (False, True):
        for _ in range(10):
            add_(Producer(x, versioned), INDEX, np.ones(2))
            with pytest.raises(IndexError):
                add_(Producer(x, versioned), np.array([7, 7]), np.ones(2))
    gc.collect()
    assert sys.getrefcount(x) == before


says_how = pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this NumPy says nothing of copies and read-only arrays")


@says_how
def test_dlpack_read_only_flag():
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(strew.ArrayError, match="read-only"):
        add_(Producer(x, True), INDEX, np.ones(2))
    assert add(Producer(x, True), INDEX, np.ones(2)).tolist() == [0, 2, 0]


@pytest.mark.parametrize("device, said", [(2, 2), (-1, -1), (2**40, 2**40), (10**30, 2**63 - 1)])
def test_other_devices_are_refused(device, said):
    with pytest.raises(strew.ArrayError, match=f"input is on another device .DLPack type {said}."):
        add(Producer(np.zeros(3), True, device=(device, 0)), INDEX, np.ones(2))


def test_a_capsule_that_is_none():
    class Liar:
        def __dlpack__(self, **how):
            return "nothing"

    with pytest.raises(TypeError, match="something other than a DLPack capsule"):
        add(Liar(), INDEX, np.ones(2))


def test_results_outlive_their_inputs():
    result = add(np.zeros(1000), np.arange(1000), np.arange(1000.0))
    part = result[10:20]
    del result
    gc.collect()
    filler = [np.ones(1000) for _ in range(100)]
    assert part.tolist() == list(range(10, 20)) and filler


def test_memory_goes_out_by_both_generations_of_dlpack():
    memory = add(np.zeros(3), INDEX, np.ones(2)).base.obj
    assert memory.__dlpack_device__() == (1, 0)
    assert "dltensor_versioned" in repr(memory.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(memory.__dlpack__())
    assert np.from_dlpack(memory).tolist() == [0, 2, 0]


@pytest.mark.parametrize("values, kind, text", [
    ([1, 10**30], strew.ArgumentError, "src contains 1000000000000000000000000000000, which does not fit 64 bits"),
    ([1.5, -(2**70)], strew.ArgumentError, "src contains -1180591620717411303424, which does not fit 64 bits"),
    ([1.5, None], strew.DtypeError, "src contains NoneType; a list may contain numbers or strings"),
    ([[1], [{}]], strew.DtypeError, "src contains dict; a list may contain numbers or strings"),
])
def test_lists_that_hold_something_else(values, kind, text):
    with pytest.raises(kind) as caught:
        add(np.zeros(3), INDEX, values)
    assert str(caught.value) == f"pytorch.scatter_add: {text}"


def test_lists_and_numbers():
    tf = strew.tensorflow.tensor_scatter_nd_add
    assert tf([1, 2, 3], [[0]], [5]).dtype == np.int32
    assert tf([1.0, 2.0], [[0]], [5]).dtype == np.float32
    assert tf(np.zeros(3, np.float64), [[0]], [5]).tolist() == [5, 0, 0]
    assert tf(np.zeros(3, np.uint8), [[0]], [5]).dtype == np.uint8
    assert tf(np.zeros(3, ml_dtypes.bfloat16), [[0]], [5.0]).tolist() == [5, 0, 0]
    assert tf([1j, 0], [[0]], [5]).dtype == np.complex64
    assert tf([1.0], np.zeros((0, 1), int), []).tolist() == [1.0]
    with pytest.raises(TypeError, match="updates contains float64 values, which int64 cannot represent"):
        tf(np.zeros(3, np.int64), [[0]], [1.5])
    with pytest.raises(ValueError, match="updates contains a number that uint8 cannot represent"):
        tf(np.zeros(3, np.uint8), [[0]], [300])
    with pytest.raises(ValueError, match="indices is a list whose parts differ in size"):
        tf([1.0], [[0], []], [1.0])


def test_a_number_as_source():
    x, index = np.zeros(2), np.array([0])
    for number in (2, 2.0, True, np.float32(2), np.int8(2), np.float64(2)):
        assert strew.pytorch.scatter(x, 0, index, number)[0] == float(number)
    assert strew.pytorch.scatter(x.astype("complex64"), 0, index, 1 + 2j)[0] == 1 + 2j
    assert strew.pytorch.index_add(x, 0, index, np.ones(1), alpha=np.float32(0.5))[0] == 0.5
    with pytest.raises(ValueError, match="src must fit 64 bits, got 1180591620717411303424"):
        strew.pytorch.scatter(x, 0, index, 2**70)


# As in PyTorch 2.13: a number above 2**63 - 1 is converted like any other.
@pytest.mark.parametrize("number", [2**63, 2**63 + 5, 2**64 - 1])
def test_a_number_that_only_uint64_holds(number):
    x, index = np.zeros(2, np.uint64), np.array([0])
    for said in (number, np.uint64(number), np.array(number, np.uint64)):
        assert strew.pytorch.scatter(x, 0, index, value=said).tolist() == [number, 0]
        assert strew.pytorch.scatter(x.astype(np.float32), 0, index, value=said)[0] == np.float32(number)
        assert strew.pytorch.index_add(x, 0, index, np.ones(1, np.uint64), alpha=said).tolist() == [number, 0]
        plan = pickle.loads(pickle.dumps(strew.pytorch.index_add.plan(x, 0, index, alpha=said)))
        assert plan(np.ones(1, np.uint64), base=x).tolist() == [number, 0]
        for dtype in (np.int64, np.uint8, np.float16):
            with pytest.raises(strew.ArgumentError, match="value cannot be converted to type"):
                strew.pytorch.scatter(x.astype(dtype), 0, index, value=said)
        with pytest.raises(strew.ArgumentError, match="a number as values must fit int64, got"):
            strew.paddle.put_along_axis(x, index, int(said), 0, broadcast=False)
    assert strew.scatter(x, index, number).tolist() == [number, 0]
    with pytest.raises(strew.ArgumentError, match="values must be a number that int64 holds, got"):
        strew.scatter(x.astype(np.int64), index, number)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_array_of_rank_0_as_a_number(dtype):
    for data in ("float32", "int64"):
        if np.dtype(dtype).kind == "c" or (dtype == "bool" and data == "float32"):
            continue
        x, index, number = np.zeros(3, data), np.array([0, 2]), np.array(1).astype(dtype) if dtype == "bool" else np.array(3).astype(dtype)
        plain = number.astype("float64").item() if np.dtype(dtype).kind in "fV" else number.item()
        for said in (number, number.astype(number.dtype.newbyteorder(">")), memoryview(number) if dtype != ml_dtypes.bfloat16 else number):
            if dtype != "bool":
                assert strew.pytorch.index_add(x, 0, index, np.ones(2, data), alpha=said).tolist() == [plain, 0, plain]
                plan = strew.pytorch.index_add.plan(x, 0, index, alpha=said)
                assert plan(np.ones(2, data), base=x).tolist() == [plain, 0, plain]
            assert strew.pytorch.scatter(x, 0, index, value=said).tolist() == [plain, 0, plain]
            assert strew.pytorch.scatter(x, 0, index, value=said, reduce="add").tolist() == [plain, 0, plain]
    z = strew.pytorch.scatter(np.zeros(2, "complex64"), 0, np.array([0]), value=np.array(1 + 2j))
    assert z.tolist() == [1 + 2j, 0]


def test_an_array_that_is_no_number():
    x, index, src = np.zeros(3), np.array([0, 2]), np.ones(2)
    for alpha in (np.ones(1), np.array("a"), [1.0], "1", object()):
        with pytest.raises(TypeError, match="alpha must be a number, got"):
            strew.pytorch.index_add(x, 0, index, src, alpha=alpha)
    # By position it is a tensor, of the same dtype and as large as the indices.
    with pytest.raises(TypeError, match="Expected self.dtype to be equal to src.dtype"):
        strew.pytorch.scatter(x, 0, index, np.array(3))


def test_shapes():
    for shape in ([3], (3,), np.array([3]), range(3, 4)):
        assert strew.tensorflow.scatter_nd([[1]], [5], shape).tolist() == [0, 5, 0]
    with pytest.raises(TypeError, match="shape must be a list of sizes, got int"):
        strew.tensorflow.scatter_nd([[1]], [5], 3)
    with pytest.raises(TypeError, match="shape must be an integer, got float"):
        strew.tensorflow.scatter_nd([[1]], [5], [3.0])
    for shape in (itertools.repeat(1), range(10**18), [1] * 65):
        with pytest.raises(strew.ShapeError, match="shape must hold at most 64 sizes"):
            strew.tensorflow.scatter_nd([[1]], [5], shape)
    with pytest.raises(strew.ArrayError, match="shape: ZeroDivisionError") as caught:
        strew.tensorflow.scatter_nd([[1]], [5], (1 // size for size in [1, 0]))
    assert type(caught.value.__cause__) is ZeroDivisionError


def test_objects_that_become_arrays():
    class Series:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0, 3.0])

    assert add(Series(), INDEX, np.ones(2)).tolist() == [1, 4, 3]
    with pytest.raises(strew.ArrayError, match="no memory of its own"):
        add_(Series(), INDEX, np.ones(2))


@pytest.mark.parametrize("nothing", [None, object(), {}, {1}], ids=str)
def test_what_is_no_array(nothing):
    with pytest.raises(TypeError, match="pytorch.scatter_add: input must be an array, got"):
        add(nothing, INDEX, np.ones(2))


STRINGS = {
    "object": np.array(["a", "bc", "é"], dtype=object),
    "str": np.array(["a", "bc", "é"]),
    "bytes": np.array([b"a", b"bc", b"d"]),
    "objects of bytes": np.array([b"a", b"bc", b"d"], dtype=object),
}
if hasattr(np, "dtypes") and hasattr(np.dtypes, "StringDType"):
    STRINGS["StringDType"] = np.array(["a", "bc", "é"], dtype=np.dtypes.StringDType())


@pytest.mark.parametrize("x", STRINGS.values(), ids=STRINGS)
def test_strings(x):
    long = b"a longer one" if x.dtype.kind == "S" or isinstance(x[0], bytes) else "a longer one"
    updates = np.array([long], dtype=None if x.dtype.kind in "US" else x.dtype)
    result = strew.tensorflow.tensor_scatter_nd_update(x, [[1]], updates)
    assert result.dtype.kind == x.dtype.kind
    assert result.tolist() == [x[0], long, x[2]]
    joined = strew.onnx.scatter_nd(x, np.array([[0]]), x[1:2], reduction="add")
    assert joined.tolist() == [x[0] + x[1], x[1], x[2]]


def test_strings_in_place():
    x = np.array(["a", "b"], dtype=object)
    out = np.array(["", ""], dtype=object)
    assert strew.tensorflow.tensor_scatter_nd_add(x, [[1]], ["c"], out=out) is out
    assert out.tolist() == ["a", "bc"] and x.tolist() == ["a", "b"]
    narrow = np.array(["a", "b"])
    with pytest.raises(strew.ArrayError, match="room for 1 characters an element, 2 are needed"):
        strew.tensorflow.tensor_scatter_nd_add(x, [[1]], ["c"], out=narrow)
    assert narrow.tolist() == ["a", "b"]


def test_objects_that_are_no_strings():
    with pytest.raises(TypeError, match="tensor contains int; arrays of objects must contain strings"):
        strew.tensorflow.tensor_scatter_nd_update(np.array([1, "a"], dtype=object), [[1]], ["b"])


def test_bytes_are_text_and_no_numbers():
    a = np.zeros(4)
    for add_at in (np.add.at, strew.numpy.add_at):
        with pytest.raises(TypeError, match="ufunc 'add' did not contain a loop"):
            add_at(a, [0, 1], b"ab")
    assert not a.any()
    words = np.array([b"a", b"b"])
    strew.numpy.put_along_axis(words, np.array([1]), b"c", 0)
    assert words.tolist() == [b"a", b"c"]
    with pytest.raises(strew.ArrayError, match="input is no array that could be written; pytorch.scatter_add returns"):
        add_(5.0, INDEX, np.ones(2))


def test_a_range_is_a_list():
    a = np.zeros(4)
    strew.numpy.add_at(a, range(1, 3), range(5, 7))
    assert a.tolist() == [0, 5, 6, 0]
    assert strew.tensorflow.tensor_scatter_nd_add(range(3), [[0], [1]], range(2)).tolist() == [0, 2, 2]


def test_long_ranges_are_read_as_arrays():
    x = np.zeros(3)
    with pytest.raises(MemoryError):
        add(x, range(10**14), x)  # a list of as many numbers would take months
    for step in (3, 2**62, 2**70):
        assert add(x, range(0, 3, step), [1.0]).tolist() == [1, 0, 0]
    with pytest.raises(strew.Error):
        add(x, range(0, 2**70, 2**69), x)


def repeated(times):
    listed = 0
    for _ in range(times):
        listed = [listed, listed]
    return listed


def holding_itself(times, kind=list):
    listed = []
    listed += [kind([listed])] * times
    return listed


@pytest.mark.parametrize("listed, text", [
    (holding_itself(1), "is a list that contains itself"),
    (holding_itself(2), "is a list that contains itself"),
    (holding_itself(2, tuple), "is a list that contains itself"),
    ((1, [holding_itself(2)]), "is a list that contains itself"),
    (repeated(40), r"has more than 2\*\*31 elements, which lists that occur many times or ranges stand for"),
    ([range(10**9)] * 3, r"has more than 2\*\*31 elements, which lists that occur many times or ranges stand for"),
    ([[0], (range(10**30),)], r"has more than 2\*\*31 elements, which lists that occur many times or ranges stand for"),
], ids=["once", "twice", "by a tuple", "inside", "doubled", "ranges", "a long range"])
def test_lists_that_have_no_end(listed, text):
    """NumPy would read them for years."""
    for name, given in {"input": (listed, INDEX, np.ones(2)), "index": (np.zeros(3), listed, np.ones(2)),
                        "src": (np.zeros(3), INDEX, listed)}.items():
        with pytest.raises(strew.Error, match=f"{name} {text}"):
            add(*given)
    with pytest.raises(strew.Error, match=f"indices {text}"):
        strew.numpy.add_at(np.zeros(3), [listed], 1.0)


def test_lists_that_occur_many_times_are_read():
    row = [1.0, 2.0]
    assert strew.tensorflow.tensor_scatter_nd_add([row, row, row], [[0], [0]], [row, row]).tolist() == [[3, 6], [1, 2], [1, 2]]
    assert strew.tensorflow.tensor_scatter_nd_add(repeated(7), np.zeros((1, 7), int), [5]).sum() == 5


def test_ctypes_arrays_without_strides():
    x, index = (ctypes.c_double * 3)(1, 2, 3), (ctypes.c_int64 * 2)(2, 2)
    assert add(np.zeros(3), index, np.ones(2)).tolist() == [0, 0, 2]
    add_(x, INDEX, np.ones(2))
    assert list(x) == [1, 4, 3]
    grid = ((ctypes.c_int32 * 3) * 2)()
    assert strew.onnx.gather_elements(grid, np.zeros((1, 3), int)).shape == (1, 3)


@pytest.mark.parametrize("value", [np.datetime64(1, "s"), np.timedelta64(1, "s")], ids=str)
def test_dates_are_refused(value):
    a = np.zeros((3, 4))
    with pytest.raises(TypeError):
        strew.numpy.add_at(a, 0, value)
    with pytest.raises((TypeError, IndexError)):
        strew.numpy.add_at(a, value, 1.0)
    assert not a.any()


def test_bytes_are_no_index():
    with pytest.raises(IndexError, match="only integers, slices"):
        strew.numpy.add_at(np.zeros(3), b"\1", 1.0)


def test_what_its_library_does_not_export_is_refused():
    class Closed:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            raise RuntimeError("no memory here\nframe 0")

    with pytest.raises(strew.ArrayError, match="src has no memory that its library exports: no memory here$"):
        add(np.zeros(3), INDEX, Closed())


def test_a_key_is_read_before_the_array():
    class Growing:
        def __index__(self):
            a.resize(64, refcheck=False)
            return 0

    a = np.zeros(2)
    strew.numpy.add_at(a, slice(Growing(), None), 1.0)
    assert a.shape == (64,) and a.sum() == 64


class Moving:
    """Runs code when it is read as an array, in a list, or as a number."""

    def __init__(self, move, values):
        self.move, self.values = move, values

    def __array__(self, dtype=None, copy=None):
        self.move()
        return np.array(self.values, dtype)

    def __float__(self):
        self.move()
        return 1.0

    def __index__(self):
        self.move()
        return 1


LARGE = 1_000_000
MOVED = {
    "src as an array": lambda a, i, move: strew.pytorch.scatter_add_(a, 0, i, Moving(move, np.ones(LARGE))),
    "src as a list": lambda a, i, move: strew.pytorch.scatter_add_(a, 0, i, [Moving(move, 1.0)] * 2),
    "index as an array": lambda a, i, move: strew.pytorch.scatter_add_(a, 0, Moving(move, np.arange(LARGE)), np.ones(LARGE)),
    "out": lambda a, i, move: strew.pytorch.scatter_add(a, 0, i, np.ones(LARGE), out=Moving(move, np.ones(LARGE))),
    "threads": lambda a, i, move: strew.pytorch.scatter_add_(a, 0, i, np.ones(LARGE), threads=Moving(move, 1)),
    "a part of a key": lambda a, i, move: strew.numpy.add_at(np.zeros((LARGE, 1)), (i, Moving(move, 0)), 1.0),
    "b after a key": lambda a, i, move: strew.numpy.add_at(a, i, Moving(move, np.ones(LARGE))),
    "a base": lambda a, i, move: strew.pytorch.scatter_add.plan(a, 0, i)(Moving(move, np.ones(LARGE)), base=a),
}


@pytest.mark.parametrize("moved", ["input", "index"])
@pytest.mark.parametrize("name", MOVED)
def test_arrays_are_seen_as_they_are_when_all_are_read(name, moved):
    """An array that the code of another argument shrinks must not be used in its old state."""
    a, i = np.zeros(LARGE), np.arange(LARGE)

    def move():
        {"input": a, "index": i}[moved].resize(2, refcheck=False)

    try:
        MOVED[name](a, i, move)
    except (strew.Error, ValueError):
        pass
    assert a.size + i.size < 2 * LARGE and not np.isnan(a).any()


@says_how
def test_a_copy_is_not_written_in_place():
    class Copying:
        def __init__(self, held):
            self.held = held

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **more):
            return self.held.__dlpack__(copy=True, **more)

    held = np.zeros(3)
    with pytest.raises(strew.ArrayError, match="shows only a copy"):
        add_(Copying(held), INDEX, np.ones(2))
    assert add(Copying(held), INDEX, np.ones(2)).tolist() == [0, 2, 0]
