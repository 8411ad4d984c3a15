"""Checks the oracle of gradients by itself: against difference quotients of the forward oracle, and by cases worked out by hand."""
import importlib.util
import os
import sys

import numpy as np

import gradient_calls as calls
import gradients
import traces
from tensors import Array

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {"numpy": "numpy_at", "strew": "own"}
STEP = 1e-6


def forward_of(dialect, name):
    """The function of the forward oracle; some of its files are named as installed packages are."""
    file = FILES.get(dialect, dialect)
    spec = importlib.util.spec_from_file_location("oracle_" + file, os.path.join(HERE, file + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def as_oracle(value, is_key=False):
    if isinstance(value, np.ndarray):
        array = Array(value.dtype.name, value)
        return [array] if is_key else array
    if isinstance(value, tuple):
        return [as_oracle(part) for part in value]
    return value


def run(dialect, name, args, kwargs):
    keyed = dialect == "strew" or name.endswith("_at")
    given = [as_oracle(value, keyed and i == 1) for i, value in enumerate(args)]
    return forward_of(dialect, name)(*given, **kwargs).values


def moved(args, which, tangent, step):
    """The arguments with one of them moved along a tangent."""
    return tuple(np.asarray(value + step * tangent) if value is which else value for value in args)


def quotient(dialect, name, args, kwargs, which, tangent):
    """The derivative of the forward oracle in a direction."""
    up, down = (run(dialect, name, moved(args, which, tangent, s), kwargs) for s in (STEP, -STEP))
    return (up - down) / (2 * STEP)


def check_call(dialect, name, args, kwargs, rng):
    trace, arguments = gradients.bind(dialect, name, args, kwargs)
    result = run(dialect, name, args, kwargs)
    assert result.shape == trace.shape, (dialect, name, result.shape, trace.shape)
    cotangent = np.asarray(rng.standard_normal(result.shape))
    found = gradients.vjp(dialect, name, args, kwargs, cotangent)
    assert set(found) == {own for own in (trace.base, trace.source) if own is not None}
    for own in found:
        tangent = np.asarray(rng.standard_normal(arguments[own].shape))
        expected = quotient(dialect, name, args, kwargs, arguments[own], tangent)
        got = gradients.jvp(dialect, name, args, kwargs, {own: tangent})
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5, err_msg="%s.%s %s" % (dialect, name, own))
        np.testing.assert_allclose(np.vdot(cotangent, expected), np.vdot(found[own], tangent), rtol=1e-5, atol=1e-4,
                                   err_msg="%s.%s %s" % (dialect, name, own))
        up, down = (gradients.vjp(dialect, name, moved(args, arguments[own], tangent, s), kwargs, cotangent) for s in (STEP, -STEP))
        second = gradients.vjp_tangent(dialect, name, args, kwargs, cotangent, {own: tangent})
        for other in found:
            np.testing.assert_allclose(second[other], (up[other] - down[other]) / (2 * STEP), rtol=1e-5, atol=1e-3)


def check_differences():
    """Every operator, reduction and attribute, where the derivative exists."""
    rng, seen = np.random.default_rng(1), set()
    for dialect, name, args, kwargs in calls.all_calls(3, calls.distinct(5)):
        check_call(dialect, name, args, kwargs, rng)
        seen.add((dialect, name))
    assert seen == {(dialect, name) for dialect, operators in traces.DIALECTS.items() for name in operators}
    return len(seen)


def same(got, **expected):
    assert set(got) == set(expected), (got, expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(got[name], values)


def check_by_hand():
    """Ties, zeros, NaN, numbers that are complex: what a difference quotient does not see."""
    nan = np.nan
    index, g = np.array([1, 1, 2]), np.array([1.0, 2.0, 4.0, 8.0])
    x, src = np.array([5.0, 3.0, 1.0, 7.0]), np.array([3.0, 3.0, 2.0])

    def reduced(reduce, x=x, src=src, **more):
        return gradients.vjp("pytorch", "scatter_reduce", (x, 0, index, src, reduce), more, g)

    # The last update stays; what it replaces has no part in the result.
    same(gradients.vjp("pytorch", "scatter", (x, 0, index, src), {}, g), input=[1, 0, 0, 8], src=[0, 2, 4])
    # Three equal maxima, the old value among them, then without it.
    same(reduced("amax"), input=[1, 2 / 3, 0, 8], src=[2 / 3, 2 / 3, 4])
    same(reduced("amax", include_self=False), input=[1, 0, 0, 8], src=[1, 1, 4])
    # One zero among the factors, then two.
    same(reduced("prod", src=np.array([0.0, 3.0, 2.0])), input=[1, 0, 8, 8], src=[18, 0, 4])
    same(reduced("prod", src=np.array([0.0, 0.0, 2.0])), input=[1, 0, 8, 8], src=[0, 0, 4])
    same(reduced("mean"), input=[1, 2 / 3, 2, 8], src=[2 / 3, 2 / 3, 2])
    same(reduced("mean", include_self=False), input=[1, 0, 0, 8], src=[1, 1, 4])
    # NaN: PyTorch's formula takes the last one; TensorFlow's keeps the old value.
    same(reduced("amax", src=np.array([nan, nan, 2.0])), input=[1, 0, 0, 8], src=[0, 2, 4])
    tuples = index[:, None]
    same(gradients.vjp("tensorflow", "tensor_scatter_nd_max", (x, tuples, np.array([nan, 9.0, nan])), {}, g), tensor=[1, 0, 4, 8],
         updates=[0, 2, 0])
    # Paddle without the old value: the first update replaces it.
    same(gradients.vjp("paddle", "put_along_axis", (x, index, src, 0), {"reduce": "mul", "include_self": False}, g), arr=[1, 0, 0, 8],
         values=[6, 6, 4])
    # One value for all updates collects their cotangents.
    same(gradients.vjp("numpy", "add_at", (x, index, np.array(1.0)), {}, g), a=g, b=8)
    # A cotangent is multiplied by the conjugate of the derivative.
    z = np.array([1 + 2j, 3 - 1j])
    same(gradients.vjp("pytorch", "scatter", (z, 0, np.array([1]), np.array([2j])), {"reduce": "multiply"}, np.array([1.0, 1j])),
         input=[1, 1j * -2j], src=[1j * (3 + 1j)])
    # A skipped update has no gradient, a clamped one that of the element it went to.
    same(gradients.vjp("tensorflow", "gather_nd", (x, np.array([[9], [1]])), {"bad_indices_policy": "IGNORE"}, g[:2]), params=[0, 2, 0, 0])
    same(gradients.vjp("directml", "scatter", (x, np.array([9, 0]), src[:2]), {"axis": 0, "out_of_range": "clamp"}, g),
         input=[0, 2, 4, 0], updates=[8, 1])
    assert gradients.winners("pytorch", "scatter", (x, 0, index, src), {}) == [False, True, True]


if __name__ == "__main__":
    count = check_differences()
    check_by_hand()
    print("%d operators agree with their difference quotients" % count)
    sys.exit(0)
