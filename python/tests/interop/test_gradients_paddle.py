"""Gradients in Paddle."""

import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest

paddle = pytest.importorskip("paddle")

import strew  # noqa: E402
from gradient_cases import OPERATORS, calls, calls_of, data_of, forms_of, oracle  # noqa: E402


def as_paddle(value):
    if isinstance(value, np.ndarray):
        return paddle.to_tensor(value)
    return tuple(map(as_paddle, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_every_operator(dialect, name):
    """Judged by the oracle, with ties and zeros, functional and in place on a part of a graph."""
    for args, kwargs in calls_of(dialect, name, calls.with_ties(3)):
        positions, trace = data_of(dialect, name, args, kwargs), oracle.bind(dialect, name, args, kwargs)[0]
        if any(value.size == 0 for value in args if isinstance(value, np.ndarray)):
            continue  # Paddle's own multiplication does not take them
        cotangent = np.asarray(calls.distinct(5)(trace.shape))
        expected = oracle.vjp(dialect, name, args, kwargs, cotangent)
        for operator in forms_of(dialect, name):
            given = [as_paddle(value) for value in args]
            leaves = [given[position] for position in positions]
            for leaf in leaves:
                leaf.stop_gradient = False
            if operator.in_place:
                given[0] = given[0] * 1
                version = given[0].inplace_version
            result = operator(*given, **kwargs)
            if operator.in_place:
                assert result is (None if operator.returns_nothing else given[0])
                result = given[0]
                assert result.inplace_version == version + 1
            (result * as_paddle(cotangent)).sum().backward()
            for own, leaf in zip((own for own in (trace.base, trace.source) if own is not None), leaves):
                np.testing.assert_allclose(leaf.grad.numpy(), expected[own], rtol=1e-12, atol=1e-12, err_msg=f"{operator} {kwargs}")


def test_equal_to_paddle_where_paddle_is_right():
    rng = np.random.default_rng(1)
    x, values, index = rng.standard_normal((5, 4)), rng.standard_normal((9, 4)), rng.integers(0, 5, (9, 4))
    rows = rng.integers(0, 5, (9,))
    for function in (
        lambda module, x, v: module.put_along_axis(x, paddle.to_tensor(index), v, 0, "add"),
        lambda module, x, v: module.put_along_axis(x, paddle.to_tensor(index), v, 0, "mean", include_self=False),
        lambda module, x, v: module.put_along_axis(x, paddle.to_tensor(index), v, 0, "amax"),
        lambda module, x, v: module.scatter_nd_add(x, paddle.to_tensor(rows[:, None]), v),
        lambda module, x, v: module.index_add(x, paddle.to_tensor(rows), 0, v),
        lambda module, x, v: module.gather_nd(x, paddle.to_tensor(rows[:, None])) * v,
    ):
        found = []
        for module in (paddle, strew.paddle):
            leaves = [paddle.to_tensor(array, stop_gradient=False) for array in (x, values)]
            result = function(module, *leaves)
            (result * result).sum().backward()
            found.append([leaf.grad.numpy() for leaf in leaves])
        for a, b in zip(*found):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def gradient_of_source(function, x, source, weights=(1.0, 2.0, 3.0)):
    source = paddle.to_tensor(source, stop_gradient=False)
    (function(paddle.to_tensor(x), source) * paddle.to_tensor(weights)).sum().backward()
    return source.grad.numpy()


def test_the_cases_in_the_documentation():
    index = paddle.to_tensor([2, 0, 2, 2])
    ours = gradient_of_source(lambda x, s: strew.paddle.put_along_axis(x, index, s, 0), [0.0] * 3, [1.0, 2.0, 3.0, 4.0])
    assert ours.tolist() == [0, 1, 0, 3]
    theirs, ours = (
        gradient_of_source(lambda x, s: module.put_along_axis(x, index, s, 0, "mul"), [1.0, 1.0, 2.0], [0.0, 2.0, 3.0, 4.0]) for module in (paddle, strew.paddle)
    )
    assert np.isnan(theirs[0]) and ours.tolist() == [72, 1, 0, 0]


def test_what_cannot_be_recorded_is_refused_before_the_write():
    x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    index, source = paddle.to_tensor([0, 0]), paddle.to_tensor([5.0, 6.0], stop_gradient=False)
    with pytest.raises(strew.GradientError, match="Leaf Var .* that doesn't stop gradient can't use inplace strategy"):
        strew.paddle.scatter_(x, index, source)
    for call in (lambda: strew.paddle.scatter(x, index, source, out=paddle.zeros([3])), lambda: strew.numpy.add_at(np.zeros(3), index, source)):
        with pytest.raises(strew.GradientError):
            call()
    assert x.numpy().tolist() == [1, 2, 3]
    with paddle.no_grad():
        assert strew.paddle.scatter_(x, index, source) is x and strew.paddle.scatter(x, index, source).stop_gradient
    y = x * x
    with pytest.raises(OSError, match="GradientError: paddle.scatter_nd_add: has no second derivative"):  # as Paddle passes it on
        paddle.grad(strew.paddle.scatter_nd_add(y, index.unsqueeze(-1), source).sum(), x, create_graph=True)


def test_in_place_on_what_needed_no_gradient():
    index, source = paddle.to_tensor([2, 0, 2, 2]), paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)
    for call, expected in (
        (lambda out: strew.paddle.index_add_(out, index, 0, source), [1, 1, 1, 1]),
        (lambda out: strew.paddle.scatter_(out, index, source), [0, 1, 0, 1]),
        (lambda out: strew.paddle.put_along_axis_(out, index, source, 0, "amax"), [0, 1, 0, 1]),
        (lambda out: strew.scatter_add(out, index, source), [1, 1, 1, 1]),
        (lambda out: strew.numpy.add_at(out, index, source), [1, 1, 1, 1]),
    ):
        out = paddle.zeros([3])
        version = out.inplace_version
        returned = call(out)
        assert returned is None or returned is out
        assert not out.stop_gradient and out.inplace_version == version + 1
        out.sum().backward()
        assert source.grad.numpy().tolist() == expected
        source.clear_grad()
    out = paddle.zeros([3])
    with pytest.raises(IndexError):
        strew.paddle.index_add_(out, paddle.to_tensor([0, 9, 0, 0]), 0, source)
    assert out.numpy().tolist() == [0, 0, 0] and out.stop_gradient


def test_a_saved_tensor_that_is_changed_is_noticed():
    for change in ("index", "source"):
        index, leaf = paddle.to_tensor([2, 0, 2, 2]), paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)
        source = leaf * 1
        result = strew.paddle.put_along_axis(paddle.ones([3]), index, source, 0, "mul")
        {"index": index, "source": source}[change].zero_()
        with pytest.raises(OSError, match="modified by an inplace operation. Its version is 1 but the expected version is 0"):
            result.sum().backward()
    source = leaf * 1
    result = strew.paddle.index_add(paddle.ones([3]), paddle.to_tensor([2, 0, 2, 2]), 0, source)
    source.zero_()  # the derivative does not read it
    result.sum().backward()
    assert leaf.grad.numpy().tolist() == [1, 1, 1, 1]


def test_winners_of_tensors_that_need_a_gradient():
    x, source = paddle.zeros([3, 1]), paddle.ones([4, 1])
    x.stop_gradient = source.stop_gradient = False
    assert strew.winners(strew.paddle.scatter, x, paddle.to_tensor([2, 0, 2, 2]), source).numpy().flatten().tolist() == [False, True, False, True]


def test_hooks_and_recomputation():
    x = paddle.to_tensor([0.5, 1.0, 1.5], stop_gradient=False)
    index, source = paddle.to_tensor([2, 0, 2, 2]), paddle.to_tensor([1.0, 2.0, 3.0, 4.0], stop_gradient=False)

    def block(x, source):
        return strew.paddle.put_along_axis(x.sin(), index, source, 0, "mul")

    block(x, source).sum().backward()
    expected = [x.grad.numpy(), source.grad.numpy()]
    for run in (
        lambda: importlib.import_module("paddle.distributed.fleet.utils").recompute(block, x, source),
        lambda: saved_by_hooks(block, x, source),
    ):
        x.clear_grad()
        source.clear_grad()
        run().sum().backward()
        assert all(map(np.array_equal, expected, (x.grad.numpy(), source.grad.numpy())))
    source.clear_grad()
    source.register_hook(lambda gradient: gradient * 2)
    block(x, source).sum().backward()
    assert np.array_equal(source.grad.numpy(), 2 * expected[1])


def saved_by_hooks(function, *data):
    """Tensors that are saved for the backward pass leave as arrays and come back as other tensors."""
    with paddle.autograd.saved_tensors_hooks(lambda tensor: tensor.numpy(), paddle.to_tensor):
        return function(*data)


def test_a_layer_trains():
    paddle.seed(1)

    class Layer(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = self.create_parameter([5, 3])

        def forward(self, index):
            return strew.paddle.gather_nd(self.table, index.unsqueeze(-1))

    layer, index, wanted = Layer(), paddle.to_tensor([0, 1, 1, 4, 0]), paddle.ones([5, 3])
    optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    losses = []
    for _ in range(20):
        loss = ((layer(index) - wanted) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 20


def test_example():
    example = pathlib.Path(__file__).resolve().parents[3] / "examples" / "paddle_embedding.py"
    run = subprocess.run([sys.executable, str(example), "--steps", "31"], capture_output=True, text=True)
    losses = [float(line.split()[-1]) for line in run.stdout.splitlines() if line.startswith("step")]
    assert run.returncode == 0 and losses[-1] < 0.7 * losses[0], run.stdout + run.stderr
