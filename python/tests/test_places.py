"""The numbers of the rows that calls address."""

import doctest
import math

import numpy as np
import pytest

import strew
from support import arguments_of, operator_of, recorded, same
from test_golden import SYSTEMS
from test_plan import Example, scatters


@pytest.mark.parametrize("system", SYSTEMS)
def test_gathers_read_the_rows_that_are_listed(system):
    """The elements of the source are their own numbers, plus one: points that are skipped read 0."""
    results = 0
    for case in recorded(system):
        if "gather" not in case["op"]:
            continue
        operator, arguments = operator_of(case), arguments_of(case)
        source = operator.parameters[0][0]
        numbers = arguments[source] = np.arange(1, arguments[source].size + 1).reshape(arguments[source].shape)
        try:
            expected = operator(**arguments)
        except strew.Error as error:
            with pytest.raises(strew.Error) as listed:
                strew.places(operator, **arguments)
            assert str(listed.value) == str(error)
            continue
        places = strew.places(operator, **arguments)
        assert places.dtype == np.int64 and places.shape == expected.shape[: places.ndim]
        if expected.size:
            rows = expected.reshape(*places.shape, -1)
            assert same(places, np.where(rows[..., 0] == 0, -1, (rows[..., 0] - 1) // rows.shape[-1])), case["id"]
        results += 1
    assert results > 5 or system == "numpy"


@pytest.mark.parametrize("system", SYSTEMS)
def test_recorded_scatters(system):
    """A list has the shape of the points, its rows exist, and its errors are those of the plan, which reads the same indices."""
    results = 0
    for case in scatters(recorded(system)):
        example = Example(case)
        arguments = example.arguments()
        arguments.pop(example.updates)
        try:
            plan = example.operator.plan(**arguments)
        except strew.Error as error:
            with pytest.raises(strew.Error) as listed:
                strew.places(example.operator, **arguments)
            assert str(listed.value) == str(error)
            continue
        places = strew.places(example.operator, **arguments)
        assert places.dtype == np.int64
        assert places.size == 0 or -1 <= places.min() <= places.max() < math.prod(size for size in plan.out_shape if size)
        results += 1
    assert results > 300


def test_are_rows_of_the_output():
    x = np.zeros((3, 4, 5))
    index = np.array([[[2, 0], [1, 1]]])
    assert strew.places(strew.pytorch.scatter_add_, x, 1, index).tolist() == [[[2 * 5, 0 * 5 + 1], [1 * 5, 1 * 5 + 1]]]
    assert strew.places(strew.pytorch.index_add_, x, 2, np.array([4, 0])).tolist() == [4, 0]
    assert strew.places(strew.numpy.add_at, x, ([1, -1], slice(None), [2, 3])).tolist() == [1 * 5 + 2, 2 * 5 + 3]
    assert strew.places(strew.onnx.scatter_nd, x, np.array([[2, 3]])).tolist() == [2 * 4 + 3]
    # A key that narrows the array: rows of that part.
    assert strew.places(strew.numpy.add_at, x, (slice(2, 0, -1), [1, 3, 1], slice(None, None, 2))).tolist() == [1, 3, 1]
    mask = np.zeros((3, 4), bool)
    mask[1, 2] = mask[2, 0] = True
    assert strew.places(strew.numpy.add_at, x, mask).tolist() == [6, 8]


def test_arrays_may_be_placeholders():
    empty = np.broadcast_to(np.zeros((), np.float32), (1 << 30, 1 << 20))
    assert strew.places(strew.pytorch.index_add, empty, 0, np.array([5, (1 << 30) - 1])).tolist() == [5, (1 << 30) - 1]
    assert strew.places(strew.numpy.add_at, empty, ([1, -1], [2, -1])).tolist() == [(1 << 20) + 2, (1 << 50) - 1]


def test_skipped_points():
    indices = np.array([[1], [9], [0], [-1]])
    tensor = np.zeros((3, 2), np.float32)
    expected = [1, -1, 0, -1]
    assert strew.places(strew.tensorflow.scatter_nd, indices, shape=(3, 2), bad_indices_policy="IGNORE").tolist() == expected
    assert strew.places(strew.tensorflow.tensor_scatter_nd_add, tensor, indices, bad_indices_policy="IGNORE").tolist() == expected


def test_options_and_errors():
    index, x = np.array([2, 0]), np.zeros((3, 2))
    for threads in (1, 2):
        assert strew.places(strew.pytorch.index_add_, x, 0, index, threads=threads).tolist() == [2, 0]
    with pytest.raises(strew.BadIndexError, match=r"pytorch.index_add: index 3 is out of bounds .*\(index\[0\] = 3 for axis 0 of size 3"):
        strew.places(strew.pytorch.index_add, x, 0, index + 1)
    with pytest.raises(TypeError, match=r"places\(\) takes an operator of Strew first"):
        strew.places(np.add, x)
    with pytest.raises(TypeError, match="missing required argument: 'index'"):
        strew.places(strew.pytorch.index_add, x, 0)
    with pytest.raises(strew.ArgumentError, match="pytorch.gather: out is not taken here: nothing is written"):
        strew.places(strew.pytorch.gather, x, 0, np.array([[1, 0]]), out=np.zeros((1, 2)))


def test_documented():
    examples = doctest.DocTestParser().get_doctest(strew.places.__doc__, {}, "places", None, 0)
    assert len(examples.examples) >= 3 and doctest.DocTestRunner().run(examples).failed == 0
    assert "places" in strew.__all__
