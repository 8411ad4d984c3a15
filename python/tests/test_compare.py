"""strew.compare: runs every dialect that has an operator for the input, and is judged by plain loops."""

import doctest
import itertools
import math
import os
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import strew

FORMS = ("elements", "rows", "tuples")
ALL = {"assign", "add", "sub", "mul", "min", "max", "mean"}
# The reductions that each dialect supports, in any form.
EXACT = {"assign", "add", "mul", "min", "max"}
TENSORFLOW = {"assign", "add", "sub", "min", "max"}
NUMPY = {"add", "sub", "mul", "min", "max"}
ALONG = {"pytorch": EXACT | {"mean"}, "paddle": EXACT | {"mean"}, "onnx": EXACT, "directml": {"assign"}, "tensorflow": TENSORFLOW,
         "numpy": NUMPY | {"assign"}, "strew": NUMPY | {"assign"}}
WITH_ROWS = ALONG | {"pytorch": ALL}  # index_add takes alpha = -1
WITH_TUPLES = {"pytorch": set(), "paddle": {"add"}, "onnx": EXACT, "directml": {"assign"}, "tensorflow": TENSORFLOW, "numpy": NUMPY,
               "strew": NUMPY | {"assign"}}


def points_of(data, indices, updates, axis):
    """Each place, as a coordinate tuple without wrapped indices, with its updates, in order."""
    if axis is None:
        for point in np.ndindex(indices.shape[:-1]):
            place = tuple(int(i) for i in indices[point])
            for rest in np.ndindex(data.shape[len(place):]):
                yield place + rest, updates[point + rest]
        return
    for point in np.ndindex(updates.shape):
        place = list(point)
        place[axis] = int(indices[point if indices.ndim == data.ndim else point[axis]])
        yield tuple(place), updates[point]


def expected(data, indices, updates, axis, reduction):
    out, counts = data.copy(), np.ones(data.shape, int)
    steps = {"assign": lambda old, new: new, "add": lambda old, new: old + new, "sub": lambda old, new: old - new,
             "mul": lambda old, new: old * new, "min": min, "max": max, "mean": lambda old, new: old + new}
    for place, update in points_of(data, indices, updates, axis):
        out[place] = steps[reduction](out[place], update)
        counts[place] += 1
    if reduction != "mean":
        return out
    return out // counts if out.dtype.kind == "i" else (out / counts.astype(out.dtype)).astype(out.dtype)


# Data, and the shapes of indices and updates, with the axis.
SHAPES = {
    "elements": [
        ((5,), (7,), 0), ((4, 3), (6, 3), 0), ((4, 3), (4, 5), 1), ((4, 3), (2, 2), 0), ((4, 3), (2, 1), 0), ((4, 3), (1, 2), -1),
        ((2, 3, 4), (2, 5, 4), 1), ((2, 3, 4), (1, 5, 1), -2), ((3, 1, 2), (3, 1, 9), 2)],
    "rows": [
        ((4, 3), (6,), 0), ((4, 3), (6,), 1), ((4, 3), (2,), -1), ((4, 3), (2,), -2), ((2, 3, 4), (5,), 0), ((2, 3, 4), (5,), 1),
        ((2, 3, 4), (5,), 2), ((5, 1), (7,), 0)],
    "tuples": [
        ((5,), (7, 1), None), ((5,), (2, 3, 1), None), ((4, 3), (6, 1), None), ((4, 3), (6, 2), None),
        ((4, 3), (2, 3, 2), None), ((4, 3), (2, 3, 1), None), ((2, 3, 4), (2, 2, 2, 3), None),
        ((2, 3, 4), (3, 2, 2), None), ((2, 3, 4), (3, 2, 1), None), ((3, 3, 3), (3, 3, 3), None)],
}
CASES = [(form, *case) for form in FORMS for case in SHAPES[form]]


def updates_shape(data, indices, axis):
    if axis is None:
        return indices[:-1] + data[indices[-1]:]
    if len(indices) == len(data):
        return indices
    sizes = list(data)
    sizes[axis] = indices[0]
    return tuple(sizes)


def question(data, indices, axis, dtype, index_dtype="int64", seed=3):
    """Random numbers, few enough that sums and products are exact, with duplicate indices."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 9, data).astype(dtype)
    extents = data[:indices[-1]] if axis is None else data[axis]
    places = rng.integers(0, extents, indices).astype(index_dtype)
    return values, places, rng.integers(1, 4, updates_shape(data, indices, axis)).astype(dtype)


def able(form, data, indices, axis):
    """Which dialects can express which input: a tuple of one index selects a row, and so does an element of a vector."""
    if form == "tuples" and indices[-1] > 1:
        return WITH_TUPLES
    return ALONG if form == "elements" and len(data) > 1 else WITH_ROWS


@pytest.mark.parametrize("form, data, indices, axis", CASES)
@pytest.mark.parametrize("dtype, index_dtype", [("float32", "int64"), ("int32", "int32"), ("float32", "int32")])
def test_every_dialect_is_asked_the_same(form, data, indices, axis, dtype, index_dtype):
    values, places, changes = question(data, indices, axis, dtype, index_dtype)
    for reduction in sorted(ALL):
        answers = strew.compare(values, places, changes, axis=axis, reduction=reduction)
        want = expected(values, places, changes, axis, reduction)
        for dialect, answer in answers.items():
            can = reduction in able(form, data, indices, axis)[dialect]
            assert (answer.operator is not None) == can, (dialect, reduction)
            if answer.error is not None and answer.error.code == "axis":
                assert dialect == "directml" and axis < 0, answer  # which counts no axis from the end
            elif answer.error is not None:
                assert answer.error.code == "dtype" and answer.operator == "scatter_nd" and index_dtype == "int32", answer
            elif can:
                assert answer.result.dtype == dtype and np.array_equal(answer.result, want), (dialect, reduction, answer, want)
        assert answers.agree or axis is not None and axis < 0


@pytest.mark.parametrize("form, data, indices, axis", CASES)
@pytest.mark.parametrize("bad", [100, -100])
def test_every_dialect_sees_a_bad_index(form, data, indices, axis, bad):
    values, places, changes = question(data, indices, axis, "float32")
    places[(0,) * places.ndim] = bad
    for reduction in sorted(ALL):
        for answer in strew.compare(values, places, changes, axis=axis, reduction=reduction).values():
            assert answer.operator is None or answer.error.code == "axis" or answer.error.bad_index.value == bad, answer


@pytest.mark.parametrize("form, data, indices, axis", CASES)
def test_negative_indices_count_where_they_do(form, data, indices, axis):
    values, places, changes = question(data, indices, axis, "float32")
    extents = np.array(data[:indices[-1]] if axis is None else data[axis])
    for reduction in sorted(ALL):
        want = expected(values, places, changes, axis, reduction)
        for dialect, answer in strew.compare(values, places - extents, changes, axis=axis, reduction=reduction).items():
            if dialect in ("tensorflow", "pytorch", "strew"):
                assert answer.operator is None or isinstance(answer.error, IndexError)
            elif answer.operator is not None and (dialect != "directml" or axis is None or axis >= 0):
                assert np.array_equal(answer.result, want), (dialect, reduction)


@pytest.mark.parametrize("form, data, indices, axis", CASES)
def test_indices_of_few_bits(form, data, indices, axis):
    """Coordinates that are added to them need not fit their type."""
    values, places, changes = question((*data[:-1], 300), indices[:-1] + (300,) if form == "elements" and axis == 0 and len(data) > 1
                                       else indices, axis, "float32", "int16")
    places = (places % 100).astype(np.uint8) if form == "elements" else places.astype(np.uint16)
    answer = strew.compare(values, places, changes, axis=axis, reduction="add")["numpy"]
    assert np.array_equal(answer.result, expected(values, places, changes, axis, "add"))


@pytest.mark.parametrize("data, indices", [((5,), (1,)), ((4, 3), (2,)), ((4, 3), (1,))])
def test_a_single_tuple(data, indices):
    values, places, changes = question(data, indices, None, "float32")
    for reduction in sorted(ALL):
        answers = strew.compare(values, places, changes, reduction=reduction)
        want = expected(values, places, changes, None, reduction)
        for dialect, answer in answers.items():
            if answer.operator is not None and dialect != "tensorflow":
                assert np.array_equal(answer.result, want), (dialect, reduction, answer)
        if reduction in TENSORFLOW:  # which wants indices of rank 2 at least
            assert isinstance(answers["tensorflow"].error, strew.ShapeError)


@pytest.mark.parametrize("points", [(), (3,), (2, 2)])
def test_tuples_without_an_index_name_everything(points):
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    updates = np.random.default_rng(1).integers(1, 4, (*points, 2, 3)).astype(np.float32)
    indices = np.zeros((*points, 0), np.int64)
    for reduction in sorted(ALL):
        want = expected(data, indices, updates, None, reduction)
        answers = strew.compare(data, indices, updates, reduction=reduction)
        for dialect in ("pytorch", "paddle", "onnx", "numpy", "strew"):
            can = reduction in WITH_ROWS[dialect]
            assert (answers[dialect].operator is not None) == can and (not can or np.array_equal(answers[dialect].result, want))


OPERATORS = {
    ("elements", (4, 3), (2, 3), 0, "assign"): ["tensor_scatter_nd_update", "scatter", "put_along_axis", "scatter_elements", "scatter",
                                                "put_along_axis", "scatter"],
    ("elements", (4, 3), (2, 2), 0, "assign"): ["tensor_scatter_nd_update", "scatter", "put_along_axis", "scatter_elements", "scatter_nd",
                                                "put_along_axis", "scatter"],
    ("elements", (4, 3), (2, 3), 0, "sub"): ["tensor_scatter_nd_sub", None, None, None, None, "subtract_at", "scatter_sub"],
    ("rows", (4, 3), (2,), 0, "assign"): ["tensor_scatter_nd_update", "index_copy", "scatter", "scatter_nd", "scatter_nd",
                                          "put_along_axis", "scatter"],
    ("rows", (4, 3), (2,), 1, "add"): ["tensor_scatter_nd_add", "index_add", "index_add", "scatter_elements", None, "add_at", "scatter_add"],
    ("rows", (4, 3), (2,), 1, "mean"): [None, "scatter_reduce", "put_along_axis", None, None, None, None],
    ("rows", (4, 3), (2,), 0, "sub"): ["tensor_scatter_nd_sub", "index_add", None, None, None, "subtract_at", "scatter_sub"],
    ("tuples", (4, 3), (2, 1), None, "add"): ["tensor_scatter_nd_add", "index_add", "scatter_nd_add", "scatter_nd", None, "add_at", "scatter_add"],
    ("tuples", (4, 3), (2, 2), None, "assign"): ["tensor_scatter_nd_update", None, None, "scatter_nd", "scatter_nd", None, "scatter"],
}


@pytest.mark.parametrize("case", OPERATORS)
def test_the_closest_operator_is_asked(case):
    form, data, indices, axis, reduction = case
    answers = strew.compare(*question(data, indices, axis, "float32"), axis=axis, reduction=reduction)
    assert [answer.operator for answer in answers.values()] == OPERATORS[case]


def test_shapes_that_do_not_fit():
    """Dialects that have an operator for such indices report the error; none crashes."""
    shapes = [(), (0,), (1,), (3,), (2, 3), (4, 1), (1, 1, 1), (0, 2), (2, 0), (3, 2, 1)]
    for data, indices, updates in itertools.product(shapes, repeat=3):
        for axis in (None, *range(-len(data), len(data))):
            for reduction in ("assign", "add", "mean"):
                answers = strew.compare(np.ones(data), np.zeros(indices, int), np.ones(updates), axis=axis, reduction=reduction)
                assert list(answers) == ["tensorflow", "pytorch", "paddle", "onnx", "directml", "numpy", "strew"]
                assert all(answer.error or answer.operator is None or answer.result.shape == data for answer in answers.values())
                assert isinstance(answers.agree, bool) and len(repr(answers)) < 8000


def test_indices_are_integers():
    for indices in ([0.5], [True], ["a"], np.array([0.0])):
        with pytest.raises(strew.DtypeError, match="compare: indices must be integers, got"):
            strew.compare([1.0, 2.0], indices, [1.0], axis=0)


def test_true_has_no_opposite():
    assert strew.compare([True, False], [0], [True], axis=0, reduction="sub")["pytorch"].operator is None


@pytest.mark.parametrize("data, indices, axis", [((10**6,), (10**6,), 0), ((1000, 1000), (1000,), 1), ((2,) * 20, (5, 1), None)])
def test_what_is_printed_is_short(data, indices, axis):
    answers = strew.compare(*question(data, indices, axis, "float32"), axis=axis, reduction="add")
    for text in (str(answers), repr(answers), answers._repr_html_(), repr(dict(answers)), *map(repr, answers.values())):
        assert 20 < len(text) < 8000
    words = strew.compare(["a" * 10**6, "b"], [1], ["c" * 10**6], axis=0)
    assert 20 < len(repr(words)) < 8000 and len(repr(words["numpy"])) < 1100


def test_large_arrays_are_shown_by_their_ends():
    data = np.zeros(1000)
    assert str(strew.compare(data, [0, -1], [1.0, 2.0], axis=0)["numpy"]) == "[1.0, 0.0, 0.0, ..., 0.0, 0.0, 2.0]"
    shown = str(strew.compare(np.zeros((4, 50)), [[0]], [[1.0]], axis=1)["numpy"])
    rest = "[0.0, 0.0, 0.0, ..., 0.0, 0.0, 0.0]"
    assert shown == f"[[1.0, 0.0, 0.0, ..., 0.0, 0.0, 0.0], {rest}, {rest}, {rest}]"


def test_agree_looks_at_what_is_not_shown():
    data = np.zeros(1000, np.float16)
    data[500] = 2048
    answers = strew.compare(data, [500] * 4, np.ones(4, np.float16), axis=0, reduction="add")
    assert answers["pytorch"].result[500] == 2052 and answers["onnx"].result[500] == 2048 and not answers.agree


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, ml_dtypes.bfloat16])
def test_agree_knows_nan_and_zeros(dtype):
    data = np.array([math.nan, 1, 0], dtype)
    assert strew.compare(data, [1], np.array([math.nan], dtype), axis=0).agree
    answers = strew.compare(data, [2], np.array([-0.0], dtype), axis=0)
    assert answers.agree and np.signbit(answers["onnx"].result[2].real)
    if dtype == np.float32:
        assert not strew.compare(data, [2], np.array([-0.0], dtype), axis=0, reduction="max").agree


def test_strings_have_room():
    answers = strew.compare(["a", "b"], [0, 0], ["cc", "ddd"], axis=0, reduction="add")
    assert answers["numpy"].result.tolist() == answers["tensorflow"].result.tolist() == ["accddd", "b"]
    assert strew.compare(["a", "b"], [[1]], ["long"]).agree


def test_along_an_axis():
    answers = strew.compare(np.zeros((1, 3), np.float32), [[1]], np.array([[5]], np.float32), axis=1)
    assert {name: answer.operator for name, answer in answers.items()} == {
        "tensorflow": "tensor_scatter_nd_update", "pytorch": "scatter", "paddle": "put_along_axis", "onnx": "scatter_elements",
        "directml": "scatter", "numpy": "put_along_axis", "strew": "scatter"}
    assert all(answer.result.tolist() == [[0, 5, 0]] for answer in answers.values() if answer.operator)
    assert answers.agree


def test_with_tuples():
    answers = strew.compare([[1, 2], [3, 4]], [[1], [1]], [[10, 10], [1, 1]], reduction="add")
    said = {name: answer.result.tolist() for name, answer in answers.items() if answer.operator}
    assert said == dict.fromkeys(["tensorflow", "pytorch", "paddle", "onnx", "numpy", "strew"], [[1, 2], [14, 15]])


def test_shows_where_they_differ():
    answers = strew.compare([1.0, 2.0, 3.0], [-1], [9.0], axis=0, reduction="max")
    assert not answers.agree
    assert isinstance(answers["tensorflow"].error, IndexError) and answers["paddle"].result.tolist() == [1, 2, 9]
    lines = str(answers).splitlines()
    assert len(lines) == 7 and re.fullmatch(r"onnx +scatter_elements +\[1\.0, 2\.0, 9\.0\]", lines[3])
    assert lines[4].split(maxsplit=1) == ["directml", "cannot express it"]
    assert "<td>scatter_elements</td><td>[1.0, 2.0, 9.0]</td>" in answers._repr_html_()


def test_a_reason_for_every_refusal():
    answers = strew.compare([1.0], [[0]], [2.0], reduction="mean")
    assert {name: answer.reason for name, answer in answers.items() if answer.operator is None} == {
        name: f"{name} has no mean" for name in ("tensorflow", "onnx", "directml", "numpy")} | {"strew": answers["strew"].reason}
    assert answers["pytorch"].reason is None and answers["directml"].reason == "directml has no mean"


def test_mine():
    x = np.array([1, 2, 3, 4], np.float32)
    answers = strew.compare(x, [0, -1], [10, 20], axis=0, reduction="add", mine=np.array([11, 2, 3, 24], np.float32))
    assert answers.mine.agrees_with == ("paddle", "onnx", "numpy") and answers.mine.differs_from == {}
    assert str(answers.mine) == ("Yours agrees with paddle, onnx and numpy. tensorflow, pytorch and strew reject it.")
    assert str(answers).endswith(str(answers.mine))
    answers = strew.compare(x, [0, -1], [10, 20], axis=0, reduction="add", mine=[1, 2, 3, 24])
    assert answers.mine.agrees_with == () and answers.mine.differs_from["onnx"] == (True, 1, [(0,)])
    assert "differs from paddle, onnx and numpy at [0]" in str(answers)
    answers = strew.compare(x, [0], [10], axis=0, mine=np.zeros((2, 2), np.float32))
    assert answers.mine.differs_from["onnx"].same_form is False and "in dtype or shape" in str(answers.mine)
    assert strew.compare(x, [0], [10], axis=0).mine is None


def test_mine_of_large_arrays_is_short():
    x = np.zeros(10**6)
    mine = strew.compare(x, [0], [1.0], axis=0, mine=x + 1).mine
    assert mine.differs_from["onnx"].elements == 10**6 - 1 and len(mine.differs_from["onnx"].positions) == 10
    assert len(str(mine)) < 500 and "999,995 more" in str(mine)


def test_pictures_of_every_different_answer():
    answers = strew.compare(np.array([2048], np.float16), [0] * 4, np.ones(4, np.float16), axis=0, reduction="add")
    html = answers._repr_html_()
    assert html.count("<svg") == 2 and "= 2048" in html and "= 2052" in html and html.startswith("<p>They disagree: ")


def test_leaves_its_input_alone():
    x = np.zeros(3)
    strew.compare(x, [0], [1.0], axis=0, reduction="add")
    assert not x.any()
    with pytest.raises(ValueError, match="reduction must be one of assign, add, sub, mul, min, max, mean, got 'sum'"):
        strew.compare(x, [0], [1.0], axis=0, reduction="sum")


def test_takes_a_list_like_the_operators():
    answers = strew.compare(np.zeros(3, np.float32), [0], [9.0], axis=0)
    assert answers["pytorch"].result.tolist() == [9, 0, 0] and answers.agree


def test_cuts_no_numbers():
    with pytest.raises(strew.DtypeError, match="compare: updates contains float64 values, which int64 cannot represent"):
        strew.compare([1, 2], [0], [1.5], axis=0)
    with pytest.raises(strew.ShapeError, match="compare: data is a list whose parts differ in size"):
        strew.compare([[1], [2, 3]], [0], [1], axis=0)
    assert strew.compare(["a", "b"], [0], ["c"], axis=0)["tensorflow"].result.tolist() == ["c", "b"]


def test_of_one_index():
    along, tuples = strew.compare([1.0, 2.0], 1, 5.0, axis=0, reduction="add"), strew.compare([1.0, 2.0], 1, 5.0, reduction="add")
    assert along["pytorch"].result.tolist() == tuples["numpy"].result.tolist() == [1, 7]
    assert isinstance(along["paddle"].error, strew.ShapeError) and along["numpy"].operator is None
    assert isinstance(tuples["tensorflow"].error, strew.ShapeError)


def test_counts_only_who_takes_the_dtype():
    answers = strew.compare([1.0, 2.0, 3.0], [0], [9.0], axis=0)
    assert answers["directml"].error.code == "dtype" and answers.agree


@pytest.mark.parametrize("axis, kind", [(5, strew.AxisError), ("x", TypeError)])
def test_refuses_an_axis_that_is_none(axis, kind):
    with pytest.raises(kind):
        strew.compare([1.0, 2.0, 3.0], [0], [9.0], axis=axis)


def strings(*values):
    made = np.empty(len(values), object)
    made[:] = values
    return made


def test_text_of_mixed_kinds_is_an_error_of_strew():
    with pytest.raises(strew.ArrayError, match="compare: UnicodeDecodeError: "):
        strew.compare(strings(b"\xff", "b"), [1], strings("q"), axis=0)


def test_methods_of_text_are_not_called():
    class Text(str):
        def encode(self, *_):
            indices.resize(1, refcheck=False)
            return 5

    indices = np.zeros(1 << 16, np.int64)
    updates = np.full(indices.size, "x", object)
    updates[0] = Text("y")
    answers = strew.compare(strings("a", "b"), indices, updates, axis=0)
    assert indices.size == 1 << 16
    assert answers["onnx"].result.tolist() == ["x", "b"]


# Any code may run when Python collects garbage.
COLLECTED = """
import gc
import numpy as np, strew

count = 1 << 16
data, updates = np.full(4, "a", object), np.full(count, "x", object)
for wait in range(180):
    indices, mine = np.zeros(count, np.int64), np.full(4, "x", object)
    arguments = indices[:], np.asarray(memoryview(indices)), indices
    left = [wait // 3]

    def collected(phase, _):
        left[0] -= 1
        if left[0] == 0:
            indices.resize(1, refcheck=False)

    gc.callbacks.append(collected)
    gc.set_threshold(1)
    try:
        answers = strew.compare(data, arguments[wait % 3], updates, axis=0, mine=mine)
        assert not isinstance(answers["onnx"].error, strew.BadIndexError), answers["onnx"]  # memory that was used again
    except strew.Error:
        pass
    finally:
        gc.set_threshold(700)
        gc.callbacks.clear()
print("done")
"""


def test_addresses_are_taken_when_all_arrays_are_read():
    run = subprocess.run([sys.executable, "-c", COLLECTED], capture_output=True, text=True, timeout=120,
                         env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "16384"})
    assert run.stdout == "done\n", run.stderr


def test_doctest():
    examples = doctest.DocTestParser().get_doctest(strew.compare.__doc__, {}, "compare", None, 0)
    assert len(examples.examples) >= 4 and doctest.DocTestRunner().run(examples).failed == 0
