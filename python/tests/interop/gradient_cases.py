"""The calls that the tests of gradients share, from the oracle."""

import importlib
import sys
from pathlib import Path

import strew

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "oracle"))
calls, oracle, traces = map(importlib.import_module, ("gradient_calls", "gradients", "traces"))
sys.path.pop(0)

OPERATORS = [(dialect, name) for dialect, operators in traces.DIALECTS.items() for name in operators]


def forms_of(dialect, name):
    """The operator, and its in-place form if it has one."""
    module = strew._core.dialects[dialect]
    return [getattr(module, own) for own in (name, name + "_") if hasattr(module, own)]


def calls_of(dialect, name, number):
    return [call[2:] for call in calls.all_calls(1, number) if call[:2] == (dialect, name)]


def data_of(dialect, name, args, kwargs):
    """The positions of the arguments that a gradient flows to."""
    trace, arguments = oracle.bind(dialect, name, args, kwargs)
    return [list(arguments).index(own) for own in (trace.base, trace.source) if own is not None]
