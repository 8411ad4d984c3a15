"""Scatters in pieces: the bits of one call whatever the cut, and an output that is written once or not at all."""

import copy
import doctest
import gc
import inspect
import pickle
import signal
import subprocess
import sys
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest

import strew
from strew._docs import operator_of, stepped
from support import bits, same

IN_PLACE = [op for op in strew.list() if op.in_place and hasattr(op, "plan")]
RNG = np.random.default_rng(5)


def name_of(operator):
    return f"{operator.dialect}.{operator.__name__}"


def values(shape, dtype):
    """Numbers whose sums round, of both signs."""
    numbers = RNG.standard_normal(shape) * 8
    return (np.abs(numbers) if np.dtype(dtype).kind == "u" else numbers).astype(dtype)


def indices(shape, size, dtype=np.int64):
    return RNG.integers(0, size, shape).astype(dtype)


def calls(operator):
    """Random calls: the output, the other arguments, and the index and updates with the axis along which each is cut."""
    names = {parameter[0] for parameter in operator.parameters}
    axis = "dim" if "dim" in names else "axis"
    per_element = operator.__name__.startswith(("scatter_", "put_along")) and axis in names
    dtypes = ["float32", "float16", "int16"] if operator.dialect != "strew" else ["float32", "float16", ml_dtypes.bfloat16, "int16"]
    words = {
        ("pytorch", "scatter_"): [{}, {"reduce": "add"}],
        ("pytorch", "scatter_reduce_"): [{"reduce": w, "include_self": s} for w in ("sum", "mean", "amax") for s in (True, False)],
        ("pytorch", "index_add_"): [{}, {"alpha": 3}],
        ("paddle", "scatter_"): [{}, {"overwrite": False}],
        ("paddle", "put_along_axis_"): [{"reduce": w, "include_self": s} for w in ("assign", "mean", "add") for s in (True, False)],
    }.get((operator.dialect, operator.__name__), [{}])
    for dtype in dtypes:
        for more in words:
            if dtype == "int16" and operator.dialect == "paddle" or dtype == "float16" and operator.dialect == "paddle":
                dtype = "float32"
            out, points = values((5, 7, 3), dtype), int(RNG.integers(0, 40))
            if per_element:
                at = int(RNG.integers(0, 3))
                shape = tuple(points if d == at else size for d, size in enumerate(out.shape))
                yield out, {axis: at, **more}, (indices(shape, out.shape[at]), at), (values(shape, dtype), at)
            elif axis in names:
                at = int(RNG.integers(0, 3))
                shape = tuple(points if d == at else size for d, size in enumerate(out.shape))
                yield out, {axis: at, **more}, (indices(points, out.shape[at]), 0), (values(shape, dtype), at)
            else:
                yield out, more, (indices(points, 5), 0), (values((points, 7, 3), dtype), 0)


def cut(array, axis, begin, end):
    return array[(slice(None),) * axis + (slice(begin, end),)]


def borders(points):
    """Of 1 to 50 pieces, some of them empty."""
    return [0, *sorted(RNG.integers(0, points + 1, RNG.integers(0, 50)).tolist()), points]


@pytest.mark.parametrize("operator", IN_PLACE, ids=name_of)
def test_every_cut_gives_the_bits_of_one_call(operator):
    target = operator.parameters[0][0]
    index_name, updates_name = stepped(operator)
    for out, more, (index, index_axis), (updates, updates_axis) in calls(operator):
        expected = out.copy()
        operator(**{target: expected, index_name: index, updates_name: updates, **more})
        for threads in (1, 2):
            own = out.copy()
            with operator.pieces(own, **more, threads=threads) as pieces:
                at = borders(index.shape[index_axis])
                for begin, end in zip(at, at[1:]):
                    parts = cut(index, index_axis, begin, end), cut(updates, updates_axis, begin, end)
                    form = RNG.integers(0, 3)
                    if form == 0:
                        pieces.step(np.ascontiguousarray(parts[0]), parts[1].copy("F"))
                    elif form == 1:
                        pieces.step(**{updates_name: parts[1], index_name: parts[0].astype(np.int64)})
                    else:
                        pieces.step(*parts)
                assert bits(own) == bits(out) and pieces.count == len(at) - 1
            assert same(own, expected), more


def mean(out, **keywords):
    return strew.pytorch.scatter_reduce_.pieces(out, 0, reduce="mean", include_self=False, **keywords)


def test_an_exception_leaves_the_output_as_it_was():
    def batches():
        yield np.array([0, 2]), np.array([1.0, 2.0])
        raise RuntimeError("the file ended")

    out = np.array([10.0, 20.0, 30.0])
    with pytest.raises(RuntimeError, match="the file ended"):
        with mean(out) as pieces:
            for index, updates in batches():
                pieces.step(index, updates)
    assert out.tolist() == [10, 20, 30] and pieces.nbytes == 0
    with pytest.raises(strew.ArgumentError, match="pytorch.scatter_reduce_: the pieces were aborted already"):
        pieces.finish()


def test_without_a_block():
    out = np.array([10.0, 20.0, 30.0])
    pieces = mean(out)
    assert pieces.operator == "strew.pytorch.scatter_reduce_" and (pieces.nbytes, pieces.count) == (48, 0)
    assert repr(pieces) == "<pieces of strew.pytorch.scatter_reduce_ into float64 [3]>"
    assert pieces.step([0, 2], [1, 2]) is None and pieces.step([0], [3]) is None
    assert (pieces.nbytes, pieces.count) == (48, 2) and out.tolist() == [10, 20, 30]
    assert pieces.finish() is out and out.tolist() == [2, 20, 2]
    for call in (pieces.finish, pieces.abort, lambda: pieces.step([0], [1]), pieces.__enter__):
        with pytest.raises(strew.ArgumentError, match="the pieces were finished already"):
            call()
    assert pieces.nbytes == 0 and pieces.count == 2
    pieces = mean(out)
    pieces.step([0], [9])
    pieces.abort()
    assert out.tolist() == [2, 20, 2]
    with mean(out) as pieces:
        pieces.step([0], [9])
        pieces.abort()  # the end of the block writes nothing
    with mean(out) as pieces:
        pieces.step([0], [9])
        pieces.finish()
    assert out.tolist() == [9, 20, 2]
    with mean(out):
        pass
    assert out.tolist() == [9, 20, 2]


def test_a_refused_piece_changes_nothing():
    out = np.array([10.0, 20.0, 30.0])
    with mean(out) as pieces:
        with pytest.raises(strew.ShapeError, match="pytorch.scatter_reduce_: piece 0: Expected index"):
            pieces.step(np.array([0, 1]), np.array([1.0]))
        with pytest.raises(strew.DtypeError):  # and the next piece may have another type
            pieces.step(np.array([0, 1]), np.array([1.0, 2.0], np.float32))
        pieces.step(np.array([0, 2]), np.array([1.0, 2.0]))
        with pytest.raises(strew.BadIndexError, match=r"piece 1: index 3 is out of bounds .*\(index\[1\] = 3") as error:
            pieces.step(np.array([0, 3]), np.array([100.0, 2.0]))
        assert error.value.bad_index.position == (1,)
        with pytest.raises(strew.OverlapError, match="pytorch.scatter_reduce_: piece 1: unsupported operation"):
            pieces.step(np.array([0, 1, 2]), out)
        with pytest.raises(strew.DtypeError, match="pytorch.scatter_reduce_: piece 1: .* got float64 and string"):
            pieces.step(np.array([0]), np.array(["a"]))
        with pytest.raises(strew.DtypeError, match="pytorch.scatter_reduce_: piece 1: src has a dtype that Strew does not know"):
            pieces.step(np.array([0]), np.array(["2000"], "datetime64[s]"))
        with pytest.raises(TypeError, match=r"step\(\) missing required argument: 'src'"):
            pieces.step(np.array([0]))
        with pytest.raises(TypeError, match=r"step\(\) takes 2 positional arguments but 3 were given"):
            pieces.step(np.array([0]), np.array([1.0]), 0)
        assert pieces.count == 1
        pieces.step(np.array([0], np.int32), [3])
    assert out.tolist() == [2, 20, 2]


class Odd:
    """An array whose reading runs code."""

    def __init__(self, array, code):
        self.array, self.code = array, code

    def __array__(self, dtype=None, copy=None):
        self.code()
        return self.array


def test_code_that_runs_while_arguments_are_read():
    out = np.arange(4.0)
    pieces = strew.pytorch.scatter_add_.pieces(out, 0)
    said = []

    def reenter():
        for call in (lambda: pieces.step([0], [1.0]), pieces.finish, pieces.abort, lambda: pieces.nbytes):
            with pytest.raises(strew.ArgumentError, match="another call is running; pieces take one thread at a time"):
                call()
            said.append(repr(pieces))

    pieces.step([0], Odd(np.array([1.0]), reenter))
    assert len(said) == 4

    def fail():
        raise RuntimeError("no")

    with pytest.raises(strew.Error) as error:
        pieces.step([0], Odd(np.array([1.0]), fail))
    assert isinstance(error.value.__cause__, RuntimeError) and pieces.count == 1
    pieces.finish()
    assert out.tolist() == [1, 1, 2, 3]


def test_the_output_must_stay_what_it_was():
    out = np.arange(4.0)
    pieces = strew.pytorch.scatter_add_.pieces(out, 0)
    pieces.step([0], [1.0])
    out.resize(9, refcheck=False)
    for call in (lambda: pieces.step([0], [1.0]), pieces.finish):
        with pytest.raises(strew.ArrayError, match="input was resized or moved since the pieces began; only abort"):
            call()
    pieces.abort()
    out = np.arange(4.0)
    pieces = strew.pytorch.scatter_add_.pieces(out, 0)
    pieces.step([0], [1.0])
    out.flags.writeable = False
    with pytest.raises(strew.ArrayError):
        pieces.finish()
    out.flags.writeable = True
    assert pieces.finish()[0] == 1


def test_outputs_that_cannot_be_written():
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    for out in (frozen, [1.0, 2.0], np.array(["a"], object), 3):
        with pytest.raises(strew.Error):
            strew.numpy.add_at.pieces(out)


def test_keys_of_numpy():
    a = np.zeros((4, 3))
    expected = a.copy()
    pieces = strew.numpy.add_at.pieces(a)
    for key in ((slice(1, 3), [0, 2, 0]), (slice(1, 3), np.array([1]))):
        pieces.step(key, 2.0)
        np.add.at(expected, key, 2.0)
    with pytest.raises(strew.ArgumentError, match="numpy.add_at: piece 2: the piece goes to another output, or to another part of it"):
        pieces.step((slice(0, 2), [0]), 1.0)
    pieces.finish()
    assert same(a, expected)
    pieces = strew.numpy.add_at.pieces(a)
    for key in (a > 1, (np.array([1, 1]), np.array([-1, -1])), (np.array([1]), [2])):
        pieces.step(key, 0.1)
        np.add.at(expected, key, 0.1)
    with pytest.raises(strew.ShapeError, match=r"pieces must address rows of one kind: those of the first one have shape \[\], these \[3\]"):
        pieces.step([0, 0, 3], 0.1)
    pieces.finish()
    assert same(a, expected)


def test_numbers_as_source():
    out = np.zeros(3, np.float32)
    with strew.pytorch.scatter_.pieces(out, 0, reduce="add") as pieces:
        pieces.step(np.array([0, 2]), 1.5)
        pieces.step(np.array([0]), value=2)
        pieces.step(np.array([1]), np.array([4], np.float32))
    assert out.tolist() == [3.5, 4, 1.5]


def test_one_thread_at_a_time():
    count = 1 << 20
    out, index, updates = np.zeros(count), np.arange(count)[::-1].copy(), np.ones(count)
    pieces = mean(out)
    done, errors = [], []

    def step_until_refused(index, updates):
        while not errors:
            try:
                pieces.step(index, updates)
                done.append(index.size)
            except strew.ArgumentError as error:
                errors.append(str(error))

    thread = threading.Thread(target=step_until_refused, args=(index, updates))
    thread.start()
    step_until_refused(index[:1], updates[:1])
    thread.join()
    assert set(errors) == {"pytorch.scatter_reduce_: another call is running; pieces take one thread at a time"}
    assert pieces.count == len(done)
    pieces.finish()
    assert (out == (1 if count in done else 0)).sum() >= count - 1


INTERRUPTED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy, strew

count = 1_000_000
out, index, updates = numpy.zeros(count), numpy.arange(count), numpy.ones(count)
try:
    with strew.pytorch.scatter_add_.pieces(out, 0) as pieces:
        print("ready", flush=True)
        while True:
            pieces.step(index, updates)
except KeyboardInterrupt:
    print(bool((out == 0).all()), pieces.nbytes)
"""


def test_ctrl_c_leaves_the_output_as_it_was():
    run = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "ready\n"
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    assert (run.returncode, out) == (0, "True 0\n")


def test_cycles_are_collected():
    class Table(np.ndarray):
        pass

    class Ending:
        def __del__(self):
            try:
                self.pieces.step(np.array([0]), np.ones(1))
            except strew.ArgumentError as error:
                ended.append(str(error))

    ended = []
    for makes_ending in (False, True):
        table = np.zeros(3).view(Table)
        table.pieces = strew.pytorch.scatter_add_.pieces(table, 0)
        if makes_ending:
            table.ending = Ending()
            table.ending.pieces = table.pieces
        gone = weakref.ref(table)
        del table
        gc.collect()
        assert gone() is None


def test_lifetime():
    out = np.zeros(3)
    pieces = strew.pytorch.scatter_add_.pieces(out, 0)
    reference, held = weakref.ref(pieces), sys.getrefcount(out)
    for refuse in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="strew.Pieces cannot be pickled or copied"):
            refuse(pieces)
    with pytest.raises(TypeError):
        strew.Pieces()
    pieces.step([0], [1.0])
    del pieces
    gc.collect()
    assert reference() is None and sys.getrefcount(out) == held - 1 and out.tolist() == [0, 0, 0]


@pytest.mark.parametrize("operator", IN_PLACE, ids=name_of)
def test_documented(operator):
    function = operator.pieces
    assert operator_of(function) is operator
    examples = doctest.DocTestParser().get_doctest(function.__doc__, {}, operator.__name__, None, 0)
    assert len(examples.examples) >= 3 and doctest.DocTestRunner().run(examples).failed == 0
    own = [parameter[0] for parameter in operator.parameters if parameter[0] not in stepped(operator)]
    assert list(inspect.signature(function).parameters) == [*own, "threads"]
    assert f"pieces: {operator.__name__}.pieces{inspect.signature(function)} takes" in operator.__doc__
    assert pickle.loads(pickle.dumps(function)) is function


def test_arguments_are_checked_when_the_pieces_are_made():
    out = np.zeros((3, 4))
    for make, call in (
        (lambda: strew.pytorch.scatter_reduce_.pieces(out, 7, reduce="sum"),
         lambda: strew.pytorch.scatter_reduce_(out, 7, np.zeros((1, 1), int), np.zeros((1, 1)), "sum")),
        (lambda: strew.pytorch.scatter_reduce_.pieces(out, 0, reduce="nonsense"),
         lambda: strew.pytorch.scatter_reduce_(out, 0, np.zeros((1, 1), int), np.zeros((1, 1)), "nonsense")),
        (lambda: strew.pytorch.index_add_.pieces(out, -3), lambda: strew.pytorch.index_add_(out, -3, np.zeros(1, int), out[:1])),
        (lambda: strew.paddle.put_along_axis_.pieces(out, 0, reduce="nonsense"),
         lambda: strew.paddle.put_along_axis_(out, np.zeros((1, 4), int), np.zeros((1, 4)), 0, "nonsense")),
        (lambda: strew.numpy.put_along_axis.pieces(out, 2), lambda: strew.numpy.put_along_axis(out, np.zeros((1, 4), int), 1.0, 2)),
    ):  # fmt: skip
        with pytest.raises(strew.Error) as early:
            make()
        with pytest.raises(strew.Error) as late:
            call()
        assert type(early.value) is type(late.value) and str(early.value) == str(late.value)


def test_nbytes_before_the_first_piece():
    small, wide, half = np.zeros((30, 40), np.float32), np.zeros((30, 40)), np.zeros(7, np.float16)
    index, rows = np.zeros((30, 40), int), np.zeros(5, int)
    for pieces, piece in (
        (strew.pytorch.scatter_add_.pieces(small, 0), (index, small.copy())),
        (strew.pytorch.scatter_reduce_.pieces(small, 1, reduce="mean"), (index, small.copy())),
        (strew.pytorch.index_add_.pieces(wide, 1), (rows, np.zeros((30, 5)))),
        (strew.paddle.put_along_axis_.pieces(wide, 0, reduce="mean", include_self=False), (index, wide.copy())),
        (strew.scatter_add.pieces(wide), (rows, np.zeros((5, 40)))),
        (strew.scatter_mean.pieces(half), (rows, np.zeros(5, np.float16))),
    ):
        planned = pieces.nbytes
        pieces.step(*piece)
        assert planned == pieces.nbytes > 0
        pieces.abort()
        assert pieces.nbytes == 0
    assert strew.scatter_mean.pieces(wide).nbytes == 0  # rows or elements: the first piece decides
    assert strew.numpy.add_at.pieces(wide).nbytes == 0  # a key may select a part of the array


def test_who_has_pieces():
    examples = doctest.DocTestParser().get_doctest(strew.Pieces.__doc__, {}, "Pieces", None, 0)
    assert len(examples.examples) >= 3 and doctest.DocTestRunner().run(examples).failed == 0
    assert {op.dialect for op in IN_PLACE} == {"pytorch", "paddle", "numpy", "strew"}
    for op in strew.list():
        assert hasattr(op, "pieces") == (op in IN_PLACE)
    with pytest.raises(AttributeError, match="strew.onnx.scatter_nd has no pieces: only operators that scatter into their first argument"):
        strew.onnx.scatter_nd.pieces
