"""TensorFlow: tensor_scatter_nd_*, scatter_nd and gather_nd, as version 2.21 runs them eagerly on a CPU."""
import math

import arithmetic as a
from loops import gather, output_shape, require, require_dtype, scatter, tuples
from tensors import zeros

MAX_DEPTH = 7


def bad_indices(policy):
    require(policy in ("", "DEFAULT", "ERROR", "IGNORE"), "unknown bad indices policy")
    return "skip" if policy == "IGNORE" else "error"


def valid_empty(out_size, indices, updates):
    """Either there is nothing to do, or all three have elements."""
    if indices.size == 0 and updates.size == 0:
        return True
    return out_size > 0 and indices.size > 0 and updates.size > 0


def check_shapes(shape, indices, updates):
    """The rules that tensor_scatter_nd_* and scatter_nd share."""
    require(len(shape) >= 1, "the output must have rank 1 or more")
    require(valid_empty(math.prod(shape), indices, updates), "indices and updates for an empty output")
    depth, batch = indices.shape[-1], indices.shape[:-1]
    require(depth <= len(shape), "index tuples are longer than the output's rank")
    require(updates.shape == batch + shape[depth:], "updates have the wrong shape")
    require(updates.shape[0] == indices.shape[0], "the first dimensions differ")
    if indices.rank == 1:
        # A lone tuple is refused: one rule reads it as a tuple, another as a list of indices. Without elements both agree.
        require(indices.size == 0, "a tuple must be in a list")
    elif math.prod(shape) > 0:
        require(1 <= depth <= MAX_DEPTH, "unsupported index depth")


def tensor_scatter_nd(tensor, indices, updates, policy, step, index_dtypes=("int32", "int64")):
    otherwise = bad_indices(policy)
    require(tensor.dtype == updates.dtype, "dtypes differ")
    require_dtype(indices, index_dtypes, "indices")
    require(indices.rank >= 1, "indices must have rank 1 or more")
    require(updates.rank >= 1, "updates must have rank 1 or more")
    check_shapes(tensor.shape, indices, updates)
    targets = tuples(indices, tensor.shape, wrap=False, otherwise=otherwise) if indices.size else []
    return scatter(tensor, targets, updates.flat(), step)


def tensor_scatter_nd_update(tensor, indices, updates, bad_indices_policy="DEFAULT"):
    return tensor_scatter_nd(tensor, indices, updates, bad_indices_policy, a.assign(tensor.dtype),
                             ("int16", "int32", "int64", "uint16"))


def tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy="DEFAULT"):
    return tensor_scatter_nd(tensor, indices, updates, bad_indices_policy, a.add(tensor.dtype))


def tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy="DEFAULT"):
    return tensor_scatter_nd(tensor, indices, updates, bad_indices_policy, a.sub(tensor.dtype))


def tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy="DEFAULT"):
    return tensor_scatter_nd(tensor, indices, updates, bad_indices_policy, a.minimum(tensor.dtype, a.keep_out))


def tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy="DEFAULT"):
    return tensor_scatter_nd(tensor, indices, updates, bad_indices_policy, a.maximum(tensor.dtype, a.keep_out))


def scatter_nd(indices, updates, shape, bad_indices_policy="DEFAULT"):
    otherwise = bad_indices(bad_indices_policy)
    require_dtype(indices, ("int16", "int32", "int64"), "indices")
    require(indices.rank >= 1, "indices must have rank 1 or more")
    require(updates.rank >= 1, "updates must have rank 1 or more")
    shape = output_shape(shape, updates.dtype)
    check_shapes(shape, indices, updates)
    targets = tuples(indices, shape, wrap=False, otherwise=otherwise) if indices.size else []
    return scatter(zeros(updates.dtype, shape), targets, updates.flat(), a.add(updates.dtype))


def gather_nd(params, indices, bad_indices_policy="DEFAULT"):
    otherwise = bad_indices(bad_indices_policy)
    require_dtype(indices, ("int16", "int32", "int64"), "indices")
    require(params.rank >= 1, "params must have rank 1 or more")
    require(indices.rank >= 1, "indices must have rank 1 or more")
    depth, points = indices.shape[-1], indices.shape[:-1]
    require(depth <= params.rank, "index tuples are longer than the rank of params")
    if math.prod(points) > 0:
        require(params.size > 0, "params is empty")
        require(depth <= MAX_DEPTH, "unsupported index depth")
    targets = tuples(indices, params.shape, wrap=False, otherwise=otherwise)
    missing = "" if params.dtype == "string" else 0
    return gather(params, targets, points + params.shape[depth:], missing)
