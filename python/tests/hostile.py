"""Calls every operator, and every function that takes the arguments of an operator, with an argument whose code shrinks another argument,
in every position of both: a random sample of all such calls.

Run as a program, by test_hostile.py: memory that is used after it was given back ends the process, and the last line printed names the
call. Prints how many calls it made."""

import ctypes
import os
import random
import sys

import numpy as np

import strew

SIZE = 8_192  # eight pages: with MALLOC_MMAP_THRESHOLD_ below them, what an array gives back is no longer mapped
FEW = 2
LARGE = 1 << 25  # bytes: so much is moved, not made larger where it is
SHARE = float(os.environ.get("STREW_HOSTILE_SHARE", "0.4"))  # of the calls of operators and plans that are made; of functions, a tenth of it


class Sub(np.ndarray):
    pass


class Holder:
    """Exports the memory of an array that others can resize."""

    def __init__(self, held):
        self.held = held


class ByArray(Holder):
    def __array__(self, dtype=None, copy=None):
        return self.held


class ByCapsule(Holder):
    def __dlpack_device__(self):
        return self.held.__dlpack_device__()

    def __dlpack__(self, **more):
        return self.held.__dlpack__(**more)


class ByBuffer(Holder):
    def __buffer__(self, flags):
        return memoryview(self.held)


def as_it_is(held):
    return held


def subclass_of(held):
    """An array of a subclass with memory of its own."""
    made = Sub(held.shape, held.dtype)
    made[...] = held
    return made


def ctypes_of(held):
    return type(np.ctypeslib.as_ctypes(held)).from_buffer_copy(held)


# How a victim comes: what is resized, made from an array, and what of it is passed.
VICTIMS = {"array": (as_it_is, as_it_is), "view": (as_it_is, lambda held: held[:]), "view of a subclass": (as_it_is, lambda held: held.view(Sub)),
           "held by __array__": (as_it_is, ByArray), "held by __dlpack__": (as_it_is, ByCapsule), "memoryview": (as_it_is, memoryview),
           "subclass": (subclass_of, as_it_is), "ctypes": (ctypes_of, as_it_is), "memoryview of ctypes": (ctypes_of, memoryview),
           "array of a memoryview": (as_it_is, lambda held: np.asarray(memoryview(held))),
           "array of ctypes": (ctypes_of, np.ctypeslib.as_array), "view of an array of ctypes": (ctypes_of, lambda held: np.asarray(held)[:]),
           "subclass of an array of ctypes": (ctypes_of, lambda held: np.asarray(memoryview(held)).view(Sub)),
           "memoryview of an array of ctypes": (ctypes_of, lambda held: memoryview(np.asarray(held))),
           "array of ctypes held by __dlpack__": (ctypes_of, lambda held: ByCapsule(np.asarray(held)))}
if sys.version_info >= (3, 12):
    VICTIMS["held by __buffer__"] = as_it_is, ByBuffer
    VICTIMS["memoryview of __buffer__"] = as_it_is, lambda held: memoryview(ByBuffer(held))
    VICTIMS["ctypes held by __buffer__"] = ctypes_of, ByBuffer


# Objects that run code when they are read.
class Hook:
    def __init__(self, values, move):
        self.values, self.move = values, move


class HookedArray(Hook):
    def __array__(self, dtype=None, copy=None):
        self.move()
        return np.array(self.values, dtype)


class HookedCapsule(Hook):
    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **more):
        self.move()
        return self.values.__dlpack__(**more)


class HookedDevice(HookedCapsule):
    def __dlpack_device__(self):
        self.move()
        return 1, 0

    def __dlpack__(self, **more):
        return self.values.__dlpack__(**more)


class HookedBuffer(Hook):
    def __buffer__(self, flags):
        self.move()
        return memoryview(self.values)


class LateBuffer(np.ndarray):
    """An array of a type that only its __buffer__ can export, whose code runs when the memory is read again."""

    asked = False

    def __buffer__(self, flags):
        if self.asked:
            self.move()
        self.asked = True
        return memoryview(self.values)


def late_buffer(values, move):
    made = np.zeros(values.shape, np.longdouble).view(LateBuffer)
    made.values, made.move = values, move
    return made


def released_buffer(values, move):
    """Runs code when its memory is released."""
    plain = type(np.ctypeslib.as_ctypes(values))
    made = type("Released", (plain,), {"__release_buffer__": lambda self, view: move()}).from_buffer_copy(values)
    return made


class HookedSubclass(np.ndarray):
    def __getattribute__(self, name):
        super().__getattribute__("__dict__").get("move", int)()
        return super().__getattribute__(name)


def hooked_subclass(values, move):
    made = values.copy().view(HookedSubclass)
    made.move = move
    return made


class HookedNumber(Hook):
    def __index__(self):
        self.move()
        return int(self.values or 1)

    def __float__(self):
        self.move()
        return float(self.values or 1)


class HookedScalar(np.float64):
    def item(self):
        self.move()
        return 1.0

    def __getattr__(self, name):
        vars(self).get("move", int)()
        raise AttributeError(name)


def hooked_scalar(value, move):
    made = HookedScalar(value)
    made.move = move
    return made


class HookedText(str):
    """Text in an array of objects."""

    @property
    def __class__(self):
        self.move()
        return str

    def encode(self, *more):
        self.move()
        return b"1"


def hooked_strings(values, move):
    made = np.full(values.shape, "1", object)
    text = HookedText("1")
    text.move = move
    made.flat[0] = text
    return made


def hooked_list(values, move):
    listed = values.reshape(-1)[:8].tolist()
    return [HookedNumber(listed[0], move)] + listed[1:]


ARRAY_HOOKS = {"__array__": HookedArray, "__dlpack__": HookedCapsule, "__dlpack_device__": HookedDevice, "subclass": hooked_subclass,
               "list": hooked_list, "strings": hooked_strings}
if sys.version_info >= (3, 12):
    ARRAY_HOOKS["__buffer__"] = HookedBuffer
    ARRAY_HOOKS["__buffer__, later"] = late_buffer
    ARRAY_HOOKS["__release_buffer__"] = released_buffer
HOOKS = {
    "integer": {"__index__": HookedNumber},
    "number": {"__float__": HookedNumber, "scalar": hooked_scalar},
    "shape": {"part": lambda values, move: [HookedNumber(values[0], move)]},
    "source": {**ARRAY_HOOKS, "scalar": lambda values, move: hooked_scalar(1.0, move)},
    "index_key": {**ARRAY_HOOKS, "slice": lambda values, move: slice(HookedNumber(0, move), None),
                  "tuple": lambda values, move: (HookedArray(values, move),)},
    "columns": {**ARRAY_HOOKS, "tuple": lambda values, move: (HookedArray(values, move),)},
}
ARRAYS = ("tensor", "target", "indices", "updates", "source", "index_key", "columns")


def values_for(operator, parameter, size=SIZE):
    """A valid argument, created for each call."""
    _, kind, _, default = parameter
    if kind in ("indices", "index_key", "columns"):
        dtype = "uint32" if operator.dialect == "directml" else "int64"
        many = np.arange(size, dtype=dtype)
        return many.reshape(-1, 1).copy() if "_nd" in operator.__name__ else many
    if kind in ("tensor", "target", "updates", "source"):
        return np.ones(size, np.float32)
    if kind == "shape":
        return [size]
    if kind == "word":
        return default[0] if default else "sum"
    return default[0] if default else 0


def operators():
    for module in strew._core.dialects.values():
        for name in module.__all__:
            yield getattr(module, name)


def resize(held):
    if not isinstance(held, np.ndarray):
        ctypes.resize(held, LARGE)
    elif held.size > FEW:
        held.resize(FEW, refcheck=False)


def call(function, arguments):
    try:
        function(**arguments)
    except (strew.Error, TypeError):
        pass


def good_arguments(operator, parameters):
    return {parameter[0]: values_for(operator, parameter) for parameter in parameters}


def attack(operator, function, parameters, beside, chosen=lambda: True):
    """Every hook in every position against every other array; `beside` are optional arguments. `chosen` says which calls to make."""
    function(**{parameter[0]: values_for(operator, parameter) for parameter in parameters})  # without a hook it works
    count = 0
    needed, optional = ({name: kind for name, kind, *_ in group} for group in (parameters, beside))
    for hooked, kind in {**needed, **optional}.items():
        kind = kind.partition(" ")[0]
        for way, hook in HOOKS.get(kind, ARRAY_HOOKS if kind in ARRAYS else {}).items():
            for victim, victim_kind in {**needed, **optional}.items():
                if victim == hooked or victim_kind not in ARRAYS:
                    continue
                for shape, (own, show) in VICTIMS.items():
                    if not chosen():
                        continue
                    print(repr(function), "hook", hooked, way, "victim", victim, shape)
                    used = [*parameters, *(extra for extra in beside if extra[0] in (hooked, victim))]
                    arguments = {parameter[0]: values_for(operator, parameter) for parameter in used}
                    held = own(arguments[victim])
                    arguments[victim] = show(held)
                    arguments[hooked] = hook(arguments[hooked], lambda held=held: resize(held))
                    call(function, arguments)
                    count += 1
    return count


OUT, BASE = ("out", "tensor", True, ()), ("base", "tensor", True, ())
THREADS = ("threads", "integer", True, (1,))


def attack_plan(operator, chosen):
    made_from = operator.plan.parameters
    updates = [parameter for parameter in operator.parameters if parameter not in made_from]
    count = attack(operator, operator.plan, made_from, [THREADS], chosen)
    plan = operator.plan(**{parameter[0]: values_for(operator, parameter) for parameter in made_from})
    has_base = made_from[0][1] == "tensor" and not operator.in_place
    return count + attack(operator, plan, [*updates, OUT], [THREADS, BASE] if has_base else [THREADS], chosen)


DATA = ("tensor", "target", "updates", "source")
RESULT, COTANGENT = ("result", "updates", True, ()), ("cotangent", "updates", False, ())


def pieces_of(operator):
    given = [name for name, *_ in operator.pieces.parameters]

    def pieces(**arguments):
        made = operator.pieces(**{name: value for name, value in arguments.items() if name in (*given, "threads")})
        for _ in range(2):
            made.step(**{name: value for name, value in arguments.items() if name not in (*given, "threads")})
        return made.finish()

    return pieces


def functions_of(operator):
    """Functions that take the arguments of an operator, with the parameters that they need and the optional ones."""
    own = operator.parameters
    out = [THREADS] if operator.in_place else [THREADS, OUT]
    names = tuple(name for name, kind, *_ in own if kind.partition(" ")[0] in DATA)
    yield "explain", lambda **arguments: strew.explain(operator, **arguments), own, out
    yield "draw", lambda **arguments: strew.draw(operator, **arguments), own, out
    yield "winners", lambda **arguments: strew.winners(operator, **arguments), own, [THREADS]
    yield ("places", lambda **arguments: strew.places(operator, **arguments),
           own if "gather" in operator.__name__ else operator.plan.parameters, [THREADS])
    if hasattr(operator, "pieces"):
        yield "pieces", pieces_of(operator), own, [THREADS]
    yield ("vjp", lambda cotangent, result=None, **arguments: strew._core.vjp(operator, cotangent, names, (), arguments, result),
           [*own, COTANGENT], [RESULT, THREADS])
    yield ("jvp", lambda tangent, result=None, **arguments: strew._core.jvp(operator, {names[0]: tangent}, (), arguments, result),
           [*own, ("tangent", "updates", False, ())], [RESULT, THREADS])


def attack_functions(operator, chosen):
    count = 0
    for name, function, parameters, beside in functions_of(operator):
        try:
            function(**good_arguments(operator, parameters))
        except strew.Error:
            continue  # only an assignment has winners, and a function of the output has no gradient of it
        function.__qualname__ = f"{name} of {operator!r}"
        count += attack(operator, function, parameters, beside, chosen)
    return count


def attack_compare(chosen):
    parameters = [("data", "tensor", False, ()), ("indices", "indices", False, ()), ("updates", "updates", False, ())]
    function = lambda **arguments: strew.compare(axis=0, **arguments)  # noqa: E731
    return attack(strew.pytorch.scatter, function, parameters, [("mine", "tensor", True, ())], chosen)


def main(part, parts, seed):
    print("seed", seed)
    sample = random.Random(f"{seed} {part}")
    count = attack_compare(lambda: sample.random() < SHARE / parts)
    for number, operator in enumerate(operators()):
        count += attack_functions(operator, lambda: sample.random() < SHARE / 10 / parts)
        if number % parts != part:
            continue
        chosen = lambda: sample.random() < SHARE  # noqa: E731
        count += attack(operator, operator, operator.parameters, [THREADS] if operator.in_place else [THREADS, OUT], chosen)
        if "gather" not in operator.__name__:
            count += attack_plan(operator, chosen)
    print(count, "calls")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
