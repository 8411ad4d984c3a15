"""How arrays are cut: empty chunks in every place."""

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
