"""Plans, errors and operators that are pickled, copied and sent to other processes."""

import copy
import functools
import itertools
import multiprocessing
import pickle
import random
import weakref
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import strew
from support import recorded, same
from test_golden import SYSTEMS
from test_plan import LAYOUTS, SCATTERS, Example, judge, scatters, work_of

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
ERRORS = [strew.Error, *strew.Error.__subclasses__()]
restore = strew._core.restore_plan


def reloaded(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


class Loaded(Example):
    """The same with a pickled plan, with alternating protocols."""

    protocols = itertools.cycle(PROTOCOLS)

    def plan(self):
        plan = super().plan()
        loaded = reloaded(plan, next(self.protocols))
        assert type(loaded) is strew.Plan and (repr(loaded), str(loaded)) == (repr(plan), str(plan))
        return loaded


@pytest.mark.parametrize("system", SYSTEMS)
def test_recorded_cases(system):
    assert judge(scatters(recorded(system)), Loaded) > 300


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout):
    start, index, updates = work_of(layout)
    plan = strew.pytorch.index_add.plan(start, 0, index, threads=2)
    loaded = reloaded(plan)
    assert str(loaded) == str(plan) and loaded.nbytes == plan.nbytes
    assert same(loaded(updates, base=start), strew.pytorch.index_add(start, 0, index, updates))
    assert len(pickle.dumps(plan)) < 4 * index.size + 1000


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_keys_of_every_dtype(dtype):
    a = np.zeros((3, 2, 3))
    for key in [(np.array([2, 0], dtype), 1), (np.array([0, 0], dtype), -1), (slice(None, None, -2), 0), (np.array([True, False, True]), True, 1),
                (..., None, np.array([[2], [1]], dtype), 0, slice(None))]:
        updates, expected = np.arange(1.0, a[key].size + 1).reshape(a[key].shape), a.copy()
        np.add.at(expected, key, updates)
        assert same(reloaded(strew.numpy.add_at.plan(a, key))(updates, out=a.copy()), expected)


def test_what_is_skipped_and_what_is_empty():
    plan = reloaded(strew.tensorflow.scatter_nd.plan([[2], [7], [-1], [2]], [3], bad_indices_policy="IGNORE"))
    assert plan([1, 2, 4, 8]).tolist() == [0, 0, 9]
    for shape, index in [((3, 0), [0, 2]), ((3,), []), ((0,), [])]:
        x, index = np.zeros(shape), np.array(index, np.int64)
        plan = reloaded(strew.pytorch.index_add.plan(x, 0, index))
        assert plan(np.zeros((len(index), *shape[1:])), base=x).shape == shape
    assert reloaded(strew.pytorch.scatter_add.plan(np.array(1.0), 0, np.array(0)))(np.array(2.0), base=np.array(1.0)) == 3


def test_the_callers_arrays_may_change():
    index = np.array([2, 0])
    plan = strew.pytorch.index_add.plan(np.zeros(3), 0, index)
    index[:] = 1
    assert reloaded(plan)([1.0, 2.0], base=np.zeros(3)).tolist() == [2, 0, 1]


def test_a_copy_of_a_plan_is_the_plan():
    plan = strew.pytorch.index_add_.plan(np.zeros(3), 0, [2, 0])
    assert copy.copy(plan) is plan and copy.deepcopy({1: [plan]})[1][0] is plan


def forged(random, saved):
    """The saved form of a plan with one value replaced, and the depth of that value."""
    odd = [None, -1, 0, 2**40, 2**62, 2**70, 1.5, "x", b"", b"abcd", (), {}, "int64", "string", "bool", ("int64", (2**61,)), ("float32", (-1,)), [], object()]
    if isinstance(saved, tuple) and saved and random.random() < 0.9:
        at = random.randrange(len(saved))
        return (*saved[:at], forged(random, saved[at]), *saved[at + 1:])
    if isinstance(saved, dict) and saved and random.random() < 0.9:
        name = random.choice(list(saved))
        changed = {**saved, name: forged(random, saved[name])}
        if random.random() < 0.2:
            del changed[name]
        return changed
    if isinstance(saved, bytes) and random.random() < 0.8:
        return bytes(random.choice([0, 1, 2, 3, 255, 127]) for _ in range(random.choice([len(saved), len(saved), 4, 8])))
    return random.choice(odd)


def test_forged_plans_are_refused_or_safe():
    """Loading any data never causes a write outside of the output."""
    rng = random.Random(7)
    x, guard = np.zeros((3, 2)), 64
    plans = [strew.pytorch.index_add_.plan(x, 0, [2, 0]), strew.pytorch.scatter_.plan(x, 1, [[1, 0]]), strew.numpy.add_at.plan(x, ([1, 2], slice(None))),
             strew.numpy.put_along_axis.plan(x, np.array([5, 1]), None), strew.paddle.put_along_axis_.plan(x, np.array([[1, 1]]), 0, reduce="mean"),
             strew.scatter_add.plan(x, ([1, 2], np.array([0, 1], "u1"))), strew.scatter_mean.plan(x, 1)]
    refused = 0
    for _ in range(3000):
        saved = forged(rng, rng.choice(plans).__reduce__()[1])
        try:
            plan = restore(*saved)
            if np.prod([float(size) for size in (*plan.out_shape, *plan.updates_shape)]) > 1e5 or plan.out_dtype == "string":
                continue
            size = int(np.prod(plan.out_shape))
            memory = np.zeros(size + 2 * guard, plan.out_dtype)
            out = memory[guard:guard + size].reshape(plan.out_shape)
            plan(np.ones(plan.updates_shape, plan.updates_dtype), out=out)
            assert not memory[:guard].any() and not memory[guard + size:].any()
        except (strew.Error, TypeError) as error:
            refused += 1
            assert len(str(error)) < 2000
    assert refused > 500


def test_forged_plans_say_what_is_wrong():
    saved = strew.pytorch.index_add_.plan(np.zeros(3), 0, [2, 0]).__reduce__()[1]

    def replaced(at, value):
        return (*saved[:at], value, *saved[at + 1:])

    with pytest.raises(strew.ArrayError, match="the saved plan has format 2, this version of Strew reads 1"):
        restore(*replaced(0, 2))
    with pytest.raises(strew.BadIndexError, match=r"index_add_: place 9 is neither .* \(places\[1\] = 9 for axis 0 of size 4, valid: 0..3\)"):
        restore(*replaced(5, ("int32", np.array([2, 9], "i4").tobytes())))
    with pytest.raises(strew.ShapeError, match=r"places must have shape \[2\], one for each point, got \[1\]"):
        restore(*replaced(5, ("int32", bytes(4))))
    with pytest.raises(strew.AxisError):
        restore(*replaced(2, {**saved[2], "dim": 1}))
    for function in (print, strew.pytorch.index_add_, strew.pytorch.gather, None):
        with pytest.raises(TypeError, match="takes the saved form of a plan"):
            restore(*replaced(1, function))


def whole(error):
    return type(error), str(error), error.args, error.code, error.bad_index, error.__dict__


@pytest.mark.parametrize("kind", ERRORS)
def test_errors(kind):
    own = kind("pytorch.scatter: a sentence")
    own.note = "mine"
    indexed = kind("x")
    indexed.bad_index = strew.BadIndex(7, (1, 2), 0, 3, 4)
    for error in (own, indexed, kind(), kind("a" * 5000), kind("\ud800" * 5000), kind("\ud800" * 300)):
        for protocol in PROTOCOLS:
            assert whole(reloaded(error, protocol)) == whole(error)
        assert whole(copy.copy(error)) == whole(copy.deepcopy(error)) == whole(error)


def test_another_process():
    """A spawned process receives plans and operators, and returns errors."""
    x, updates, index = np.zeros(3), np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2])
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), strew.set_threads, (1,)) as pool:
        assert pool.submit(strew.get_threads).result() == 1
        plan = strew.pytorch.index_add.plan(x, 0, index)
        expected = plan(updates, base=x)
        assert same(pool.submit(plan, updates, base=x).result(), expected)
        assert same(pool.submit(strew.pytorch.index_add, x, 0, index, updates).result(), expected)
        made = pool.submit(strew.pytorch.index_add.plan, x, 0, index).result()
        assert same(made(updates, base=x), expected) and repr(made) == repr(plan)
        with pytest.raises(strew.BadIndexError) as here:
            strew.pytorch.index_add(x, 0, index + 1, updates)
        there = pool.submit(strew.pytorch.index_add, x, 0, index + 1, updates).exception()
        assert type(there) is strew.BadIndexError and str(there) == str(here.value)
        assert there.bad_index == here.value.bad_index == (3, (0,), 0, 3, 2)
        answers = pool.submit(strew.compare, x, index + 1, updates, axis=0).result()
        assert str(answers) == str(strew.compare(x, index + 1, updates, axis=0))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_found_by_its_name(protocol):
    functions = [strew.compare, strew.explain, strew.list, strew.get_threads, strew.set_threads, strew.release_scratch, strew.show_config]
    for value in [*strew.list(), *(op.plan for op in SCATTERS), *functions, *ERRORS, strew.BadIndex, strew.Plan, strew.Operator]:
        assert reloaded(value, protocol) is value and copy.copy(value) is value and copy.deepcopy(value) is value


def test_as_keys():
    plan = strew.pytorch.index_add_.plan(np.zeros(3), 0, [2, 0])
    by_plan = weakref.WeakKeyDictionary({plan: 1, strew.pytorch.scatter: 2})
    assert by_plan[plan] == 1 and by_plan[strew.pytorch.scatter] == 2
    name = functools.lru_cache(lambda value: repr(value))
    assert name(plan) == name(plan) == repr(plan) and name(strew.pytorch.scatter) and name.cache_info().hits >= 1
    del plan
    name.cache_clear()
    assert list(by_plan) == [strew.pytorch.scatter]
