"""Strew's gradients beside those of JAX's .at[]: JAX computes them with XLA, Strew from NumPy arrays."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy

import strew  # noqa: E402

jax.config.update("jax_enable_x64", True)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name, function", [("add_at", "add"), ("multiply_at", "multiply"), ("maximum_at", "max"), ("minimum_at", "min")])
def test_equal_to_at(seed, name, function):
    rng = np.random.default_rng(seed)
    x, index, values, cotangent = rng.standard_normal((6, 3)), rng.integers(0, 6, 4), rng.standard_normal((4, 3)), rng.standard_normal((6, 3))
    if function == "multiply":
        index = rng.permutation(6)[:4]  # JAX has no gradient of products whose index repeats
    elif function != "add":
        x, values = x.round(), values.round()  # ties
    _, pullback = jax.vjp(lambda x, values: getattr(x.at[index], function)(values, unique_indices=function == "multiply"), x, values)
    expected = pullback(jnp.asarray(cotangent))
    got = strew._core.vjp(getattr(strew.numpy, name), cotangent, ("a", "b"), (x, index, values))
    for a, b in zip(got, expected):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
