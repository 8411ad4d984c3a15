"""Which answers of a framework may differ from Strew's, and which cases are not sent to it: by rule, each with its reason.

The name of a rule is a heading in docs/differences.md, where the reason stands with both answers. Wherever the framework's answer can be
worked out, a rule demands exactly that answer: to be of the right kind is not enough.
"""
import rules_onnx
import rules_paddle
import rules_pytorch
import rules_tensorflow
from call import Call
from judge import ask_oracle, shares
from tensors import OverlapError

RULES = {"tensorflow": rules_tensorflow, "pytorch": rules_pytorch, "paddle": rules_paddle, "onnx": rules_onnx}
OVERLAP = "the case is about shared memory, and a framework would get copies"


def difference_of(case, strew, framework):
    """The heading under which the two answers may differ, or None."""
    call = Call(case, strew, framework)
    return next((title for title, holds in RULES[call.system].DIFFERENCES if holds(call)), None)


def could_overlap(case):
    """Arguments share a buffer, or elements of the one that is written share memory. Any other complaint of overlap is false, so it goes
    on to the framework, whose result then fails the case."""
    return shares(case) or isinstance(ask_oracle(case), OverlapError)


def not_sent(case, strew):
    """Why the framework is not asked, or None: the call would break its process, or read or write outside of its memory."""
    if strew.get("error", {}).get("code") == "overlap" and could_overlap(case):
        return OVERLAP
    call = Call(case, strew, {})
    return next((reason for reason, holds in RULES[call.system].UNSAFE if holds(call)), None)


def unknown_headings(page):
    """Rules without a heading in the text of docs/differences.md."""
    headings = {line[3:].strip() for line in page.splitlines() if line.startswith("## ")}
    return [title for module in RULES.values() for title, _ in module.DIFFERENCES if title not in headings]
