"""TensorFlow: eager raw operators on one thread."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import ml_dtypes
import numpy as np
import tensorflow as tf

from values import converted, packed, result

tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.threading.set_intra_op_parallelism_threads(1)

OPERATORS = {
    "tensor_scatter_nd_update": tf.raw_ops.TensorScatterUpdate,
    "tensor_scatter_nd_add": tf.raw_ops.TensorScatterAdd,
    "tensor_scatter_nd_sub": tf.raw_ops.TensorScatterSub,
    "tensor_scatter_nd_min": tf.raw_ops.TensorScatterMin,
    "tensor_scatter_nd_max": tf.raw_ops.TensorScatterMax,
    "scatter_nd": tf.raw_ops.ScatterNd,
    "gather_nd": tf.raw_ops.GatherNd,
}


def versions():
    return {"tensorflow-cpu": tf.__version__}


def is_lacking(error, message):
    return isinstance(error, tf.errors.NotFoundError) or "No OpKernel was registered" in message


def to_framework(array):
    values = packed(array)
    if array.dtype == "bfloat16":
        values = values.astype(ml_dtypes.bfloat16)
    return tf.constant(values, dtype=tf.as_dtype(array.dtype), shape=array.shape)


def output_shape(shape, indices):
    """scatter_nd wants the shape in the type of the indices."""
    dtype = indices.dtype if indices.dtype.is_integer else tf.int32
    return tf.constant(np.array(shape, dtype.as_numpy_dtype))


def run(op, arguments):
    call = converted(arguments, to_framework)
    if "shape" in call:
        call["shape"] = output_shape(call["shape"], call["indices"])
    out = OPERATORS[op](**call)
    values = out.numpy()
    if out.dtype == tf.bfloat16:
        values = values.astype(np.float32)
    return result(out.dtype.name, np.asarray(values))
