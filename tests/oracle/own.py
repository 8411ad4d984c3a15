"""Strew's own scatter functions and gather: what each named place holds is a list of values, folded when all are known."""
import numpy as np

import arithmetic as a
from loops import coordinate, require, strides_of
from tensors import Array, check_overlap, is_complex, is_integer, is_narrow, make

WIDE = {"float16": "float32", "bfloat16": "float32"}


def columns_of(index):
    """Integers stand for arrays of rank 0."""
    require(len(index) > 0, "no index")
    columns = [Array("int64", np.array(part)) if type(part) is int else part for part in index]
    for column in columns:
        require(isinstance(column, Array) and is_integer(column.dtype), "an index that is no integer")
    return columns


def check_index(shape, columns):
    require(len(columns) <= len(shape), "more indices than axes")
    require(all(column.shape == columns[0].shape for column in columns), "the indices differ in shape")


def rows_named(shape, columns):
    """The number of the first element of each named row, and how many elements a row has."""
    strides = strides_of(shape)
    starts = []
    for coordinates in zip(*(column.integers() for column in columns)):
        starts.append(sum(strides[d] * coordinate(value, shape[d], wrap=False) for d, value in enumerate(coordinates)))
    return starts, int(np.prod(shape[len(columns):], dtype=np.int64))


def number_as(number, dtype):
    """The number as a scalar of the dtype, which must hold it: rounded only where floats round."""
    require(dtype != "string", "a number for strings")
    if isinstance(number, complex):
        require(is_complex(dtype), "a complex number for a real dtype")
        part = "float32" if dtype == "complex64" else "float64"
        return a.complex_of(dtype, number_as(number.real, part), number_as(number.imag, part))
    if dtype == "bool":
        require(number in (0, 1), "no bool")
        return np.bool_(number)
    if is_integer(dtype):
        limits = np.iinfo(dtype)
        require(number == number and abs(number) != float("inf") and int(number) == number, "no integer")
        require(limits.min <= int(number) <= limits.max, "out of bounds")
        return np.dtype(dtype).type(int(number))
    if is_complex(dtype):
        return a.complex_of(dtype, number_as(number, "float32" if dtype == "complex64" else "float64"), 0)
    largest = {"float16": 65504, "bfloat16": 3.3895313892515355e38, "float32": float(np.finfo(np.float32).max)}.get(dtype)
    require(largest is None or number != number or abs(number) == float("inf") or abs(number) <= largest, "overflows")
    return a.narrow(dtype, np.float32(number)) if is_narrow(dtype) else np.dtype(dtype).type(number)


def updates_of(out, columns, values):
    shape = columns[0].shape + out.shape[len(columns):]
    if isinstance(values, Array):
        require(values.dtype == out.dtype, "dtypes differ")
        require(values.shape == shape, "values must have shape %s" % (shape,))
        return values.flat()
    return [number_as(values, out.dtype)] * int(np.prod(shape, dtype=np.int64))


def scattered(out, index, values, fold):
    """`fold(old, updates)` of each element that is named, in the order of the updates."""
    columns = columns_of(index)
    check_index(out.shape, columns)
    updates = updates_of(out, columns, values)
    check_overlap(out, values, *columns)
    starts, row = rows_named(out.shape, columns)
    named = {}
    for i, start in enumerate(starts):
        for j in range(row):
            named.setdefault(start + j, []).append(updates[i * row + j])
    elements = out.flat()
    for place, own in named.items():
        elements[place] = fold(elements[place], own)
    return make(out.dtype, elements, out.shape)


def in_order(dtype, step):
    """One step after the other; 16-bit floats in float32, rounded at the end."""
    wide = WIDE.get(dtype)

    def fold(old, updates):
        result = np.float32(old) if wide else old
        for update in updates:
            result = step(result, np.float32(update) if wide else update)
        return a.narrow(dtype, result) if wide else result
    return fold


def scatter(out, index, values):
    return scattered(out, index, values, lambda old, updates: updates[-1])


def scatter_add(out, index, values):
    return scattered(out, index, values, in_order(out.dtype, a.add(WIDE.get(out.dtype, out.dtype))))


def scatter_sub(out, index, values):
    return scattered(out, index, values, in_order(out.dtype, a.sub(WIDE.get(out.dtype, out.dtype))))


def scatter_mul(out, index, values):
    return scattered(out, index, values, in_order(out.dtype, a.mul(WIDE.get(out.dtype, out.dtype))))


def scatter_min(out, index, values):
    return scattered(out, index, values, in_order(out.dtype, a.minimum(out.dtype, a.propagate)))


def scatter_max(out, index, values):
    return scattered(out, index, values, in_order(out.dtype, a.maximum(out.dtype, a.propagate)))


def scatter_mean(out, index, values):
    require(out.dtype not in ("bool", "string"), "no mean of " + out.dtype)
    zero = make(WIDE.get(out.dtype, out.dtype), [0], (1,)).flat()[0]
    total = in_order(out.dtype, a.add(WIDE.get(out.dtype, out.dtype)))
    return scattered(out, index, values, lambda old, updates: a.mean(out.dtype, total(zero, updates), len(updates)))


def gather(source, index):
    columns = columns_of(index)
    check_index(source.shape, columns)
    starts, row = rows_named(source.shape, columns)
    elements = source.flat()
    return make(source.dtype, [elements[start + j] for start in starts for j in range(row)], columns[0].shape + source.shape[len(columns):])
