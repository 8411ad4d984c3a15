import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import strew  # noqa: E402
from interop import Interop, watch_maker  # noqa: E402

watch_maker(tf.experimental.dlpack)


class TestTensorFlow(Interop):
    immutable = True
    dtypes = [*Interop.dtypes, "uint16", "uint32", "uint64"]

    def make(self, values, dtype="float32"):
        return tf.cast(tf.constant(values, dtype=tf.float32), dtype)

    def to_numpy(self, array):
        return array.numpy()

    def pointer(self, array):
        return np.asarray(memoryview(array)).ctypes.data

    def is_mine(self, array):
        return isinstance(array, tf.Tensor)


def test_agrees_with_tensorflow():
    rng = np.random.default_rng(1)
    x, updates = tf.constant(rng.standard_normal(50)), tf.constant(rng.standard_normal(1000))
    indices = tf.constant(rng.integers(0, 50, (1000, 1)))
    assert np.array_equal(strew.tensorflow.tensor_scatter_nd_add(x, indices, updates), tf.tensor_scatter_nd_add(x, indices, updates))


def test_strings():
    x = tf.constant(["a", "b"])
    result = strew.tensorflow.tensor_scatter_nd_update(x, tf.constant([[1]]), tf.constant(["c"]))
    assert isinstance(result, tf.Tensor) and result.numpy().tolist() == [b"a", b"c"]


def test_variables_are_read_and_not_written():
    v = tf.Variable([1.0, 2.0])
    result = strew.tensorflow.tensor_scatter_nd_add(v, [[0]], [5.0])
    assert isinstance(result, tf.Tensor) and result.numpy().tolist() == [6, 2]
    with pytest.raises(strew.ArrayError):
        strew.numpy.add_at(v, [0], 1.0)


def test_symbols_are_refused():
    @tf.function(autograph=False)
    def f(x):
        return strew.tensorflow.tensor_scatter_nd_add(x, [[0]], [5.0])

    with pytest.raises(Exception, match="(?i)symbolic|numpy"):
        f(tf.zeros(3))
