"""The derivative of every call, as the list of its partial derivatives: loops over points, in float64 or complex128.

vjp(), jvp(), winners() and vjp_tangent() take an operator and its arguments as the call does, as plain NumPy arrays. The convention for
complex numbers is PyTorch's: a cotangent is multiplied by the conjugate of the derivative.
"""
import inspect

import numpy as np

from tensors import OracleError
from traces import KEEP_OUT, LATE, PROPAGATE, TAKE_UPDATE, trace_of


def is_differentiable(array):
    return isinstance(array, np.ndarray) and (array.dtype.kind in "fc" or array.dtype.name == "bfloat16")


def bind(dialect, name, args, kwargs):
    """The trace of a call and its arguments by name."""
    function = trace_of(dialect, name)
    arguments = inspect.signature(function).bind(*args, **{k: v for k, v in kwargs.items() if v is not None}).arguments
    return function(**arguments), arguments


def wide(array):
    """A flat copy in which nothing is rounded."""
    array = np.asarray(array)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64).reshape(-1)


def order(x):
    """Complex numbers are ordered by their real parts, then by their imaginary ones."""
    return (x.real, x.imag)


def takes(formula, old, new, less):
    """Whether the formula of a minimum replaces `old` by `new`, which are not equal."""
    if formula == KEEP_OUT:
        return less(new, old)
    if formula == TAKE_UPDATE:
        return not less(old, new)
    if formula == LATE:
        return not (less(old, new) or old != old)
    assert formula == PROPAGATE
    if np.iscomplexobj(old) and old != old:
        return False
    return less(new, old) or new != new


def less_of(trace, number):
    if np.iscomplexobj(number):
        return (lambda x, y: order(x) < order(y)) if trace.step == "min" else (lambda x, y: order(x) > order(y))
    return (lambda x, y: x < y) if trace.step == "min" else (lambda x, y: x > y)


def updates_by_target(trace):
    """The numbers of the updates of each element that is touched, in order."""
    updates = {}
    for i, target in enumerate(trace.targets):
        if target is not None:
            updates.setdefault(target, []).append(i)
    return updates


def parts_of(trace, updates):
    """What an element is made of, in order: None is the old value."""
    return ([None] if trace.begin == "current" else []) + updates


def extreme_parts(trace, parts, value):
    """The parts that a minimum or maximum is equal to."""
    chosen, current = [], None
    for part in parts:
        new = value(part)
        less = less_of(trace, new)
        if not chosen:
            # Nothing, or an identity that any number replaces.
            chosen, current = [part], new
        elif new == current:
            chosen.append(part)
        elif takes(trace.formula, current, new, less):
            chosen, current = [part], new
    return chosen


def product(values):
    result = 1.0
    for value in values:
        result = result * value
    return result


def weights_of(trace, updates, value):
    """[(part, partial derivative of the element by that part)]"""
    parts = parts_of(trace, updates)
    if trace.step == "assign":
        return [(updates[-1], 1.0)]
    if trace.step in ("min", "max"):
        chosen = extreme_parts(trace, parts, value)
        return [(part, 1.0 / len(chosen)) for part in chosen]
    if trace.step == "mul":
        return [(part, product(value(other) for other in parts if other is not part)) for part in parts]
    sign = -1.0 if trace.step == "sub" else 1.0
    count = len(parts) if trace.mean else 1
    return [(part, (1.0 if part is None or (trace.begin == "first" and part == updates[0]) else sign * trace.scale) / count)
            for part in parts]


def second_weights_of(trace, updates, value, tangent):
    """The derivative of the weights, where the values move by the tangents; only products have one."""
    if trace.step != "mul":
        return []
    parts = parts_of(trace, updates)
    result = []
    for part in parts:
        others = [other for other in parts if other is not part]
        moved = sum(tangent(moving) * product(value(other) for other in others if other is not moving) for moving in others)
        result.append((part, moved))
    return result


def value_reader(trace, arguments, target):
    """The value of a part of one element."""
    base = None if trace.base is None else wide(arguments[trace.base])
    source = None if trace.source is None else wide(arguments[trace.source])
    number = None if trace.source is not None else arguments.get("src", arguments.get("value", arguments.get("values", arguments.get("b"))))

    def value(part):
        if part is None:
            return 0.0 if base is None else base[target]
        return number if source is None else source[trace.places[part]]
    return value


def each_weight(trace, arguments, weights=weights_of, *more):
    """(target, part, weight) of every element that is touched."""
    for target, updates in updates_by_target(trace).items():
        value = value_reader(trace, arguments, target)
        extra = [value_reader(trace, tangents, target) for tangents in more]
        for part, weight in weights(trace, updates, value, *extra):
            yield target, part, weight


def gradients_from(trace, arguments, cotangent, triples, passes_base):
    """The sums of cotangent times weight, for each differentiable argument."""
    flat = wide(cotangent)
    found = {}
    for name in (trace.base, trace.source):
        if name is not None and is_differentiable(arguments[name]):
            found[name] = np.zeros(arguments[name].size, np.complex128)
    if passes_base and trace.base in found:
        touched = updates_by_target(trace)
        for position in range(flat.size):
            if position not in touched:
                found[trace.base][position] += flat[position]
    for target, part, weight in triples:
        name = trace.base if part is None else trace.source
        if name in found:
            found[name][target if part is None else trace.places[part]] += np.conj(weight) * flat[target]
    return {name: shaped(sums, arguments[name]) for name, sums in found.items()}


def shaped(sums, like):
    """In the shape of an argument; a real argument has a real gradient."""
    return (sums if like.dtype.kind == "c" else sums.real).reshape(like.shape)


def vjp(dialect, name, args, kwargs, cotangent):
    """{argument: its cotangent} for each argument of floats or complex numbers that the result depends on."""
    trace, arguments = bind(dialect, name, args, kwargs)
    require_differentiable(trace, arguments)
    return gradients_from(trace, arguments, cotangent, each_weight(trace, arguments), True)


def vjp_tangent(dialect, name, args, kwargs, cotangent, tangents):
    """How vjp() changes where the arguments move by `tangents`, the cotangent being fixed."""
    trace, arguments = bind(dialect, name, args, kwargs)
    require_differentiable(trace, arguments)
    moved = {own: tangents.get(own, np.zeros_like(arguments[own])) for own in (trace.base, trace.source) if own is not None}
    moved.update({own: 0.0 for own in ("src", "value", "values", "b") if own not in moved})
    return gradients_from(trace, arguments, cotangent, each_weight(trace, arguments, second_weights_of, moved), False)


def jvp(dialect, name, args, kwargs, tangents):
    """The tangent of the result; an argument without a tangent does not move."""
    trace, arguments = bind(dialect, name, args, kwargs)
    require_differentiable(trace, arguments)
    size = int(np.prod(trace.shape, dtype=np.int64))
    out = np.zeros(size, np.complex128)
    if trace.base in tangents:
        out += wide(tangents[trace.base])
    moving = {own: wide(tangent) for own, tangent in tangents.items()}
    for target in updates_by_target(trace):
        out[target] = 0
    for target, part, weight in each_weight(trace, arguments):
        own = trace.base if part is None else trace.source
        if own in moving:
            out[target] += weight * moving[own][target if part is None else trace.places[part]]
    like = arguments[trace.source if trace.base is None else trace.base]
    return shaped(out, np.empty(trace.shape, like.dtype))


def winners(dialect, name, args, kwargs):
    """For each update in order, element by element, whether it is the one that an assignment leaves."""
    trace, _ = bind(dialect, name, args, kwargs)
    last = {target: i for i, target in enumerate(trace.targets) if target is not None}
    return [target is not None and last[target] == i for i, target in enumerate(trace.targets)]


def require_differentiable(trace, arguments):
    """The result must hold floats or complex numbers."""
    decides = trace.source if trace.base is None else trace.base
    if not is_differentiable(arguments[decides]):
        raise OracleError("%s has no gradient" % arguments[decides].dtype.name)
