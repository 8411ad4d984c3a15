"""Calls through strew.dask with arrays that are cut at random, beside the same calls in memory."""

import dask.array as da
import numpy as np

import strew
import strew.dask
from support import same

KINDS = ("tensor", "target", "indices", "updates", "source")


def random_chunks(random, size):
    """A dimension in chunks of random sizes, some of them empty."""
    kind = random.integers(5)
    if kind == 0 or size == 0:
        return (size,)
    if kind == 1:
        return (1,) * size
    cuts = np.sort(random.integers(0, size + 1, random.integers(1, 5)))
    return tuple(int(part) for part in np.diff([0, *cuts, size]))


def as_dask(random, array):
    return da.from_array(array, chunks=tuple(random_chunks(random, size) for size in array.shape))


def is_scattered(value):
    return isinstance(value, np.ndarray) and value.dtype.kind not in "OSUT" and (value.dtype.kind != "V" or value.dtype.name == "bfloat16")


def cut(random, operator, arguments):
    """The arguments by name, with most of the arrays as Dask arrays."""
    types = {name: kind.partition(" ")[0] for name, kind, _, _ in operator.parameters}

    def one(kind, value):
        if kind in ("index_key", "columns"):
            parts = value if isinstance(value, tuple) else (value,)
            return tuple(
                as_dask(random, part) if is_scattered(part) and part.dtype != bool and (part.ndim or kind == "columns") else part for part in parts
            )
        return as_dask(random, value) if kind in KINDS and is_scattered(value) and random.integers(8) else value

    return {name: one(types.get(name), value) for name, value in arguments.items()}


def functional(operator):
    """The function of strew.dask for an operator; None if it has only a functional one of another name."""
    module = strew.dask if operator.dialect == "strew" else getattr(strew.dask, operator.dialect)
    return getattr(module, operator.__name__, None)


def in_memory(operator, arguments):
    """The result or the error of the in-memory call, which must not change the arguments."""
    first = operator.parameters[0][0]
    if operator.in_place:
        arguments = {**arguments, first: np.array(arguments[first], copy=True, subok=True)}
    try:
        result = operator(**arguments)
        return arguments[first] if result is None else result
    except (strew.Error, TypeError) as error:
        return error


def on_dask(operator, arguments, **options):
    try:
        return functional(operator)(**arguments).compute(**options)
    except (strew.Error, TypeError) as error:
        return error


def agree(expected, got):
    if isinstance(expected, Exception) or isinstance(got, Exception):
        alike = type(expected) is type(got) and str(expected) == str(got)
        return alike and getattr(expected, "bad_index", None) == getattr(got, "bad_index", None)
    return type(got) is np.ndarray and same(np.asarray(expected), got)
