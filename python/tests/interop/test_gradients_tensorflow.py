"""Gradients in TensorFlow: strew.tf."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

import strew  # noqa: E402
import strew.tf  # noqa: E402
from gradient_cases import calls, calls_of, data_of, oracle, traces  # noqa: E402

X, INDICES, UPDATES = [0.0, 0.0, 0.0], [[2], [0], [2], [2]], [1.0, 2.0, 3.0, 4.0]


def gradients(function, data, cotangent):
    """Of a function of tensors, eagerly and inside a tf.function."""

    def run(*data):
        with tf.GradientTape() as tape:
            tape.watch(data)
            result = function(*data)
        return (result, *map(tf.convert_to_tensor, tape.gradient(result, data, tf.constant(cotangent))))

    eager, traced = run(*data), tf.function(run)(*data)
    for a, b in zip(eager, traced):
        assert np.array_equal(a, b, equal_nan=True)
    return [value.numpy() for value in eager]


@pytest.mark.parametrize("name", strew.tf.__all__)
def test_every_operator(name):
    for number in (calls.distinct(1), calls.with_ties(2)):
        for args, kwargs in calls_of("tensorflow", name, number):
            positions, trace = data_of("tensorflow", name, args, kwargs), oracle.bind("tensorflow", name, args, kwargs)[0]
            cotangent = np.asarray(number(trace.shape))

            def function(*data):
                given = list(args)
                for position, tensor in zip(positions, data):
                    given[position] = tensor
                return getattr(strew.tf, name)(*given, **kwargs)

            _, *found = gradients(function, [tf.constant(args[position]) for position in positions], cotangent)
            expected = oracle.vjp("tensorflow", name, args, kwargs, cotangent)
            for own, gradient in zip((own for own in (trace.base, trace.source) if own is not None), found):
                np.testing.assert_allclose(gradient, expected[own], rtol=1e-12, atol=1e-12, err_msg=f"{name} {kwargs}")


def test_operators_are_those_of_the_dialect():
    assert strew.tf.__all__ == strew.tensorflow.__all__ and set(strew.tf.__all__) == set(traces.TENSORFLOW)
    assert "strew.tf" in strew.tf.__name__ and "bad_indices_policy" in str(strew.tf.gather_nd.__signature__)


@pytest.mark.parametrize("name", ["add", "sub", "min", "max"])
def test_equal_to_tensorflow_where_it_is_right(name):
    rng = np.random.default_rng(1)
    data = [tf.constant(rng.integers(-3, 4, (5, 2)).astype(float)), tf.constant(rng.integers(-3, 4, (9, 2)).astype(float))]
    indices = tf.constant(rng.integers(0, 5, (9, 1)))
    found = [
        gradients(lambda x, u: getattr(module, "tensor_scatter_nd_" + name)(x, indices, u), data, rng.standard_normal((5, 2)) * 0 + 1.5)
        for module in (tf, strew.tf)
    ]
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_only_the_update_that_stays_has_a_gradient():
    """TensorFlow gives one to every update of an element: the case in docs/gradients.md."""
    found = [
        gradients(lambda x, u: module.tensor_scatter_nd_update(x, INDICES, u), [tf.constant(X), tf.constant(UPDATES)], [1.0, 2.0, 3.0])
        for module in (tf, strew.tf)
    ]
    assert found[0][2].tolist() == [3, 1, 3, 3] and found[1][2].tolist() == [0, 1, 0, 3]
    assert found[0][1].tolist() == found[1][1].tolist() == [0, 2, 0]


def test_variables_second_derivatives_and_accumulators():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_sum(strew.tf.gather_nd(v, [[0], [0], [2]]) ** 3)
        first = inner.gradient(loss, v)
    assert first.numpy().tolist() == [6, 0, 27] and outer.gradient(first, v).numpy().tolist() == [12, 0, 18]
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0, 2.0])) as accumulator:
        result = strew.tf.tensor_scatter_nd_add(v, INDICES, UPDATES) ** 2
    assert accumulator.jvp(result).numpy().tolist() == [6, 0, 44]


def test_cotangents_that_are_tensors_of_slices():
    for module in (tf, strew.tf):
        found = gradients(lambda x, u: tf.gather(module.tensor_scatter_nd_add(x, INDICES, u), [2, 0, 2]), [tf.constant(X), tf.constant(UPDATES)], [1.0, 2.0, 3.0])
        assert found[1].tolist() == [2, 0, 4] and found[2].tolist() == [4, 2, 4, 4]
    v = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as inner:
            inner.watch(v)
            loss = tf.reduce_sum(tf.gather(strew.tf.tensor_scatter_nd_max(v, INDICES, UPDATES), [0, 0]) ** 2)
        first = inner.gradient(loss, v)
        second = tf.reduce_sum(tf.gather(first, [0]))
    assert outer.gradient(second, v).numpy().tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", strew.tf.__all__)
def test_accumulators(name):
    """Forward mode, eagerly and inside a tf.function: of a linear loss, its tangent is the product with the gradient."""
    for args, kwargs in calls_of("tensorflow", name, calls.distinct(1)):
        positions = data_of("tensorflow", name, args, kwargs)
        data = [tf.constant(args[position]) for position in positions]

        def loss(*data):
            given = list(args)
            for position, tensor in zip(positions, data):
                given[position] = tensor
            result = getattr(strew.tf, name)(*given, **kwargs)
            return tf.reduce_sum(result * result)

        def forward(*data):
            with tf.autodiff.ForwardAccumulator(list(data), [tensor + 1 for tensor in data]) as accumulator:
                found = loss(*data)
            return accumulator.jvp(found)

        with tf.GradientTape() as tape:
            tape.watch(data)
            found = loss(*data)
        expected = sum(np.sum(gradient * (tensor + 1)) for gradient, tensor in zip(tape.gradient(found, data), data))
        for run in (forward, tf.function(forward)):
            np.testing.assert_allclose(run(*data), expected, rtol=1e-9, err_msg=f"{name} {kwargs}")


def test_second_derivatives_by_accumulators():
    v = tf.constant([1.0, 2.0, 3.0])

    def products(v):
        """Of the Hessian and the vector [1, 0, 2]."""
        with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0, 2.0])) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(v)
                loss = tf.reduce_sum(strew.tf.gather_nd(v, [[0], [0], [2]]) ** 3)
            first = tape.gradient(loss, v)
        return first, accumulator.jvp(first)

    for run in (products, tf.function(products)):
        first, second = run(v)
        assert first.numpy().tolist() == [6, 0, 27] and second.numpy().tolist() == [12, 0, 36]
    persistent = tf.function(persistent_gradients)
    assert [g.numpy().tolist() for g in persistent(v)] == [g.numpy().tolist() for g in persistent_gradients(v)] == [[2, 0, 1], [2, 0, 1]]


def persistent_gradients(v):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(v)
        total = tf.reduce_sum(strew.tf.gather_nd(v, [[0], [0], [2]]))
    return tape.gradient(total, v), tape.gradient(total, v)


def test_shapes_that_are_not_known():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None], tf.int64), tf.TensorSpec(None)])
    def function(x, indices, updates):
        picked = strew.tf.gather_nd(x, indices)
        assert picked.shape.rank is None
        with tf.GradientTape() as tape:
            tape.watch(updates)
            total = strew.tf.tensor_scatter_nd_max(x, indices, updates)
        return tf.transpose(picked), total, tape.gradient(total, updates)

    picked, total, gradient = function(tf.zeros([3, 2]), [[2, 0], [2, 1]], [1.0, 2.0])
    assert picked.numpy().tolist() == [0, 0] and total.numpy()[2].tolist() == [1, 2] and gradient.numpy().tolist() == [1, 1]
    picked, total, gradient = function(tf.zeros([3, 2]), [[2], [0]], [[1.0, 2.0], [3.0, 4.0]])
    assert picked.shape == (2, 2) and total.numpy()[0].tolist() == [3, 4] and gradient.shape == (2, 2)


def test_shapes_that_are_known_in_part():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1], tf.int32)])
    def function(x, indices):
        rows = strew.tf.gather_nd(x, indices)
        total = strew.tf.scatter_nd(indices, rows, [5, 3])
        seen.extend([rows.shape.as_list(), total.shape.as_list(), strew.tf.tensor_scatter_nd_add(x, indices, rows).shape.as_list()])
        return total

    assert function(tf.ones([4, 3]), [[1], [1]]).numpy().tolist() == [[0] * 3, [2] * 3] + [[0] * 3] * 3
    assert seen[:3] == [[None, 3], [5, 3], [None, 3]]


def test_strings_and_integers():
    def function(x, u):
        return strew.tf.tensor_scatter_nd_update(x, [[1]], u), strew.tf.gather_nd(x, [[1], [0]])

    for run in (function, tf.function(function)):
        assert [part.numpy().tolist() for part in run(tf.constant(["a", "b"]), tf.constant(["c"]))] == [[b"a", b"c"], [b"b", b"a"]]
        assert [part.numpy().tolist() for part in run(tf.constant([1, 2]), tf.constant([3]))] == [[1, 3], [2, 1]]


def test_errors():
    with pytest.raises(strew.BadIndexError):
        strew.tf.gather_nd(tf.zeros(3), [[7]])
    with pytest.raises(tf.errors.OpError, match="does not index into param shape"):
        tf.function(lambda: strew.tf.gather_nd(tf.zeros(3), [[7]]))()
    with pytest.raises(TypeError):
        strew.tf.gather_nd(tf.zeros(3), [[0]], out=tf.zeros(1))


def test_the_dialect_names_the_recorded_form():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(), pytest.raises(strew.ArrayError, match=r"; strew.tf.gather_nd is recorded$"):
        strew.tensorflow.gather_nd(v, [[0]])
    with tf.GradientTape(), pytest.raises(strew.ArrayError, match=r"or call it while nothing is recorded$"):
        strew.pytorch.gather(v, 0, np.array([0]))


def test_a_symbolic_tensor_names_the_form_that_takes_it():
    x = tf.constant([1.0, 2.0])
    for call in (lambda x: strew.tensorflow.gather_nd(x, [[0]]), lambda x: strew.tensorflow.gather_nd([1.0, 2.0], [[tf.cast(x[0], tf.int32)]])):
        with pytest.raises(strew.ArrayError, match=r"is a symbolic tensor, which has no elements inside a function that tensorflow traces; strew.tf.gather_nd takes it$"):
            tf.function(call, autograph=False)(x)
    with pytest.raises(strew.ArrayError, match="is a symbolic tensor, which has no elements inside a function that tensorflow traces$"):
        tf.function(lambda x: strew.pytorch.gather(x, 0, np.array([0])), autograph=False)(x)


def test_a_saved_model_runs_in_its_own_process(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            self.v = tf.Variable([1.0, 2.0, 3.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.int32)])
        def __call__(self, indices):
            return strew.tf.gather_nd(self.v, indices)

    model = Model()
    assert model([[0]]).numpy().tolist() == [1]
    tf.saved_model.save(model, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path))([[2]]).numpy().tolist() == [3]


def test_example():
    example = pathlib.Path(__file__).resolve().parents[3] / "examples" / "tensorflow_voxels.py"
    run = subprocess.run([sys.executable, str(example), "--steps", "31"], capture_output=True, text=True)
    losses = [float(line.split()[-1]) for line in run.stdout.splitlines() if line.startswith("step")]
    assert run.returncode == 0 and losses[-1] < 0.5 * losses[0], run.stdout + run.stderr
