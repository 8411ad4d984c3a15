"""Gradients in PyTorch: every operator, in every way in which torch differentiates."""

import contextlib
import gc
import subprocess
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import strew  # noqa: E402
from gradient_cases import OPERATORS, calls, calls_of, data_of, forms_of, oracle  # noqa: E402
from torch.autograd import forward_ad, gradcheck, gradgradcheck  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

INDEX = torch.tensor([2, 0, 2, 2])


def as_torch(value):
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    return tuple(map(as_torch, value)) if isinstance(value, tuple) else value


def function_of(operator, args, kwargs, positions, on_view=False):
    """The call as a function of its data."""

    def function(*data):
        given = list(args)
        for position, tensor in zip(positions, data):
            given[position] = tensor
        if not operator.in_place:
            return operator(*given, **kwargs)
        whole = torch.stack([given[0], given[0]]) if on_view else given[0] * 1
        given[0] = whole[1] if on_view else whole
        operator(*given, **kwargs)
        return whole

    return function


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_first_and_second_derivatives(dialect, name):
    for args, kwargs in calls_of(dialect, name, calls.distinct(2)):
        positions = data_of(dialect, name, args, kwargs)
        args = [as_torch(value) for value in args]
        data = [args[position].requires_grad_() for position in positions]
        if any(tensor.numel() == 0 for tensor in data):
            continue  # gradcheck takes no tensors without elements
        for operator in forms_of(dialect, name):
            for on_view in (False, True) if operator.in_place else (False,):
                function = function_of(operator, args, kwargs, positions, on_view)
                assert gradcheck(function, data, fast_mode=True, check_forward_ad=True)
                assert gradgradcheck(function, data, fast_mode=True)


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_gradients_at_ties(dialect, name):
    """Ties, zeros and complex numbers, where no difference quotient helps: judged by the oracle."""
    for number in (calls.with_ties(3), calls.complex_of(calls.with_ties(4))):
        for args, kwargs in calls_of(dialect, name, number):
            positions, trace = data_of(dialect, name, args, kwargs), oracle.bind(dialect, name, args, kwargs)[0]
            given = [as_torch(value) for value in args]
            data = [given[position].requires_grad_() for position in positions]
            try:
                result = function_of(forms_of(dialect, name)[0], given, kwargs, positions)(*data)
            except (strew.DtypeError, strew.UnsupportedError):
                assert number is not None and np.iscomplexobj(number(()))
                continue
            cotangent = np.asarray(number(trace.shape))
            got = torch.autograd.grad(result, data, torch.from_numpy(cotangent))
            expected = oracle.vjp(dialect, name, args, kwargs, cotangent)
            for own, gradient in zip((own for own in (trace.base, trace.source) if own is not None), got):
                np.testing.assert_allclose(gradient.numpy(), expected[own], rtol=1e-12, atol=1e-12, err_msg=f"{dialect}.{name} {kwargs}")


def gradients(function, *data):
    data = [tensor.detach().clone().requires_grad_() for tensor in data]
    result = function(*data)
    weights = torch.arange(1.0, result.numel() + 1, dtype=result.dtype).reshape(result.shape)
    return [result.detach(), *torch.autograd.grad((result * weights).sum(), data)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("reduce, include_self", [(word, flag) for word in ("sum", "prod", "mean", "amax", "amin") for flag in (True, False)])
def test_equal_to_torch_where_torch_is_right(seed, reduce, include_self):
    generator = torch.Generator().manual_seed(seed)
    x, index = torch.randn(6, 5, generator=generator).double(), torch.randint(6, (9, 4), generator=generator)
    src = torch.randn(9, 4, generator=generator).double()  # torch's backward pass fails where src is larger than index
    if reduce in ("amax", "amin") and include_self:  # without self, torch counts an equal old value among those that share
        x, src = x.round(), src.round()
    own = gradients(lambda x, src: strew.pytorch.scatter_reduce(x, 0, index, src, reduce, include_self=include_self), x, src)
    theirs = gradients(lambda x, src: x.scatter_reduce(0, index, src, reduce, include_self=include_self), x, src)
    for a, b in zip(own, theirs):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_torch_for_sums_and_gathers(seed):
    generator = torch.Generator().manual_seed(seed)
    x, rows, index = torch.randn(6, 5, generator=generator), torch.randint(6, (40,), generator=generator), torch.randint(6, (40, 5), generator=generator)
    src = torch.randn(40, 5, generator=generator)
    s = strew.pytorch
    for own, theirs in [
        (lambda x, src: s.scatter_add(x, 0, index, src), lambda x, src: x.scatter_add(0, index, src)),
        (lambda x, src: s.index_add(x, 0, rows, src, alpha=-1.5), lambda x, src: x.index_add(0, rows, src, alpha=-1.5)),
        (lambda x, src: s.index_add_(x * 1, 0, rows, src), lambda x, src: (x * 1).index_add_(0, rows, src)),
        (lambda x, src: s.gather(x, 0, index) + src, lambda x, src: x.gather(0, index) + src),
        (lambda x, src: strew.gather(x, rows) * src, lambda x, src: x.index_select(0, rows) * src),
    ]:
        for a, b in zip(gradients(own, x, src), gradients(theirs, x, src)):
            torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6)


def test_only_the_update_that_stays_has_a_gradient():
    """torch gives one to every update of an element."""
    x, src = torch.zeros(5), torch.tensor([1.0, 2.0, 3.0, 4.0])
    own = gradients(lambda x, src: strew.pytorch.scatter(x, 0, INDEX, src), x, src)
    assert own[1].tolist() == [0, 2, 0, 4, 5] and own[2].tolist() == [0, 1, 0, 3]
    theirs = gradients(lambda x, src: x.scatter(0, INDEX, src), x, src)
    assert theirs[2].tolist() == [3, 1, 3, 3]  # the case in docs/gradients.md
    rows = gradients(lambda x, src: strew.pytorch.index_copy(x, 0, INDEX, src), x, src)
    assert rows[2].tolist() == [0, 1, 0, 3]


def leaf_and_data():
    return torch.zeros(3, requires_grad=True), torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)


def test_in_place_on_part_of_a_graph():
    x, src = leaf_and_data()
    y = x * 2
    version = y._version
    assert strew.pytorch.index_add_(y, 0, INDEX, src) is y and y._version == version + 1 and not y.is_leaf
    assert strew.pytorch.scatter_reduce_(y, 0, INDEX, src - 10, "amax") is y and y._version == version + 2
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [2, 20, 200] and src.grad.tolist() == [100, 1, 100, 100]


def test_in_place_on_a_view():
    x, src = leaf_and_data()
    whole = torch.stack([x, x]) * 1
    version = whole._version
    strew.pytorch.index_add_(whole[1], 0, INDEX, src)
    assert whole._version == version + 1
    (whole * torch.tensor([[1.0], [10.0]])).sum().backward()
    assert x.grad.tolist() == [11, 11, 11] and src.grad.tolist() == [10, 10, 10, 10]


def test_in_place_on_what_required_no_gradient():
    _, src = leaf_and_data()
    out = torch.zeros(3)
    assert strew.pytorch.index_add_(out, 0, INDEX, src) is out and out.requires_grad
    out.sum().backward()
    assert src.grad.tolist() == [1, 1, 1, 1]
    own = torch.zeros(3)
    assert strew.numpy.add_at(own, INDEX, src) is None and own.requires_grad
    part = torch.zeros(2, 3)
    strew.scatter_add(part[0], INDEX, src)
    assert part.requires_grad


LEAF = "a leaf Variable that requires grad is being used in an in-place operation"


def written(make):
    """What becomes of a tensor that is written where gradients are recorded."""
    x, src = leaf_and_data()
    target = make(x)
    before = x.detach().clone()
    with pytest.raises(RuntimeError) as caught:
        strew.pytorch.index_add_(target, 0, torch.tensor([0]), src[:1])
    assert torch.equal(x, before) and x._version == 0
    return str(caught.value)


def test_what_torch_refuses_is_refused_before_the_write():
    assert LEAF in written(lambda x: x)
    assert "a view of a leaf Variable that requires grad is being used in an in-place operation" in written(lambda x: x[:2])
    assert "Output 0 of Split is a view" in written(lambda x: (x * 1).split(2)[0])
    assert "created in no_grad mode" in written(lambda x: torch.no_grad()(lambda y: y[:2])(x * 1))
    x, src = leaf_and_data()
    for call in (lambda: strew.pytorch.scatter_add(x, 0, INDEX, src, out=torch.zeros(3)), lambda: strew.numpy.add_at(np.zeros(3), INDEX, src)):
        with pytest.raises(strew.GradientError):
            call()
    with pytest.raises(strew.GradientError, match=r"torch.stack\(updates\)"):
        strew.tensorflow.tensor_scatter_nd_add(torch.zeros(3), [[0]], [src[0]])


def test_errors_are_those_without_gradients():
    x, src = leaf_and_data()
    y = x * 1
    for call in (
        lambda y, src: strew.pytorch.scatter_reduce_(y, 0, torch.tensor([2, 0, 2]), y, "prod"),
        lambda y, src: strew.pytorch.scatter_reduce_(y[:2], 0, torch.tensor([0, 0]), y[1:], "sum"),
        lambda y, src: strew.pytorch.index_add(y, 0, src, src),
        lambda y, src: strew.scatter_add(y, src, src),
    ):
        messages = []
        for given in ((y, src), (y.detach(), src.detach())):
            with pytest.raises(strew.Error) as caught:
                call(*given)
            messages.append((caught.type, str(caught.value)))
        assert messages[0] == messages[1] and caught.type in (strew.OverlapError, strew.DtypeError)
    assert y._version == 0 and y.tolist() == [0, 0, 0]
    parts = torch.stack([x + 2, x + 3]) * 1  # in one piece of memory, but apart
    strew.pytorch.scatter_reduce_(parts[0], 0, torch.tensor([2, 0, 2]), parts[1], "prod")
    assert parts.tolist() == [[6, 2, 18], [3, 3, 3]]


def test_an_error_leaves_a_tensor_in_a_graph_as_it_was():
    x, src = leaf_and_data()
    y = x * 2
    with pytest.raises(IndexError, match="index out of range"):
        strew.pytorch.index_add_(y, 0, torch.tensor([0, 9, 0, 0]), src)
    assert y._version == 0 and y.grad_fn.name() == "MulBackward0"


def test_only_what_the_derivative_reads_is_saved():
    x, src = leaf_and_data()
    messages = src * 1
    watch = weakref.ref(messages)
    total = strew.pytorch.index_add(x, 0, INDEX, messages)
    messages.mul_(2)  # torch's index_add does not save its source either
    del messages
    gc.collect()
    assert watch() is None
    total.sum().backward()
    assert src.grad.tolist() == [1, 1, 1, 1]


def test_a_saved_tensor_that_is_changed_is_noticed():
    x, src = leaf_and_data()
    for change in ("index", "source", "result"):
        index, source = INDEX.clone(), src * 1
        result = strew.pytorch.scatter_reduce(x, 0, index, source, "prod")
        {"index": index, "source": source, "result": result}[change].zero_()
        if change != "result":
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                result.sum().backward()
    array = INDEX.numpy().copy()
    result = strew.pytorch.index_add(x, 0, array, src)
    array[:] = 0  # no tensor: it was copied
    (result * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert src.grad.tolist() == [100, 1, 100, 100]


def test_nothing_keeps_itself_alive():
    x, src = leaf_and_data()
    for call in (lambda: strew.pytorch.index_add_(x * 1, 0, INDEX, src), lambda: strew.pytorch.scatter_reduce(x, 0, INDEX, src, "prod"),
                 lambda: strew.pytorch.scatter_reduce_(x * 1, 0, INDEX, src, "amax")):  # fmt: skip
        gc.collect()
        gc.disable()
        try:
            result = call()
            watch = weakref.ref(result)
            del result
            assert watch() is None
        finally:
            gc.enable()


def test_no_grad_and_inference_mode():
    x, src = leaf_and_data()
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            result = strew.pytorch.index_add(x, 0, INDEX, src)
        assert not result.requires_grad and result.tolist() == [2, 0, 8]
    with torch.no_grad():
        strew.pytorch.index_add_(x, 0, INDEX, src)
    assert x.requires_grad and x.is_leaf and x.tolist() == [2, 0, 8]
    with torch.no_grad(), torch.enable_grad():
        assert strew.pytorch.index_add(x, 0, INDEX, src).requires_grad
    assert not strew.pytorch.index_add(x.detach(), 0, INDEX, src.detach()).requires_grad


def test_integers_have_no_gradient():
    x = torch.arange(3)
    assert not strew.pytorch.scatter_add(x, 0, INDEX, torch.ones(4, dtype=torch.int64)).requires_grad


def test_hooks_anomaly_mode_checkpoints_and_autocast():
    x, src = leaf_and_data()
    seen = []
    result = strew.pytorch.index_add(x, 0, INDEX, src)
    result.register_hook(lambda g: seen.append("result") or g * 2)
    src.register_hook(lambda g: seen.append("source"))
    result.grad_fn.register_hook(lambda *_: seen.append("function"))
    result.sum().backward()
    assert seen == ["result", "function", "source"] and src.grad.tolist() == [2, 2, 2, 2]

    with torch.autograd.detect_anomaly(check_nan=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strew.pytorch.scatter_reduce(x, 0, INDEX, src, "prod").sum().backward()

    def block(x, src):
        return strew.pytorch.scatter_reduce(torch.sin(x), 0, INDEX, torch.exp(src), "prod")

    expected = torch.autograd.grad(block(x, src).sum(), (x, src))
    for reentrant in (False, True):
        x.grad = src.grad = None
        checkpoint(block, x, src, use_reentrant=reentrant).sum().backward()
        assert all(map(torch.equal, (x.grad, src.grad), expected))

    linear = torch.nn.Linear(4, 4)
    with torch.autocast("cpu", torch.bfloat16):
        messages = linear(torch.ones(4, 4))
        total = strew.pytorch.index_add(torch.zeros(3, 4, dtype=messages.dtype), 0, INDEX, messages)
        loss = total.float().sum()
        for requires_grad in (True, False):
            out = torch.zeros(3, 4, requires_grad=requires_grad)
            copied = strew.pytorch.index_copy(out, 0, INDEX[:2], messages[:2] if requires_grad else messages[:2].detach())
            assert copied.dtype == torch.index_copy(out, 0, INDEX[:2], messages[:2]).dtype == torch.float32
            assert copied.requires_grad == requires_grad
        with pytest.raises(strew.DtypeError):  # torch does not convert float64
            strew.pytorch.index_copy(torch.zeros(3), 0, INDEX[:2], torch.zeros(2, dtype=torch.float64))
    loss.backward()
    assert total.dtype == torch.bfloat16 and linear.weight.grad.tolist() == [[4.0] * 4] * 4


def test_saved_tensor_hooks():
    x, src = leaf_and_data()
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        result = strew.pytorch.scatter_reduce(x, 0, INDEX, src, "prod")
    assert any(tensor.data_ptr() == INDEX.data_ptr() for tensor in packed)
    result.sum().backward()


def test_several_threads():
    x, src = torch.zeros(50, dtype=torch.float64), torch.randn(2000, dtype=torch.float64)
    index = torch.randint(50, (2000,))
    expected = gradients(lambda x, src: strew.pytorch.scatter_reduce(x, 0, index, src, "amax"), x, src)
    results = []

    def work():
        for _ in range(20):
            results.append(gradients(lambda x, src: strew.pytorch.scatter_reduce(x, 0, index, src, "amax"), x, src))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80 and all(torch.equal(a, b) for result in results for a, b in zip(result, expected))


def test_same_bits_on_any_number_of_threads():
    x, src = torch.randn(1000, 16), torch.randn(20_000, 16)
    index = torch.randint(1000, (20_000,))
    for reduce in ("sum", "mean", "amax", "prod"):
        one, four = (gradients(lambda x, src: strew.pytorch.scatter_reduce(x, 0, index[:, None].expand(-1, 16), src, reduce, threads=n), x, src)
                     for n in (1, 4))  # fmt: skip
        assert all(a.numpy().tobytes() == b.numpy().tobytes() for a, b in zip(one, four))


def test_forward_mode():
    x, src = torch.zeros(3), torch.tensor([1.0, 2.0, 3.0, 4.0])
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(src, torch.tensor([1.0, 10.0, 100.0, 1000.0]))
        total = strew.pytorch.index_add(x, 0, INDEX, dual)
        assert forward_ad.unpack_dual(total).tangent.tolist() == [10, 0, 1101]
        out = forward_ad.make_dual(torch.zeros(3), torch.ones(3))
        strew.pytorch.index_add_(out, 0, INDEX, dual)
        assert forward_ad.unpack_dual(out).tangent.tolist() == [11, 1, 1102]


PRODUCT = [lambda x, src: strew.pytorch.scatter_reduce(x, 0, INDEX, src, "prod"), lambda x, src: x.scatter_reduce(0, INDEX, src, "prod")]


def test_functions_of_torch_func():
    x, src = torch.randn(3, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    own, theirs = PRODUCT
    func = torch.func
    for transform in (
        lambda f: func.grad(lambda x, src: f(x, src).sin().sum(), argnums=(0, 1))(x, src),
        lambda f: func.vjp(f, x, src)[1](torch.arange(3.0).double()),
        lambda f: func.jacrev(f, argnums=(0, 1))(x, src),
        lambda f: func.jacrev(func.jacrev(f, argnums=1), argnums=1)(x, src),
        lambda f: func.vmap(f, in_dims=(None, 0))(x, torch.stack([src, -src])),
    ):
        for a, b in zip(transform(own), transform(theirs)):
            torch.testing.assert_close(a, b)
    slope = func.grad(lambda x, src: own(x, src).sum())  # of torch's own product, vmap has none
    torch.testing.assert_close(func.vmap(slope, in_dims=(0, None))(torch.stack([x, -x]), src), torch.stack([slope(x, src), slope(-x, src)]))
    tangent = (torch.ones(3).double(), torch.arange(4.0).double())
    jacobians = func.jacrev(own, argnums=(0, 1))(x, src)
    torch.testing.assert_close(func.jvp(own, (x, src), tangent)[1], sum(j @ t for j, t in zip(jacobians, tangent)))
    torch.testing.assert_close(func.jacfwd(own, argnums=1)(x, src), jacobians[1])
    torch.testing.assert_close(func.hessian(lambda s: own(x, s).sum())(src), func.jacrev(func.jacrev(lambda s: own(x, s).sum()))(src))


def test_vmap_over_everything():
    x, src = torch.randn(5, 3), torch.randn(5, 4)
    index = torch.randint(3, (5, 4))
    expected = torch.stack([a.index_add(0, i, b) for a, i, b in zip(x, index, src)])
    assert torch.equal(torch.func.vmap(lambda x, i, s: strew.pytorch.index_add(x, 0, i, s))(x, index, src), expected)
    assert torch.equal(torch.func.vmap(lambda x, i, s: strew.pytorch.index_add_(x.clone(), 0, i, s))(x, index, src), expected)
    assert torch.equal(torch.func.vmap(lambda x, i, s: strew.scatter_add(x.clone(), (i,), s))(x, index, src), expected)


def test_vmap_over_an_empty_batch():
    x, src = torch.randn(0, 3), torch.randn(4)
    for function in (lambda x: strew.pytorch.index_add(x, 0, INDEX, src), lambda x: strew.pytorch.scatter_reduce_(x.clone(), 0, INDEX, src, "amax")):
        assert torch.func.vmap(function)(x).shape == (0, 3)
    assert torch.func.vmap(torch.func.grad(lambda s: strew.pytorch.index_add(torch.zeros(3), 0, INDEX, s).sum()))(torch.zeros(0, 4)).shape == (0, 4)


BATCHED = [
    lambda x, src: strew.pytorch.index_add(x, 0, INDEX, src),
    lambda x, src: strew.pytorch.index_add_(x * 1, 0, INDEX, src),
    lambda x, src: strew.pytorch.scatter_reduce(x, 0, INDEX, src, "prod"),
    lambda x, src: strew.pytorch.scatter_reduce(x, 0, INDEX, src, "amax"),
    lambda x, src: strew.pytorch.gather(x, 0, INDEX) * src,
]


@pytest.mark.parametrize("number", range(len(BATCHED)))
def test_batches_of_cotangents(number):
    function = BATCHED[number]
    x, src = torch.randn(3, dtype=torch.float64, requires_grad=True), torch.randn(4, dtype=torch.float64, requires_grad=True)
    cotangents = torch.randn(5, function(x, src).numel(), dtype=torch.float64)
    got = torch.autograd.grad(function(x, src), (x, src), cotangents, is_grads_batched=True)
    single = [torch.autograd.grad(function(x, src), (x, src), cotangent) for cotangent in cotangents]
    assert all(torch.equal(a, torch.stack(b)) for a, b in zip(got, zip(*single)))
    assert gradcheck(function, (x, src), check_batched_grad=True)
    assert gradgradcheck(function, (x, src), check_batched_grad=True)
    functional = torch.autograd.functional
    for a, b in zip(functional.jacobian(function, (x, src), vectorize=True), functional.jacobian(function, (x, src))):
        assert torch.equal(a, b)
    if number != 1:  # torch takes the tangent of what is written in place for another tensor
        assert gradcheck(function, (x, src), check_forward_ad=True, check_batched_forward_grad=True)


def test_forward_mode_twice():
    """Also of a minimum or maximum, which chooses the same values."""
    x, src = torch.tensor([0.5, 9.0, 1.5]), torch.tensor([1.0, 2.0, 3.0, 4.0])
    for word, expected in (("sum", [0, 0, 0]), ("mean", [0, 0, 0]), ("amax", [0, 0, 0]), ("amin", [0, 0, 0])):
        first = torch.func.jacfwd(lambda s: strew.pytorch.scatter_reduce(x, 0, INDEX, s, word))
        assert torch.func.jacfwd(first)(src).sum((1, 2)).tolist() == expected
    hessian = torch.func.jacfwd(torch.func.jacfwd(lambda s: (strew.pytorch.scatter_reduce(x, 0, INDEX, s, "amax") ** 2).sum()))(src)
    assert hessian.tolist() == torch.diag(torch.tensor([0.0, 2.0, 0.0, 2.0])).tolist()
    with pytest.raises(strew.GradientError, match="products have no second derivative in forward mode"):
        torch.func.jacfwd(torch.func.jacfwd(lambda s: strew.pytorch.scatter_reduce(x, 0, INDEX, s, "prod")))(src)


def test_a_traced_call_needs_the_operators():
    """Run in a process that has not imported strew.torch."""
    program = """if True:
        import strew, torch
        from torch.fx.experimental.proxy_tensor import make_fx
        def call(src):
            return strew.pytorch.index_add(torch.zeros(3), 0, torch.tensor([2, 0, 2, 2]), src)
        def gradient(src):
            return torch.autograd.grad(call(src.detach().requires_grad_()).sum(), [])
        for trace in (make_fx(call), make_fx(call, pre_dispatch=True), make_fx(gradient), lambda src: torch.func.linearize(call, src)):
            try:
                trace(torch.ones(4))
            except strew.ArrayError as error:
                assert str(error).endswith("whose result would become a constant: import strew.torch"), error
            else:
                raise AssertionError(trace)
        """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_winners_of_tensors_that_require_a_gradient():
    x, src = leaf_and_data()
    for wrap in (lambda tensor: tensor, lambda tensor: tensor * 1, torch.nn.Parameter):
        assert strew.winners(strew.pytorch.scatter, wrap(x), 0, INDEX, wrap(src)).tolist() == [False, True, False, True]


def test_persistent_graphs():
    x, src = leaf_and_data()
    for word in ("sum", "prod", "amax"):
        total = strew.pytorch.scatter_reduce(x + 1, 0, INDEX, src, word).sum()
        first, second = (torch.autograd.grad(total, (x, src), retain_graph=keep) for keep in (True, False))
        assert all(map(torch.equal, first, second))
        with pytest.raises(RuntimeError, match="second time"):
            total.backward()


def test_second_derivatives_that_do_not_exist_are_refused():
    x, src = torch.ones(3), torch.ones(4)
    with pytest.raises(strew.GradientError, match="no third derivative"):
        third = torch.func.jacrev(torch.func.jacrev(torch.func.jacrev(lambda s: PRODUCT[0](x, s))))
        third(src)


@contextlib.contextmanager
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_subclasses_and_parameters():
    parameter = torch.nn.Parameter(torch.ones(3))
    with no_warnings():
        strew.pytorch.index_add(parameter, 0, INDEX, torch.ones(4)).sum().backward()
    assert parameter.grad.tolist() == [1, 1, 1]


def test_inputs_of_every_layout():
    """Transposed, expanded and conjugated inputs and cotangents."""
    x = torch.randn(4, 3, dtype=torch.complex128, requires_grad=True)
    src = torch.randn(1, 3, dtype=torch.complex128, requires_grad=True)

    def function(x, src):
        return strew.pytorch.index_add(x.t().conj(), 1, torch.tensor([0, 0, 3]), src.expand(3, 3).conj(), alpha=2).t()

    assert gradcheck(function, (x, src)) and gradgradcheck(function, (x, src))
    assert torch.autograd.grad(strew.pytorch.gather(x.real, 0, torch.zeros(1, 3, dtype=torch.int64)).sum(), x)[0][0].tolist() == [1] * 3
