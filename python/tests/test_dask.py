"""Random calls through strew.dask beside the same calls in memory: bits, errors by text and place, for every chunking and scheduler."""

import doctest
import inspect
import os
import pickle

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="Dask is not installed")

import dask  # noqa: E402
import dask.array as da  # noqa: E402
import ml_dtypes  # noqa: E402
from dask_cases import agree, cut, functional, in_memory, on_dask  # noqa: E402

import strew  # noqa: E402
import strew.dask  # noqa: E402

CASES = int(os.environ.get("STREW_TEST_DASK_CASES", "300"))
OPERATORS = [operator for operator in strew.list() if functional(operator) is not None]
DTYPES = ["?", "i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16]
SCHEDULERS = ["sync"] * 6 + ["threads"]


def numbers(random, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return random.integers(0, 100, shape).astype(dtype)
    values = random.choice([0.0, -0.0, 1.5, -2.25, 0.1, 3e4, -7.0, np.inf, np.nan], shape, p=[0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.06, 0.02, 0.02])
    if dtype.kind == "c":
        values = values + 1j * np.where(np.isfinite(values), values, 2.0)
    return values.astype(dtype)


def indices_below(random, operator, size, shape, dtype="i8"):
    """Mostly valid indices; some operators count negative ones from the end."""
    low = -size if operator.dialect in ("numpy", "onnx", "paddle") and np.dtype(dtype).kind == "i" and random.integers(2) else 0
    return random.integers(low, max(size, low + 1), shape).astype(dtype)


def spoiled(random, index):
    """With a few indices out of range."""
    if index.size and random.integers(5) == 0:
        index = index.copy()
        for _ in range(random.integers(1, 4)):
            index.reshape(-1)[random.integers(index.size)] = random.choice([-1, 77, 99, -99])
    return index


def sizes(random, rank):
    return tuple(int(size) for size in random.choice([0, 1, 2, 3, 5, 8, 13], rank, p=[0.03, 0.1, 0.17, 0.2, 0.2, 0.15, 0.15]))


def words(random, operator, name, kind):
    choices = {"reduce": ["add", "sum", "multiply", "prod", "mean", "amax", "amin", "mul"], "reduction": ["none", "add", "mul", "min", "max"],
               "bad_indices_policy": ["DEFAULT", "IGNORE"], "out_of_range": ["error", "clamp"]}
    return {"boolean": lambda: bool(random.integers(2)), "number": lambda: random.choice([1.0, 2.0, -0.5]).item(),
            "word": lambda: random.choice(choices.get(name, ["none"])).item(), "integer": lambda: 18}[kind]()


def random_call(random, operator):
    """Arguments that mostly fit, by the kinds and names of the parameters."""
    data = sizes(random, random.integers(1, 4))
    dtype = random.choice(len(DTYPES))
    dtype = DTYPES[dtype]
    index_dtype = "u4" if operator.dialect == "directml" else "i8" if random.integers(2) else "i4"
    kinds = {name: kind.split()[0] for name, kind, _, _ in operator.parameters}
    axis = int(random.integers(len(data)))
    arguments, updates = {}, ()
    by_tuples = "_nd" in operator.__name__
    by_slices = "index_" in operator.__name__ or (operator.dialect == "paddle" and operator.__name__ == "scatter")
    if operator.dialect == "paddle" and operator.__name__ == "scatter":
        axis = 0
    count = sizes(random, random.integers(1, 3))
    if "index_key" in kinds.values() or "columns" in kinds.values():
        depth = int(random.integers(1, len(data) + 1))
        shape = sizes(random, random.integers(1, 3))
        key = [spoiled(random, indices_below(random, operator, size, shape, index_dtype)) for size in data[:depth]]
        if "index_key" in kinds.values() and random.integers(2):
            at = random.integers(depth)
            key[at] = [slice(None, None, -2), slice(1, None), int(random.integers(data[at])) if data[at] else 0, slice(None)][random.integers(4)]
        index = tuple(key)
        try:
            updates = np.empty(data, bool)[tuple(np.zeros_like(part) if isinstance(part, np.ndarray) else part for part in index)].shape
        except IndexError:
            updates = shape + data[depth:]
    elif by_tuples:
        depth = int(random.integers(1, len(data) + 1))
        columns = [indices_below(random, operator, size, count, index_dtype) for size in data[:depth]]
        index = spoiled(random, np.stack(columns, axis=-1))
        updates = count + data[depth:]
    elif by_slices:
        index = spoiled(random, indices_below(random, operator, data[axis], count[:1], index_dtype))
        updates = data[:axis] + count[:1] + data[axis + 1:]
    else:
        shape = tuple(count[0] if at == axis else size if random.integers(2) else min(size, 3) for at, size in enumerate(data))
        if operator.dialect in ("directml",) or operator.__name__ == "put_along_axis":
            shape = tuple(count[0] if at == axis else size for at, size in enumerate(data))
        index = spoiled(random, indices_below(random, operator, data[axis], shape, index_dtype))
        updates = shape
    for name, kind, _, default in operator.parameters:
        kind = kind.split()[0]
        if kind in ("tensor", "target"):
            arguments[name] = numbers(random, data, dtype)
        elif kind in ("indices", "index_key", "columns"):
            arguments[name] = index
        elif kind in ("updates", "source"):
            other = dtype if random.integers(5) or operator.dialect != "numpy" else DTYPES[random.integers(len(DTYPES))]
            arguments[name] = numbers(random, updates, other) if kind == "updates" or random.integers(5) else 2.0
        elif kind == "shape":
            arguments[name] = data
        elif name in ("axis", "dim"):
            arguments[name] = axis if random.integers(4) else axis - len(data)
        elif not default or random.integers(2):
            if kind in ("boolean", "number", "word") or name == "opset":
                arguments[name] = words(random, operator, name, kind)
    return arguments


@pytest.mark.parametrize("block", ["one", "many"])
def test_random_calls(block):
    wrong, failed = [], 0
    with dask.config.set({"strew.merge-below": 1 << 22 if block == "one" else 0}):
        for seed in range(CASES // 2):
            random = np.random.default_rng([seed, len(block)])
            operator = OPERATORS[random.integers(len(OPERATORS))]
            arguments = random_call(random, operator)
            expected = in_memory(operator, arguments)
            failed += isinstance(expected, Exception)
            got = on_dask(operator, cut(random, operator, arguments), scheduler=SCHEDULERS[random.integers(len(SCHEDULERS))])
            if not agree(expected, got):
                wrong.append(f"{seed} {operator}: {expected!r} | {got!r}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])
    assert CASES // 20 < failed < CASES // 2 - CASES // 20


def test_doctest():
    result = doctest.testmod(strew.dask)
    assert result.attempted > 2 and result.failed == 0


def test_functions():
    names = {f"{op.dialect}.{op.__name__}" for op in OPERATORS}
    assert names == {f"{op.dialect}.{op.__name__}" for op in strew.list() if not (op.dialect in ("pytorch", "paddle") and op.__name__.endswith("_"))}
    assert str(inspect.signature(strew.dask.pytorch.scatter_add)) == "(input, dim, index, src, *, threads=None)"
    assert str(inspect.signature(strew.dask.scatter_add)) == "(out, index, values, *, threads=None)"
    assert pickle.loads(pickle.dumps(strew.dask.pytorch.scatter_add)) is strew.dask.pytorch.scatter_add
    own = {"directml", "numpy", "onnx", "paddle", "pytorch", "tensorflow"} | {op.__name__ for op in strew.list("strew")}
    assert {name for name in dir(strew.dask) if not name.startswith("_")} == own
    from strew.dask.onnx import scatter_nd

    assert scatter_nd is strew.dask.onnx.scatter_nd
    with pytest.raises(AttributeError, match="scatter_add returns a new array"):
        strew.dask.pytorch.scatter_add_
    with pytest.raises(AttributeError, match="no attribute 'scatter_nothing'"):
        strew.dask.scatter_nothing
    with pytest.raises(TypeError, match="'out'"):
        strew.dask.pytorch.scatter_add(da.zeros(3), 0, np.array([1]), np.ones(1), out=np.zeros(3))


def test_same_call_has_the_same_keys():
    x, index = da.zeros(10, chunks=3), da.from_array(np.arange(10) % 4, chunks=4)
    first, again, other = (strew.dask.scatter_add(x, index, value) for value in (1.0, 1.0, 2.0))
    assert first.name == again.name and first.__dask_keys__() == again.__dask_keys__() and first.name != other.name
    assert first.chunks == x.chunks and first.dtype == x.dtype and type(first._meta) is np.ndarray


REFUSED = [
    (lambda: strew.dask.scatter_add(da.zeros(5)[da.ones(5) > 0], np.array([1]), 1.0), strew.ShapeError, "out has chunks of unknown size; out.compute"),
    (lambda: strew.dask.scatter(da.from_array(np.array(["a"], object), chunks=1), np.array([0]), "b"), strew.DtypeError, "no strings and no objects"),
    (lambda: strew.dask.scatter(da.from_array(np.array(["a"]), chunks=1), np.array([0]), "b"), strew.DtypeError, "no strings and no objects"),
    (lambda: strew.dask.scatter_add(da.ma.masked_equal(da.zeros(3), 1), np.array([0]), 1.0), strew.ArrayError, "numpy.MaskedArray"),
    (lambda: strew.dask.numpy.add_at(da.zeros(3), da.ones(3) > 0, 1.0), strew.DtypeError, "mask"),
    (lambda: strew.dask.numpy.add_at(da.zeros(3), da.asarray(1), 1.0), strew.DtypeError, "an integer is needed"),
    (lambda: strew.dask.pytorch.index_add(da.zeros(3), 0, np.array([1]), np.ones(1), alpha=da.asarray(2.0)), strew.DtypeError, "alpha.compute"),
    (lambda: strew.dask.scatter_add(da.zeros(3), np.array([1]), 1.0, threads=0), strew.ArgumentError, "threads"),
]


@pytest.mark.parametrize("call, kind, text", REFUSED)
def test_refused_when_called(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_in_memory_operators_refuse_dask_arrays():
    lazy = da.zeros(3, chunks=2)
    for call in (
        lambda: strew.scatter_add(np.zeros(3), lazy.astype(int), 1.0),
        lambda: strew.numpy.add_at(np.zeros(3), (lazy.astype(int),), 1.0),
        lambda: strew.pytorch.scatter_add(lazy, 0, np.array([0]), np.ones(1)),
        lambda: strew.pytorch.scatter_add_.plan(np.zeros(3), 0, lazy.astype(int)),
    ):
        with pytest.raises(strew.ArrayError, match=r"is a Dask array; strew\.dask\."):
            call()


def test_dask_arrays_in_lists_and_as_numbers_are_not_computed():
    x, lazy, one = np.zeros((3, 3)), da.ones(3, chunks=2), da.asarray(1)
    base, masked, unknown = da.zeros(3, chunks=2), da.ma.masked_equal(da.arange(3), 1), da.arange(3)[da.ones(3) > 0]
    for call in (
        lambda: strew.pytorch.scatter_add(x, 0, np.zeros((3, 3), int), [lazy, lazy, lazy]),
        lambda: strew.numpy.add_at(x, [one, da.asarray(0)], 1.0),
        lambda: strew.numpy.add_at(x, [0, 1], [[one] * 3] * 2),
        lambda: strew.gather(x, [[one]]),
        lambda: strew.numpy.put_along_axis(x, np.zeros((3, 1), int), 1.0, one),
        lambda: strew.pytorch.index_add(x, one, np.array([0]), np.ones((3, 1))),
        lambda: strew.onnx.scatter_elements(x, np.zeros((3, 3), int), x, axis=one),
        lambda: strew.tensorflow.scatter_nd(np.zeros((1, 1), int), np.zeros(1), (da.asarray(3),)),
        lambda: strew.dask.scatter_add(base, [masked], 1.0),
        lambda: strew.dask.numpy.add_at(base, [unknown], 1.0),
        lambda: strew.dask.scatter_add(base, da.arange(2), [lazy[0], lazy[1]]),
    ):
        with dask.config.set(scheduler=lambda *_, **__: pytest.fail("Dask computed something")):
            with pytest.raises(strew.ArrayError, match=r"Dask array that is needed now; pass x\.compute\(\), or one Dask array to strew\.dask\."):
                call()
    for arguments in ({"data": lazy}, {"data": [lazy[0], 1.0]}, {"indices": lazy.astype(int)}, {"updates": lazy}, {"axis": one}, {"mine": lazy}):
        with pytest.raises(strew.ArrayError, match=r"compare: \w+ is or contains a Dask array; pass its compute\(\)"):
            strew.compare(**{"data": [1.0, 2.0, 3.0], "indices": [0], "updates": [1.0], "axis": 0, **arguments})


@pytest.mark.parametrize("merge_below", [0, 1 << 22])
def test_points_that_meet_are_stepped_in_the_order_of_the_whole_call(merge_below):
    """Index arrays that are cut along every dimension, into places that most points share."""
    random = np.random.default_rng(5)
    values = 10.0 ** random.integers(-8, 16, (9, 8, 7)) * random.choice([-1, 1], (9, 8, 7))
    index = random.integers(0, 3, values.shape)
    for chunks in [(9, 8, 2), (4, 8, 7), (1, 3, 7), (1, 1, 3), (5, 3, 2), (9, 3, 7), (2, 1, 1), (3, 8, 3)]:
        lazy = da.from_array(index, chunks=chunks), da.from_array(values, chunks=chunks)
        with dask.config.set({"strew.merge-below": merge_below}):
            flat = strew.dask.scatter_add(da.zeros(3, chunks=2), *lazy)
            along = [strew.dask.pytorch.scatter_add(da.zeros((9, 8, 7), chunks=(4, 3, 2)), dim, *lazy) for dim in range(3)]
        assert flat.compute(scheduler="sync").tobytes() == strew.scatter_add(np.zeros(3), index, values).tobytes()
        for dim in range(3):
            assert along[dim].compute(scheduler="sync").tobytes() == strew.pytorch.scatter_add(np.zeros((9, 8, 7)), dim, index, values).tobytes()
    backwards = strew.scatter_add(np.zeros(3), index.ravel()[::-1], values.ravel()[::-1])
    assert backwards.tobytes() != strew.scatter_add(np.zeros(3), index, values).tobytes()


@pytest.mark.parametrize("merge_below", [0, 1 << 22])
@pytest.mark.parametrize("dtype", ["f2", "f4", "i4"])
@pytest.mark.parametrize("reduce", ["add", "mul", "mean", "amax"])
def test_first_update_of_a_place_is_the_first_of_all_parts(merge_below, dtype, reduce):
    random = np.random.default_rng(6)
    arr, values = (random.integers(-9, 9, shape).astype(dtype) for shape in ((4, 10), (4, 60)))
    indices = random.integers(0, 9, values.shape)
    expected = strew.paddle.put_along_axis(arr, indices, values, 1, reduce, include_self=False, broadcast=False)
    with dask.config.set({"strew.merge-below": merge_below}):
        lazy = (da.from_array(array, chunks=chunks) for array, chunks in ((arr, (3, 4)), (indices, (4, 7)), (values, (2, 11))))
        got = strew.dask.paddle.put_along_axis(*lazy, 1, reduce, include_self=False, broadcast=False)
    assert got.compute(scheduler="sync").tobytes() == expected.tobytes()


def test_annotations_and_names():
    with dask.annotate(priority=7):
        result = strew.dask.scatter_add(da.zeros(10, chunks=3), da.arange(10, chunks=4), 1.0)
    (layer,) = (layer for name, layer in result.__dask_graph__().layers.items() if name.startswith("scatter_add"))
    assert layer.annotations == {"priority": 7}
    assert {dask.utils.key_split(key) for key in layer} == {f"scatter_add-{what}" for what in ("step", "finish", "check", "verdict")}


def test_arguments_stay_as_they_are():
    base, index = np.ones(10), np.arange(30) % 10
    for merge_below in (0, 1 << 22):
        with dask.config.set({"strew.merge-below": merge_below}):
            result = strew.dask.scatter_add(da.from_array(base, chunks=5), da.from_array(index, chunks=7), 1.0)
        assert (result.compute(scheduler="sync") == 4).all() and (result.compute(scheduler="threads") == 4).all()
        assert (base == 1).all() and (index == np.arange(30) % 10).all()


def test_integers_as_indices():
    x = np.arange(12.0).reshape(3, 4)
    lazy = da.from_array(x, chunks=2)
    assert (strew.dask.scatter_add(lazy, 1, np.ones(4)).compute() == strew.scatter_add(x.copy(), 1, np.ones(4))).all()
    assert (strew.dask.scatter_add(lazy, (2, 3), 5.0).compute() == strew.scatter_add(x.copy(), (2, 3), 5.0)).all()
    assert strew.dask.gather(lazy, (2, np.int64(1))).compute() == strew.gather(x, (2, np.int64(1))) == 9
    assert (strew.dask.gather(lazy, da.asarray(1)).compute() == x[1]).all()
    with pytest.raises(strew.BadIndexError, match="index 3 is out of bounds for axis 0"):
        strew.dask.scatter_add(lazy, 3, np.ones(4)).compute()
    with pytest.raises(strew.Error):
        strew.dask.scatter_add(lazy, True, np.ones(4))


def declared(array, chunk):
    """A Dask array whose chunks are others than it declares."""
    return da.map_blocks(chunk, array, dtype=array.dtype, meta=np.zeros((0,) * array.ndim, array.dtype))


WRONG_CHUNKS = {"int8": lambda block: block.astype("i1"), "uint64": lambda block: block.astype("u8"), "float32": lambda block: block.astype("f4"),
                "bytes": lambda block: block.astype("S1"), "objects": lambda block: block.astype(object), "shorter": lambda block: block[:-1],
                "one element": lambda block: block[:1], "longer": lambda block: np.resize(block, block.size + 1),
                "of rank 2": lambda block: block[None], "of rank 0": lambda block: block[0]}


@pytest.mark.parametrize("wrong", WRONG_CHUNKS.values(), ids=WRONG_CHUNKS)
@pytest.mark.parametrize("merge_below", ["0 B", "4 MiB"])
def test_chunks_must_be_what_their_array_declares(wrong, merge_below):
    p, n = strew.dask.pytorch, strew.dask.numpy
    x, updates, index = da.zeros(8, chunks=4), da.ones(8, chunks=4), da.from_array(np.arange(8)[::-1].copy(), chunks=4)
    calls = [lambda of: p.scatter_add(of(x), 0, index, updates), lambda of: p.scatter_add(x, 0, of(index), updates),
             lambda of: p.scatter_add(x, 0, index, of(updates)), lambda of: p.scatter_reduce(of(x), 0, index, updates, "mean"),
             lambda of: p.scatter_reduce(x, 0, index, of(updates), "mean"), lambda of: p.gather(of(x), 0, index),
             lambda of: p.gather(x, 0, of(index)), lambda of: n.add_at(x, of(index), updates), lambda of: p.scatter(x, 0, of(index), updates)]
    with dask.config.set({"strew.merge-below": merge_below, "scheduler": "sync"}):
        for call in calls:
            call(lambda array: array).compute()
            if merge_below != "0 B" and wrong is WRONG_CHUNKS["of rank 2"]:
                continue  # Dask cannot join them
            with pytest.raises((strew.DtypeError, strew.ShapeError), match="declare"):
                call(lambda array: declared(array, wrong)).compute()
        # Those that a key of NumPy's dialect reads as int64.
        assert n.add_at(x, index.astype("u8"), updates).compute().tolist() == [1] * 8


def test_private_functions_check_what_they_get():
    core, operator, one = strew._core, strew.scatter_add, ("float64", bytes(8))
    texts = np.array(["a", "b", "c"], object)
    rules = lambda source, at: (((source, at),), 0, 0, False, "index", "sentence")  # noqa: E731
    step = lambda rules, out, kind: core.step(  # noqa: E731
        operator, "x", rules, (2,), (), out, (np.zeros(2, int),), None, one, "float64", None, kind, 0, None)
    step(rules(1, 0), np.zeros(3), 1)
    for call in (
        lambda: step(rules(9, 0), np.zeros(3), 1),
        lambda: step(rules(1, 999), np.zeros(3), 1),
        lambda: step(rules(1, 0), np.zeros(3), 99),
        lambda: step(rules(1, 0), np.broadcast_to(np.zeros(()), (3,)), 1),
        lambda: core.finish(operator, np.zeros((2, 3)), np.zeros((2, 2)), np.zeros(2, np.int64), 0, 0),
        lambda: core.finish(operator, np.zeros((2, 3)), np.zeros((3, 2)).T, np.zeros(2, np.int64), 0, 0),
        lambda: core.raise_bad_index(operator, "x", rules(1, 0), ("int64",), (3,), (0,), (5,), 7, 1),
        lambda: core.raise_bad_index(None, "x", rules(1, 0), ("int64",), (3,), (0,), (5,), 0, 1),
        lambda: core.step(operator, "x", rules(1, 0), (3,), (), np.zeros(3), (np.zeros(3, int),), np.zeros(3), None, "float64", ("string", b"x" * 32), 1, 0, None),
        lambda: core.step(),
        lambda: core.describe(3),
        lambda: step(rules(1, 0), texts, 1),
        lambda: core.finish(operator, texts[:, None], texts[:, None], np.zeros(3, np.int64), 0, 0),
        lambda: core.step(operator, "x", rules(1, 0), (3,), (), np.zeros(3), (np.zeros(3, int),), texts, None, "float64", None, 1, 0, None),
        lambda: core.step(operator, "x", rules(1, 0), (3,), (), np.zeros(3), (np.zeros(3, int),), np.zeros(3), None, "string", None, 1, 0, None),
        lambda: core.gather_part(operator, "x", rules(1, 0), (3,), (), texts, (np.zeros(3, int),), None),
    ):
        with pytest.raises(TypeError, match="a private function"):
            call()
    with pytest.raises(strew.DtypeError, match="strings have no memory"):
        core.zeros(operator, "string", [3])


def test_cells_that_fit_one_chunk_are_stepped():
    index, ways = da.zeros(1000, dtype=int, chunks=100), {}
    for size in (1 << 24, (1 << 24) + 1):  # of float64: 128 MiB and one element more
        result = strew.dask.scatter_add(da.zeros(size, chunks=1 << 22), index, 1.0)
        ways[size] = {dask.utils.key_split(key) for key in result.__dask_graph__()} & {"scatter_add-step", "scatter_add-route"}
    assert list(ways.values()) == [{"scatter_add-step"}, {"scatter_add-route"}]


def test_chains_hold_a_bounded_number_of_blocks():
    for size, chains in ((1 << 20, 8), (1 << 23, 4), (1 << 26, 2)):
        base = da.zeros(size, chunks=-1, dtype=np.int64)
        result = strew.dask.scatter_add(base, da.zeros(6400, dtype=int, chunks=10), 1)
        steps = {key for key in result.__dask_graph__() if dask.utils.key_split(key) == "scatter_add-step"}
        assert len({key[-2] for key in steps}) == chains
