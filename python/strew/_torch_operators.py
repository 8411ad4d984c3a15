"""Operators of Strew in torch's own registry. Schema, kernel, shape of the result and derivative follow from the row of an operator in Strew's
registry, so none is listed here.
"""

from __future__ import annotations

import contextlib
import json
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence

import torch
from torch import Tensor
from torch._library.autograd import Info, make_autograd_impl
from torch.autograd import forward_ad

from . import _core
from ._core import Operator
from ._gradients import DATA, Call, size_of
from ._torch import stands_for_another
from ._torch_functions import Cotangents, Scatter, apply, keep, kept, transforms_are_active
from ._torch_keys import call_from, is_tensor, key_from, key_of, text_of

library = torch.library.Library("strew", "DEF")

# By the type of a parameter.
TYPES = {
    "tensor": "Tensor", "target": "Tensor", "updates": "Tensor", "source": "Tensor", "indices": "Tensor", "columns": "Tensor[]",
    "index_key": "Tensor[]", "integer": "int", "boolean": "bool", "word": "str", "shape": "SymInt[]", "number": "Scalar",
}  # fmt: skip


class Parameter(NamedTuple):
    name: str
    kind: str
    is_keyword: bool
    default: tuple[Any, ...]


def parameters_of(operator: Operator) -> list[Parameter]:
    return [Parameter(*row) for row in operator.parameters]


def declared(parameter: Parameter, kind: str) -> str:
    """A parameter in a schema."""
    name, _, _, default = parameter
    is_optional = kind.endswith(" or None") or default == (None,)
    text = f"{TYPES[kind.split()[0]]}{'?' if is_optional else ''} {name}"
    if kind == "index_key":
        text += f", str {name}_key"
    return text + (f"={json.dumps(default[0]).replace('null', 'None').replace('true', 'True').replace('false', 'False')}" if default else "")


def schema_of(operator: Operator, takes_number: bool, writes: bool) -> str:
    positional: list[str] = []
    keywords = ["int? threads=None"]
    for parameter in parameters_of(operator):
        kind = "number" if takes_number and parameter.kind == "source" else parameter.kind
        (keywords if parameter.is_keyword else positional).append(declared(parameter, kind))
    if writes:
        positional[0] = positional[0].replace("Tensor", "Tensor(a!)", 1)
    return f"({', '.join([*positional, '*', *keywords])}) -> Tensor{'(a!)' if writes else ''}"


def arguments_from(operator: Operator, given: Sequence[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the operator in Python, from those of the one in torch."""
    rest, arguments = list(given), {}
    for parameter in parameters_of(operator):
        if parameter.is_keyword or not rest:
            if parameter.name in keywords:
                arguments[parameter.name] = keywords[parameter.name]
            continue
        value = rest.pop(0)
        if parameter.kind == "index_key":
            value = key_from(value, rest.pop(0))
        arguments[parameter.name] = tuple(value) if parameter.kind == "columns" else value
    if keywords.get("threads") is not None:
        arguments["threads"] = keywords["threads"]
    return arguments


def arguments_for(operator: Operator, arguments: dict[str, Any]) -> tuple[str, list[Any], dict[str, Any]]:
    """The name of the operator in torch and its arguments, from those of the one in Python."""
    given: list[Any] = []
    own = name_in_torch(operator)
    keywords = {"threads": arguments["threads"]} if arguments.get("threads") is not None else {}
    for name, kind, is_keyword, default in parameters_of(operator):
        value = arguments.get(name, arguments.get(operator.also_named.get(name, name), default[0] if default else None))
        if kind == "index_key":
            given += key_of(value)
        elif kind == "columns":
            given.append([torch.as_tensor(part) for part in (value if isinstance(value, tuple) else (value,))])
        elif is_keyword:
            keywords[name] = value
        elif kind == "source" and isinstance(value, (int, float, complex)):
            own += "_number"
            given.append(value)
        else:
            given.append(torch.as_tensor(value) if TYPES.get(kind) == "Tensor" else value)
    return own, given, keywords


@contextlib.contextmanager
def below_autograd() -> Iterator[None]:
    """While a kernel runs, tensors neither need gradients nor have tangents, and must not be asked for these."""
    level = forward_ad._current_level
    if level >= 0:  # it is one for all threads
        forward_ad._current_level = -1
    try:
        with torch.no_grad():
            yield
    finally:
        if level >= 0:
            forward_ad._current_level = level


def run(operator: Operator, arguments: dict[str, Any]) -> Tensor:
    """Calls an operator on tensors with elements; one that works in place gets a copy."""
    with below_autograd():
        if not operator.in_place:
            return operator(**arguments)
        first = next(iter(arguments))
        result = arguments[first].clone()
        operator(**{**arguments, first: result})
        return result


def form_of(operator: Operator, arguments: dict[str, Any]) -> Tensor:
    """A tensor like the result."""
    first = parameters_of(operator)[0]
    if first.kind == "target" or (first.kind == "tensor" and hasattr(operator, "plan")):
        return torch.empty_like(arguments[first.name], memory_format=torch.contiguous_format)
    if "shape" in arguments:
        updates = next(arguments[p.name] for p in parameters_of(operator) if p.kind == "updates")
        return updates.new_empty(arguments["shape"])
    # A gather: the shape of the points is the first part of that of the index, and the row is the last part of that of the source.
    call = Call(operator, arguments, is_tensor)
    tensors = call.arrays_of(arguments)
    shape, points, *_ = call.form(arguments)
    source, index = tensors[0], tensors[1]
    row = len(shape) - points
    known = [*index.shape[:points], *source.shape[source.dim() - row :]]
    return source.new_empty(known if [size_of(n) for n in known] == list(shape) else shape)


def own(made: Sequence[Tensor], given: Tensor) -> list[Tensor]:
    """An operator must not return one of its inputs."""
    return [tensor.clone() if tensor is given else tensor for tensor in made]


def cotangents(text: str, shape: Sequence[int], cotangent: Tensor, result: Optional[Tensor], tensors: Sequence[Tensor]) -> list[Tensor]:
    with below_autograd():
        return own(call_from(text, shape).vjp(cotangent, result, tensors), cotangent)


def changes(text: str, shape: Sequence[int], cotangent: Tensor, tangents: Sequence[Tensor], tensors: Sequence[Tensor]) -> list[Tensor]:
    with below_autograd():
        return own(call_from(text, shape).vjp_jvp(cotangent, tangents, tensors), cotangent)


def tangent(text: str, shape: Sequence[int], result: Optional[Tensor], tangents: Sequence[Tensor], tensors: Sequence[Tensor]) -> Tensor:
    with below_autograd():
        return call_from(text, shape).jvp(result, tangents, tensors)


def forms_of_cotangents(text: str, shape: Sequence[int], cotangent: Tensor, _: Any, tensors: Sequence[Tensor]) -> list[Tensor]:
    call = call_from(text, shape)
    return [torch.empty_like(tensors[call.data[name]], memory_format=torch.contiguous_format) for name in call.names]


def form_of_tangent(text: str, shape: Sequence[int], result: Optional[Tensor], tangents: Sequence[Tensor], tensors: Sequence[Tensor]) -> Tensor:
    call = call_from(text, shape)
    return form_of(call.operator, call.filled(tensors))


for name, function, form, signature in (
    ("cotangents", cotangents, forms_of_cotangents, "Tensor cotangent, Tensor? result, Tensor[] tensors) -> Tensor[]"),
    ("changes", changes, forms_of_cotangents, "Tensor cotangent, Tensor[] tangents, Tensor[] tensors) -> Tensor[]"),
    ("tangent", tangent, form_of_tangent, "Tensor? result, Tensor[] tangents, Tensor[] tensors) -> Tensor"),
):
    library.define(f"{name}(str call, SymInt[] shape, {signature}")
    library.impl(name, function, "CPU")
    torch.library.register_fake("strew::" + name, form, lib=library)


def traced(name: str, call: Call, *given: Any) -> Any:
    """A derivative of a call, as an operator that torch can trace."""
    return getattr(torch.ops.strew, name)(*text_of(call), *given)


class Registered:
    """An operator in torch's registry that returns a new tensor."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        # The positions of data among the arguments in torch.
        self.positions: dict[str, int] = {}
        at = 0
        for parameter in parameters_of(operator):
            if parameter.kind in DATA:
                self.positions[parameter.name] = at
            at += 2 if parameter.kind == "index_key" else 1

    def define(self, name: str, takes_number: bool) -> None:
        library.define(name + schema_of(self.operator, takes_number, False))
        library.impl(name, self.run, "CPU")
        torch.library.register_fake("strew::" + name, self.form, lib=library)
        in_reverse = make_autograd_impl(getattr(torch.ops.strew, name).default, Info(self.backward, self.save))

        def in_either_mode(keyset: Any, *given: Any, **keywords: Any) -> Tensor:
            return in_reverse(keyset, *given, **keywords) if forward_ad._current_level < 0 else self.forward(in_reverse, keyset, given, keywords)

        library.impl(name, in_either_mode, "Autograd", with_keyset=True)
        torch.library.register_vmap("strew::" + name, vmap_of(name), lib=library)

    def run(self, *given: Any, **keywords: Any) -> Tensor:
        return run(self.operator, arguments_from(self.operator, given, keywords))

    def form(self, *given: Any, **keywords: Any) -> Tensor:
        return form_of(self.operator, arguments_from(self.operator, given, keywords))

    def forward(self, in_reverse: Callable[..., Tensor], keyset: Any, given: Sequence[Any], keywords: dict[str, Any]) -> Tensor:
        """Forward mode, of which torch.library knows nothing: it would take all tangents for zero."""
        arguments = arguments_from(self.operator, given, keywords)
        call = Call(self.operator, arguments, is_tensor)
        tensors = call.arrays_of(arguments)
        if all(forward_ad.unpack_dual(tensor).tangent is None for tensor in tensors):
            return in_reverse(keyset, *given, **keywords)
        if transforms_are_active():
            raise call.refusal("torch.ops.strew has no forward mode under torch.func, but the function of strew has; call that")
        call.learn(arguments)
        call.copies = self.operator.in_place
        return apply(Scatter, call, *tensors)

    def save(self, ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Tensor) -> None:
        arguments = arguments_from(self.operator, inputs, keyword_only_inputs)
        call = Call(self.operator, arguments, is_tensor)
        call.learn(arguments)
        ctx.nothing = [[None] * len(given) if isinstance(given, (list, tuple)) and any(map(is_tensor, given)) else None for given in inputs]
        keep(ctx, call, [output if call.reads else None], call.arrays_of(arguments))

    def backward(self, ctx: Any, cotangent: Optional[Tensor]) -> Any:
        call, gradients = ctx.kept[0], list(ctx.nothing)
        names = [name for name in call.data if ctx.needs_input_grad[self.positions[name]]]
        if cotangent is not None and names:
            (result,), tensors = kept(ctx)
            call = call.by(names)
            if stands_for_another(cotangent):
                made = torch.ops.strew.cotangents(*text_of(call), cotangent, result, tensors)
            else:
                made = apply(Cotangents, call, cotangent, result, *tensors)
            for name, gradient in zip(names, made):
                gradients[self.positions[name]] = gradient
        return tuple(gradients)


def vmap_of(name: str) -> Any:
    """One call for each element of the batch."""

    def vmap(info: Any, in_dims: Any, *given: Any, **keywords: Any) -> Any:
        def element(value: Any, dim: Any, b: Optional[int]) -> Any:
            if isinstance(dim, (list, tuple)):
                return [element(part, own, b) for part, own in zip(value, dim)]
            if dim is None:
                return value
            return value.new_zeros(value.movedim(dim, 0).shape[1:]) if b is None else value.select(dim, b)

        function, count = getattr(torch.ops.strew, name), info.batch_size
        # An empty batch has the shape that its elements would have.
        results = [function(*map(element, given, in_dims, [b] * len(given)), **keywords) for b in (range(count) if count > 0 else [None])]
        return torch.stack(results)[:count], 0

    return vmap


def before_write(out: Tensor) -> Tensor:
    """What an operator that writes reads its old values from: the derivative may need them after the write."""
    return out.clone() if torch.is_grad_enabled() else out


def define_in_place(operator: Operator, name: str, takes_number: bool) -> None:
    """An operator that writes into its first argument: what the functional one returns is copied there."""

    def run(out: Tensor, *given: Any, **keywords: Any) -> Tensor:
        return out.copy_(getattr(torch.ops.strew, name)(before_write(out), *given, **keywords))

    library.define(name + "_" + schema_of(operator, takes_number, True))
    library.impl(name + "_", run, "CompositeImplicitAutograd")


def name_in_torch(operator: Operator) -> str:
    prefix = "" if operator.dialect == "strew" else operator.dialect + "_"
    return prefix + operator.__name__.removesuffix("_")


def takes_numbers(operator: Operator) -> bool:
    return any(parameter.kind == "source" for parameter in parameters_of(operator))


def register(operator: Operator) -> None:
    name = name_in_torch(operator)
    for own, takes_number in ((name, False), (name + "_number", True))[: 1 + takes_numbers(operator)]:
        if not operator.__name__.endswith("_"):
            Registered(operator).define(own, takes_number)
        if operator.in_place:
            define_in_place(operator, own, takes_number)


def call(operator: Operator, arguments: dict[str, Any]) -> Any:
    """Calls the operator in torch's registry instead of the one in Python."""
    name, given, keywords = arguments_for(operator, arguments)
    function = getattr(torch.ops.strew, name)
    if not operator.in_place:
        return function(*given, **keywords)
    out, *others = given
    out.copy_(function(before_write(out), *others, **keywords))
    return None if operator.returns_nothing else out
