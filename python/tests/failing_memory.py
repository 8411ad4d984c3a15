"""Calls of every kind in which each allocation of Python, NumPy and Strew fails once. Run by test_failing_memory, with
failing_memory.cpp in front of the C library's allocator and Python's own switched off.

    python failing_memory.py [KIND...]"""

import array
import ctypes
import gc
import sys

import ml_dtypes
import numpy as np

import strew

LIBRARY = ctypes.PyDLL(None)
FAIL_AFTER, STOP_FAILING, BLOCKS_IN_USE = LIBRARY.fail_after, LIBRARY.stop_failing, LIBRARY.blocks_in_use
BLOCKS_IN_USE.restype = ctypes.c_long
ROUNDS = 30  # at most, over all allocations of a call: what fills a cache is kept in the first ones, a leak in all

# Python 3.11 puts this in place of any exception that passes a frame when there is no memory to note the frame.
NO_TRACEBACK = (SystemError, "error return without exception set")

INDEX, BAD_INDEX, ONES = np.array([0, 2]), np.array([0, 9]), np.ones(2)
MATRIX_INDEX = np.array([[0, 1], [2, 0]])
LARGE, LARGE_INDEX = np.zeros(20_000), np.arange(20_000)[::-1].copy()


class Shown:
    """Exports memory through one protocol only."""

    def __init__(self, array, *names):
        self.array = array
        for name in names:
            setattr(type(self), name, lambda self, *a, _name=name, **k: getattr(self.array, _name)(*a, **k))


class Exchanged(Shown):
    pass


class Converted(Shown):
    pass


class Sub(np.ndarray):
    pass


class Failing:
    def __array__(self, *_, **__):
        raise KeyError("gone")


EXCHANGED = Exchanged(np.zeros(3), "__dlpack__", "__dlpack_device__")
CONVERTED = Converted(np.zeros(3), "__array__")
MASKED = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
PACKED = np.zeros(3, [("a", "u1"), ("b", "f8")])["b"]
PLAN, COPYING = strew.pytorch.scatter_add_.plan(np.zeros(3), 0, INDEX), strew.pytorch.scatter_add.plan(np.zeros(3), 0, INDEX)
SAVED = strew.numpy.add_at.plan(np.zeros(3), (INDEX,)).__reduce__()[1]
p, t, n = strew.pytorch, strew.tensorflow, strew.numpy


def zeros():
    return np.zeros(3)


def vjp(operator, x, *arguments):
    return strew._core.vjp(operator, np.ones(3), ("input", "src"), (x, *arguments))


def stepped(x):
    with p.scatter_reduce_.pieces(x, 0, reduce="mean") as pieces:
        pieces.step(INDEX, ONES)
        pieces.step(INDEX, ONES)
    return x


def compared(answers):
    said = []  # not as text: when memory is short, NumPy leaves lists of its numbers behind
    for answer in answers.values():
        said += answer.result, answer.error
    return tuple(said), answers.summary, answers.mine.sentence


# By name: what makes the array that is written (or something that is not), and the call with it.
KINDS = {
    "pytorch": (zeros, lambda x: p.scatter_add(x, 0, INDEX, ONES)),
    "pytorch in place": (zeros, lambda x: p.scatter_add_(x, 0, INDEX, ONES)),
    "pytorch out": (zeros, lambda x: p.scatter_add(zeros(), 0, INDEX, ONES, out=x)),
    "pytorch mean": (zeros, lambda x: p.scatter_reduce_(x, 0, INDEX, ONES, "mean", include_self=False)),
    "pytorch alpha": (zeros, lambda x: p.index_add_(x, 0, INDEX, ONES, alpha=np.array(2.0))),
    "pytorch number": (zeros, lambda x: p.scatter_(x, 0, INDEX, np.float32(2.0))),
    "pytorch copy": (zeros, lambda x: p.index_copy_(x, 0, INDEX, ONES)),
    "pytorch gather": (zeros, lambda x: p.gather(x, 0, INDEX)),
    "tensorflow": (zeros, lambda x: t.tensor_scatter_nd_add(x, INDEX.reshape(2, 1), ONES)),
    "tensorflow zeros": (zeros, lambda x: t.scatter_nd([[0], [2]], [1.0, 2.0], [3])),
    "tensorflow gather": (zeros, lambda x: t.gather_nd(x, [[0], [2]])),
    "paddle": (zeros, lambda x: strew.paddle.put_along_axis_(x, INDEX, ONES, 0, reduce="add")),
    "onnx": (zeros, lambda x: strew.onnx.scatter_elements(x, INDEX, ONES, reduction="max")),
    "onnx nd": (zeros, lambda x: strew.onnx.scatter_nd(x, INDEX.reshape(2, 1), ONES)),
    "directml": (zeros, lambda x: strew.directml.scatter(x, INDEX.astype("u4"), ONES, 0)),
    "numpy": (zeros, lambda x: n.add_at(x, INDEX, ONES)),
    "numpy number": (zeros, lambda x: n.add_at(x, INDEX, np.float64(2.0))),
    "numpy key": (lambda: np.zeros((3, 2)), lambda x: n.add_at(x, (slice(0, 2), [0, 1], None), 1.0)),
    "numpy mask": (zeros, lambda x: n.maximum_at(x, np.array([True, False, True]), ONES)),
    "numpy along": (zeros, lambda x: n.put_along_axis(x, INDEX, ONES, None)),
    "threads": (lambda: np.zeros(20_000), lambda x: p.scatter_add_(x, 0, LARGE_INDEX, LARGE + 1, threads=2)),
    "a large result": (lambda: LARGE, lambda x: p.scatter_add(x, 0, LARGE_INDEX, LARGE, threads=2)),
    "rank 9": (lambda: np.zeros((1,) * 9), lambda x: p.scatter_add_(x, 0, np.zeros((1,) * 9, int), np.ones((1,) * 9))),
    "plan": (zeros, lambda x: p.scatter_add_.plan(x, 0, INDEX)(ONES, out=x)),
    "plan of a key": (zeros, lambda x: n.add_at.plan(x, (INDEX,))(ONES, out=x)),
    "plan of a large one": (lambda: np.zeros(20_000), lambda x: p.index_add_.plan(x, 0, LARGE_INDEX % 100, alpha=2)(LARGE + 1, out=x)),
    "plan call": (zeros, lambda x: PLAN(ONES, out=x)),
    "plan call with a result": (zeros, lambda x: COPYING(ONES, base=x)),
    "plan in words": (zeros, lambda x: (repr(PLAN), str(PLAN), PLAN.out_shape, PLAN.updates_dtype, PLAN.nbytes)),
    "plan, saved": (zeros, lambda x: PLAN.__reduce__()[1][3:]),
    "plan, restored": (zeros, lambda x: strew._core.restore_plan(*SAVED)(ONES, out=x)),
    "explain": (zeros, lambda x: strew.explain(p.scatter_add_, x, 0, INDEX, ONES)),
    "draw": (zeros, lambda x: str(strew.draw(p.scatter_add_, x, 0, INDEX, ONES))),
    "places": (zeros, lambda x: strew.places(p.scatter_add_, x, 0, INDEX)),
    "winners": (zeros, lambda x: strew.winners(p.scatter_, x, 0, INDEX, ONES)),
    "compare": (zeros, lambda x: compared(strew.compare(x, INDEX, ONES, axis=0, mine=x))),
    "pieces": (zeros, stepped),
    "vjp of an assignment": (zeros, lambda x: vjp(p.scatter, x, 0, INDEX, ONES)),
    "vjp of a product": (zeros, lambda x: vjp(p.scatter_reduce, x, 0, INDEX, ONES, "prod")),
    "vjp of a maximum": (zeros, lambda x: vjp(p.scatter_reduce, x, 0, INDEX, ONES, "amax")),
    "jvp of a product": (zeros, lambda x: strew._core.jvp(p.scatter_reduce, {"src": ONES}, (x, 0, INDEX, ONES, "prod"))),
    "an operator in words": (zeros, lambda x: (p.scatter.parameters, p.scatter.also_named, p.scatter.dtypes, p.scatter.__module__, str(p.scatter.plan))),
    "lists": (zeros, lambda x: p.scatter_add(x, 0, [0, 2], [1, 2])),
    "strings": (zeros, lambda x: t.tensor_scatter_nd_update(np.array(["a", "bc"], object), [[0]], ["c"])),
    "strings in place": (lambda: np.array(["a", "b"], object), lambda x: p.scatter_(x, 0, np.array([0]), np.array(["c"], object))),
    "text": (zeros, lambda x: t.tensor_scatter_nd_update(np.array(["a", "bc"]), [[0]], np.array(["c"]))),
    "bfloat16": (lambda: np.zeros(3, ml_dtypes.bfloat16), lambda x: p.scatter_add(x, 0, INDEX, ONES.astype(x.dtype))),
    "byte order": (zeros, lambda x: p.scatter_add_(x, 0, INDEX.astype(">i8"), ONES.astype(">f8"))),
    "packed": (zeros, lambda x: p.scatter_add(PACKED, 0, INDEX, ONES)),
    "a buffer": (lambda: array.array("d", [0, 0, 0]), lambda x: p.scatter_add_(x, 0, memoryview(INDEX), ONES)),
    "a subclass": (lambda: np.zeros(3).view(Sub), lambda x: p.scatter_add_(x, 0, INDEX, ONES)),
    "DLPack": (zeros, lambda x: p.scatter_add(EXCHANGED, 0, INDEX, ONES)),
    "an object with __array__": (zeros, lambda x: p.scatter_add(CONVERTED, 0, INDEX, ONES)),
    "a bad index": (zeros, lambda x: p.scatter_add_(x, 0, BAD_INDEX, ONES)),
    "a bad index in a plan": (zeros, lambda x: p.scatter_add_.plan(x, 0, BAD_INDEX)),
    "a bad shape": (zeros, lambda x: p.scatter_add_(x, 0, INDEX, np.ones(1))),
    "a bad type": (zeros, lambda x: p.scatter_add_(x, 0, INDEX, object())),
    "a bad word": (zeros, lambda x: p.scatter_reduce_(x, 0, INDEX, ONES, "x" * 3000)),
    "a bad number": (zeros, lambda x: p.scatter_(x, 0, INDEX, 1 << 5000)),
    "a bad key": (zeros, lambda x: n.add_at(x, (INDEX, INDEX), ONES)),
    "a masked array": (zeros, lambda x: p.scatter_add(MASKED, 0, INDEX, ONES)),
    "a read-only array": (lambda: np.broadcast_to(0.0, 3), lambda x: p.scatter_add_(x, 0, INDEX, ONES)),
    "code that raises": (zeros, lambda x: p.scatter_add(Failing(), 0, INDEX, ONES)),
    "a list that raises": (zeros, lambda x: p.scatter_add(x, 0, INDEX, [1.0, object()])),
    "a wrong signature": (zeros, lambda x: p.scatter_add_(x, 0, INDEX, nonsense=1)),
    "a double argument": (zeros, lambda x: p.scatter_add_(x, 0, INDEX, ONES, dim=0)),
    "a plan without out": (zeros, lambda x: PLAN(ONES)),
}


def content(value):
    """The comparable content of a result."""
    if isinstance(value, (np.ndarray, array.array)):
        return value.tolist()
    return tuple(map(content, value)) if isinstance(value, tuple) else str(value) if isinstance(value, str) else type(value)


def outcome(make, call):
    """The result or the class of the error, and the array afterwards."""
    x = make()
    try:
        result = call(x)
    except (strew.Error, TypeError) as error:
        return (type(error), str(error)), content(x)
    return content(result), content(x)


def once(name, allocation):
    """Runs one call in which one allocation fails. Returns whether one did; raises if a guarantee is violated."""
    make, call = KINDS[name]
    x = make()
    before, result, failure = content(x), None, None
    FAIL_AFTER(allocation)
    try:
        result = call(x)
    except BaseException as error:
        failure = error
    failed = STOP_FAILING()
    after = content(x)
    expected, written = EXPECTED[name]
    where = f"{name}, allocation {allocation}"
    if failure is None:
        assert content(result) == expected, f"{where}: gives {content(result)}"
        assert after == written, f"{where}: wrote {after}"
    else:
        own = (type(failure), str(failure))
        assert own == expected or own == NO_TRACEBACK or isinstance(failure, (strew.Error, MemoryError)), f"{where}: raised {failure!r}"
        assert after in (before, written), f"{where}: wrote {after}"
    return failed


def all_allocations(name):
    allocation = 1
    while once(name, allocation):
        allocation += 1
        if allocation > 5_000:
            raise AssertionError(f"{name}: never passes")
    assert outcome(*KINDS[name]) == EXPECTED[name], f"{name}: a later call gives something else"
    return allocation


def settled_blocks():
    """Returns the number of allocated blocks outside of Python's caches."""
    gc.collect()
    if hasattr(sys, "_clear_type_cache"):
        sys._clear_type_cache()  # each type keeps the strings that it was asked by, thousands of them
    return BLOCKS_IN_USE()


def check(name):
    grown = []
    while len(grown) < ROUNDS and (len(grown) < 2 or grown[-1] > 0):
        before = settled_blocks()
        count = all_allocations(name)
        grown.append(settled_blocks() - before)
    assert grown[-1] <= 0, f"{name}: blocks are left behind, round by round: {grown}"
    print(f"{name}: {count - 1} allocations", flush=True)


EXPECTED = {}


def main():
    for name in sys.argv[1:] or KINDS:
        print(f"-- {name}", flush=True)
        EXPECTED[name] = outcome(*KINDS[name])
        check(name)
    print("done")


if __name__ == "__main__":
    main()
