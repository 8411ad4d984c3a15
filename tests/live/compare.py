"""Compares an answer of Strew with the framework's, and says of each case what it showed."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))

from rules import difference_of, not_sent
from tensors import load, same

EQUAL, EQUAL_ERROR, NO_KERNEL, DIFFERENCE, NOT_SENT, CRASH, FAILURE = KINDS = (
    "equal", "equal errors", "no kernel", "documented", "not sent", "crashed", "FAILED")

Verdict = collections.namedtuple("Verdict", "kind rule")


def agrees(strew, framework):
    """The kind of agreement, or None."""
    if "error" in strew and "error" in framework:
        return EQUAL_ERROR
    if "result" in strew and "result" in framework and same(load(strew["result"]), load(framework["result"])):
        return EQUAL
    return None


def verdict(case, ask):
    """What a case showed, and the framework's answer, which `ask` fetches."""
    strew = case["answer"]
    reason = not_sent(case, strew)
    if reason:
        # Strew must refuse what breaks a framework.
        return Verdict(NOT_SENT if "error" in strew else FAILURE, reason), None
    framework = ask()
    if "lacks" in framework:
        return Verdict(NO_KERNEL, None), framework
    if "crash" in framework and "error" in strew:
        # Where a framework falls over, a library must raise an error.
        return Verdict(CRASH, framework["crash"]), framework
    kind = agrees(strew, framework)
    if kind:
        return Verdict(kind, None), framework
    rule = difference_of(case, strew, framework)
    return Verdict(DIFFERENCE if rule else FAILURE, rule), framework
