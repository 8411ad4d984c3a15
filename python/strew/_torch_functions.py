"""A call and its derivatives as functions of torch.autograd, each of which has derivatives itself.

The inputs of each are a Call, then tensors that are not among its arguments, then those that are. Tensors whose values no derivative reads
are not saved: a placeholder of their shape and type takes their place.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Sequence

import torch
from torch import Tensor
from torch._C._functorch import is_legacy_batchedtensor
from torch.autograd import Function, forward_ad

from ._errors import ArrayError
from ._gradients import Call

transforms_are_active = torch._C._are_functorch_transforms_active
function_modes = torch._C._len_torch_function_stack
dispatch_modes = torch._C._len_torch_dispatch_stack
proxies = torch._C._TorchDispatchModeKey.PROXY

Given = Sequence[Any]  # tensors, or None


def is_traced() -> bool:
    """Whether make_fx or torch.func.linearize records the operators of torch that run now; what others compute becomes a constant."""
    # It never does without a mode, which is cheaper to ask for. Backward passes run without function modes.
    return (function_modes() > 0 or dispatch_modes() > 0) and (
        torch._C._get_dispatch_mode(proxies) is not None or torch._ops._get_dispatch_mode_pre_dispatch(proxies) is not None
    )


def operators() -> Any:
    """Strew's operators in torch's registry. Calls that are traced get here only after their import."""
    from . import _torch_operators

    return _torch_operators


def apply(function: type[Recorded], call: Call, *inputs: Optional[Tensor]) -> Any:
    """Runs a function, and records it if it could be differentiated."""
    if transforms_are_active():
        return function.traced.apply(call, *inputs)
    if torch.is_grad_enabled() or forward_ad._current_level >= 0:
        return function.apply(call, *inputs)
    return function.compute(call, *inputs)


def keep(ctx: Any, call: Call, others: Given, tensors: Given) -> None:
    """Saves what derivatives read: the tensors that are no arguments, those with indices, and data if its values count."""
    unread, reads, saved, first = [], call.reads, [*others, *tensors], len(others)
    for name, i in call.data.items():
        if name not in reads:
            unread.append((i, tensors[i].shape, tensors[i].dtype))
            saved[first + i] = None
    ctx.kept = call, first, unread
    ctx.save_for_backward(*saved)
    if forward_ad._current_level >= 0 or transforms_are_active():
        ctx.save_for_forward(*saved)
    ctx.set_materialize_grads(False)


def kept(ctx: Any, alike: Optional[Tensor] = None) -> tuple[list[Any], list[Any]]:
    """What keep() saved. Tensors that were not saved are represented by another one of their shape and type, such as `alike`."""
    saved = ctx.saved_tensors
    _, first, unread = ctx.kept
    tensors = list(saved[first:])
    form = None if alike is None or not alike.is_contiguous() else (alike.shape, alike.dtype)
    for i, shape, dtype in unread:
        # Its memory is never touched, so the system need not provide any.
        tensors[i] = alike if form == (shape, dtype) else torch.empty(shape, dtype=dtype)
    return list(saved[:first]), tensors


def split(call: Call, given: Given) -> tuple[Given, Given]:
    """What belongs to the inputs that are no arguments of the call, and to those that are."""
    first = len(given) - len(call.gaps)
    return given[:first], given[first:]


def wanted_of(ctx: Any, call: Call) -> list[str]:
    """The names of the arguments whose cotangents are needed."""
    needed = ctx.needs_input_grad
    first = len(needed) - len(call.gaps)
    return [name for name, i in call.data.items() if needed[first + i]]


def moved_in(call: Call, tangents: Given) -> tuple[list[str], list[Tensor]]:
    """The arguments that have tangents, and these."""
    moved = [(name, tangents[i]) for name, i in call.data.items() if tangents[i] is not None]
    return [name for name, _ in moved], [tangent for _, tangent in moved if tangent is not None]


def spread(call: Call, names: Sequence[str], values: Sequence[Any]) -> list[Any]:
    """A value for each tensor of a call, None for those without one."""
    spread: list[Any] = [None] * len(call.gaps)
    for name, value in zip(names, values):
        spread[call.data[name]] = value
    return spread


def sum_of(parts: Sequence[Any]) -> Any:
    present = [part for part in parts if part is not None]
    return sum(present[1:], present[0]) if present else None


class Recorded(Function):
    """A subclass defines compute(), setup_context(), backward() and jvp()."""

    traced: type[Recorded]  # the form that torch.func needs; it costs more
    record: Any  # apply() without its preparations for tensors that torch.func leaves behind, which take long
    is_tuple = False  # whether compute() returns a tuple of tensors

    @staticmethod
    def compute(call: Call, *inputs: Any) -> Any:
        raise NotImplementedError


def each(function: Callable[..., Any], call: Call, inputs: Given, dims: Sequence[Optional[int]], count: int) -> list[Tensor]:
    """The results of one call for each element of a batch, stacked. `dims` are the dimensions of the batch, None for what all elements share."""

    def element(b: int) -> Any:
        return [given if dim is None else given.select(dim, b) for given, dim in zip(inputs, dims)]

    def blank() -> Any:
        return [given if dim is None else given.new_zeros(given.movedim(dim, 0).shape[1:]) for given, dim in zip(inputs, dims)]

    # An empty batch has the shape that its elements would have.
    results = [function(call, *element(b)) for b in range(count)] or [function(call, *blank())]
    rows = [result if isinstance(result, tuple) else (result,) for result in results]
    return [torch.stack(parts)[:count] for parts in zip(*rows)]


def vmap_of(function: type[Recorded]) -> Any:
    """The rule for torch.func.vmap: one call for each element of the batch."""

    def vmap(info: Any, in_dims: Any, call: Call, *inputs: Any) -> Any:
        stacked = each(functools.partial(apply, function), call, inputs, in_dims[1:], info.batch_size)
        return (tuple(stacked), (0,) * len(stacked)) if function.is_tuple else (stacked[0], 0)

    return vmap


def readable(compute: Callable[..., Any], is_tuple: bool) -> Callable[..., Any]:
    """Makes compute() accept the batches of torch.autograd.grad(is_grads_batched=True), which are tensors without memory."""

    def at_level(level: int, call: Call, *inputs: Any) -> Any:
        if level == 0:
            return compute(call, *inputs)
        below = functools.partial(at_level, level - 1)
        # What has no batch at this level gets one of size 1.
        opened = [given if given is None else torch._remove_batch_dim(given, level, 1, 0) for given in inputs]
        dims = [None if given is None or given.size(0) == 1 else 0 for given in opened]
        opened = [given[0] if given is not None and dim is None else given for given, dim in zip(opened, dims)]
        if not any(dim == 0 for dim in dims):
            return below(call, *opened)
        count = next(given.size(0) for given, dim in zip(opened, dims) if given is not None and dim == 0)
        batched = [torch._add_batch_dim(result, 0, level) for result in each(below, call, opened, dims, count)]
        return tuple(batched) if is_tuple else batched[0]

    @functools.wraps(compute)
    def wrapper(call: Call, *inputs: Any) -> Any:
        try:
            return compute(call, *inputs)
        except ArrayError:
            if not any(given is not None and is_legacy_batchedtensor(given) for given in inputs):
                raise
        level = torch._C._vmapmode_increment_nesting() - 1
        torch._C._vmapmode_decrement_nesting()
        return at_level(level, call, *inputs)

    return wrapper


def recorded(function: Any) -> Any:
    """Adds the two forms of forward()."""
    function.compute = staticmethod(readable(function.compute, function.is_tuple))

    def forward(ctx: Any, call: Call, *inputs: Any) -> Any:
        output = function.compute(call, *inputs)
        function.save(ctx, (call, *inputs), output)
        return output

    members = {"forward": staticmethod(function.compute), "setup_context": staticmethod(function.save), "vmap": staticmethod(vmap_of(function))}
    function.traced = type(function.__name__, (function,), members)
    function.forward = staticmethod(forward)
    function.record = super(Function, function).apply
    return function


@recorded
class Scatter(Recorded):
    """The call itself. In place only if its operator is and nothing reads the old values."""

    @staticmethod
    def compute(call: Call, *tensors: Any) -> Any:
        if call.copies:
            tensors = (tensors[0].clone(), *tensors[1:])
        if is_traced():
            made = operators().call(call.operator, call.filled(tensors))
            return tensors[0] if call.operator.in_place else made
        if call.operator.in_place:
            # torch increments the version when the function returns; `data` has one of its own.
            call.run((tensors[0].data, *tensors[1:]))
            return tensors[0]
        result = call.run(tensors)
        if not isinstance(result, Tensor):
            raise call.refusal("the result is no torch tensor, as the first array is none, so the gradient would be lost")
        return result

    @staticmethod
    def save(ctx: Any, inputs: Any, output: Any) -> None:
        call, *tensors = inputs
        if call.operator.in_place and not call.copies:
            ctx.mark_dirty(output)
        keep(ctx, call, [output if call.reads else None], tensors)

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        call = ctx.kept[0]
        names = wanted_of(ctx, call)
        if cotangent is None or not names:
            return (None,) * (1 + len(call.gaps))
        if torch.is_grad_enabled() or transforms_are_active():
            (result,), tensors = kept(ctx)
            return (None, *spread(call, names, apply(Cotangents, call.by(names), cotangent, result, *tensors)))
        (result,), tensors = kept(ctx, cotangent)
        return (None, *spread(call, names, Cotangents.compute(call.by(names), cotangent, result, *tensors)))

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Any) -> Any:
        call = ctx.kept[0]
        names, moved = moved_in(call, tangents)
        (result,), tensors = kept(ctx)
        tangent = apply(Tangent, call.by(names), result, *moved, *tensors)
        if call.operator.in_place and not call.copies and tangents[0] is not None:
            return tangents[0].copy_(tangent)  # torch demands that it is written, as the value was
        return tangent


@recorded
class Cotangents(Recorded):
    """The cotangents of `names`: inputs cotangent, result."""

    is_tuple = True

    @staticmethod
    def compute(call: Call, cotangent: Any, result: Any, *tensors: Any) -> Any:
        if is_traced():
            return tuple(operators().traced("cotangents", call, cotangent, result, tensors))
        return tuple(call.vjp(cotangent, result, tensors))

    @staticmethod
    def save(ctx: Any, inputs: Any, output: Any) -> None:
        call, cotangent, result, *tensors = inputs
        keep(ctx, call, [cotangent if call.reads else None, result], tensors)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        call = ctx.kept[0]
        names = wanted_of(ctx, call)
        given = [(name, cotangent) for name, cotangent in zip(call.names, cotangents) if cotangent is not None]
        if not given:
            return (None,) * (3 + len(call.gaps))
        moved, tangents = zip(*given)
        (cotangent, result), tensors = kept(ctx)
        outer = apply(Tangent, call.by(moved), result, *tangents, *tensors) if ctx.needs_input_grad[1] else None
        inner = apply(Change, call.by(names).where(moved), cotangent, *tangents, *tensors) if names and call.reads else ()
        return (None, outer, None, *spread(call, names, inner))

    @staticmethod
    def jvp(ctx: Any, _: None, cotangent_tangent: Any, result_tangent: Any, *tangents: Any) -> Any:
        call = ctx.kept[0]
        moved, given = moved_in(call, tangents)
        (cotangent, result), tensors = kept(ctx)
        parts = []
        if cotangent_tangent is not None:
            parts.append(apply(Cotangents, call, cotangent_tangent, result, *tensors))
        if moved and call.reads:
            parts.append(apply(Change, call.where(moved), cotangent, *given, *tensors))
        return tuple(map(sum_of, zip(*parts))) if parts else (None,) * len(call.names)


@recorded
class Tangent(Recorded):
    """The tangent of the result: inputs result, and the tangents of `names`."""

    @staticmethod
    def compute(call: Call, result: Any, *inputs: Any) -> Any:
        tangents, tensors = split(call, inputs)
        if is_traced():
            return operators().traced("tangent", call, result, tangents, tensors)
        return call.jvp(result, tangents, tensors)

    @staticmethod
    def save(ctx: Any, inputs: Any, output: Any) -> None:
        call, result, *others = inputs
        tangents, tensors = split(call, others)
        keep(ctx, call, [result, *(tangents if call.reads else ())], tensors)

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        call = ctx.kept[0]
        names = wanted_of(ctx, call)
        if cotangent is None:
            return (None,) * (2 + len(call.names) + len(call.gaps))
        (result, *tangents), tensors = kept(ctx)
        needed = [name for name, is_needed in zip(call.names, ctx.needs_input_grad[2:]) if is_needed]
        outer: dict[str, Any] = dict(zip(needed, apply(Cotangents, call.by(needed), cotangent, result, *tensors))) if needed else {}
        inner = apply(Change, call.by(names).where(call.names), cotangent, *tangents, *tensors) if names and call.reads else ()
        return (None, None, *map(outer.get, call.names), *spread(call, names, inner))

    @staticmethod
    def jvp(ctx: Any, _: None, result_tangent: Any, *given: Any) -> Any:
        call = ctx.kept[0]
        changes, moved = split(call, given)
        if call.varies and moved_in(call, moved)[0]:
            raise call.refusal("products have no second derivative in forward mode; use reverse mode, such as torch.func.jacrev, for one of the two")
        others, tensors = kept(ctx)
        present = [(name, change) for name, change in zip(call.names, changes) if change is not None]
        if not present:  # of a minimum or maximum, the same values stay chosen
            return torch.zeros_like(others[0])
        names, tangents = zip(*present)
        return apply(Tangent, call.by(names), others[0], *tangents, *tensors)


@recorded
class Change(Recorded):
    """How the cotangents of `names` change where the arguments of `moved` move: inputs cotangent, and the tangents of `moved`."""

    is_tuple = True

    @staticmethod
    def compute(call: Call, cotangent: Any, *inputs: Any) -> Any:
        tangents, tensors = split(call, inputs)
        if is_traced():
            return tuple(operators().traced("changes", call, cotangent, tangents, tensors))
        return tuple(call.vjp_jvp(cotangent, tangents, tensors))

    @staticmethod
    def save(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.kept = inputs[0], 0, []

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise ctx.kept[0].refusal("products have no third derivative")

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise ctx.kept[0].refusal("products have no third derivative")
