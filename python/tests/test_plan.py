"""Plans of all operators, in all forms of calling them: the bits of the call, no references kept, and helpful errors."""

import doctest
import gc
import inspect
import json
import os
import pickle
import subprocess
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import strew
from support import arguments_of, bits, dtype_name, operator_of, recorded, same
from test_golden import SYSTEMS
from test_oracle import DIALECTS as ALL_DIALECTS, PROGRAM, has_strided_strings

SCATTERS = [op for op in strew.list() if hasattr(op, "plan")]
RNG = np.random.default_rng(11)


def name_of(operator):
    return f"{operator.dialect}.{operator.__name__}"


def updates_name(operator):
    planned = {parameter[0] for parameter in operator.plan.parameters}
    return next(parameter[0] for parameter in operator.parameters if parameter[0] not in planned)


def spoil(value):
    """Overwrites indices, so that a second read of them is detected."""
    for part in value if isinstance(value, tuple) else [value]:
        if isinstance(part, np.ndarray) and part.size and part.flags.writeable:
            part[...] = ~part if part.dtype == bool else np.iinfo(part.dtype).max if part.dtype.kind in "iu" else 0


class Example:
    """A case as a plan and the arguments that it is applied to, in separate memory."""

    def __init__(self, case):
        self.case = case
        self.operator = operator_of(case)
        self.updates = updates_name(self.operator)
        self.first, self.first_kind = self.operator.parameters[0][:2]
        self.starts_from_zeros = self.first_kind == "indices"

    def arguments(self):
        arguments = arguments_of(self.case)
        for name, kind, _, _ in self.operator.parameters:
            if kind.endswith(" or None"):
                arguments.setdefault(name, None)
        return arguments

    def called(self):
        arguments = self.arguments()
        result = self.operator(**arguments)
        return arguments[self.first] if result is None else result

    def dtype_of(self, updates):
        """The plan's arguments about its updates. A number has a dtype only in NumPy's ufuncs, which promote."""
        if not isinstance(updates, np.ndarray) and not self.operator.__name__.endswith("_at"):
            return None
        return dtype_name(np.asarray(updates))

    def plan(self):
        arguments = self.arguments()
        updates = arguments.pop(self.updates)
        plan = self.operator.plan(**arguments, dtype=self.dtype_of(updates))
        for name, kind, _, _ in self.operator.parameters:
            if kind in ("indices", "index_key", "columns"):
                spoil(arguments[name])
        self.spoilt = arguments  # their memory must not come back as somebody else's
        return plan

    def ways(self, expected):
        """Each way to apply the plan, as a function of it and fresh arguments."""
        if self.operator.in_place:
            yield "out", lambda plan, a: plan(a[self.updates], out=a[self.first])
        elif self.starts_from_zeros:
            yield "alone", lambda plan, a: plan(a[self.updates])
            if expected is not None:
                yield "out", lambda plan, a: plan(a[self.updates], out=expected.copy())
        else:
            yield "base", lambda plan, a: plan(a[self.updates], base=a[self.first])
            yield "base and out", lambda plan, a: plan(a[self.updates], base=a[self.first], out=np.array(a[self.first]))
            yield "out", lambda plan, a: plan(a[self.updates], out=np.array(a[self.first]))

    def differences(self):
        """What a plan does otherwise than the call; also whether there is a result."""
        try:
            expected = self.called()
        except strew.Error as error:
            return self.differences_from_error(error), False
        plan = self.plan()
        wrong = []
        for way, apply in self.ways(expected):
            got = apply(plan, self.arguments())
            if not same(expected, got):
                wrong.append(f"{self.case['id']}, {way}: {got!r}, not {expected!r}")
        return wrong, True

    def differences_from_error(self, error):
        if error.code == "overlap":  # a plan holds no indices that could overlap anything
            return []
        try:
            plan = self.plan()
        except strew.Error as planned:
            # Other things may be wrong as well, and a plan sees indices before updates.
            both_index = error.code == planned.code == "index"
            return [f"{self.case['id']}: {planned}, not {error}"] if both_index and str(planned) != str(error) else []
        if error.code == "index":
            return [f"{self.case['id']}: no error for the plan, but {error}"]
        wrong = []
        for way, apply in self.ways(None):
            arguments = self.arguments()
            before = bits(arguments[self.first]) if not self.starts_from_zeros else None
            try:
                wrong.append(f"{self.case['id']}, {way}: {apply(plan, arguments)!r}, but {error}")
            except strew.Error:
                if before is not None and bits(arguments[self.first]) != before:
                    wrong.append(f"{self.case['id']}, {way}: changed by a call that failed")
        return wrong


def judge(cases, kind=Example):
    """Returns the number of results, after checking all failures."""
    wrong, results = [], 0
    for case in cases:
        said, has_result = kind(case).differences()
        wrong += said
        results += has_result
    assert not wrong, f"{len(wrong)} of them\n" + "\n".join(wrong[:20])
    return results


def scatters(cases):
    return [case for case in cases if "gather" not in case["op"]]


@pytest.mark.parametrize("system", SYSTEMS)
def test_recorded_cases(system):
    assert judge(scatters(recorded(system))) > 300


@pytest.mark.skipif(bool(os.environ.get("STREW_WITHOUT_CASES")), reason="STREW_WITHOUT_CASES is set")
@pytest.mark.parametrize("dialect", ALL_DIALECTS)
def test_random_cases(dialect):
    assert PROGRAM.exists(), f"{PROGRAM} is not built; STREW_WITHOUT_CASES=1 leaves this test out"
    generate = [str(PROGRAM), "generate", "--count", "150", "--seed", "9", "--op", dialect]
    run = subprocess.run(generate, capture_output=True, text=True, check=True)
    cases = scatters(case for case in map(json.loads, run.stdout.splitlines()) if not has_strided_strings(case))
    operators = {name_of(op) for op in SCATTERS if op.dialect == dialect}
    assert {f"{dialect}.{case['op']}" for case in cases} == operators
    assert judge(cases) > 50 * len(operators)


def test_every_scatter_has_one_and_no_gather():
    assert {name_of(op) for op in strew.list()} - {name_of(op) for op in SCATTERS} == {
        "tensorflow.gather_nd", "pytorch.gather", "paddle.gather_nd", "onnx.gather_elements", "onnx.gather_nd",
        "directml.gather_elements", "directml.gather_nd", "strew.gather"}
    with pytest.raises(AttributeError, match="strew.pytorch.gather has no plan: only operators that scatter have one"):
        strew.pytorch.gather.plan


@pytest.mark.parametrize("op", SCATTERS, ids=name_of)
def test_plan_functions_are_documented(op):
    examples = doctest.DocTestParser().get_doctest(op.plan.__doc__, {}, op.__name__, None, 0)
    assert len(examples.examples) >= 3 and doctest.DocTestRunner().run(examples).failed == 0
    own = [parameter[0] for parameter in op.parameters if parameter[0] != updates_name(op)]
    assert list(inspect.signature(op.plan).parameters) == [*own, "dtype", "threads"]
    assert f"plan: {op.__name__}.plan{inspect.signature(op.plan)} reads" in op.__doc__
    assert pickle.loads(pickle.dumps(op.plan)) is op.plan


def test_doctest_of_the_class():
    examples = doctest.DocTestParser().get_doctest(strew.Plan.__doc__, {}, "Plan", None, 0)
    assert len(examples.examples) >= 3 and doctest.DocTestRunner().run(examples).failed == 0


def rows_plan(operator=strew.pytorch.index_add_, dtype=np.float32):
    return operator.plan(np.zeros((4, 3), dtype), 1, np.array([2, 0]))


def test_what_a_plan_says_about_itself():
    plan = rows_plan()
    assert (plan.operator, plan.updates_shape, plan.updates_dtype) == ("strew.pytorch.index_add_", (4, 2), "float32")
    assert (plan.out_shape, plan.out_dtype, plan.nbytes) == ((4, 3), "float32", 8)
    assert repr(plan) == "<plan of strew.pytorch.index_add_: float32 [4, 2] into float32 [4, 3], 8 bytes>"
    lines = str(plan).splitlines()
    assert lines[0] == "plan of pytorch.index_add_ on float32 [4, 3]"
    assert any(line.startswith("  layout: in_order (") for line in lines) and lines[-1].startswith("  bytes: 8 for the indices")
    with pytest.raises(AttributeError):
        plan.nbytes = 3
    with pytest.raises(TypeError):
        strew.Plan()


@pytest.mark.parametrize("key", [
    (slice(None), [0, 1, 2]),
    (1, np.array([[True, False, True], [False] * 3, [True] * 3])),
    (np.array(1), ..., [0, 1]),
    (0, slice(None, None, -1), 2),
    (True, [0, 1]),
    (np.array(False), [0]),
    (None, [0, 1], 1),
    (np.array([False, True]), slice(None), np.array([True, True, False])),
])
def test_keys(key):
    """Shapes are those of NumPy's a[key]; masks and arrays of rank 0 are kept by value."""
    a = np.zeros((2, 3, 3))
    updates, expected = RNG.standard_normal(a[key].shape), a.copy()
    np.add.at(expected, key, updates)
    own = tuple(part.copy() if isinstance(part, np.ndarray) else part for part in key)
    plan = strew.numpy.add_at.plan(a, own)
    for part in own:
        if isinstance(part, np.ndarray):
            part[...] = part == 0
    assert plan.updates_shape == a[key].shape and plan.out_shape == (2, 3, 3)
    assert plan(updates, out=a) is a and same(a, expected)


def test_numbers_as_source():
    x = np.zeros(3)
    scatter = strew.pytorch.scatter_.plan(x, 0, np.array([0, 2]), reduce="add")
    assert scatter(1.5, out=x).tolist() == [1.5, 0, 1.5] and scatter([1, 2], out=x).tolist() == [2.5, 0, 3.5]
    assert strew.paddle.put_along_axis.plan(x, np.array([1]), 0, broadcast=False)(7, base=x).tolist() == [2.5, 7, 3.5]
    assert strew.numpy.put_along_axis.plan(x, np.array([1]), 0)(9, out=x).tolist() == [2.5, 9, 3.5]


def test_a_source_may_be_larger_than_what_the_index_covers():
    x = np.zeros((2, 3))
    plan = strew.pytorch.scatter_add.plan(x, 1, np.array([[2, 2]]))
    assert plan(np.arange(6.0).reshape(2, 3), base=x).tolist() == [[0, 0, 1], [0, 0, 0]]


class Printed:
    """A dtype like Paddle's, whose name differs from its str()."""

    name = "FLOAT64"

    def __str__(self):
        return "paddle.float64"


def test_types_that_are_promoted_must_be_said():
    a = np.zeros(2, np.float32)
    b = np.array([0.1, 0.2])
    with pytest.raises(TypeError, match=r'numpy.add_at: the plan was made for b of float32, got float64; plan\(..., dtype="float64"\)'):
        strew.numpy.add_at.plan(a, [0, 0])(b, out=a)
    expected = a.copy()
    np.add.at(expected, [0, 0], b)
    for dtype in ("float64", np.float64, np.dtype("float64"), b.dtype, Printed()):
        assert same(strew.numpy.add_at.plan(a, [0, 0], dtype=dtype)(b, out=a.copy()), expected)
    with pytest.raises(TypeError, match="numpy.add_at: dtype must be one of bool, int8, .*, got float63"):
        strew.numpy.add_at.plan(a, [0], dtype="float63")


def test_operators_that_start_from_zeros():
    plan = strew.paddle.scatter_nd.plan(np.array([[1], [1]]), [3])
    assert plan.updates_dtype == "float32"
    out = np.full(3, 9, np.float32)
    assert plan([1, 2], out=out) is out and out.tolist() == [0, 3, 0]
    with pytest.raises(TypeError, match=r'paddle.scatter_nd: the plan was made for updates of float32, got int64; plan\(..., dtype="int64"\)'):
        plan(np.array([1, 2]))
    with pytest.raises(TypeError, match="unexpected keyword argument 'base'"):
        plan([1, 2], base=out)


REFUSED = {
    "updates of another shape": (
        lambda x: rows_plan()(np.ones((4, 3), np.float32), out=x), ValueError,
        r"pytorch.index_add_: Number of indices \(2\) should be equal to source.size\(dim\): \(3\), for dim: 1"),
    "updates of another dtype": (
        lambda x: rows_plan()(np.ones((4, 2)), out=x), TypeError,
        r"pytorch.index_add_: self \(float32\) and source \(float64\) must have the same scalar type"),
    "out of another shape": (
        lambda x: rows_plan()(np.ones((4, 2), np.float32), out=np.zeros((5, 3), np.float32)), ValueError,
        r"pytorch.index_add_: out must have shape \[4, 3\], as the plan was made for, got \[5, 3\]"),
    "out of another dtype": (
        lambda x: rows_plan()(np.ones((4, 2), np.float32), out=np.zeros((4, 3))), TypeError,
        "pytorch.index_add_: out must be float32, as the plan was made for, got float64"),
    "base of another shape": (
        lambda x: rows_plan(strew.pytorch.index_add)(np.ones((4, 2), np.float32), base=x[:3]), ValueError,
        r"pytorch.index_add: base must have shape \[4, 3\], as the plan was made for, got \[3, 3\]"),
    "out beside a base of another shape": (
        lambda x: rows_plan(strew.pytorch.index_add)(np.ones((4, 2), np.float32), base=x, out=np.zeros((3, 3), np.float32)), ValueError,
        r"pytorch.index_add: out had shape \[3, 3\], which does not match the required output shape \[4, 3\]"),
    "neither base nor out": (
        lambda x: rows_plan(strew.pytorch.index_add)(np.ones((4, 2), np.float32), base=None), TypeError,
        r"index_add plan\(\) takes an array to start from as base=, or one to write into as out="),
    "no out": (lambda x: rows_plan()(np.ones((4, 2), np.float32)), TypeError, r"index_add_ plan\(\) writes into an array: pass it as out="),
    "no updates": (lambda x: rows_plan()(out=x), TypeError, r"index_add_ plan\(\) missing required argument: 'source'"),
    "a list to write into": (lambda x: rows_plan()(np.ones((4, 2), np.float32), out=x.tolist()), ValueError, "out is a list; pass an array"),
    "updates in the memory that is written": (
        lambda x: strew.onnx.scatter_elements.plan(x, np.zeros((4, 3), int))(x, out=x), strew.OverlapError,
        "updates .* same memory|single memory location|share"),
    "a thread count": (lambda x: rows_plan()(np.ones((4, 2), np.float32), out=x, threads=0), ValueError, "threads must be at least 1"),
    "a bad index": (
        lambda x: strew.pytorch.index_add_.plan(x, 1, np.array([0, 3, 9])), IndexError, r"index\[1\] = 3 for axis 1 of size 3, .*; 1 more"),
    "a bad word": (lambda x: strew.onnx.scatter_nd.plan(x, [[0]], reduction="sum"), ValueError, "reduction must be one of none, add"),
    "updates at plan time": (lambda x: strew.pytorch.index_add_.plan(x, 1, np.array([0]), source=x), TypeError, "keyword argument 'source'"),
    "objects": (
        lambda x: strew.numpy.put_along_axis.plan(np.array([object()]), np.array([0]), 0), TypeError,
        "arr contains object; arrays of objects must contain strings"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_reason(name):
    call, kind, text = REFUSED[name]
    x = RNG.standard_normal((4, 3), dtype=np.float32)
    before = x.copy()
    with pytest.raises(kind, match=text):
        call(x)
    assert same(x, before)


def test_read_only_memory():
    fixed = np.zeros((4, 3), np.float32)
    fixed.flags.writeable = False
    updates = np.ones((4, 2), np.float32)
    assert strew.pytorch.index_add_.plan(fixed, 1, np.array([2, 0])).out_shape == (4, 3)  # it is not written yet
    with pytest.raises(strew.ArrayError, match="pytorch.index_add_: out is read-only; pytorch.index_add returns a new array instead"):
        rows_plan()(updates, out=fixed)
    with pytest.raises(strew.ArrayError, match="pytorch.index_add: out is read-only; without out= the result is a new array"):
        rows_plan(strew.pytorch.index_add)(updates, base=fixed, out=fixed)
    # Where the output starts from what it holds, there must be one.
    with pytest.raises(strew.ArrayError, match="index_add: out is read-only; as base= it is left as it is, and the result is a new array$"):
        rows_plan(strew.pytorch.index_add)(updates, out=fixed)
    assert rows_plan(strew.pytorch.index_add)(updates, base=fixed).sum() == 8
    with pytest.raises(strew.ArrayError, match="numpy.add_at: out is read-only$"):
        strew.numpy.add_at.plan(np.zeros((4, 3), np.float32), [0])(1.0, out=fixed)
    zeros = strew.tensorflow.scatter_nd.plan([[0]], [4, 3], dtype="float32")
    with pytest.raises(strew.ArrayError, match="tensorflow.scatter_nd: out is read-only; without out= the result is a new array$"):
        zeros(np.ones((1, 3), np.float32), out=fixed)
    assert zeros(np.ones((1, 3), np.float32)).sum() == 3


@pytest.mark.parametrize("dtype", [object, "U4", np.dtypes.StringDType()])
def test_strings(dtype):
    words = np.array(["a", "b", "c"], dtype=dtype)
    plan = strew.tensorflow.tensor_scatter_nd_update.plan(words, np.array([[2], [2]]))
    assert plan.updates_dtype == "string"
    updates = np.array(["x", "y"], dtype=dtype)
    changed = plan(updates, base=words)
    assert changed.tolist() == ["a", "b", "y"] and changed.dtype.kind == words.dtype.kind and words.tolist() == ["a", "b", "c"]
    assert plan(updates, out=words) is words and words.tolist() == ["a", "b", "y"]
    glued = np.array(["a", "b"], dtype=dtype)
    assert strew.numpy.add_at.plan(glued, [1, 1])(updates, out=glued).tolist() == ["a", "bxy"]


def test_nothing_of_the_callers_is_kept():
    class Array(np.ndarray):
        """One that can be watched."""

    arrays = [np.zeros(4).view(Array), np.array([1, 2]).view(Array), np.array([True, False, True, False]).view(Array)]
    watched = [weakref.ref(array) for array in arrays]
    plans = [strew.pytorch.index_add_.plan(arrays[0], 0, arrays[1]), strew.numpy.add_at.plan(arrays[0], arrays[2])]
    del arrays
    gc.collect()
    assert [ref() for ref in watched] == [None] * 3
    x = np.zeros(4)
    for plan in plans:
        plan(np.array([1.0, 2.0]), out=x)
    assert x.tolist() == [1, 1, 4, 0]


# One for each layout, with what it is applied to.
LAYOUTS = {
    "in_order": ((100,), 1000),
    "buckets": ((2**20 + 1,), 100_000),
    "grouped": ((700, 128), 3000),
}


def work_of(layout):
    shape, count = LAYOUTS[layout]
    index = RNG.integers(0, shape[0], count)
    start = RNG.standard_normal(shape, dtype=np.float32)
    return start, index, RNG.standard_normal((count, *shape[1:]), dtype=np.float32)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_from_several_threads_at_once(layout):
    start, index, updates = work_of(layout)
    expected = strew.pytorch.index_add(start, 0, index, updates).tobytes()
    plan = strew.pytorch.index_add_.plan(start, 0, index, threads=2)
    if strew._core.threads_from:
        assert f"  layout: {layout} (" in str(plan)

    def apply(threads):
        return plan(updates, out=start.copy(), threads=threads).tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(apply, [1, 2, None, 3] * 10)) == {expected}


def test_plans_are_made_from_several_threads_at_once():
    start, index, updates = work_of("buckets")
    expected = strew.pytorch.index_add(start, 0, index, updates).tobytes()
    barrier = threading.Barrier(4)

    def make(_):
        barrier.wait(60)
        return strew.pytorch.index_add_.plan(start, 0, index)(updates, out=start.copy()).tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(make, range(8))) == {expected}
