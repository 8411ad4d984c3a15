"""A call whose result depends on arrays that a framework differentiates by. Shared by the bridges to the frameworks."""

from __future__ import annotations

import copy
import functools
from typing import Any, Callable, Optional, Sequence

from . import _core
from ._core import Operator
from ._errors import GradientError

# Types of objects that cannot change.
PLAIN = frozenset((int, str, bool, float, complex, slice, type(None)))
# The types of the parameters whose elements a result can depend on smoothly.
DATA = frozenset(("tensor", "target", "updates", "source"))


@functools.lru_cache(maxsize=None)
def data_names(operator: Operator) -> frozenset[str]:
    return frozenset(name for name, kind, _, _ in operator.parameters if kind in DATA)


@functools.lru_cache(maxsize=None)
def choices_of(operator: Operator) -> tuple[str, ...]:
    """The parameters that choose what an operator computes."""
    return tuple(name for name, kind, _, _ in operator.parameters if kind.split()[0] in ("word", "boolean"))


# The arguments whose values the derivative of a call reads, and whether it varies with them, by the operator and what those parameters choose.
known_reads: dict[Any, tuple[frozenset[str], bool]] = {}


def size_of(size: Any) -> int:
    """A size as a number: symbols of torch.compile have a current value, and what TensorFlow does not know yet counts as 1."""
    if size is None:
        return 1
    hint = getattr(getattr(size, "node", None), "hint", None)
    return int(size) if hint is None else int(hint)


def snapshot(value: Any) -> Any:
    """A copy of an argument that its owner could change before the backward pass."""
    if type(value) in (list, tuple):
        return type(value)(map(snapshot, value))
    if type(value) in PLAIN:
        return value
    try:
        return copy.copy(value)
    except Exception:  # the call will say what is wrong with it
        return value


class Call:
    """An operator and its arguments, with a gap for each array of the framework.

    The arrays are passed to every method: the result may be one of them, and would keep itself alive.
    """

    __slots__ = ("arguments", "copies", "data", "gaps", "moved", "names", "operator", "reads", "varies")

    def __init__(self, operator: Operator, arguments: dict[str, Any], is_array: Callable[[Any], bool]) -> None:
        self.operator = operator
        self.arguments = own = arguments.copy()
        self.gaps: list[tuple[str, Optional[int]]] = []  # a name, and a position in a tuple or list
        self.data: dict[str, int] = {}  # the gaps of arrays of data, by the names of their arguments
        self.names: tuple[str, ...] = ()  # the arguments that a derivative is taken by
        self.moved: tuple[str, ...] = ()  # those along whose tangents it is taken once more
        self.copies = False  # whether an operator that works in place gets a copy of its first argument
        data = data_names(operator)
        for name, value in arguments.items():
            if type(value) in PLAIN:
                continue
            if is_array(value):
                if name in data:
                    self.data[name] = len(self.gaps)
                self.gaps.append((name, None))
                own[name] = None
            elif type(value) in (list, tuple) and any(map(is_array, value)):
                self.gaps += [(name, i) for i, part in enumerate(value) if is_array(part)]
                own[name] = tuple(None if is_array(part) else snapshot(part) for part in value)
            else:
                own[name] = snapshot(value)

    def learn(self, arguments: dict[str, Any]) -> None:
        """Finds out which arguments the derivative reads."""
        self.learn_by(lambda: self.form(arguments))

    def learn_by(self, form: Callable[[], tuple[Any, ...]]) -> None:
        choices = (self.operator, *[self.arguments.get(name) for name in choices_of(self.operator)])
        known = known_reads.get(choices)
        if known is None:
            _, _, reads, varies = form()
            known = known_reads[choices] = frozenset(reads), varies
        self.reads, self.varies = known

    def by(self, names: Sequence[str]) -> Call:
        """The same call, to be differentiated by these arguments."""
        other = self.copied()
        other.names = tuple(names)
        return other

    def copied(self) -> Call:
        other: Call = object.__new__(Call)
        other.operator, other.arguments, other.gaps, other.data = self.operator, self.arguments, self.gaps, self.data
        other.names, other.moved, other.copies, other.reads, other.varies = self.names, self.moved, self.copies, self.reads, self.varies
        return other

    def where(self, moved: Sequence[str]) -> Call:
        """The same derivative, to be differentiated once more along tangents of these arguments."""
        other = self.copied()
        other.moved = tuple(moved)
        return other

    def __str__(self) -> str:
        return f"{self.operator.dialect}.{self.operator.__name__}"

    def refusal(self, sentence: str) -> GradientError:
        return GradientError(f"{self}: {sentence}")

    def require_differentiable(self, arguments: dict[str, Any], takes_part: Callable[[Any], bool], stack: str) -> None:
        """Refuses calls through which a gradient cannot be recorded, before anything is written."""
        first = next(iter(arguments))
        if arguments.get("out") is not None and "out" not in data_names(self.operator):
            raise self.refusal("functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad; "
                               "leave out= away, or call it under no_grad()")  # fmt: skip
        for name, i in self.gaps:
            if i is not None and name in data_names(self.operator) and takes_part(arguments[name][i]):
                raise self.refusal(f"{name} holds tensors that take part in a gradient: pass {stack}({name})")
        if self.operator.in_place and first not in self.data:
            raise self.refusal(f"{first} is an array of another library than {' and '.join(self.data)}, whose gradient would be lost")

    def arrays_of(self, arguments: dict[str, Any]) -> list[Any]:
        return [arguments[name] if i is None else arguments[name][i] for name, i in self.gaps]

    def filled(self, arrays: Sequence[Any]) -> dict[str, Any]:
        arguments = self.arguments.copy()
        for (name, i), array in zip(self.gaps, arrays):
            if i is None:
                arguments[name] = array
            else:
                arguments[name] = (*arguments[name][:i], array, *arguments[name][i + 1 :])
        return arguments

    def form(self, arguments: dict[str, Any]) -> tuple[tuple[int, ...], int, tuple[str, ...], bool]:
        """The shape of the result, how many of its dimensions are those of the points, the arguments whose values the derivative reads, and
        whether it varies with them.

        Asked of arrays without values: those of the framework may have none yet.
        """
        has_key = any(kind == "index_key" for _, kind, _, _ in self.operator.parameters)
        stand_ins = []
        for (name, _), array in zip(self.gaps, self.arrays_of(arguments)):
            # A mask without values selects any number of elements: only a single update fits all of them.
            shape = () if has_key and name == self.operator.parameters[-1][0] else map(size_of, array.shape)
            dtype = "float32" if getattr(array.dtype, "name", "") == "string" else array.dtype  # strings have the shapes of numbers
            stand_ins.append(_core.zeros(self.operator, dtype, list(shape)))
        return _core.form_of(self.operator, **self.filled(stand_ins))

    def run(self, arrays: Sequence[Any]) -> Any:
        return self.operator(**self.filled(arrays))

    def vjp(self, cotangent: Any, result: Any, arrays: Sequence[Any], names: Optional[tuple[str, ...]] = None) -> tuple[Any, ...]:
        """The cotangents of the named arguments, or of those of `self.names`."""
        return _core.vjp(self.operator, cotangent, self.names if names is None else names, (), self.filled(arrays), result)

    def jvp(self, result: Any, tangents: Sequence[Any], arrays: Sequence[Any]) -> Any:
        """The tangent of the result, where the arguments of `names` move by tangents."""
        return _core.jvp(self.operator, dict(zip(self.names, tangents)), (), self.filled(arrays), result)

    def vjp_jvp(self, cotangent: Any, tangents: Sequence[Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
        """How vjp() changes where the arguments of `moved` move by tangents."""
        return _core.vjp_jvp(self.operator, cotangent, None, dict(zip(self.moved, tangents)), self.names, (), self.filled(arrays))
