import gc
import weakref

import pytest

torch = pytest.importorskip("torch")

import strew  # noqa: E402
from interop import Interop, watch_maker  # noqa: E402

watch_maker(torch)


class TestTorch(Interop):
    dtypes = [*Interop.dtypes, "uint16", "uint32", "uint64"]

    def make(self, values, dtype="float32"):
        return torch.tensor(values, dtype=getattr(torch, dtype))

    def to_numpy(self, array):
        return (array.float() if array.dtype == torch.bfloat16 else array).numpy()

    def pointer(self, array):
        return array.data_ptr()

    def is_mine(self, array):
        return type(array) is torch.Tensor and not array.requires_grad


INDEX = torch.tensor([0, 0])


def test_views():
    base = torch.zeros(4, 6)
    view = base.t()[1::2]  # shape (3, 4)
    assert strew.pytorch.scatter_add_(view, 0, torch.tensor([[2, 2]]), torch.tensor([[1.0, 2.0]])) is view
    expected = torch.zeros(4, 6)
    expected[0, 5], expected[1, 5] = 1, 2
    assert torch.equal(base, expected)
    expanded = torch.tensor([1.0]).expand(3)
    with pytest.raises(strew.OverlapError):
        strew.pytorch.scatter_add_(expanded, 0, INDEX, torch.ones(2))


def test_what_requires_grad_is_written_without_recording_only():
    x = torch.zeros(3, requires_grad=True)
    with pytest.raises(strew.GradientError, match="scatter_add_: input: a leaf Variable that requires grad is being used in an in-place"):
        strew.pytorch.scatter_add_(x, 0, INDEX, torch.ones(2))
    assert x._version == 0 and x.tolist() == [0, 0, 0]
    with torch.no_grad():
        assert strew.pytorch.scatter_add_(x, 0, INDEX, torch.ones(2)) is x
    assert x.tolist() == [2, 0, 0] and x.requires_grad and x._version == 1
    with torch.no_grad():
        result = strew.pytorch.scatter_add(x, 0, INDEX, torch.ones(2))
    assert result.tolist() == [4, 0, 0] and not result.requires_grad


def test_out_is_refused_in_torchs_words():
    x, index = torch.zeros(2, 3), torch.zeros(1, 3, dtype=torch.int64)
    for out, key in [
            (torch.zeros(1, 3, device="meta"), "Expected out tensor to have device cpu, but got meta instead"),
            (torch.zeros(1, 3, requires_grad=True), r"functions with out=... arguments don't support automatic differentiation, but one of the "
             "arguments requires grad"),
            (torch.zeros(1, 3).double(), "Expected out tensor to have dtype float32, but got float64 instead"),
            (torch.zeros(5), r"had shape \[5\], which does not match the required output shape \[1, 3\]"),
            ([1.0], "argument 'out' must be Tensor, not list")]:
        with pytest.raises(strew.Error, match=key):
            strew.pytorch.gather(x, 0, index, out=out)


def test_plans_refuse_what_requires_grad():
    x, free = torch.zeros(3, requires_grad=True), torch.zeros(3)
    writes, copies = strew.pytorch.scatter_add_.plan(free, 0, INDEX), strew.pytorch.scatter_add.plan(free, 0, INDEX)
    for call in (
        lambda: writes(torch.ones(2), out=x),
        lambda: writes((x * 2)[:2], out=free),
        lambda: copies(torch.ones(2), base=x),
        lambda: copies(torch.ones(2), out=x),
        lambda: strew.pytorch.scatter_add_.plan(x, 0, INDEX),
    ):
        with pytest.raises(strew.ArrayError, match="takes part in a gradient"):
            call()
    # A plan that writes into an array cannot do without one.
    sums = strew.numpy.add_at.plan(free, [0, 1])
    for call, advice in (
        (lambda: writes(torch.ones(2), out=x), r"scatter_add_: out takes part .*: use pytorch.scatter_add, or call pytorch.scatter_add_ under"),
        (lambda: copies(torch.ones(2), out=x), r"scatter_add: out takes part .*: pass out.detach\(\), or call it under torch.no_grad\(\)$"),
        (lambda: sums(torch.ones(2), out=x), r"add_at: out takes part .*: pass out.detach\(\), or call it under torch.no_grad\(\)$"),
    ):
        with pytest.raises(strew.ArrayError, match=advice):
            call()
    assert x._version == free._version == 0
    with torch.no_grad():
        assert writes(torch.ones(2), out=x) is x
    assert x.tolist() == [2, 0, 0] and x._version == 1
    with pytest.raises(strew.ArrayError, match="out has no memory|out is on another device"):
        writes(torch.ones(2), out=torch.zeros(3, device="meta"))


def test_a_saved_tensor_that_is_written_is_noticed():
    w, x = torch.ones(3, requires_grad=True), torch.ones(3)
    loss = (w * x).sum()  # keeps x for the gradient of w
    strew.pytorch.scatter_add_(x, 0, INDEX, torch.ones(2))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_versions():
    x, out = torch.zeros(3), torch.zeros(3)
    strew.pytorch.scatter_add_(x, 0, INDEX, torch.ones(2))
    assert x._version == 1
    strew.pytorch.scatter_add(x, 0, INDEX, torch.ones(2), out=out)
    assert (x._version, out._version) == (1, 1)
    with pytest.raises(IndexError):
        strew.pytorch.scatter_add_(x, 0, torch.tensor([9]), torch.ones(1))
    assert x._version == 1
    with torch.inference_mode():
        y = torch.zeros(3)
        assert strew.pytorch.scatter_add_(y, 0, INDEX, torch.ones(2)).tolist() == [2, 0, 0]


def test_conjugates_and_negatives_are_read_as_what_they_show():
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert strew.pytorch.gather(z.conj(), 0, torch.tensor([0, 1])).tolist() == [1 - 2j, 3 + 4j]
    assert strew.pytorch.gather(z.conj().imag, 0, torch.tensor([0, 1])).tolist() == [-2, 4]
    with pytest.raises(strew.ArrayError, match="conjugates or negates"):
        strew.pytorch.scatter_add_(z.conj(), 0, INDEX, torch.ones(2, dtype=torch.complex64))
    assert z.tolist() == [1 + 2j, 3 - 4j]


def test_parameters_and_subclasses():
    p = torch.nn.Parameter(torch.zeros(3))
    with torch.no_grad():
        assert strew.pytorch.scatter_add_(p, 0, INDEX, torch.ones(2)) is p
        assert type(strew.pytorch.scatter_add(p, 0, INDEX, torch.ones(2))) is torch.Tensor
    assert p.tolist() == [2, 0, 0]


def test_other_devices_and_layouts():
    with pytest.raises((strew.Error, ValueError, RuntimeError, BufferError), match="(?i)device|data pointer|meta"):
        strew.pytorch.scatter_add(torch.zeros(3, device="meta"), 0, INDEX, torch.ones(2))
    with pytest.raises((strew.Error, BufferError, RuntimeError), match="(?i)layout|storage|strides"):
        strew.pytorch.scatter_add(torch.eye(3).to_sparse(), 0, INDEX, torch.ones(2))


def test_agrees_with_torch():
    generator = torch.Generator().manual_seed(1)
    index = torch.randint(0, 50, (1000,), generator=generator)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x, src = torch.randn(50, generator=generator).to(dtype), torch.randn(1000, generator=generator).to(dtype)
        assert torch.equal(strew.pytorch.scatter_add(x, 0, index, src), x.scatter_add(0, index, src))
        assert torch.equal(strew.pytorch.index_add(x, 0, index, src), x.index_add(0, index, src))


def test_nothing_is_kept():
    x = torch.zeros(3)
    watch = weakref.ref(x)
    strew.pytorch.scatter_add_(x, 0, INDEX, torch.ones(2))
    strew.pytorch.scatter_add(x, 0, INDEX, torch.ones(2))
    with pytest.raises(IndexError):
        strew.pytorch.scatter_add(x, 0, torch.tensor([5]), torch.ones(1))
    del x
    gc.collect()
    assert watch() is None


NUMBERS = [torch.tensor(2), torch.tensor(2.5), torch.tensor(2.5, dtype=torch.bfloat16), torch.tensor(-3, dtype=torch.int8), torch.tensor(1 + 1j),
           torch.tensor(True), torch.tensor(float("nan")), torch.tensor([2.0]), torch.tensor(2.0, requires_grad=True)]


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.complex64], ids=str)
def test_numbers_as_tensors_of_rank_0(number, dtype):
    x, index, src = torch.zeros(3, dtype=dtype), torch.tensor([0, 2]), torch.ones(2, dtype=dtype)
    for theirs, ours in [(lambda: x.index_add(0, index, src, alpha=number), lambda: strew.pytorch.index_add(x, 0, index, src, alpha=number)),
                         (lambda: x.scatter(0, index, value=number), lambda: strew.pytorch.scatter(x, 0, index, value=number)),
                         (lambda: x.scatter(0, index, number), lambda: strew.pytorch.scatter(x, 0, index, number))]:
        try:
            expected = theirs()
        except (RuntimeError, TypeError):
            expected = None
        if expected is None:
            with pytest.raises(strew.Error):
                ours()
        else:
            assert torch.equal(ours().nan_to_num(7), expected.nan_to_num(7))


def test_inference_tensors_are_changed_only_there():
    with torch.inference_mode():
        x = torch.zeros(3)
    with pytest.raises(strew.ArrayError, match=r"made in torch.inference_mode\(\)"):
        strew.pytorch.scatter_add_(x, 0, INDEX, torch.ones(2))
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize("make", [lambda: torch.zeros(3, device="meta"), lambda: torch.zeros(3).to_sparse()], ids=["meta", "sparse"])
def test_tensors_without_memory_are_refused(make):
    with pytest.raises(strew.ArrayError, match="input"):
        strew.pytorch.scatter_add(make(), 0, INDEX, torch.ones(2))


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError):
        strew.pytorch.scatter_add(torch.nn.Linear(2, 2), 0, INDEX, torch.ones(2))
