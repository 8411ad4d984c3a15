"""Signatures and docstrings of the operators, made from what the registry says about them."""

from __future__ import annotations

import inspect

from ._core import Operator

EXTRAS = {
    "out": "out: an array of the result's dtype and shape to write into; it is also returned.",
    "threads": "threads: how many threads the call may use. The bits of the result are the same for any number.",
}


def extras(operator: Operator) -> list[str]:
    return [name for name in EXTRAS if not (name == "out" and operator.in_place)]


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
    return f"<strew.{operator.dialect}.{operator.__name__}{signature(operator)}>"


def docstring(operator: Operator) -> str:
    from ._examples import example_of

    target = operator.parameters[0][0]
    effect = f"In place: writes into {target}" + (", and returns it." if operator.__name__.endswith("_") else ".")
    lines = [operator.summary, ""]
    if operator.in_place:
        lines += [effect, ""]
    lines += ["dtypes: " + ", ".join(operator.dtypes), "indices: " + ", ".join(operator.index_dtypes)]
    lines += [EXTRAS[name] for name in extras(operator)]
    lines += ["", "An error leaves every array as it was.", "", ""]
    return "\n".join(lines) + example_of(operator)
