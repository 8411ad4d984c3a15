"""Tensors of torch that are more or less than memory with numbers."""

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402

from odd import Odd, check  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402


def plain(values):
    return torch.from_numpy(np.array(values)).clone()


def of_floats(make):
    """Only floats can be of this kind."""
    return lambda values: make(plain(values)) if plain(values).is_floating_point() else None


def of_rank(least, make):
    return lambda values: make(plain(values)) if np.ndim(values) >= least else None


class Function(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return super().__torch_function__(function, types, arguments, keywords or {})


class Wrapper(torch.Tensor):
    """A tensor without memory around one that has some."""

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), keywords=None):
        return function(*(value.inner if isinstance(value, Wrapper) else value for value in arguments), **(keywords or {}))


def proxy(values):
    graph = torch.fx.Graph()
    return torch.fx.Proxy(graph.placeholder("x"), torch.fx.proxy.GraphAppendingTracer(graph))


def with_storage_of(count):
    def make(values):
        made = plain(values)
        made.untyped_storage().resize_(count)
        return made

    return make


def with_hook(tensor):
    tensor.requires_grad_().register_hook(lambda gradient: gradient * 2)
    return tensor


def retyped(name):
    return lambda values: torch.zeros(np.shape(values), dtype=torch.uint8).to(getattr(torch, name))


REFUSED = [
    Odd("proxy", proxy),
    Odd("fake", lambda values: FakeTensorMode().from_tensor(plain(values))),
    Odd("meta", lambda values: plain(values).to("meta")),
    Odd("sparse", of_rank(1, lambda tensor: tensor.to_sparse())),
    Odd("sparse rows", of_rank(2, lambda tensor: tensor.to_sparse_csr())),
    Odd("sparse rows of rank 1", of_rank(1, lambda tensor: tensor.reshape(1, -1).to_sparse_csr())),
    Odd("mkldnn", of_floats(lambda tensor: tensor.to_mkldnn())),
    Odd("quantized", of_floats(lambda tensor: torch.quantize_per_tensor(tensor, 1.0, 0, torch.quint8))),
    Odd("nested", of_rank(1, lambda tensor: torch.nested.nested_tensor([tensor]))),
    Odd("jagged", of_rank(1, lambda tensor: torch.nested.nested_tensor([tensor], layout=torch.jagged))),
    Odd("requires grad", of_floats(lambda tensor: tensor.requires_grad_())),
    Odd("part of a graph", of_floats(lambda tensor: tensor.requires_grad_() * 1)),
    Odd("parameter", of_floats(torch.nn.Parameter)),
    Odd("hook", of_floats(with_hook)),
    Odd("subclass that requires grad", of_floats(lambda tensor: tensor.as_subclass(Function).requires_grad_())),
    Odd("wrapper", lambda values: Wrapper(plain(values))),
    Odd("functional", lambda values: torch._to_functional_tensor(plain(values)), is_read=None),
    Odd("masked", of_rank(1, lambda tensor: torch.masked.masked_tensor(tensor, tensor >= 0))),
    Odd("no storage left", with_storage_of(0)),
    Odd("too little storage left", with_storage_of(2)),
    Odd("uninitialized parameter", lambda values: torch.nn.UninitializedParameter()),
    Odd("uninitialized buffer", lambda values: torch.nn.UninitializedBuffer()),
    Odd("lazy module's parameter", lambda values: torch.nn.LazyLinear(3).weight),
    Odd("float8", of_floats(lambda tensor: tensor.to(torch.float8_e4m3fn))),
    Odd("complex32", of_floats(lambda tensor: tensor.to(torch.complex32))),
    Odd("quint8", lambda values: torch.empty(np.shape(values), dtype=torch.uint8).view(torch.bits8)),
    Odd("uint4", lambda values: torch.empty(np.shape(values), dtype=torch.uint8).view(torch.uint4)),
    Odd("module", lambda values: torch.nn.Linear(2, 2)),
    Odd("device", lambda values: torch.device("cpu")),
    Odd("generator", lambda values: torch.Generator()),
    Odd("class", lambda values: torch.Tensor),
]
READ = [
    Odd("plain", plain, is_read=True),
    Odd("negative", of_floats(lambda tensor: torch._neg_view(-tensor)), is_read=True),
    Odd("subclass", lambda values: plain(values).as_subclass(Function), is_read=True),
    Odd("made in inference mode", torch.inference_mode()(plain), is_read=True),
    Odd("in inference mode", lambda values: plain(values), is_read=True, inside=torch.inference_mode),
    Odd("parameter without recording", of_floats(torch.nn.Parameter), is_read=True, inside=torch.no_grad),
]


@pytest.mark.parametrize("odd", [*REFUSED, *READ], ids=lambda odd: odd.name)
@pytest.mark.filterwarnings("ignore")
def test_in_every_argument(odd):
    check(odd)
