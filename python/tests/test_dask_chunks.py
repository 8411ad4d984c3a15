"""How arrays are cut: empty chunks in every place, and the number of tasks in every layout."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="Dask is not installed")

import dask  # noqa: E402
import dask.array as da  # noqa: E402

import strew  # noqa: E402
import strew.dask  # noqa: E402
from support import bits  # noqa: E402

RNG = np.random.default_rng(7)
GRID, POINTS = RNG.standard_normal((4, 6)), 9
ROWS, COLUMNS = RNG.integers(0, 4, POINTS), RNG.integers(0, 6, POINTS)
TUPLES = np.stack([ROWS, COLUMNS], axis=-1)
VALUES, SHEETS = RNG.standard_normal(POINTS), RNG.standard_normal((POINTS, 6))
ALONG = RNG.integers(0, 4, (POINTS, 6))
ACROSS = RNG.integers(0, 6, (4, POINTS))


# The operator and its arguments; before them comes GRID, except for scatter_nd of TensorFlow.
FAMILIES = {
    "numpy.add_at reversed": ("numpy.add_at", (ROWS, slice(None, None, -1)), SHEETS),
    "numpy.add_at reversed first": ("numpy.add_at", (slice(None, None, -2), COLUMNS), RNG.standard_normal((2, POINTS))),
    "numpy.add_at part": ("numpy.add_at", (slice(1, 4, 2), COLUMNS), 2.0),
    "numpy.subtract_at backwards part": ("numpy.subtract_at", (ROWS, slice(5, 1, -3)), 2.0),
    "numpy.multiply_at both": ("numpy.multiply_at", (ROWS, COLUMNS), VALUES),
    "numpy.maximum_at integer": ("numpy.maximum_at", (2, COLUMNS), VALUES),
    "numpy.put_along_axis": ("numpy.put_along_axis", ACROSS, RNG.standard_normal((4, POINTS)), 1),
    "numpy.put_along_axis flat": ("numpy.put_along_axis", RNG.integers(0, 24, POINTS), VALUES, None),
    "strew.scatter": ("strew.scatter", (ROWS, COLUMNS), VALUES),
    "strew.scatter_add rows": ("strew.scatter_add", ROWS, SHEETS),
    "strew.scatter_mean": ("strew.scatter_mean", (ROWS, COLUMNS), VALUES),
    "strew.gather": ("strew.gather", ROWS),
    "pytorch.scatter_add": ("pytorch.scatter_add", 0, ALONG, SHEETS),
    "pytorch.scatter_reduce": ("pytorch.scatter_reduce", 1, ACROSS, RNG.standard_normal((4, POINTS)), "mean"),
    "pytorch.scatter_add prefix": ("pytorch.scatter_add", 0, ALONG[:, :3], SHEETS),
    "pytorch.index_add": ("pytorch.index_add", 0, ROWS, SHEETS),
    "pytorch.index_copy": ("pytorch.index_copy", 1, COLUMNS, RNG.standard_normal((4, POINTS))),
    "pytorch.gather": ("pytorch.gather", 0, ALONG),
    "tensorflow.tensor_scatter_nd_add": ("tensorflow.tensor_scatter_nd_add", TUPLES, VALUES),
    "tensorflow.scatter_nd": ("tensorflow.scatter_nd", TUPLES, VALUES, (4, 6)),
    "tensorflow.gather_nd": ("tensorflow.gather_nd", TUPLES),
    "onnx.scatter_elements": ("onnx.scatter_elements", ALONG, SHEETS),
    "onnx.scatter_nd": ("onnx.scatter_nd", TUPLES[:, :1], SHEETS),
    "paddle.put_along_axis": ("paddle.put_along_axis", ALONG, SHEETS, 0),
    "paddle.scatter": ("paddle.scatter", ROWS, SHEETS),
    "directml.scatter": ("directml.scatter", ALONG.astype(np.uint32), SHEETS, {"axis": 0, "feature_level": "5_0"}),
}


def emptied(size, where):
    """Two chunks, and an empty one before, between or after them, or in all of these places."""
    half = [(size + 1) // 2, size // 2]
    return tuple({"first": [0, *half], "middle": [half[0], 0, half[1]], "last": [*half, 0], "all": [0, half[0], 0, 0, half[1], 0]}[where])


def lazy(value, where):
    if isinstance(value, tuple) and any(isinstance(part, np.ndarray) for part in value):
        return tuple(lazy(part, where) for part in value)
    is_array = isinstance(value, np.ndarray)
    return da.from_array(value, chunks=tuple(emptied(size, where) for size in value.shape)) if is_array else value


@pytest.mark.parametrize("merge_below", [0, 1 << 22])
@pytest.mark.parametrize("where", ["first", "middle", "last", "all"])
@pytest.mark.parametrize("family", FAMILIES)
def test_empty_chunks(family, where, merge_below):
    path, *arguments = FAMILIES[family]
    keywords = arguments.pop() if isinstance(arguments[-1], dict) else {}
    dialect, name = path.split(".")
    module = strew if dialect == "strew" else getattr(strew, dialect)
    on_dask = getattr(strew.dask if dialect == "strew" else getattr(strew.dask, dialect), name)
    operator = getattr(module, name)
    if name != "scatter_nd" or dialect != "tensorflow":
        arguments = [GRID.copy(), *arguments]
    with dask.config.set({"strew.merge-below": merge_below}):
        result = on_dask(*(lazy(argument, where) for argument in arguments), **keywords)
    if "gather" not in name and path != "tensorflow.scatter_nd":
        assert result.chunks == (emptied(4, where), emptied(6, where))
    got = result.compute(scheduler="sync")
    expected = operator(*arguments, **keywords)
    expected = arguments[0] if expected is None else expected
    assert got.dtype == expected.dtype and got.shape == expected.shape and bits(got) == bits(expected)


def test_an_empty_block_has_the_error_of_the_call():
    base = da.zeros((6,), chunks=((3, 0, 3),))
    result = strew.dask.scatter_add(base, da.from_array(np.array([1, 6]), chunks=1), 1.0)
    assert result.chunks == base.chunks
    for block in range(3):
        with pytest.raises(strew.BadIndexError, match="index 6 is out of bounds"):
            result.blocks[block].compute(scheduler="sync")


def laid_out(shape, cuts, dtype=np.float64):
    """Zeros of a shape, cut into so many chunks along each dimension."""
    return da.zeros(shape, dtype=dtype, chunks=tuple(-(-size // parts) for size, parts in zip(shape, cuts)))


LAYOUTS = {
    "updates along points, output along places": lambda n: ("scatter_add", (40 * n,), (n,), (40 * n,), (n,), (40 * n,), (n,)),
    "updates along points, output along rows": lambda n: ("index_add", (9, 4 * n), (1, n), (4 * n,), (n,), (4 * n, 4 * n), (n, 1)),
    "updates along rows, output along places": lambda n: ("index_add", (4 * n, 4 * n), (n, 1), (4 * n,), (n,), (4 * n, 4 * n), (1, n)),
    "updates along points, output along following axis": lambda n: ("scatter_add", (9, 4 * n), (1, n), (4 * n, 4 * n), (n, 1), (4 * n, 4 * n), (n, 1)),
    "index along points, the others along following axis": lambda n: ("scatter_add", (9, 4 * n), (1, n), (4 * n, 4 * n), (n, 1), (4 * n, 4 * n), (1, n)),
    "all along rows": lambda n: ("index_add", (9, 4 * n), (1, n), (4 * n,), (1,), (4 * n, 4 * n), (1, n)),
    "a number, output along rows": lambda n: ("add_at", (9, 4 * n), (1, n), (4 * n,), (n,), None, None),
    "a gather, source along rows": lambda n: ("index_select", (9, 4 * n), (1, n), (4 * n,), (n,), None, None),
    "a gather, source along following axis": lambda n: ("gather", (9, 4 * n), (1, n), (4 * n, 4 * n), (n, 1), None, None),
}


@pytest.mark.parametrize("merge_below", [0, 1 << 22])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tasks_grow_with_the_sum_of_the_chunks(layout, merge_below):
    for chunks in (8, 32, 128):
        name, shape, cuts, points, point_cuts, updates, update_cuts = LAYOUTS[layout](chunks)
        base, index = laid_out(shape, cuts), laid_out(points, point_cuts, np.int64)
        source = () if updates is None else (laid_out(updates, update_cuts),)
        with dask.config.set({"strew.merge-below": merge_below}):
            if name == "add_at":
                result = strew.dask.scatter_add(base, index, 1.0)
            elif name == "index_select":
                result = strew.dask.gather(base, index)
            else:
                result = getattr(strew.dask.pytorch, name)(base, 0, index, *source)
        given = [base, index, *source]
        total = sum(array.npartitions for array in given)
        tasks = len(result.__dask_graph__()) - sum(len(array.__dask_graph__()) for array in given)
        assert tasks < 8 * total * np.log2(chunks), (layout, chunks, tasks, total)


def test_parts_keep_the_size_of_a_chunk():
    """Where the output cuts rows, the points of a part are more, so that no block of the updates is larger than one that was given."""
    values = da.zeros((6400, 640), chunks=(100, -1))
    result = strew.dask.pytorch.index_add(da.zeros((10, 640), chunks=(10, 10)), 0, da.zeros(6400, dtype=int, chunks=100), values)
    layers = result.__dask_graph__()
    assert result.chunks == ((10,), (10,) * 64) and len(layers) < 12 * 128
    shapes = {part.points + part.row for task in layers.values() for part in parts_in(task)}
    assert max(np.prod(shape) for shape in shapes) == 6400 * 10 == 100 * 640


def parts_in(task):
    """The parts that a task of a scatter steps."""
    from strew.dask._tasks import Part

    function = getattr(task, "func", None) or (task[0] if isinstance(task, tuple) and callable(task[0]) else None)
    for argument in getattr(function, "args", ()):
        if isinstance(argument, list):
            yield from (part for part in argument if isinstance(part, Part))


def test_bits_where_the_output_cuts_the_chunks_of_the_updates():
    random = np.random.default_rng(3)
    values = 10.0 ** random.integers(-8, 16, (60, 12)) * random.choice([-1, 1], (60, 12))
    index, index2d = random.integers(0, 5, 60), random.integers(0, 5, (60, 12))
    for merge_below in (0, 1 << 22):
        for chunks in ((1, 1), (2, 4), (5, 3)):
            base = da.zeros((5, 12), chunks=chunks)
            with dask.config.set({"strew.merge-below": merge_below}):
                rows = strew.dask.pytorch.index_add(base, 0, da.from_array(index, chunks=7), da.from_array(values, chunks=(4, -1)))
                along = strew.dask.pytorch.scatter_add(base, 0, da.from_array(index2d, chunks=(6, 5)), da.from_array(values, chunks=(4, -1)))
                read = strew.dask.gather(rows, da.from_array(index, chunks=3))
            expected = strew.pytorch.index_add(np.zeros((5, 12)), 0, index, values)
            assert bits(rows.compute(scheduler="sync")) == bits(expected)
            assert bits(along.compute(scheduler="sync")) == bits(strew.pytorch.scatter_add(np.zeros((5, 12)), 0, index2d, values))
            assert bits(read.compute(scheduler="sync")) == bits(expected[index])
