"""DirectML: SCATTER_ND, SCATTER, GATHER_ELEMENTS and GATHER_ND, from their pages."""
import arithmetic as a
from loops import along_axis, gather, require, require_dtype, scatter as scatter_places, tuples

LEVELS = ("1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0", "5_1", "5_2", "6_0", "6_1", "6_2", "6_3", "6_4")
FLOATS = ("float32", "float16")
SMALL_INTEGERS = ("int32", "int16", "int8", "uint32", "uint16", "uint8")


def at_least(level, other):
    return LEVELS.index(level) >= LEVELS.index(other)


def check_tensors(level, since, out_of_range, indices, *data):
    """Words, dtypes, ranks and sizes; returns the number of dimensions that the tensors may have."""
    require(level in LEVELS, "no such feature level")
    require(at_least(level, since), "the operator came with feature level " + since)
    require(out_of_range in ("error", "clamp"), "out_of_range must be error or clamp")
    allowed = FLOATS
    if at_least(level, "2_1"):
        allowed += SMALL_INTEGERS
    if at_least(level, "4_1"):
        allowed += ("float64", "int64", "uint64")
    new = at_least(level, "3_0")
    for array in data:
        require_dtype(array, allowed, "data")
        require(array.dtype == data[0].dtype, "dtypes differ")
    require_dtype(indices, ("int64", "int32", "uint64", "uint32") if new else ("uint32",), "indices")
    for array in data + (indices,):
        require(all(n > 0 for n in array.shape), "a size is zero")
    return (1, 8) if new else (4, 4)


def meaningful(array, count):
    """The shape without its leading ones: the last `count` sizes."""
    count = array.rank if count is None else count
    require(1 <= count <= array.rank, "dimension count is out of range")
    ignored = array.rank - count
    require(all(n == 1 for n in array.shape[:ignored]), "an ignored leading size is not 1")
    return array.shape[ignored:]


def same_but_leading_ones(a_shape, b_shape):
    rank = max(len(a_shape), len(b_shape))
    return (1,) * (rank - len(a_shape)) + a_shape == (1,) * (rank - len(b_shape)) + b_shape


def reshaped(array, shape):
    return type(array)(array.dtype, array.values.reshape(shape))


def scatter_nd(input, indices, updates, input_dimension_count=None, indices_dimension_count=None,
               feature_level="3_0", out_of_range="error"):
    _, most = check_tensors(feature_level, "2_1", out_of_range, indices, input, updates)
    shape = meaningful(input, input_dimension_count)
    index = reshaped(indices, meaningful(indices, indices_dimension_count))
    # Shorter shapes are padded with leading ones, so only the longest counts.
    require(max(input.rank, indices.rank, updates.rank) <= most, "too many dimensions")
    depth = index.shape[-1]
    require(depth <= len(shape), "index tuples are longer than the input's rank")
    expected = index.shape[:-1] + shape[depth:]
    require(same_but_leading_ones(updates.shape, expected), "updates have the wrong shape")
    targets = tuples(index, shape, wrap=True, otherwise=out_of_range)
    return scatter_places(input, targets, updates.flat(), a.assign(input.dtype))


def check_elements(input, indices, axis, ranks):
    require(ranks[0] <= input.rank <= ranks[1], "unsupported number of dimensions")
    require(isinstance(axis, int) and 0 <= axis < input.rank, "axis is out of range")
    require(indices.rank == input.rank, "ranks differ")
    for d in range(input.rank):
        require(d == axis or indices.shape[d] == input.shape[d], "indices differ from input off the axis")


def scatter(input, indices, updates, axis, feature_level="3_0", out_of_range="error"):
    ranks = check_tensors(feature_level, "1_0", out_of_range, indices, input, updates)
    check_elements(input, indices, axis, ranks)
    require(updates.shape == indices.shape, "updates and indices differ in shape")
    targets = along_axis(indices, axis, input.shape, wrap=True, otherwise=out_of_range)
    return scatter_places(input, targets, updates.flat(), a.assign(input.dtype))


def gather_elements(input, indices, axis, feature_level="3_0", out_of_range="error"):
    ranks = check_tensors(feature_level, "2_1", out_of_range, indices, input)
    check_elements(input, indices, axis, ranks)
    return gather(input, along_axis(indices, axis, input.shape, wrap=True, otherwise=out_of_range), indices.shape)


def gather_nd(input, indices, input_dimension_count=None, indices_dimension_count=None, batch_dimension_count=0,
              feature_level="3_0", out_of_range="error"):
    # Batches came with GATHER_ND1.
    since = "3_0" if batch_dimension_count else "2_1"
    _, most = check_tensors(feature_level, since, out_of_range, indices, input)
    shape = meaningful(input, input_dimension_count)
    index = reshaped(indices, meaningful(indices, indices_dimension_count))
    require(max(input.rank, indices.rank) <= most, "too many dimensions")
    batch, depth = batch_dimension_count, index.shape[-1]
    require(0 <= batch < min(len(shape), index.rank), "batch dimension count is out of range")
    require(shape[:batch] == index.shape[:batch], "batch dimensions differ")
    require(batch + depth <= len(shape), "index tuples are longer than the input's rank")
    result = index.shape[:-1] + shape[batch + depth:]
    require(len(result) <= most, "too many dimensions")
    return gather(input, tuples(index, shape, wrap=True, otherwise=out_of_range, batch=batch), result)
