"""torch.ops.strew: compiled and exported calls. Run in a process of its own by test_torch_operators.py: the import changes what others see."""

import pytest
import torch

import strew
import strew.torch
from gradient_cases import OPERATORS, calls, calls_of, data_of, forms_of
from test_gradients_torch import INDEX, as_torch
from strew._torch_operators import arguments_for
from torch.autograd import gradcheck, gradgradcheck

OPS = torch.ops.strew


def call_in_torch(operator, args, kwargs):
    """The operator in torch's registry, and its arguments."""
    name, given, keywords = arguments_for(operator, {**dict(zip([parameter[0] for parameter in operator.parameters], args)), **kwargs})
    return getattr(OPS, name), given, keywords


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_opcheck(dialect, name):
    """Torch's own check of an operator: schema, fake tensors, autograd, and compilation with dynamic shapes."""
    for args, kwargs in calls_of(dialect, name, calls.distinct(2))[:2]:
        operator = forms_of(dialect, name)[0]
        positions, args = data_of(dialect, name, args, kwargs), [as_torch(value) for value in args]
        for position in positions:
            args[position].requires_grad_()
        function, given, keywords = call_in_torch(operator, args, kwargs)
        assert set(torch.library.opcheck(function, tuple(given), keywords).values()) == {"SUCCESS"}


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_every_call_equals_the_function(dialect, name):
    for args, kwargs in calls_of(dialect, name, calls.distinct(2)):
        operator = forms_of(dialect, name)[0]
        args = [as_torch(value) for value in args]
        function, given, keywords = call_in_torch(operator, args, kwargs)
        first = args[0].clone()
        result = function(*given, **keywords)
        expected = operator(*args, **kwargs)
        assert torch.equal(result, args[0] if expected is None else expected)
        if hasattr(OPS, function._qualified_op_name.partition("::")[2] + "_"):
            given[0] = first.clone()
            in_place = getattr(OPS, function._qualified_op_name.partition("::")[2] + "_")
            assert in_place(*given, **keywords) is given[0] or torch.equal(given[0], result)
            assert torch.equal(given[0], result)


def test_gradients_of_operators():
    x, src = torch.randn(3, dtype=torch.float64, requires_grad=True), torch.randn(4, dtype=torch.float64, requires_grad=True)
    for function in (
        lambda x, src: OPS.pytorch_scatter_reduce(x, 0, INDEX, src, "prod"),
        lambda x, src: OPS.pytorch_scatter(x, 0, INDEX, src),
        lambda x, src: OPS.scatter_max(x, [INDEX], src),
        lambda x, src: OPS.pytorch_scatter_add_(x * 1, 0, INDEX, src),
        lambda x, src: OPS.numpy_multiply_at(x, [INDEX], "@", src),
    ):
        assert gradcheck(function, (x, src)) and gradgradcheck(function, (x, src))


def model(x, src):
    y = strew.pytorch.scatter_reduce(x * 2, 0, INDEX, src.sin(), "amax") * 1
    strew.pytorch.index_add_(y, 0, INDEX, src)
    strew.numpy.multiply_at(y, (INDEX[:2],), src[:2])
    return strew.gather(strew.scatter_add(y.clone(), INDEX, src), INDEX)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile_with_a_full_graph(backend):
    found = []
    for function in (model, torch.compile(model, fullgraph=True, backend=backend)):
        x, src = torch.arange(3.0).requires_grad_(), torch.arange(4.0).requires_grad_()
        result = function(x, src)
        result.square().sum().backward()
        found.append((result, x.grad, src.grad))
    for a, b in zip(*found):
        torch.testing.assert_close(a, b)


def test_compile_with_sizes_that_change():
    function = torch.compile(lambda x, index, src: strew.pytorch.index_add(x, 0, index, strew.gather(x, index) * src), fullgraph=True,
                             backend="aot_eager", dynamic=True)  # fmt: skip
    for count in (3, 5, 8):
        x, index, src = torch.randn(4, 2, requires_grad=True), torch.randint(4, (count,)), torch.randn(count, 2)
        (gradient,) = torch.autograd.grad(function(x, index, src).sum(), x)
        expected = torch.ones(4, 2).index_add(0, index, src)
        torch.testing.assert_close(gradient, expected)


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict):
    class Model(torch.nn.Module):
        def forward(self, x, index, src):
            return strew.pytorch.scatter_reduce(x, 0, index, src, "mean", include_self=False)

    arguments = (torch.ones(3), INDEX, torch.arange(4.0))
    program = torch.export.export(Model(), arguments, strict=strict)
    assert "strew.pytorch_scatter_reduce" in str(program.graph)
    assert torch.equal(program.module()(*arguments), Model()(*arguments))


def test_vmap_of_operators():
    x, src = torch.randn(5, 3), torch.randn(5, 4)
    expected = torch.stack([a.index_add(0, INDEX, b) for a, b in zip(x, src)])
    assert torch.equal(torch.func.vmap(OPS.pytorch_index_add, in_dims=(0, None, None, 0))(x, 0, INDEX, src), expected)


def test_the_text_of_keys():
    rows = torch.tensor([0, 2])
    tensors, text = strew.torch.key_of((rows, slice(None, None, 2), ..., None, -1))
    assert tensors == [rows] and text == "@, ::2, ..., None, -1"
    from strew._torch_keys import key_from

    assert str(key_from(tensors, text)) == str((rows, slice(None, None, 2), ..., None, -1))
