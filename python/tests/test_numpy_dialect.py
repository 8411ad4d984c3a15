"""The numpy dialect against NumPy itself: the same bits, or an error where NumPy has one."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import strew
from support import same

if not np.__version__.startswith("2.4."):
    pytest.skip("the authority is NumPy 2.4", allow_module_level=True)

UFUNCS = {"add_at": np.add, "subtract_at": np.subtract, "multiply_at": np.multiply, "minimum_at": np.minimum, "maximum_at": np.maximum}
DTYPES = [np.dtype(name) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128")]
INTEGERS = [dtype for dtype in DTYPES if dtype.kind in "iu"]


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except (IndexError, TypeError, ValueError, OverflowError) as error:
            return error


def kind(error):
    """The built-in class of an error; NumPy's UFuncTypeError is a TypeError."""
    return next(cls for cls in (IndexError, TypeError, ValueError, OverflowError) if isinstance(error, cls))


def check(name, a, indices, b):
    expected, got = a.copy(), a.copy()
    theirs = outcome(lambda: UFUNCS[name].at(expected, indices, b))
    ours = outcome(lambda: getattr(strew.numpy, name)(got, indices, b))
    assert isinstance(ours, Exception) == isinstance(theirs, Exception), (ours, theirs)
    if theirs is None:
        assert ours is None
        assert same(expected, got), (expected, got)
    else:
        assert isinstance(ours, strew.Error)
        assert same(a, got)


def values(target, dtype, shape):
    """An array of a dtype. What a float beyond an integer's range becomes is undefined in C, and so in NumPy."""
    if target.kind not in "biu" or dtype.kind not in "fc":
        return arrays.arrays(dtype, shape)
    return arrays.arrays(dtype, shape, elements=st.integers(-100, 100).map(lambda n: dtype.type(n / 4)))


@st.composite
def calls(draw):
    name = draw(st.sampled_from(sorted(UFUNCS)))
    shape = draw(arrays.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    a = draw(arrays.arrays(draw(st.sampled_from(DTYPES)), shape))
    indices = draw(st.one_of(
        arrays.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True),
        arrays.integer_array_indices(
            shape, result_shape=arrays.array_shapes(max_dims=2, max_side=5), dtype=draw(st.sampled_from(INTEGERS[:4]))),
        arrays.arrays(bool, shape),
        arrays.arrays(draw(st.sampled_from(INTEGERS)), arrays.array_shapes(max_dims=2, max_side=5), elements=st.integers(0, 4)),
        st.lists(st.integers(-5, 5), max_size=6),
    ))
    place = outcome(lambda: a[indices])
    shape_of_b = () if isinstance(place, Exception) else np.shape(place)
    b = draw(st.one_of(
        st.integers(-3, 3), st.floats(width=16), st.booleans(),
        values(a.dtype, a.dtype, shape_of_b),
        values(a.dtype, draw(st.sampled_from(DTYPES)), shape_of_b),
    ))
    return name, a, indices, b


@settings(max_examples=600, deadline=None, derandomize=True)
@given(calls())
def test_at_is_numpys(call):
    check(*call)


@st.composite
def puts(draw):
    shape = draw(arrays.array_shapes(min_dims=1, max_dims=3, max_side=4))
    a = draw(arrays.arrays(draw(st.sampled_from(DTYPES)), shape))
    axis = draw(st.one_of(st.none(), st.integers(-len(shape) - 1, len(shape))))
    if axis is None:
        index_shape = draw(arrays.array_shapes(min_dims=1, max_dims=1, max_side=5))
    else:
        index_shape = list(shape)
        index_shape[axis % len(shape)] = draw(st.integers(0, 5))
        index_shape = tuple(index_shape)
    indices = draw(arrays.arrays(draw(st.sampled_from(INTEGERS)), index_shape, elements=st.integers(0, 4)))
    values = draw(st.one_of(st.integers(-3, 3), st.floats(-3, 3, width=16), arrays.arrays(a.dtype, index_shape)))
    return a, indices, values, axis


@settings(max_examples=400, deadline=None, derandomize=True)
@given(puts())
def test_put_along_axis_is_numpys(call):
    a, indices, values, axis = call
    expected, got = a.copy(), a.copy()
    theirs = outcome(lambda: np.put_along_axis(expected, indices, values, axis))
    ours = outcome(lambda: strew.numpy.put_along_axis(got, indices, values, axis))
    assert isinstance(ours, Exception) == isinstance(theirs, Exception), (ours, theirs)
    assert same(a if isinstance(ours, Exception) else expected, got)


A = np.arange(24.0).reshape(2, 3, 4)
KEYS = {
    "an integer": 1,
    "a negative integer": -1,
    "a NumPy integer": np.int16(1),
    "a 0-d array": np.array(1),
    "a slice": slice(None, None, -1),
    "an empty slice": slice(2, 2),
    "far bounds": slice(-(2**70), 2**70),
    "Ellipsis": ...,
    "None": None,
    "a list": [0, 1, 0],
    "an empty list": [],
    "a nested list": [[0, 1], [1, 1]],
    "a list of bools": [True, False],
    "a bool": True,
    "a NumPy bool": np.bool_(False),
    "a mask": A % 2 == 0,
    "a mask of some axes": np.array([[True, False, True], [False, False, True]]),
    "a tuple": (0, slice(1, None), [3, 3]),
    "separated arrays": ([0, 1], slice(None), [2, 2]),
    "with an ellipsis": (..., [0, 0, 1]),
    "with a new axis": (None, [1, 0], ..., None),
    "uint8": np.array([0, 1, 1], np.uint8),
    "uint64": np.array([0, 1, 1], np.uint64),
    "an empty tuple": (),
}
BAD_KEYS = {
    "out of range": 2,
    "far out of range": 2**70,
    "one too many": (0, 0, 0, 0),
    "two ellipses": (..., ...),
    "a float": 1.0,
    "floats": [0.5],
    "a string": "a",
    "a short mask": np.array([True]),
    "shapes that do not broadcast": ([0, 1], [0, 1, 2]),
    "a step of zero": slice(None, None, 0),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_every_form_of_index(key):
    check("add_at", A, key, 1.5)
    check("add_at", A, key, np.float32(0.1))


@pytest.mark.parametrize("key", BAD_KEYS.values(), ids=BAD_KEYS)
def test_bad_indices_are_numpys_errors(key):
    expected, got = A.copy(), A.copy()
    theirs = outcome(lambda: np.add.at(expected, key, 1.0))
    ours = outcome(lambda: strew.numpy.add_at(got, key, 1.0))
    assert isinstance(theirs, Exception) and isinstance(ours, strew.Error)
    assert kind(ours) is kind(theirs), (ours, theirs)
    assert same(got, A)


# NumPy refuses b with more dimensions than a[indices] wherever it checks. Behind a slice, an ellipsis or None it forgets to: one
# dimension too many next to an integer is read by the wrong axes, and two end the process, so there it is not asked.
CHECKED_KEYS = [0, (0, slice(None)), ..., (), slice(None), None, [0, 1], ([0, 1], slice(None)), ([0, 1], None, [0, 1]), A % 2 == 0]
UNCHECKED_KEYS = [(slice(None), 1), (..., 1), (slice(None), 1, ...), (None, 0), (slice(None), [0, 1]), (None, [0, 1])]


@pytest.mark.parametrize("key", CHECKED_KEYS + UNCHECKED_KEYS, ids=repr)
@pytest.mark.parametrize("extra", [1, 2])
def test_too_many_dimensions_are_refused(key, extra):
    b = np.ones((1,) * extra + A[key].shape)
    if any(key is checked for checked in CHECKED_KEYS):
        check("add_at", A, key, b)
    got = A.copy()
    with pytest.raises(strew.ShapeError, match="array is not broadcastable to correct shape"):
        strew.numpy.add_at(got, key, b)
    assert same(got, A)


NUMBERS = [1, 1.1, 2**63 + 5, np.float16(3.3), np.float32(1.1), np.float64(1.1), np.array(1.1), np.int8(-3), np.uint8(200), np.int64(300),
           np.uint64(2**63 + 5), np.bool_(True), np.complex64(1 + 2j)]


@pytest.mark.parametrize("b", NUMBERS, ids=repr)
def test_a_number_counts_with_its_dtype(b):
    for dtype in ("int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64"):
        check("multiply_at", np.array([3, 1], dtype), [0, 0, 1], b)


@pytest.mark.parametrize("number", [2**63, 2**63 + 5, 2**64 - 1, 2**64])
def test_a_large_integer_is_assigned_as_numpy_does(number):
    for dtype in ("int8", "uint8", "int64", "uint64", "float32", "float64"):
        expected, got = np.zeros(2, dtype), np.zeros(2, dtype)
        theirs = outcome(lambda: np.put_along_axis(expected, np.array([1]), number, 0))
        ours = outcome(lambda: strew.numpy.put_along_axis(got, np.array([1]), number, 0))
        assert isinstance(ours, Exception) == (isinstance(theirs, Exception) or number == 2**64), (dtype, ours, theirs)
        assert isinstance(ours, Exception) or same(expected, got)


def test_it_returns_nothing():
    assert strew.numpy.add_at(np.zeros(2), [0], 1) is None
    assert strew.numpy.put_along_axis(np.zeros(2), np.array([0]), 1, 0) is None
