"""NumPy's keys and whole calls as text, for operators of torch, whose arguments are tensors, numbers and text."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence

import torch
from torch import Tensor

from . import _core
from ._gradients import Call


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def text_of_part(part: Any) -> str:
    if is_tensor(part):
        return "@"
    if part is Ellipsis:
        return "..."
    if isinstance(part, slice):
        return ":".join("" if n is None else str(n) for n in (part.start, part.stop, part.step))
    return str(part)


def key_of(key: Any) -> tuple[list[Tensor], str]:
    """The tensors of a key of a[...], and a text in which @ stands for each of them: ([rows], "@, ::2") for (rows, np.s_[::2])."""
    parts = [part if part is None or part is Ellipsis or isinstance(part, (int, slice)) else torch.as_tensor(part)
             for part in (key if isinstance(key, tuple) else (key,))]  # fmt: skip
    return [part for part in parts if is_tensor(part)], ", ".join(map(text_of_part, parts))


def part_from(text: str, tensors: list[Tensor]) -> Any:
    if text == "@":
        return tensors.pop(0)
    if ":" in text:
        return slice(*(int(n) if n else None for n in text.split(":")))
    return {"...": Ellipsis, "None": None, "True": True, "False": False}.get(text) if not text.lstrip("-").isdigit() else int(text)


def key_from(tensors: Sequence[Tensor], text: str) -> Any:
    """The key of these tensors and this text."""
    rest = list(tensors)
    return tuple(part_from(part.strip(), rest) for part in text.split(",") if part.strip())


def plain(value: Any) -> Any:
    """An argument as JSON has it."""
    if isinstance(value, (list, tuple)):
        return {"tuple": [plain(part) for part in value]}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if value is Ellipsis or isinstance(value, slice):
        return {"key": text_of_part(value)}
    return value


def unplain(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    return complex(*held) if kind == "complex" else part_from(held, []) if kind == "key" else tuple(map(unplain, held))


def text_of(call: Call) -> tuple[str, list[Any]]:
    """A call without its tensors, and the shape among its arguments, whose sizes may be symbols."""
    shape = call.arguments.get("shape", ())
    arguments = {name: plain(value) for name, value in call.arguments.items() if name != "shape"}
    operator = (call.operator.dialect, call.operator.__name__)
    return json.dumps([operator, arguments, call.gaps, call.data, call.names, call.moved, sorted(call.reads), call.varies]), list(shape)


def call_from(text: str, shape: Sequence[int]) -> Call:
    (dialect, name), arguments, gaps, data, names, moved, reads, varies = json.loads(text)
    call = Call.__new__(Call)
    call.operator = getattr(_core.dialects[dialect], name)
    call.arguments = {name: unplain(value) for name, value in arguments.items()}
    if shape:
        call.arguments["shape"] = list(shape)
    call.gaps, call.data, call.names, call.moved = [tuple(gap) for gap in gaps], data, tuple(names), tuple(moved)
    call.reads, call.varies, call.copies = frozenset(reads), varies, False
    return call
