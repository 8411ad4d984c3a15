import numpy as np
import pytest

jax = pytest.importorskip("jax")

import strew  # noqa: E402
from interop import Interop, watch_maker  # noqa: E402

watch_maker(jax.dlpack)

jax.config.update("jax_enable_x64", True)


class TestJax(Interop):
    immutable = True
    dtypes = [*Interop.dtypes, "uint16", "uint32", "uint64"]

    def make(self, values, dtype="float32"):
        return jax.numpy.asarray(values, dtype=dtype)

    def to_numpy(self, array):
        return np.asarray(array)

    def pointer(self, array):
        return array.unsafe_buffer_pointer()

    def is_mine(self, array):
        return isinstance(array, jax.Array)


def test_out_is_refused():
    x = jax.numpy.zeros(3)
    with pytest.raises(strew.ArrayError, match="out cannot be changed"):
        strew.pytorch.scatter_add(x, 0, np.array([0]), np.ones(1), out=x)
    with pytest.raises(strew.ArrayError, match="a cannot be changed"):
        strew.numpy.add_at(x, [0], 1.0)


def test_tracers_are_refused():
    def f(x):
        return strew.pytorch.scatter_add(x, 0, np.array([0]), np.ones(1))

    with pytest.raises(Exception, match="(?i)trace"):
        jax.jit(f)(jax.numpy.zeros(3))
    with pytest.raises(Exception, match="(?i)trace"):
        jax.grad(lambda x: f(x).sum())(jax.numpy.zeros(3))


def test_results_are_never_cut_to_32_bits():
    import jax

    with jax.enable_x64(False):
        with pytest.raises(strew.ArrayError, match="the result is int64.*jax_enable_x64"):
            strew.tensorflow.scatter_nd(jax.numpy.array([[1]], "int32"), np.array([2**40 + 1]), [3])
