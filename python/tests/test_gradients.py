"""Derivatives of every operator, judged by an oracle that shares nothing with the library. The frameworks are in interop/."""

import importlib
import sys

import numpy as np
import pytest

import strew
from support import ROOT

sys.path.insert(0, str(ROOT / "tests" / "oracle"))
calls, oracle, traces = map(importlib.import_module, ("gradient_calls", "gradients", "traces"))
sys.path.pop(0)

OPERATORS = [(dialect, name) for dialect, operators in traces.DIALECTS.items() for name in operators]
NUMBERS = {
    "distinct": calls.distinct(2),
    "ties and zeros": calls.with_ties(4),
    "complex": calls.complex_of(calls.with_ties(8)),
}


def is_refused(dialect, name, args, kwargs):
    """Whether the operator does not accept these arguments, such as complex numbers to order."""
    try:
        operator_of(dialect, name)(*args_for(dialect, name, args), **kwargs)
    except (strew.UnsupportedError, strew.DtypeError, strew.ArgumentError):
        return True
    return False


def operator_of(dialect, name):
    return getattr(strew._core.dialects[dialect], name)


def args_for(dialect, name, args):
    """The arguments, with a copy of what is written."""
    return (args[0].copy(), *args[1:]) if operator_of(dialect, name).in_place else args


def calls_of(dialect, name, number):
    found = [call for call in calls.all_calls(1, number) if call[:2] == (dialect, name)]
    kept = [call for call in found if not is_refused(*call)]
    assert found and (kept or np.iscomplexobj(number(()))), (dialect, name)
    return kept


def require_equal(got, expected, selects, what):
    assert got.dtype == expected.dtype and got.shape == expected.shape, what
    if selects:
        np.testing.assert_array_equal(got, expected, err_msg=what)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12, err_msg=what)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_derivatives(dialect, name, kind):
    number, rng = NUMBERS[kind], np.random.default_rng(9)
    for _, _, args, kwargs in calls_of(dialect, name, number):
        operator, what = operator_of(dialect, name), f"{dialect}.{name} {kwargs}"
        trace, arguments = oracle.bind(dialect, name, args, kwargs)
        result = operator(*args_for(dialect, name, args), **kwargs)
        # The order in which the cotangents of a broadcast source are summed is not defined.
        is_broadcast = trace.base is not None and len(set(trace.places)) < len(trace.places)
        selects = trace.step in ("assign", "add", "sub") and trace.scale == 1 and not trace.mean and not is_broadcast
        cotangent = np.asarray(number(trace.shape))
        expected = oracle.vjp(dialect, name, args, kwargs, cotangent)
        wanted = tuple(expected)
        for known in (None, args[0] if result is None else result):
            if known is not None and result is None:
                continue
            got = strew._core.vjp(operator, cotangent, wanted, args, kwargs, known)
            for own, gradient in zip(wanted, got):
                require_equal(np.asarray(gradient), expected[own], selects, f"{what}: cotangent of {own}")
        tangents = {own: np.asarray(number(arguments[own].shape)) for own in wanted}
        for moving in ({own: tangents[own]} for own in wanted):
            got = strew._core.jvp(operator, moving, args, kwargs)
            require_equal(np.asarray(got), oracle.jvp(dialect, name, args, kwargs, moving), selects, f"{what}: tangent by {list(moving)}")
            expected_change = oracle.vjp_tangent(dialect, name, args, kwargs, cotangent, moving)
            got = strew._core.vjp_jvp(operator, cotangent, None, moving, wanted, args, kwargs)
            for own, change in zip(wanted, got):
                require_equal(np.asarray(change), expected_change[own], False, f"{what}: second derivative by {list(moving)} and {own}")


@pytest.mark.parametrize("dialect, name", OPERATORS)
def test_same_bits_on_any_number_of_threads(dialect, name):
    for _, _, args, kwargs in calls_of(dialect, name, NUMBERS["distinct"])[:2]:
        operator = operator_of(dialect, name)
        trace, _ = oracle.bind(dialect, name, args, kwargs)
        cotangent = np.asarray(NUMBERS["distinct"](trace.shape))
        wanted = tuple(oracle.vjp(dialect, name, args, kwargs, cotangent))
        one, three = (strew._core.vjp(operator, cotangent, wanted, args, kwargs, None, threads) for threads in (1, 3))
        assert [np.asarray(a).tobytes() for a in one] == [np.asarray(b).tobytes() for b in three]


def test_what_the_derivative_reads():
    """Arrays that it does not read need no memory in a backward pass."""
    for dialect, name in OPERATORS:
        for _, _, args, kwargs in calls_of(dialect, name, NUMBERS["distinct"]):
            trace, _ = oracle.bind(dialect, name, args, kwargs)
            _, _, reads, varies = strew._core.form_of(operator_of(dialect, name), *args, **kwargs)
            smooth = {trace.source} | ({trace.base} if trace.begin == "current" else set())
            expected = {own for own in smooth if own} if trace.step in ("mul", "min", "max") else set()
            assert expected <= set(reads) <= expected | {"src", "values", "b"}, (dialect, name, kwargs)
            assert varies == (trace.step == "mul")


def test_the_form_of_a_result():
    x, index = np.zeros((4, 5)), np.zeros((2, 3), np.int64)
    assert strew._core.form_of(strew.pytorch.gather, x, 0, index)[:2] == ((2, 3), 2)
    assert strew._core.form_of(strew.tensorflow.gather_nd, x, index[:, :1])[:2] == ((2, 5), 1)
    assert strew._core.form_of(strew.gather, x, index)[:2] == ((2, 3, 5), 2)


class Converted:
    """Runs code when it is read, and is large enough for its memory to be noticed when it is used after that."""

    def __init__(self, values, action=lambda: None):
        self.values, self.action = values, action

    def __array__(self, dtype=None, copy=None):
        self.action()
        return self.values


def test_arguments_stay_although_code_clears_the_dict_that_held_them():
    add, index = strew.pytorch.scatter_add, np.array([1, 2, 1])
    for _ in range(20):
        keywords = {}

        def clear():
            keywords.clear()
            return [bytearray(200) for _ in range(1000)]

        keywords.update(input=Converted(np.zeros(4), clear), dim=0, index=Converted(index), src=Converted(np.ones(3)))
        assert strew._core.vjp(add, np.arange(4.0), ("src",), (), keywords)[0].tolist() == [1, 2, 1]
        keywords["src"] = Converted(np.ones(3))
        assert strew._core.jvp(add, keywords, (Converted(np.zeros(4), clear), 0, index, np.ones(3))).tolist() == [0, 2, 1, 0]


def test_a_parameter_is_wanted_once():
    with pytest.raises(TypeError, match=r"vjp\(\) takes each wanted parameter once, got 'src' twice"):
        strew._core.vjp(strew.pytorch.scatter_add, np.ones(3), ("src", "src"), (np.ones(3), 0, np.array([1]), np.ones(1)))
