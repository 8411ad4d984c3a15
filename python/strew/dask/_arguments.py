"""The arguments of a call: Dask arrays for its arrays, and the op that the in-memory operator makes of their shapes and types."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._errors import ArrayError, DtypeError, ShapeError
from ._dask import Array, da
from ._op import NONE, Op, op_from

ARRAYS = ("tensor", "indices", "updates", "source", "target")
KEYS = ("index_key", "columns")


def read(operator: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Op, list[Array]]:
    """Checks a call except for its indices. Returns its op and the Dask array of each of op.arrays."""
    types = {name: kind.partition(" ")[0] for name, kind, _, _ in operator.parameters}
    positional = [name for name, _, keyword_only, _ in operator.parameters if not keyword_only]
    others = {other: name for name, other in operator.also_named.items()}
    given: dict[str, Any] = dict(zip(positional, arguments))

    def checked(name: str, value: Any) -> Any:
        where = f"{operator.dialect}.{operator.__name__}: {name}"
        kind = types.get(name)
        if kind in KEYS:
            return tuple(key_part(where, kind, part) for part in value) if isinstance(value, tuple) else key_part(where, kind, value)
        if is_dask(value) and kind not in ARRAYS:
            raise DtypeError(f"{where} is needed when the call is made, got a Dask array: pass {name}.compute()")
        is_numbers = type(value) is np.ndarray and not value.dtype.hasobject and value.dtype.kind not in "SUT"
        return stand_in(where, value) if is_dask(value) or (kind in ARRAYS and is_numbers) else value

    stand_ins = [checked(name, value) for name, value in zip(positional, arguments)] + list(arguments[len(positional):])
    described, converted = _core.describe(operator, *stand_ins, **{name: checked(name, value) for name, value in keywords.items()})
    given.update({others.get(name, name): value for name, value in keywords.items()})
    given.update(converted)
    op = op_from(operator, described)
    if any(view.array == NONE for view in op.columns):
        raise DtypeError(f"{op.name}: {op.words[0]} must be integers or arrays of them")
    keys = {name: key_arrays(value, types[name]) for name, value in given.items() if types.get(name) in KEYS}
    arrays = [da.asarray(given[name] if part < 0 else keys[name][part]) for name, part, _ in op.arrays]
    return op._replace(ranks=tuple(array.ndim for array in arrays)), arrays


def is_dask(value: Any) -> bool:
    return isinstance(value, da.Array)


def stand_in(where: str, value: Any) -> Any:
    """An array of the same shape and dtype without memory of its own."""
    if is_dask(value):
        require_plain(where, value)
    return np.broadcast_to(np.zeros((), value.dtype), value.shape)


def key_part(where: str, kind: str, part: Any) -> Any:
    if not is_dask(part):
        return np.array(part, np.int64) if kind == "columns" and type(part) is int and -(2**63) <= part < 2**63 else part
    if part.dtype == bool or (part.ndim == 0 and kind == "index_key"):
        what = "the true elements of a mask are" if part.dtype == bool else "an integer is"
        raise DtypeError(f"{where}: {what} needed when the call is made: pass its compute()")
    return stand_in(where, part)


def require_plain(where: str, array: Array) -> None:
    meta = array._meta
    if type(meta) is not np.ndarray:
        kind = f"{type(meta).__module__.partition('.')[0]}.{type(meta).__qualname__}"
        raise ArrayError(f"{where} is a Dask array of {kind}; strew.dask takes Dask arrays of numpy.ndarray")
    if array.dtype.hasobject or array.dtype.kind in "SUT":
        raise DtypeError(f"{where} is a Dask array of {array.dtype}; strew.dask takes no strings and no objects")
    if any(np.isnan(size) for size in array.shape):
        raise ShapeError(f"{where} has chunks of unknown size; {where.split()[-1]}.compute_chunk_sizes() finds them")


def key_arrays(key: Any, kind: str) -> list[Any]:
    """The index arrays of a key, in order; a mask has one for each of its dimensions."""
    arrays: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        if part is None or part is ... or isinstance(part, (slice, bool, np.bool_)):
            continue
        array = part if is_dask(part) else np.asarray(part)
        if array.size == 0 and not hasattr(part, "dtype"):
            array = array.astype(np.int64)
        if array.dtype == bool:
            arrays += array.nonzero() if array.ndim else ()
        elif array.ndim or kind == "columns":
            arrays.append(array)
    return arrays
