"""Signatures and docstrings of the operators, of their plan functions and of those that make pieces, generated from the registry."""

from __future__ import annotations

import inspect

from ._core import Operator

EXTRAS = {
    "out": "out: an array of the result's dtype and shape to write into; it is also returned.",
    "dtype": "dtype: that of the updates, where it is another than the array's that they go into, or where there is none.",
    "threads": "threads: how many threads the call may use. The bits of the result are the same for any number.",
}


def makes_plans(operator: Operator) -> bool:
    return operator.__qualname__.endswith(".plan")


def makes_pieces(operator: Operator) -> bool:
    return operator.__qualname__.endswith(".pieces")


def extras(operator: Operator) -> list[str]:
    if makes_plans(operator):
        return ["dtype", "threads"]
    if makes_pieces(operator):
        return ["threads"]
    return ["threads"] if operator.in_place else ["out", "threads"]


def signature(operator: Operator) -> inspect.Signature:
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY if keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=default[0] if default else inspect.Parameter.empty,
        )
        for name, _, keyword_only, default in operator.parameters
    ]
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in extras(operator)]
    return inspect.Signature(parameters + more)


def representation(operator: Operator) -> str:
    return f"<{operator.__module__}.{operator.__qualname__}{signature(operator)}>"


def takes_base(operator: Operator) -> bool:
    """Whether its plan starts from an array: plans that start from zeros take a shape."""
    return operator.parameters[0][1] == "tensor" and not operator.in_place


def plan_docstring(function: Operator) -> str:
    from ._examples import plan_example_of

    name = function.__qualname__.partition(".")[0]
    ways = ["plan(updates, out=x): writes into x, as it is, and returns it."]
    if takes_base(function):
        ways += ["plan(updates, base=x): a copy of x with the updates; with out= it goes there."]
    elif not function.in_place:
        ways = ["plan(updates): a new array; with out= it goes there."]
    lines = [f"Reads and checks the indices of {name} once, for many calls: its arguments without the updates.", ""]
    lines += [*ways, "", *(EXTRAS[name] for name in extras(function)), ""]
    lines += ["The plan keeps none of these arrays. Of the one that is scattered into, only dtype and shape count.", "", ""]
    return "\n".join(lines) + plan_example_of(function)


def operator_of(function: Operator) -> Operator:
    """The operator that a plan function or one that makes pieces belongs to."""
    from ._core import dialects

    name: str = function.__qualname__.partition(".")[0]
    operator: Operator = getattr(dialects[function.dialect], name)
    return operator


def stepped(operator: Operator) -> list[str]:
    """The parameters of step(): the indices and the updates."""
    pieces: Operator = getattr(operator, "pieces")
    kept = {parameter[0] for parameter in pieces.parameters}
    return [parameter[0] for parameter in operator.parameters if parameter[0] not in kept]


def pieces_docstring(function: Operator) -> str:
    from ._examples import pieces_example

    name, target = function.__qualname__.partition(".")[0], function.parameters[0][0]
    lines = [f"Takes the indices and updates of {name} in pieces, with the bits of one call: its other arguments.", ""]
    lines += [f"step({', '.join(stepped(operator_of(function)))}): one piece, all or nothing.", ""]
    lines += [EXTRAS["threads"], ""]
    lines += [f"{target} is written when the block ends, in one go; an exception leaves it as it was.", "", ""]
    return "\n".join(lines) + pieces_example()


def docstring(operator: Operator) -> str:
    from ._examples import example_of

    if makes_plans(operator):
        return plan_docstring(operator)
    if makes_pieces(operator):
        return pieces_docstring(operator)
    target = operator.parameters[0][0]
    effect = f"In place: writes into {target}" + ("." if operator.returns_nothing else ", and returns it.")
    lines = [operator.summary, ""]
    if operator.in_place:
        lines += [effect, ""]
    lines += ["dtypes: " + ", ".join(operator.dtypes), "indices: " + ", ".join(operator.index_dtypes)]
    lines += [f"{other}: another name of {name}." for name, other in operator.also_named.items()]
    lines += [EXTRAS[name] for name in extras(operator)]
    plan = getattr(operator, "plan", None)
    if plan is not None:
        lines += [f"plan: {plan.__qualname__}{signature(plan)} reads the indices once, for many calls."]
    pieces = getattr(operator, "pieces", None)
    if pieces is not None:
        lines += [f"pieces: {pieces.__qualname__}{signature(pieces)} takes {' and '.join(stepped(operator))} in pieces."]
    lines += ["", "An error leaves every array as it was.", "", ""]
    return "\n".join(lines) + example_of(operator)
