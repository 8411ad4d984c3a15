"""Calls on Paddle tensors that take part in a gradient, as layers of paddle.autograd.

The extension hands a call to call() if a tensor that does not stop the gradient is among its arguments.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import paddle
from paddle import Tensor
from paddle.autograd import PyLayer

from ._core import Operator
from ._gradients import Call


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def call(operator: Operator, arguments: dict[str, Any]) -> Any:
    """The result of a call that the extension refused; NotImplemented if it refused it for another reason."""
    if not paddle.is_grad_enabled():
        return NotImplemented
    record = Call(operator, arguments, is_tensor)
    tensors = record.arrays_of(arguments)
    if all(tensors[i].stop_gradient for i in record.data.values()):
        return NotImplemented
    record.learn(arguments)
    record.require_differentiable(arguments, lambda tensor: not tensor.stop_gradient, "paddle.stack")
    if not operator.in_place:
        return Scatter.apply(record, *tensors)
    out = tensors[0]
    if not out.stop_gradient and out.is_leaf:
        raise record.refusal(f"{next(iter(arguments))}: Leaf Var ({out.name}) that doesn't stop gradient can't use inplace strategy.")
    if record.reads or out.stop_gradient:
        # The derivative needs the old values, or a layer cannot return the tensor: Paddle allows that only for parts of a graph.
        record.copies = True
        paddle.assign(Scatter.apply(record, out.clone() if record.reads else out, *tensors[1:]), out)
    else:
        Scatter.apply(record, *tensors)
    return None if operator.returns_nothing else out


class Scatter(PyLayer):
    """The call itself. In place only if its operator is and nothing reads the old values."""

    @staticmethod
    def forward(ctx: Any, record: Call, *tensors: Any) -> Any:
        record.names = tuple(name for name, i in record.data.items() if not tensors[i].stop_gradient)
        first = tensors[0]
        if record.copies:
            tensors = (first.clone(), *tensors[1:])
        if record.operator.in_place:
            result = tensors[0]
            # Paddle increments the version when the layer returns; an exported view has one of its own.
            record.run((paddle.from_dlpack(result.detach()), *tensors[1:]))
        else:
            result = record.run(tensors)
        if not is_tensor(result):
            raise record.refusal("the result is no Paddle tensor, as the first array is none, so the gradient would be lost")
        save(ctx, record, result, (first, *tensors[1:]))
        return result

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        if not cotangent.stop_gradient and paddle.is_grad_enabled():
            raise ctx.record.refusal("has no second derivative on Paddle tensors")
        result, tensors = saved(ctx)
        return cotangents(ctx.record, cotangent, result, tensors)


def save(ctx: Any, record: Call, result: Tensor, tensors: Sequence[Tensor]) -> None:
    """Saves the tensors that the derivative reads: those with indices, and data only if its values count."""
    unread = {i for name, i in record.data.items() if name not in record.reads}
    ctx.record = record
    ctx.unread = [(i, tensors[i].shape, tensors[i].dtype) for i in unread]
    kept = [*([result] if record.reads else []), *(tensor for i, tensor in enumerate(tensors) if i not in unread)]
    ctx.versions = [(id(tensor), tensor.inplace_version) for tensor in kept]
    ctx.save_for_backward(*kept)


def saved(ctx: Any) -> tuple[Optional[Tensor], list[Tensor]]:
    kept = list(ctx.saved_tensor())
    for tensor, (identity, version) in zip(kept, ctx.versions):
        # Hooks on saved tensors may have made another one, whose version tells nothing.
        if id(tensor) == identity and tensor.inplace_version != version:
            raise ctx.record.refusal("a tensor used in gradient computation has been modified by an inplace operation. Its version is "
                                     f"{tensor.inplace_version} but the expected version is {version}.")  # fmt: skip
    result = kept.pop(0) if ctx.record.reads else None
    stand_ins = {i: paddle.empty(shape, dtype) for i, shape, dtype in ctx.unread}
    return result, [stand_ins[i] if i in stand_ins else kept.pop(0) for i in range(len(ctx.record.gaps))]


def cotangents(record: Call, cotangent: Tensor, result: Optional[Tensor], tensors: Sequence[Tensor]) -> tuple[Optional[Tensor], ...]:
    """One for each tensor; None where none is needed."""
    made: list[Optional[Tensor]] = [None] * len(tensors)
    for name, value in zip(record.names, record.vjp(cotangent, result, tensors)):
        made[record.data[name]] = value
    return tuple(made)
