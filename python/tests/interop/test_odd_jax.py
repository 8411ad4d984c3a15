"""Arrays of JAX that are more or less than memory with numbers."""

import contextlib

import pytest

jax = pytest.importorskip("jax")

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import io_callback, sparse  # noqa: E402
from jax.experimental.layout import Format, Layout  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding  # noqa: E402

import strew  # noqa: E402
from interop import Interop  # noqa: E402
from odd import Odd, check, is_read_as_it_is  # noqa: E402

jax.config.update("jax_num_cpu_devices", 4)  # before the first array is made
jax.config.update("jax_enable_x64", True)


def plain(values):
    return jax.numpy.array(np.array(values))


def of_floats(make):
    """Only floats can be of this kind."""
    return lambda values: make(plain(values)) if np.asarray(values).dtype.kind == "f" else None


def of_rank(least, make):
    return lambda values: make(plain(values)) if np.ndim(values) >= least else None


def of_scalars(make):
    return lambda values: make(values) if np.ndim(values) == 0 else None


def deleted(values):
    array = plain(values)
    array.delete()
    return array


def donated(values):
    array = plain(values)
    jax.jit(lambda given: jax.numpy.logical_not(given).astype(given.dtype), donate_argnums=0)(array)
    assert array.is_deleted()
    return array


def on(devices, *axes):
    """Put on the first devices, cut along the first axis if that has a name."""
    return lambda array: jax.device_put(array, NamedSharding(Mesh(np.array(jax.devices()[:devices]), ("part",)), PartitionSpec(*axes)))


def cut(array):
    return on(2, "part")(array) if array.ndim > 0 and array.shape[0] % 2 == 0 else None


def in_memory(kind):
    return lambda values: jax.device_put(plain(values), SingleDeviceSharding(jax.devices()[0], memory_kind=kind))


def by_columns(array):
    order = tuple(reversed(range(array.ndim)))
    return jax.device_put(array, Format(Layout(order), SingleDeviceSharding(jax.devices()[0])))


def weak(values):
    return jax._src.lax.lax._convert_element_type(plain(values), weak_type=True)


def constant_of_a_checkpoint(values):
    return jax.checkpoint(lambda: np.array(values))()


def zeros(name):
    return lambda values: jax.numpy.zeros(np.shape(values), name)


def numpys(name):
    return lambda values: np.array(values).astype(getattr(ml_dtypes, name))


NARROW = ["int1", "int2", "uint2", "int4", "uint4"]
SMALL = ["float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
         "float8_e5m2fnuz", "float8_e8m0fnu"]
REFUSED = [
    Odd("deleted", deleted),
    Odd("donated", donated),
    Odd("keys", lambda values: jax.random.split(jax.random.key(0), np.shape(values)) if np.ndim(values) else jax.random.key(0)),
    Odd("shape and dtype", lambda values: jax.ShapeDtypeStruct(np.shape(values), plain(values).dtype)),
    Odd("abstract", lambda values: jax.core.ShapedArray(np.shape(values), plain(values).dtype)),
    *[Odd(name, zeros(name)) for name in NARROW + SMALL],
    *[Odd(f"NumPy's {name}", numpys(name)) for name in NARROW + SMALL if name != "float8_e5m2"],
    Odd("NumPy's float8_e5m2", numpys("float8_e5m2"), is_read=None),  # its numbers count in a list
    Odd("float0", lambda values: np.zeros(np.shape(values), jax.dtypes.float0)),
    Odd("cut over two devices", lambda values: cut(plain(values))),
    Odd("copied to all devices", lambda values: on(4)(plain(values))),
    Odd("sparse", of_rank(1, sparse.BCOO.fromdense)),
    Odd("reference", lambda values: jax.new_ref(plain(values))),
    Odd("dictionary", lambda values: {"x": plain(values)}),
    Odd("partial", lambda values: jax.tree_util.Partial(plain, values)),
    Odd("structure of a tree", lambda values: jax.tree.structure(values)),
    Odd("compiled function", lambda values: jax.jit(plain)),
    Odd("expression", lambda values: jax.make_jaxpr(lambda x: x)(values)),
    Odd("device", lambda values: jax.devices()[0]),
    Odd("class", lambda values: jax.Array),
]
READ = [
    Odd("plain", plain, is_read=True),
    Odd("weakly typed", weak, is_read=True),
    Odd("on another device", lambda values: jax.device_put(plain(values), jax.devices()[2]), is_read=True),
    Odd("on a mesh of one device", lambda values: on(1)(plain(values)), is_read=True),
    Odd("in pinned memory", in_memory("pinned_host"), is_read=True),
    Odd("by columns", of_rank(2, by_columns), is_read=True),
    Odd("constant of a checkpoint", constant_of_a_checkpoint, is_read=True),
    Odd("where nothing may be transferred unasked", jax.device_put, is_read=True, inside=lambda: jax.transfer_guard("disallow")),
    Odd("without 64 bits", plain, is_read=True, inside=lambda: jax.enable_x64(False)),
    Odd("without compiling", plain, is_read=True, inside=jax.disable_jit),
    *[Odd(f"number of {name}", of_scalars(getattr(ml_dtypes, name)), is_read=None) for name in [*NARROW, *SMALL, "bfloat16"]],
]


def kept(make):
    """Arrays of JAX do not change, and making one costs more than a call with it."""
    known = {}

    def make_once(values):
        array = np.asarray(values)
        key = array.dtype, array.shape, array.tobytes()
        made = known[key] if key in known else make(values)
        if not isinstance(made, np.ndarray):
            known[key] = made
        return made

    return make_once


@pytest.mark.parametrize("odd", [*REFUSED, *READ], ids=lambda odd: odd.name)
@pytest.mark.filterwarnings("ignore")
def test_in_every_argument(odd):
    check(odd._replace(make=kept(odd.make)))


def traced(x):
    """Makes tracers of any values from a tracer of 0."""

    @kept
    def make(values):
        array = plain(values)
        if array.dtype.kind == "f":
            made = array + x.astype(array.dtype)
        else:
            made = jax.lax.select(jax.numpy.broadcast_to(x == 0, array.shape), array, array)
        return made if isinstance(made, jax.core.Tracer) else None  # what has no gradient is none

    return make


TRACERS = {
    "jit": lambda function: jax.make_jaxpr(function)(0.0),
    "grad": lambda function: jax.grad(function)(0.0),
    "jvp": lambda function: jax.jvp(function, (0.0,), (1.0,)),
    "vmap": lambda function: jax.vmap(function)(jax.numpy.zeros(2)),
    "grad of vmap": lambda function: jax.grad(lambda x: jax.vmap(function)(x).sum())(jax.numpy.zeros(2)),
}


@pytest.mark.parametrize("trace", TRACERS.values(), ids=TRACERS)
@pytest.mark.filterwarnings("ignore")
def test_tracers_in_every_argument(trace):
    checked = []

    def function(x):
        check(Odd("tracer", traced(x)))
        checked.append(x)
        return x

    trace(function)
    assert checked


def scattered(values):
    return strew.pytorch.scatter_add(np.zeros(3), 0, np.arange(3), values)


X = np.arange(3.0)
TRANSFORMS = {
    "jit": lambda function: jax.jit(function)(X),
    "eval_shape": lambda function: jax.eval_shape(function, X),
    "lower": lambda function: jax.jit(function).lower(X),
    "grad": lambda function: jax.grad(lambda x: function(x).sum())(X),
    "value_and_grad": lambda function: jax.value_and_grad(lambda x: function(x).sum())(X),
    "vjp": lambda function: jax.vjp(function, X),
    "jvp": lambda function: jax.jvp(function, (X,), (X,)),
    "linearize": lambda function: jax.linearize(function, X),
    "jacfwd": lambda function: jax.jacfwd(function)(X),
    "hessian": lambda function: jax.hessian(lambda x: function(x).sum())(X),
    "vmap": lambda function: jax.vmap(function)(np.ones((2, 3))),
    "pmap": lambda function: jax.pmap(function)(np.ones((1, 3))),
    "shard_map": lambda function: jax.shard_map(
        function, mesh=jax.make_mesh((1,), ("part",)), in_specs=jax.P(), out_specs=jax.P())(X),
    "checkpoint": lambda function: jax.checkpoint(function)(X),
    "scan": lambda function: jax.lax.scan(lambda carry, x: (function(carry), x), X, X),
    "fori_loop": lambda function: jax.lax.fori_loop(0, 2, lambda i, x: function(x), X),
    "cond": lambda function: jax.lax.cond(True, function, function, X),
    "export": lambda function: jax.export.export(jax.jit(function))(X),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("values", [lambda values: values, lambda values: list(values)], ids=["alone", "in a list"])
@pytest.mark.filterwarnings("ignore")
def test_what_transforms_a_function_is_refused_its_tracers(transform, values):
    with pytest.raises(strew.Error, match=r"pytorch\.scatter_add: src(:| ).*(?i:traced)"):
        transform(lambda given: scattered(values(given)))


@pytest.mark.parametrize("callback", [jax.pure_callback, io_callback], ids=["pure", "io"])
@pytest.mark.parametrize("count", [3, 200_000])
def test_callbacks_of_compiled_functions(callback, count):
    def add(x):
        return strew.pytorch.scatter_add(x, 0, np.zeros(count, np.int64), x, threads=2)

    x = jax.numpy.arange(count, dtype="float64")
    result = jax.jit(lambda x: callback(add, jax.ShapeDtypeStruct(x.shape, x.dtype), x) * 2)(x)
    assert float(result[0]) == count * (count - 1) and float(result[-1]) == 2 * (count - 1)


def test_no_dtype_is_read_as_another():
    wide = [*Interop.dtypes, "uint16", "uint32", "uint64"]
    names = [*wide, *NARROW, *SMALL]
    # Each of a shape of its own: JAX itself takes zeros of one bit for the bools that it has compiled before.
    vectors = [jax.numpy.zeros(3 + i, name) for i, name in enumerate(names)]
    assert [name for name, vector in zip(names, vectors) if is_read_as_it_is(vector)] == wide


@pytest.mark.parametrize("odd", [deleted, donated])
def test_what_is_deleted_is_called_so(odd):
    with pytest.raises(strew.ArrayError, match=r"pytorch\.scatter_add: src was deleted or donated: its memory was freed"):
        scattered(odd(X))


def delete(array):
    array.delete()


def donate(array):
    jax.jit(lambda given: given + 1, donate_argnums=0)(array)


@pytest.mark.parametrize("attack", [delete, donate])
@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])  # by a buffer and by DLPack
@pytest.mark.parametrize("hooked", range(3))
@pytest.mark.parametrize("victim", range(3))
@pytest.mark.filterwarnings("ignore")
def test_arrays_that_go_while_others_are_read(attack, dtype, hooked, victim):
    count = 1 << 17
    arrays = [jax.numpy.zeros(count, dtype), jax.numpy.arange(count), jax.numpy.ones(count, dtype)]
    plain, used_again = [np.asarray(array) for array in arrays], []

    class Hook:
        def __array__(self, dtype=None, copy=None):
            if not arrays[victim].is_deleted():
                attack(arrays[victim])
                used_again.extend(jax.numpy.full(count, 7, array.dtype) for array in arrays for _ in range(3))
            return plain[hooked]

    given = [*arrays[:hooked], Hook(), *arrays[hooked + 1:]]
    with contextlib.suppress(strew.Error):  # what was gone before it was read
        assert np.all(np.asarray(strew.pytorch.scatter_add(given[0], 0, given[1], given[2])) == 1)
    assert used_again
