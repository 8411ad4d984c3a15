"""Tensors of torch that are more or less than memory with numbers."""

import gc
import re

import pytest

torch = pytest.importorskip("torch")

import numpy as np  # noqa: E402

import strew  # noqa: E402
from interop import Interop  # noqa: E402
from odd import Odd, check, is_read_as_it_is  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402


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
    Odd("requires grad", of_floats(lambda tensor: tensor.requires_grad_()), is_read=None),
    Odd("part of a graph", of_floats(lambda tensor: tensor.requires_grad_() * 1), is_read=None),
    Odd("parameter", of_floats(torch.nn.Parameter), is_read=None),
    Odd("hook", of_floats(with_hook), is_read=None),
    Odd("subclass that requires grad", of_floats(lambda tensor: tensor.as_subclass(Function).requires_grad_()), is_read=None),
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
    Odd("leaf without recording", of_floats(lambda tensor: tensor.requires_grad_()), is_read=True, inside=torch.no_grad),
    Odd("part of a graph without recording", of_floats(torch.enable_grad()(lambda tensor: tensor.requires_grad_() * 1)), is_read=True,
        inside=torch.no_grad),
]


@pytest.mark.parametrize("odd", [*REFUSED, *READ], ids=lambda odd: odd.name)
@pytest.mark.filterwarnings("ignore")
def test_in_every_argument(odd):
    check(odd)


def scattered(values):
    return strew.pytorch.scatter_add(torch.zeros(2), 0, torch.tensor([0, 1]), values)


REFUSED_TRANSFORMS = {
    "functionalize": lambda function: torch.func.functionalize(function)(torch.ones(2)),
    "symbolic_trace": lambda function: torch.fx.symbolic_trace(function),
}
TRANSFORMS = {
    "vmap": lambda function: torch.func.vmap(function)(torch.ones(3, 2)),
    "grad": lambda function: torch.func.grad(lambda values: function(values).sum())(torch.ones(2)),
    "grad under no_grad": lambda function: torch.func.grad(torch.no_grad()(lambda values: function(values).sum()))(torch.ones(2)),
    "vjp": lambda function: torch.func.vjp(function, torch.ones(2))[1](torch.ones(2))[0],
    "jvp": lambda function: torch.func.jvp(function, (torch.ones(2),), (torch.ones(2),))[1],
    "jacfwd": lambda function: torch.func.jacfwd(function)(torch.ones(2)),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_what_transforms_a_function(transform):
    assert torch.equal(transform(scattered), transform(lambda values: torch.zeros(2).scatter_add(0, torch.tensor([0, 1]), values)))


@pytest.mark.parametrize("transform, values", [
    *((transform, lambda values: [values[0], values[1]]) for transform in {**TRANSFORMS, **REFUSED_TRANSFORMS}.values()),
    *((transform, lambda values: values) for transform in REFUSED_TRANSFORMS.values()),
])  # fmt: skip
def test_what_transforms_a_function_is_refused_its_wrappers(transform, values):
    with pytest.raises(strew.Error, match=r"pytorch\.scatter_add: (input|index|src) "):
        transform(lambda given: scattered(values(given)))


@pytest.mark.filterwarnings("ignore")
def test_compiled_functions_call_it_outside_of_their_graph():
    compiled = torch.compile(lambda values: scattered(values + 1) * 2, backend="eager")
    assert compiled(torch.zeros(2)).tolist() == [2, 2]


def test_conjugated_views():
    values = torch.tensor([1 + 2j, 3 - 1j])
    added = strew.pytorch.scatter_add(torch.zeros(2, dtype=torch.complex64), 0, torch.tensor([0, 1]), values.conj())
    assert added.tolist() == [1 - 2j, 3 + 1j]
    assert scattered(values.conj().imag).tolist() == [-2, 1]
    with pytest.raises(strew.ArrayError, match="is a view that conjugates"):
        strew.pytorch.scatter_add_(values.conj(), 0, torch.tensor([0, 1]), values)


ATTACKS = {
    "other memory": lambda tensor: tensor.set_(torch.ones_like(tensor)),
    "smaller": lambda tensor: tensor.resize_(1),
    "larger": lambda tensor: tensor.resize_(1 << 16),
    "no storage": lambda tensor: tensor.untyped_storage().resize_(0),
    "larger storage": lambda tensor: tensor.untyped_storage().resize_(1 << 20),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("when", range(12))
def test_modes_that_change_tensors_while_others_are_read(attack, position, when):
    tensors = [torch.zeros(1000), torch.arange(1000), torch.ones(1000)]

    class Mode(torch.overrides.TorchFunctionMode):
        asked = 0

        def __torch_function__(self, function, types, arguments=(), keywords=None):
            Mode.asked += 1
            if Mode.asked == when:
                attack(tensors[position])
            return function(*arguments, **(keywords or {}))

    before = tensors[0].clone()
    with Mode():
        try:
            strew.pytorch.scatter_add_(tensors[0], 0, tensors[1], tensors[2])
        except strew.Error as error:
            assert str(error).startswith("pytorch.scatter_add_: ")
            if position > 0:
                assert torch.equal(tensors[0], before)
            return
    count = tensors[1].numel()  # of the tensors as they are now
    assert tensors[0][:1000].sum() in (count, 1000 + count)


def has_memory(tensor):
    return tensor.untyped_storage().nbytes() >= tensor.numel() * tensor.element_size()


class Dispatching(TorchDispatchMode):
    """Runs code at an operation of torch's own, before or after it."""

    def __init__(self, attack, which, when):
        super().__init__()
        self.attack, self.which, self.when, self.asked = attack, which, when, 0

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.asked += 1
        now = self.asked == self.which
        if now and self.when == "before":
            self.attack()
            # Torch itself does not look whether they have memory.
            if not all(has_memory(value) for value in arguments if isinstance(value, torch.Tensor)):
                raise RuntimeError("no memory")
        result = function(*arguments, **(keywords or {}))
        if now and self.when == "after":
            self.attack()
        return result


def complexes(count):
    return torch.ones(count, dtype=torch.complex64)


def leaf(make):
    return lambda count: make(count).requires_grad_()


def scatter_add(x, index, source):
    return strew.pytorch.scatter_add_(x, 0, index, source)


def torchs_scatter_add(x, index, source):
    return x.scatter_add_(0, index, source)


ZERO, THREE = torch.tensor(0), torch.tensor(3 - 0j).conj()

# Calls that make torch compute something as it shows its tensors: how input and source are made, the call, and the same in torch.
DISPATCHES = {
    "an integer": (
        torch.zeros, torch.ones, lambda x, index, source: strew.pytorch.scatter_add_(x, ZERO, index, source), torchs_scatter_add),
    "negative updates": (torch.zeros, lambda count: torch._neg_view(-torch.ones(count)), scatter_add, torchs_scatter_add),
    "parameters": (
        lambda count: torch.nn.Parameter(torch.zeros(count)), lambda count: torch.nn.Parameter(torch.ones(count)), scatter_add,
        torchs_scatter_add),
    "leaves": (leaf(torch.zeros), leaf(torch.ones), scatter_add, torchs_scatter_add),
    "a value": (
        complexes, complexes, lambda x, index, source: strew.pytorch.scatter_(x, 0, index, value=THREE),
        lambda x, index, source: x.scatter_(0, index, 3)),
    "a factor": (
        complexes, complexes, lambda x, index, source: strew.pytorch.index_add_(x, 0, index, source, alpha=THREE),
        lambda x, index, source: x.index_add_(0, index, source, alpha=3)),
    "an index key": (
        torch.zeros, torch.ones, lambda x, index, source: strew.numpy.add_at(x, slice(ZERO, None), source),
        lambda x, index, source: x.add_(source)),
    "an output": (
        torch.zeros, lambda count: torch._neg_view(-torch.ones(count)),
        lambda x, index, source: strew.pytorch.scatter_add(x, ZERO, index, source, out=x), torchs_scatter_add),
    "a list": (
        torch.zeros, torch.ones, lambda x, index, source: strew.pytorch.scatter_add_(x, 0, index, [1.0] * 999 + [ZERO]),
        lambda x, index, source: x.scatter_add_(0, index, torch.tensor([1.0] * 999 + [0]))),
}


def copy_of(tensor):
    return tensor.detach().clone() if has_memory(tensor) else None


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("when", [(1, "before"), (1, "after"), (2, "after")], ids=str)
@pytest.mark.parametrize("kind", DISPATCHES)
@torch.no_grad()
def test_operations_that_change_tensors_while_others_are_read(attack, position, when, kind):
    make_input, make_source, call, same_in_torch = DISPATCHES[kind]
    tensors = [make_input(1000), torch.arange(1000), make_source(1000)]
    seen = [[copy_of(tensor)] for tensor in tensors]

    def change():
        attack(tensors[position])
        seen[position].append(copy_of(tensors[position]))

    with Dispatching(change, *when):
        try:
            call(*tensors)
        except strew.Error as error:
            assert re.match(r"(pytorch|numpy)\.\w+: ", str(error))
            return
    # What is written counts as it is in the end, what is read as it was at any time.
    allowed = []
    for index in seen[1]:
        for source in seen[2]:
            try:
                allowed.append(same_in_torch(seen[0][-1].clone(), index, source))
            except (RuntimeError, TypeError, IndexError, AttributeError):
                continue  # not what was read: it does not fit
    assert any(torch.equal(tensors[0][:1000], x[:1000]) for x in allowed)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("position", range(3))
def test_destructors_that_change_tensors_while_others_are_read(attack, position):
    tensors = []

    class Cycle:
        def __init__(self):
            self.self = self

        def __del__(self):
            attack(tensors[position])

    threshold = gc.get_threshold()
    try:
        for first in range(1, 12):
            tensors[:] = [torch.zeros(1000), torch.arange(1000), torch.ones(1000)]
            gc.collect()
            Cycle()
            gc.set_threshold(first, 1, 1)
            try:
                strew.pytorch.scatter_add_(tensors[0], 0, tensors[1], tensors[2])
            except strew.Error:
                pass
            gc.set_threshold(*threshold)
    finally:
        gc.set_threshold(*threshold)


def test_what_is_put_over_the_storage_class_is_not_run(monkeypatch):
    """Its functions are called when every address has been taken."""
    count, length = 1 << 16, torch._C.StorageBase.__len__
    x, index, source = np.zeros(count), torch.arange(count), torch.ones(count, dtype=torch.float64)

    def resizing(storage):
        x.resize(16, refcheck=False)
        return length(storage)

    monkeypatch.setattr(torch.UntypedStorage, "__len__", resizing)
    monkeypatch.setattr(torch.UntypedStorage, "data_ptr", resizing)
    strew.pytorch.scatter_add_(x, 0, index, source)
    assert x.tolist() == [1] * count


def vectors_of_every_dtype():
    for name in dir(torch):
        dtype = getattr(torch, name)
        if isinstance(dtype, torch.dtype):
            for make in (lambda: torch.zeros(3, dtype=dtype), lambda: torch.zeros(16, dtype=torch.uint8).view(dtype),
                         lambda: torch._empty_affine_quantized([8], scale=1.0, zero_point=0, dtype=dtype)):
                try:
                    yield make()
                except Exception:
                    continue


@pytest.mark.filterwarnings("ignore")
def test_no_dtype_is_read_as_another():
    vectors = list(vectors_of_every_dtype())
    assert {torch.qint8, torch.quint4x2, torch.bits8, torch.uint4, torch.float8_e5m2, torch.complex32} < {vector.dtype for vector in vectors}
    read = {vector.dtype for vector in vectors if is_read_as_it_is(vector)}
    assert read == {getattr(torch, name) for name in [*Interop.dtypes, "uint16", "uint32", "uint64"]}
