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


def uses_of(value):
    """A call for each place that a tensor of numbers can stand in."""
    x, indices = tf.zeros(3), tf.constant([[0]])
    return [
        lambda: strew.tensorflow.tensor_scatter_nd_add(value, indices, [5.0]),
        lambda: strew.tensorflow.tensor_scatter_nd_add(x, indices, value[:1]),
        lambda: strew.tensorflow.tensor_scatter_nd_add(x, indices, [value[0]]),
        lambda: strew.tensorflow.tensor_scatter_nd_add(x, indices, (value[0] * 2,)),
        lambda: strew.tensorflow.gather_nd(value, indices),
        lambda: strew.tensorflow.scatter_nd.plan(indices, [3])(value[:1]),
        lambda: strew.numpy.add_at(np.zeros(3, np.float32), [0], value[:1]),
        lambda: strew.explain(strew.tensorflow.tensor_scatter_nd_add, value, indices, [5.0]),
    ]


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_what_a_tape_watches_is_refused(make):
    value = make([1.0, 2.0, 3.0])
    for call in uses_of(value):
        with tf.GradientTape() as tape:
            if make is tf.constant:
                tape.watch(value)
            with pytest.raises(strew.ArrayError, match=r"watched by a tape.*: pass tensorflow.stop_gradient\(\w+\)"):
                call()
            with tape.stop_recording():
                call()
        call()


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_what_an_accumulator_watches_is_refused(make):
    value = make([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(value, tf.ones(3)):
        for call in uses_of(value):
            with pytest.raises(strew.ArrayError, match="watched by a tape or an accumulator"):
                call()


def test_what_nothing_watches_is_taken_under_a_tape():
    value, fixed = tf.constant([1.0, 2.0, 3.0]), tf.Variable([1.0, 2.0, 3.0], trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(value)
        for free in (fixed, tf.constant([1.0, 2.0, 3.0]), tf.stop_gradient(value)):
            for call in uses_of(free):
                call()
        assert strew.tensorflow.tensor_scatter_nd_add(fixed, [[0]], [5.0]).numpy().tolist() == [6, 2, 3]


def test_symbols_are_refused_everywhere():
    failures = []

    @tf.function(autograph=False)
    def f(x, k):
        for call in [*uses_of(x), lambda: strew.pytorch.index_add(np.zeros(3), 0, [0], [1.0], alpha=x[0]),
                     lambda: strew.pytorch.index_add(np.zeros(3), k, [0], [1.0]), lambda: strew.tensorflow.scatter_nd([[0]], [1.0], k[None]),
                     lambda: strew.numpy.add_at(np.zeros(3), k, 1.0), lambda: strew.numpy.add_at(np.zeros(3), [k], 1.0),
                     lambda: strew.tensorflow.tensor_scatter_nd_add(np.zeros(3), [[0]], [1.0], threads=k)]:
            try:
                failures.append(call())
            except Exception as error:
                failures.append(error)
        return x

    f(tf.zeros(3), tf.constant(1))
    for failure in failures:
        assert isinstance(failure, strew.Error) and len(str(failure)) < 1000, failure


def test_other_kinds_of_tensors_are_refused():
    for other in (tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.sparse.from_dense([1.0, 0.0]), tf.TensorArray(tf.float32, 3),
                  tf.IndexedSlices(tf.zeros(3), tf.constant([0, 1, 2])), tf.constant("a"), tf.float32):
        with pytest.raises(strew.Error):
            strew.tensorflow.tensor_scatter_nd_add(other, [[0]], [5.0])
        with pytest.raises(strew.Error):
            strew.tensorflow.tensor_scatter_nd_add(tf.zeros(3), [[0]], [other])
