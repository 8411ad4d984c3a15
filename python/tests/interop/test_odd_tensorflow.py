"""Tensors of TensorFlow that are more or less than memory with numbers."""

import contextlib

import pytest

tf = pytest.importorskip("tensorflow")

import numpy as np  # noqa: E402

import strew  # noqa: E402
from interop import Interop  # noqa: E402
from odd import Odd, check, is_read_as_it_is  # noqa: E402


def plain(values):
    return tf.constant(np.array(values))


def of_floats(make):
    """Only floats can be of this kind."""
    return lambda values: make(plain(values)) if plain(values).dtype.is_floating else None


def of_rank(least, make):
    return lambda values: make(plain(values)) if np.ndim(values) >= least else None


WATCHING = []  # what is recorded now


def watched(tensor):
    WATCHING[-1].watch(tensor)
    return tensor


@contextlib.contextmanager
def recording(make):
    with make() as tape:
        WATCHING.append(tape)
        try:
            yield
        finally:
            WATCHING.pop()


def taped(**options):
    return lambda: recording(lambda: tf.GradientTape(**options))


@contextlib.contextmanager
def nested_tapes():
    with taped()(), tf.GradientTape():
        yield


@contextlib.contextmanager
def accumulating():
    with tf.autodiff.ForwardAccumulator([], []) as accumulator:
        WATCHING.append(accumulator)
        try:
            yield
        finally:
            WATCHING.pop()


def with_tangent(tensor):
    WATCHING[-1]._watch(tensor, tf.ones_like(tensor))
    return tensor


def symbolic(values):
    """As a function of the caller's sees its arguments while it is traced."""
    seen = []
    tf.function(seen.append).get_concrete_function(tf.TensorSpec(np.shape(values), plain(values).dtype))
    return seen[0]


def placeholder(values):
    with tf.Graph().as_default():
        return tf.compat.v1.placeholder(plain(values).dtype, np.shape(values))


def slices(tensor):
    return tf.IndexedSlices(tensor, tf.range(tensor.shape[0]), dense_shape=tensor.shape)


def keras_variable(tensor):
    return tf.keras.Variable(tensor, dtype=tensor.dtype)


def quantized(name):
    return lambda values: tf.cast(plain(values), getattr(tf, name))


QUANTIZED = ["qint8", "quint8", "qint16", "quint16", "qint32"]
REFUSED = [
    *[Odd(name, quantized(name)) for name in QUANTIZED],
    Odd("variable of qint8", lambda values: tf.Variable(quantized("qint8")(values))),
    Odd("symbolic", symbolic),
    Odd("placeholder", placeholder),
    Odd("input of a model", lambda values: tf.keras.Input(batch_shape=np.shape(values), dtype=plain(values).dtype.name)),
    Odd("ragged", of_rank(2, tf.RaggedTensor.from_tensor)),
    Odd("sparse", of_rank(1, tf.sparse.from_dense)),
    Odd("slices", of_rank(1, slices)),
    Odd("watched", of_floats(watched), inside=taped()),
    Odd("watched for long", of_floats(watched), inside=taped(persistent=True)),
    Odd("watched by the outer of two tapes", of_floats(watched), inside=nested_tapes),
    Odd("computed from what is watched", of_floats(lambda tensor: watched(tensor) * 1), inside=taped()),
    Odd("with a tangent", of_floats(with_tangent), inside=accumulating),
    Odd("variable under a tape", of_floats(tf.Variable), inside=taped()),
    Odd("variable of Keras under a tape", of_floats(keras_variable), inside=taped()),
    Odd("resource", lambda values: tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=())),
    Odd("variant", lambda values: tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=2, element_dtype=tf.float32)),
    Odd("float8", of_floats(lambda tensor: tf.cast(tensor, tf.dtypes.experimental.float8_e4m3fn))),
    Odd("int4", lambda values: tf.cast(plain(values), tf.dtypes.experimental.int4)),
    Odd("spec", lambda values: tf.TensorSpec(np.shape(values))),
    Odd("tensor array", lambda values: tf.TensorArray(tf.float32, 2)),
    Odd("data set", lambda values: tf.data.Dataset.from_tensors(plain(values))),
    Odd("layer", lambda values: tf.keras.layers.Dense(2)),
    Odd("type", lambda values: tf.Tensor),
]
READ = [
    Odd("plain", plain, is_read=True),
    Odd("variable", tf.Variable, is_read=True),
    Odd("variable of Keras", keras_variable, is_read=True),
    Odd("variable that is not trained, under a tape", lambda values: tf.Variable(plain(values), trainable=False), is_read=True, inside=taped()),
    Odd("under a tape that does not watch it", plain, is_read=True, inside=taped()),
    Odd("stopped", of_floats(lambda tensor: tf.stop_gradient(watched(tensor))), is_read=True, inside=taped()),
]


@pytest.mark.parametrize("odd", [*REFUSED, *READ], ids=lambda odd: odd.name)
@pytest.mark.filterwarnings("ignore")
def test_in_every_argument(odd):
    check(odd)


def vectors_of_every_dtype():
    for home in (tf.dtypes, tf.dtypes.experimental):
        for name in dir(home):
            dtype = getattr(home, name)
            if not isinstance(dtype, tf.DType):
                continue
            for make in (tf.zeros, lambda shape, dtype: tf.cast(tf.zeros(shape), dtype),
                         lambda shape, dtype: tf.Variable(tf.cast(tf.zeros(shape), dtype))):
                try:
                    yield make([3], dtype)
                except Exception:
                    continue


def test_no_dtype_is_read_as_another():
    vectors = list(vectors_of_every_dtype())
    assert {tf.qint8, tf.quint16, tf.qint32, tf.dtypes.experimental.int4, tf.dtypes.experimental.float8_e5m2} < {
        vector.dtype for vector in vectors}
    read = {vector.dtype.name for vector in vectors if is_read_as_it_is(vector)}
    assert read == {*Interop.dtypes, "uint16", "uint32", "uint64"}


def test_quantized_tensors_are_refused_with_a_sentence():
    given = tf.quantization.quantize(tf.constant([0.0, 0.5, 1.0]), 0.0, 1.0, tf.qint8).output
    for call in (lambda: strew.tensorflow.tensor_scatter_nd_add(given, [[0]], given[:1]),
                 lambda: strew.tensorflow.tensor_scatter_nd_add([0, 0, 0], [[0]], [given[0]])):
        with pytest.raises(strew.DtypeError, match="has a dtype that Strew does not know: .*qint8"):
            call()
