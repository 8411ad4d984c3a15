"""Puts objects of a library that are no plain arrays into every argument of every operator, and judges what comes of it."""

import contextlib
import re
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

import strew
from hostile import ARRAYS, BASE, OUT, THREADS, operators, values_for

FEW = 4
LONGEST = 1_000  # characters of a message
SIZES = ("integer", "shape")
DTYPE = ("dtype", "dtype", True, ())
VALUE = ("value", "number", True, ())


class Odd(NamedTuple):
    """A kind of object: how to make one that shows the values of an array of NumPy's, and whether Strew can read it. Where an operator
    takes an integer or a size, an object may become one by itself, whatever Strew knows about its memory."""

    name: str
    make: Callable[[Any], Any]  # fails, or is None, where there is no such object for these values
    is_read: Optional[bool] = False  # None: it may be refused or read
    inside: Callable[[], Any] = contextlib.nullcontext  # where the calls are made
    shows: Optional[Callable[[Any], Any]] = None  # the values that one holds, if it can be written


class Use(NamedTuple):
    """A function of Strew's and the arguments that it takes."""

    operator: Any
    function: Callable[..., Any]
    parameters: list
    optional: list
    written: Optional[str]


def uses():
    """Every operator as it is called, planned, applied by a plan and explained."""
    for operator in operators():
        beside = [THREADS] if operator.in_place else [THREADS, OUT]
        if any("value" in str(name) for name in operator.also_named):
            beside.append(VALUE)
        written = operator.parameters[0][0] if operator.in_place else "out"
        yield Use(operator, operator, operator.parameters, beside, written)
        yield Use(operator, lambda operator=operator, **arguments: strew.explain(operator, **arguments), operator.parameters, beside, None)
        if "gather" in operator.__name__:
            continue
        made_from = operator.plan.parameters
        yield Use(operator, operator.plan, made_from, [THREADS, DTYPE], None)
        plan = operator.plan(**good_arguments(operator, made_from))
        updates = [parameter for parameter in operator.parameters if parameter not in made_from]
        has_base = made_from[0][1] == "tensor" and not operator.in_place
        yield Use(operator, plan, [*updates, OUT], [THREADS, BASE] if has_base else [THREADS], "out")


def good_arguments(operator, parameters):
    return {parameter[0]: values_for(operator, parameter, FEW) for parameter in parameters}


def wrapped(kind, values, odd):
    """The ways in which an object can be given as an argument of this kind, each with what a plain argument in its place would be."""
    kind = kind.partition(" ")[0]

    def make(values):
        try:
            return odd.make(values)
        except Exception:
            return None

    if kind == "dtype":
        values = np.float32(0)
    elif kind not in ARRAYS:
        values = np.asarray(values if kind in ("integer", "shape") and values is not None else 1.0 if kind == "number" else 1)
    yield make(values), values
    if kind in ARRAYS or kind == "shape":
        yield [make(values)], [values.tolist()]
        yield tuple(make(value) for value in values), values.tolist()
    if kind in ("index_key", "columns"):
        yield (make(values),), values
    if kind == "index_key":
        yield (Ellipsis, make(values)), values
        yield slice(make(values.ravel()[0]), None), slice(0, None)


def holds_nothing(given):
    if given is None:
        return True
    return any(map(holds_nothing, given)) if isinstance(given, (list, tuple)) else isinstance(given, slice) and given.start is None


def same(left, right):
    if isinstance(left, str):  # explained; the type of the indices may differ
        return left.partition("\n")[0] == right.partition("\n")[0]
    left = left.detach() if hasattr(left, "detach") else left
    return (left is None and right is None) or str(left) == str(right) or np.array_equal(np.asarray(left), np.asarray(right))


def report(use, name, given, what):
    text = re.sub(r"\s+", " ", str(what))
    function = re.sub(r"[(:].*| at 0x.*", "", repr(use.function))
    return f"{function} {use.operator.dialect}.{use.operator.__name__}, {name} as {type(given).__name__}: {text[:300]}"


def judge(odd, use, parameter, given, plain):
    """A sentence on what is wrong, or whether the object was read."""
    name = parameter[0]
    others = [*use.parameters, *([parameter] if parameter in use.optional else [])]
    arguments = good_arguments(use.operator, others)
    if parameter is VALUE:
        del arguments["src"]
    before = {key: np.copy(value) for key, value in arguments.items() if isinstance(value, np.ndarray) and key != name}
    arguments[name] = given
    try:
        result = use.function(**arguments)
    except strew.Error as error:
        message = str(error)
        for key, value in before.items():
            if not np.array_equal(arguments[key], value):
                return f"wrote into {key}, and then said {message}"
        if len(message) > LONGEST:
            return f"says {len(message)} characters: {message}"
        operator = f"{use.operator.dialect}.{use.operator.__name__}"
        # ONNX writes its names in another way.
        if not message.startswith(f"{operator}: ") and message.partition(":")[0].lower() != operator.replace("_", ""):
            return f"does not name the operator: {message}"
        named = "src" if parameter is VALUE else name
        # What can be read is refused for its shape or size, in the framework's words.
        is_size = parameter[1].partition(" ")[0] in SIZES
        if odd.is_read is False and not is_size and not re.search(rf"\b({named}|{name})\b", message.partition(":")[2]):
            return f"does not name the argument: {message}"
        return False
    except BaseException as error:  # pyo3's panics are no Exception
        return f"{type(error).__name__}: {error}"
    if odd.is_read is False and parameter[1].partition(" ")[0] not in SIZES and not isinstance(given, slice):
        return f"returned {result!r}"
    expected = good_arguments(use.operator, others)
    if parameter is VALUE:
        del expected["src"]
    expected[name] = plain
    try:
        theirs = use.function(**expected)
    except strew.Error:
        return True  # NumPy has none that would do, such as a size of its own in rank 0
    if name == use.written and odd.shows is not None:
        result, theirs = odd.shows(given), expected[name]
    elif use.written in expected:
        result, theirs = arguments[use.written], expected[use.written]
    return True if same(result, theirs) else f"gives {result!r}, not {theirs!r}"


def problems(odd, kinds=None):
    """What is wrong with this object in any place, and how often it was read."""
    found, read, asked = [], 0, 0
    with odd.inside():
        for use in uses():
            for parameter in [*use.parameters, *use.optional]:
                if kinds is not None and parameter[1] not in kinds:
                    continue
                for given, plain in wrapped(parameter[1], values_for(use.operator, parameter, FEW), odd):
                    if holds_nothing(given):
                        continue
                    verdict = judge(odd, use, parameter, given, plain)
                    asked += 1
                    if isinstance(verdict, str):
                        found.append(report(use, parameter[0], given, verdict))
                    read += verdict is True
    return found, read, asked


def check(odd):
    found, read, asked = problems(odd)
    assert asked > 0
    assert not found, f"{len(found)} of {asked}:\n" + "\n".join(found[:30])
    assert read > 0 or not odd.is_read


def is_read_as_it_is(vector):
    """Whether the elements of an array of the library's are taken for what they are; if not, they must be refused."""
    try:
        result = strew.pytorch.gather(vector, 0, np.zeros(1, np.int64))
    except strew.Error as error:
        assert re.match(r"pytorch\.gather: input ", str(error)) and len(str(error)) <= LONGEST
        return False
    assert result.dtype == vector.dtype, vector.dtype
    return True
