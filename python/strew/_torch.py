"""Calls on torch tensors that take part in a gradient, as functions of torch.autograd.

The extension hands a call to call() if it cannot read a tensor because of a gradient, or because it has no memory of its own.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Optional, Sequence

import torch
from torch import Tensor
from torch._functorch.utils import unwrap_dead_wrappers
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.autograd import forward_ad

from . import _core
from ._core import Operator
from ._gradients import Call, data_names
from ._torch_functions import Scatter, apply, is_traced, transforms_are_active
from ._torch_keys import is_tensor

creation_of, plain_view = torch._C._autograd._get_creation_meta, torch._C._autograd.CreationMeta.DEFAULT
is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor
index_copy = _core.dialects["pytorch"].index_copy


@functools.lru_cache(maxsize=None)
def index_names(operator: Operator) -> frozenset[str]:
    return frozenset(name for name, kind, _, _ in operator.parameters if kind.split()[0] in ("indices", "columns", "index_key"))


def call(operator: Operator, arguments: dict[str, Any]) -> Any:
    """The result of a call that the extension refused; NotImplemented if it refused it for another reason."""
    given = arguments
    if operator is index_copy and torch.is_autocast_enabled("cpu"):
        arguments = promoted(arguments)
    traced = is_traced()
    if traced and "strew.torch" not in sys.modules:
        return NotImplemented
    record = Call(operator, arguments, is_tensor)
    tensors, takes_part = record.arrays_of(arguments), False
    if not transforms_are_active() and any(map(is_wrapped, tensors)):
        tensors = list(unwrap_dead_wrappers(tuple(tensors)))  # of a transform that is over
    for (name, _), tensor in zip(record.gaps, tensors):
        if stands_for_another(tensor):
            return elsewhere(operator, arguments)
        if name in record.data or name in data_names(operator):
            takes_part = takes_part or is_recorded(tensor)
        elif name in index_names(operator):
            takes_part = takes_part or is_wrapped(tensor)
        elif not tensor.dtype.is_floating_point:
            takes_part = takes_part or is_wrapped(tensor)
        elif is_recorded(tensor):
            return NotImplemented  # a number whose gradient would be lost
    if not takes_part:
        if traced:
            return elsewhere(operator, arguments)
        return NotImplemented if arguments is given else operator(**arguments)
    record.learn(arguments)
    record.require_differentiable(arguments, is_recorded, "torch.stack")
    if not operator.in_place:
        return apply(Scatter, record, *tensors) if transforms_are_active() else Scatter.record(record, *tensors)
    out, *others = tensors
    require_writable(record, next(iter(arguments)), out)
    if record.reads or traced or out._is_view() or transforms_are_active():
        # The derivative needs the old values, or torch has its own ways to write into such a tensor.
        record.copies = True
        if not (traced or transforms_are_active()):
            require_no_overlap(record, tensors)
        out.copy_(apply(Scatter, record, out.clone() if record.reads else out, *others))
    else:
        Scatter.record(record, out, *others)
    return None if operator.returns_nothing else out


def promoted(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as torch.autocast passes them to torch's own index_copy: all of the widest type, where one is float32."""
    floats = {name: value for name, value in arguments.items() if is_tensor(value) and value.is_floating_point() and value.dtype != torch.float64}
    narrow = {name: value.float() for name, value in floats.items() if value.dtype != torch.float32}
    return {**arguments, **narrow} if 0 < len(narrow) < len(floats) else arguments


def require_no_overlap(record: Call, tensors: Sequence[Tensor]) -> None:
    """Refuses a call that writes into a tensor which is also read, as without gradients: by writing into a copy of their memory."""
    storage = tensors[0].untyped_storage()
    shares = [tensor.untyped_storage().data_ptr() == storage.data_ptr() for tensor in tensors]
    if any(shares[1:]) and tensors[0].numel() > 0:
        copy = storage.clone()

        def moved(tensor: Tensor) -> Tensor:
            return torch.empty(0, dtype=tensor.dtype).set_(copy, tensor.storage_offset(), tensor.size(), tensor.stride())

        with torch.no_grad():
            record.run([moved(tensor) if is_shared else tensor for tensor, is_shared in zip(tensors, shares)])


def elsewhere(operator: Operator, arguments: dict[str, Any]) -> Any:
    """The result of the operator in torch's registry, if that was imported."""
    module = sys.modules.get("strew.torch")
    return NotImplemented if module is None else module.call(operator, arguments)


def stands_for_another(tensor: Tensor) -> bool:
    """Whether it is one of the tensors without elements that torch.compile and torch.export run a program on."""
    return type(tensor) is not Tensor and (hasattr(tensor, "fake_mode") or isinstance(tensor, FunctionalTensor)) or torch._is_functional_tensor(tensor)


def is_recorded(tensor: Tensor) -> bool:
    if tensor.requires_grad and torch.is_grad_enabled():
        return True
    return is_wrapped(tensor) or (forward_ad._current_level >= 0 and forward_ad.unpack_dual(tensor).tangent is not None)


def require_writable(record: Call, name: str, out: Tensor) -> None:
    """Refuses, in torch's words, what torch refuses to write into, and before anything is written."""
    if not torch.is_grad_enabled() or transforms_are_active():
        return
    base: Optional[Tensor] = out._base
    if base is not None and creation_of(out) != plain_view:
        out.masked_fill_(torch.tensor(False), 0)  # torch's own error; there is nothing to write
    elif base is not None and base.requires_grad and base.is_leaf:
        raise record.refusal(f"{name}: a view of a leaf Variable that requires grad is being used in an in-place operation.")
    elif out.requires_grad and out.is_leaf:
        raise record.refusal(f"{name}: a leaf Variable that requires grad is being used in an in-place operation.")
