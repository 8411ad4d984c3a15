"""Strew's own functions: arguments, results and errors, compared with NumPy where it has the same function."""

import array
import importlib
import inspect
import pickle

import ml_dtypes
import numpy as np
import pytest

import strew

RNG = np.random.default_rng(5)
STEPS = {"scatter_add": np.add, "scatter_sub": np.subtract, "scatter_mul": np.multiply, "scatter_min": np.minimum, "scatter_max": np.maximum}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_as_numpys_ufunc_at(name, depth):
    x = RNG.standard_normal((3, 4, 5))
    index = tuple(RNG.integers(0, x.shape[d], (2, 6), dtype=dtype) for d, dtype in zip(range(depth), ("i8", "u1", "i2")))
    values = RNG.standard_normal((2, 6, *x.shape[depth:]))
    expected, out = x.copy(), x.copy()
    STEPS[name].at(expected, index, values)
    assert getattr(strew, name)(out, index if depth > 1 else index[0], values) is out
    assert out.tobytes() == expected.tobytes()
    plan = pickle.loads(pickle.dumps(getattr(strew, name).plan(x, index)))
    assert plan(values, out=x) is x and x.tobytes() == expected.tobytes()


def test_the_last_assignment_stays_and_gather_reads():
    x = np.zeros((3, 2))
    assert strew.scatter(x, [2, 0, 2], [[1, 2], [3, 4], [5, 6]]).tolist() == [[3, 4], [0, 0], [5, 6]]
    assert strew.gather(x, np.array([[2], [0]])).tolist() == [[[5, 6]], [[3, 4]]]
    assert strew.gather(x, (np.array([0, 2]), [1, 0])).tolist() == [4, 5]
    out = np.zeros(2)
    assert strew.gather(x, (np.array([0, 2]), [1, 0]), out=out) is out and out.tolist() == [4, 5]


def test_the_mean_of_the_values_alone():
    assert strew.scatter_mean(np.array([100, 100, 7]), [0, 0, 1], [-3, 0, 2]).tolist() == [-2, 2, 7]


def test_halves_are_rounded_once():
    for dtype, start, total in ((np.float16, 2048, 2052), (ml_dtypes.bfloat16, 256, 260)):
        assert strew.scatter_add(np.full(1, start, dtype), [0] * 4, 1)[0] == total


# An integer is one position, a tuple has one part per axis, a list is one array.
@pytest.mark.parametrize("index, shape, where", [
    (1, (3,), ([1],)),
    ((1,), (3,), ([1],)),
    ((2, 1), (), ([2], [1])),
    ((np.int8(2), np.array(1, "u8")), (), ([2], [1])),
    ([1, 2], (2, 3), ([1, 2],)),
    (range(2), (2, 3), ([0, 1],)),
    (array.array("B", [0, 2]), (2, 3), ([0, 2],)),
    (([0, 1], array.array("q", [2, 2])), (2,), ([0, 1], [2, 2])),
    (np.zeros((0,), int), (0, 3), ([],)),
])
def test_what_an_index_may_be(index, shape, where):
    expected = np.zeros((3, 3))
    expected[tuple(np.array(part, int) for part in where)] += 1.5
    x = np.zeros((3, 3))
    assert strew.scatter_add(x, index, np.full(shape, 1.5)).tolist() == expected.tolist()
    assert strew.scatter_add(np.zeros((3, 3)), index, 1.5).tolist() == expected.tolist()
    assert strew.scatter_add.plan(x, index)(np.full(shape, 1.5), out=np.zeros((3, 3))).tolist() == expected.tolist()
    assert strew.gather(expected, index).shape == shape


REFUSED = {
    "values that repeat": (
        lambda x: strew.scatter_add(x, [0, 1, 2, 0], np.ones((3, 64))), strew.ShapeError,
        r"strew.scatter_add: values must have shape index.shape \+ out.shape\[1:\] = \[4, 64\], got \[3, 64\]"),
    "values of rank 0": (lambda x: strew.scatter_add(x, [0], np.array(1.0)), strew.ShapeError, r"= \[1, 64\], got \[\]"),
    "values of another type": (
        lambda x: strew.scatter_add(x, [0], np.ones((1, 64), np.float32)), strew.DtypeError,
        "strew.scatter_add: out and values must have the same dtype, got float64 and float32"),
    "a negative index": (
        lambda x: strew.scatter_max(x, [0, -1], 1.0), strew.BadIndexError,
        r"strew.scatter_max: index -1 is out of bounds for axis 0 with size 3 \(index\[1\] = -1 for axis 0 of size 3, valid: 0..2\)"),
    "a bad column": (lambda x: strew.scatter(x, ([0, 1], [3, 64]), 1.0), strew.BadIndexError, r"\(index\[1\] = 64 for axis 1 of size 64"),
    "columns that are broadcast": (
        lambda x: strew.scatter(x, ([0, 1], [3]), 1.0), strew.ShapeError, r"the tensors of index must have one shape, got \[2\] and \[1\]"),
    "too many columns": (
        lambda x: strew.scatter(x, ([0], [0], [0]), 1.0), strew.ShapeError, r"one tensor for each axis of out \[3, 64\], got 3"),
    "no columns": (lambda x: strew.scatter(x, (), 1.0), strew.ShapeError, "index must be a tensor of integers, or one for each of the leading axes, got none"),
    "a slice": (
        lambda x: strew.scatter(x, slice(2), 1.0), strew.DtypeError,
        "strew.scatter: index must be an array of integers, or a tuple of one for each of the leading axes, got slice"),
    "an ellipsis": (lambda x: strew.scatter(x, (..., [0]), 1.0), strew.DtypeError, "got ellipsis"),
    "a new axis": (lambda x: strew.scatter(x, (None, [0]), 1.0), strew.DtypeError, "got NoneType"),
    "a word": (lambda x: strew.scatter(x, "ab", 1.0), strew.DtypeError, "got str"),
    "a mask": (lambda x: strew.scatter(x, x[:, 0] == 0, 1.0), strew.DtypeError, "index must be one of int8, .*, got bool"),
    "a bool": (lambda x: strew.scatter(x, True, 1.0), strew.DtypeError, "index must be one of int8, .*, got bool"),
    "fractions": (lambda x: strew.scatter(x, [0.5], 1.0), strew.DtypeError, "index must be one of int8, .*, got float64"),
    "a large integer": (lambda x: strew.scatter(x, 2**64, 1.0), strew.BadIndexError, "index must fit 64 bits, got 18446744073709551616"),
    "a list to write into": (lambda x: strew.scatter([0.0], [0], 1.0), strew.ArrayError, "strew.scatter: out is a list; pass an array"),
    "shared memory": (lambda x: strew.scatter_add(x, [0, 1], x[:2]), strew.OverlapError, "values shares memory with out; pass a copy of values"),
    "the mean of bools": (lambda x: strew.scatter_mean(x > 0, [0], True), strew.UnsupportedError, "strew.scatter_mean: "),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_a_reason(what):
    call, kind, text = REFUSED[what]
    x = np.zeros((3, 64))
    with pytest.raises(kind, match=text):
        call(x)
    assert not x.any()


@pytest.mark.parametrize("dtype, number, fits", [
    ("i4", 7, True), ("i4", 7.0, True), ("i4", True, True), ("i4", 7.5, False), ("i4", 2**31, False), ("i4", float("nan"), False), ("u1", -1, False),
    ("f4", 0.1, True), ("f4", 1e40, False), ("f4", float("inf"), True), ("f4", 1j, False), ("f2", 65520, False), ("?", 1, True), ("?", 2, False),
    ("c8", 1j, True), ("c8", 2, True), ("f8", np.float32(0.1), True)])
def test_a_number_must_be_one_that_the_type_holds(dtype, number, fits):
    x = np.zeros(2, dtype)
    if fits:
        assert strew.scatter(x, [1], number).tolist() == [0, np.array(number).astype(dtype)[()]]
    else:
        with pytest.raises(strew.ArgumentError, match=r"strew.scatter: values? .*, got "):
            strew.scatter(x, [1], number)
        assert not x.any()


def test_lists_take_the_type_of_out():
    assert strew.scatter_add(np.zeros(2, np.float16), [0], [1.5]).dtype == np.float16
    with pytest.raises(strew.Error, match="strew.scatter_add: values"):
        strew.scatter_add(np.zeros(2, int), [0], [1.5])


def test_they_stand_in_the_package():
    assert strew.scatter_add.__module__ == "strew" and strew.scatter_add.plan.__qualname__ == "scatter_add.plan"
    assert pickle.loads(pickle.dumps(strew.gather)) is strew.gather
    assert repr(strew.scatter_add) == "<strew.scatter_add(out, index, values, *, threads=None)>"
    assert strew.scatter_add.plan(np.zeros(3), [1]).operator == "strew.scatter_add"
    assert "writes into out, and returns it" in strew.scatter_add.__doc__ and not strew.scatter_add.returns_nothing
    assert strew.numpy.add_at.returns_nothing and not strew.pytorch.scatter_.returns_nothing
    assert str(inspect.signature(strew.scatter_add.plan)) == "(out, index, *, dtype=None, threads=None)"
    assert strew.explain(strew.scatter_add, np.zeros(3), [1], 2.0).startswith("strew.scatter_add on float64 [3]\n")
    with pytest.raises(AttributeError, match="strew.gather has no plan"):
        strew.gather.plan
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("strew.strew")
