"""torch.ops.strew: compiled and exported calls. Run in a process of its own by test_torch_operators.py: the import changes what others see."""

import pytest
import torch

import strew
import strew.torch
from gradient_cases import OPERATORS, calls, calls_of, data_of, forms_of
from test_gradients_torch import INDEX, as_torch
from strew._torch_operators import arguments_for
from torch.autograd import forward_ad, gradcheck, gradgradcheck
from torch.fx.experimental.proxy_tensor import make_fx

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


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_opcheck_in_place(dialect, name):
    """Also in place: all that torch checks, except that it derives no gradients of operators that write."""
    for args, kwargs in calls_of(dialect, name, calls.distinct(2))[:2]:
        operator = next((own for own in forms_of(dialect, name) if own.in_place), None)
        if operator is None:
            continue
        function, given, keywords = call_in_torch(operator, [as_torch(value) for value in args], kwargs)
        function = getattr(OPS, function._qualified_op_name.partition("::")[2] + "_")
        assert set(torch.library.opcheck(function, tuple(given), keywords).values()) == {"SUCCESS"}


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic", "pre_dispatch"])
@pytest.mark.parametrize("word", ["sum", "prod", "amax"])
def test_traced_calls(mode, word):
    """make_fx and torch.func.linearize record the operators of torch: what ran beside them would become a constant."""

    def function(x, src):
        y = strew.pytorch.scatter_reduce(x * 2, 0, INDEX, src.sin(), word) * 1
        strew.pytorch.scatter_add_(y, 0, INDEX, src)
        return strew.pytorch.gather(y, 0, INDEX)

    def gradients(x, src):
        x, src = x.detach().requires_grad_(), src.detach().requires_grad_()
        return torch.autograd.grad(function(x, src).sin().sum(), (x, src))

    first, second = ((torch.randn(3).double(), torch.randn(4).double()) for _ in range(2))
    options = {"pre_dispatch": True} if mode == "pre_dispatch" else {"tracing_mode": mode}
    for traced in (function,) if mode == "pre_dispatch" else (function, gradients):
        torch.testing.assert_close(make_fx(traced, **options, _allow_non_fake_inputs=True)(*first)(*second), traced(*second))
    result, tangent = torch.func.linearize(function, *first)
    torch.testing.assert_close((result, tangent(*second)), torch.func.jvp(function, first, second))


def test_forward_mode_of_operators():
    """Where torch.library drops the tangents, there is an error."""
    x, src, tangent = torch.zeros(3), torch.arange(1.0, 5), torch.tensor([1.0, 10.0, 100.0, 1000.0])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(src, tangent)
        for total in (OPS.pytorch_scatter_add(x, 0, INDEX, dual), OPS.pytorch_scatter_add_(x.clone(), 0, INDEX, dual), OPS.scatter_add(x, [INDEX], dual)):
            assert forward_ad.unpack_dual(total).tangent.tolist() == [10, 0, 1101]
        assert forward_ad.unpack_dual(OPS.pytorch_scatter_add(x, 0, INDEX, src)).tangent is None
    with pytest.raises(strew.GradientError, match="pytorch.scatter_add: torch.ops.strew has no forward mode under torch.func"):
        torch.func.jvp(lambda src: OPS.pytorch_scatter_add(x, 0, INDEX, src), (src,), (tangent,))


def test_vmap_of_operators():
    x, src = torch.randn(5, 3), torch.randn(5, 4)
    expected = torch.stack([a.index_add(0, INDEX, b) for a, b in zip(x, src)])
    assert torch.equal(torch.func.vmap(OPS.pytorch_index_add, in_dims=(0, None, None, 0))(x, 0, INDEX, src), expected)
    assert torch.func.vmap(OPS.pytorch_index_add, in_dims=(0, None, None, 0))(x[:0], 0, INDEX, src[:0]).shape == (0, *expected.shape[1:])


def test_the_text_of_keys():
    rows = torch.tensor([0, 2])
    tensors, text = strew.torch.key_of((rows, slice(None, None, 2), ..., None, -1))
    assert tensors == [rows] and text == "@, ::2, ..., None, -1"
    from strew._torch_keys import key_from

    assert str(key_from(tensors, text)) == str((rows, slice(None, None, 2), ..., None, -1))
