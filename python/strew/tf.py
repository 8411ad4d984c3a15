"""The operators of strew.tensorflow with gradients: under tf.GradientTape and tf.autodiff.ForwardAccumulator, and inside tf.function.

Tensors may be symbolic, and variables are read. Inside tf.function a call runs as a tf.numpy_function, so a SavedModel that contains one
runs only in the process that made it. Gradients are those of docs/gradients.md: of duplicates, only the update that stays has one.
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import tensorflow as _tf
from tensorflow.python.eager import record as _record

from . import _core
from ._core import Operator as _Operator
from ._gradients import DATA as _DATA, Call as _Call, data_names as _data_names

__all__: list[str] = []

_ARRAYS = _DATA | {"indices"}


def _evaluate(function: Callable[..., Any], inputs: Sequence[Any], like: Sequence[Any]) -> list[Any]:
    """The results of a function of arrays; `like` are their (dtype, shape)."""
    if _tf.executing_eagerly():
        return list(function(*map(_tf.stop_gradient, inputs)))
    results = _tf.numpy_function(function, inputs, [dtype for dtype, _ in like], stateful=False)
    for result, (_, shape) in zip(results, like):
        result.set_shape(shape)
    return list(results)


def _recorded(function: Callable[..., Any], inputs: Sequence[Any]) -> list[Any]:
    """The outputs of a function that returns some and their gradient: cotangents of the inputs from those of the outputs."""
    gradients = []

    @_tf.custom_gradient
    def recorded(*given: Any) -> Any:
        outputs, gradient = function(*given)
        # A cotangent may be a tensor of slices.
        gradients.append(lambda *cotangents: gradient(*map(_tf.convert_to_tensor, cotangents)))
        return outputs, gradients[0]

    outputs: list[Any] = recorded(*inputs)
    if _tf.executing_eagerly():
        return outputs
    # Inside a tf.function, a ForwardAccumulator sees operations of the graph, and would take the tangents of a numpy_function for zero.
    with _record.stop_recording():
        shown = [_tf.identity(output) for output in outputs]
    _record.record_operation_backprop_only("Identity", shown, outputs, lambda *cotangents: cotangents)
    _record.record_operation_forwardprop_only("Strew", shown, list(inputs), gradients[0], None)
    return shown


def _form(tensor: Any) -> tuple[Any, Any]:
    return tensor.dtype, tensor.shape


def _tensors_from(operator: _Operator, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with a tensor for every array. Lists of data take the type of the first tensor of data."""
    kinds = {name: kind for name, kind, _, _ in operator.parameters}
    data = [value for name, value in arguments.items() if kinds.get(name) in _DATA and hasattr(value, "dtype")]
    converted = {}
    for name, value in arguments.items():
        dtype = data[0].dtype if data and kinds.get(name) in _DATA and not hasattr(value, "dtype") else None
        converted[name] = _tf.convert_to_tensor(value, dtype=dtype) if kinds.get(name) in _ARRAYS or _tf.is_tensor(value) else value
    return converted


def _shape_of(call: _Call, tensors: Sequence[Any], arguments: dict[str, Any]) -> Any:
    """The static shape of the result."""
    if call.operator.parameters[0][1] == "tensor" and hasattr(call.operator, "plan"):
        return tensors[0].shape
    if "shape" in arguments:
        return _tf.get_static_value(_tf.convert_to_tensor(arguments["shape"]))
    # A gather: the points are the first part of the shape of the index, and the row is the last part of that of the source.
    if any(tensor.shape.rank is None for tensor in tensors) or tensors[1].shape[-1:] == [None]:
        return None  # the depth of the indices decides the rank
    shape, points, *_ = call.form(arguments)
    source, index = tensors[0].shape.as_list(), tensors[1].shape.as_list()
    row = len(shape) - points
    return index[:points] + source[len(source) - row :]


def _learn(call: _Call, tensors: Sequence[Any]) -> None:
    """Call.learn() for tensors whose shapes may be unknown: a call with a single update reads what every other reads."""
    operator, shapes = call.operator, {"indices": [1, 1]}

    def form() -> Any:
        arguments = call.filled(tensors)
        for name, kind, _, _ in operator.parameters:
            if kind in _ARRAYS:
                arguments[name] = _core.zeros(operator, arguments[name].dtype.name, shapes.get(kind, [1]))
            elif kind == "shape":
                arguments[name] = [1]
        return _core.form_of(operator, **arguments)

    call.learn_by(form)


def _call(operator: _Operator, arguments: dict[str, Any]) -> Any:
    arguments = _tensors_from(operator, arguments)
    dtype = next(value.dtype for name, value in arguments.items() if name in _data_names(operator))
    call = _Call(operator, arguments, _tf.is_tensor)
    tensors = call.arrays_of(arguments)
    result_like = (dtype, _shape_of(call, tensors, arguments))
    names = list(call.data) if dtype.is_floating or dtype.is_complex else []

    def run(*given: Any) -> Any:
        return _evaluate(lambda *arrays: [call.run(arrays)], given, [result_like])[0]

    if not names:
        return run(*tensors)
    _learn(call, tensors)

    def recorded(*given: Any) -> Any:
        result = run(*given)

        def gradient(cotangent: Any) -> Any:
            return _spread(call, names, _cotangents(call, names, cotangent, result if call.reads else None, given))

        return [result], gradient

    return _recorded(recorded, tensors)[0]


def _spread(call: _Call, names: Sequence[str], values: Sequence[Any]) -> list[Optional[Any]]:
    """A value for each tensor of the call."""
    spread: list[Optional[Any]] = [None] * len(call.gaps)
    for name, value in zip(names, values):
        spread[call.data[name]] = value
    return spread


def _cotangents(call: _Call, names: Sequence[str], cotangent: Any, result: Optional[Any], tensors: Sequence[Any]) -> Any:
    """The cotangents of the named arguments, which have derivatives themselves."""
    known = [] if result is None else [result]
    likes = [_form(tensors[call.data[name]]) for name in names]

    def recorded(cotangent: Any, *given: Any) -> Any:
        def run(cotangent: Any, *arrays: Any) -> Any:
            return call.by(names).vjp(cotangent, arrays[0] if known else None, arrays[len(known) :])

        def gradient(*tangents: Any) -> Any:
            tangent = _tangent(call, names, tangents, given[: len(known)], given[len(known) :])
            changes = _changes(call, names, cotangent, tangents, given[len(known) :]) if call.reads else []
            return [tangent, *[None] * len(known), *_spread(call, names, changes)]

        return _evaluate(run, [cotangent, *given], likes), gradient

    return _recorded(recorded, [cotangent, *known, *tensors])


def _tangent(call: _Call, names: Sequence[str], tangents: Sequence[Any], known: Sequence[Any], tensors: Sequence[Any]) -> Any:
    """The tangent of the result. Its derivative by the tangents are cotangents again."""
    count = len(tangents)
    arguments = call.filled(tensors)

    def recorded(*tangents: Any) -> Any:
        def run(*arrays: Any) -> Any:
            result = arrays[count] if known else None
            return [call.by(names).jvp(result, arrays[:count], arrays[count + len(known) :])]

        def gradient(cotangent: Any) -> Any:
            return _cotangents(call, names, cotangent, known[0] if known else None, tensors)

        like = (tangents[0].dtype, _shape_of(call, tensors, arguments))
        return _evaluate(run, [*tangents, *known, *tensors], [like]), gradient

    return _recorded(recorded, tangents)[0]


def _changes(call: _Call, names: Sequence[str], cotangent: Any, tangents: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """How the cotangents change where the arguments move by tangents."""
    count = len(tangents)

    def run(cotangent: Any, *arrays: Any) -> Any:
        return call.by(names).where(names).vjp_jvp(cotangent, arrays[:count], arrays[count:])

    return _evaluate(run, [cotangent, *tangents, *tensors], [_form(tensors[call.data[name]]) for name in names])


def _function_of(operator: _Operator) -> Callable[..., Any]:
    from ._docs import docstring, signature

    form = signature(operator)
    form = form.replace(parameters=[parameter for parameter in form.parameters.values() if parameter.name != "out"])

    def function(*args: Any, **kwargs: Any) -> Any:
        return _call(operator, form.bind(*args, **kwargs).arguments)

    function.__name__ = function.__qualname__ = operator.__name__
    function.__doc__ = docstring(operator)
    function.__signature__ = form  # type: ignore[attr-defined]
    return function


for _name in _core.dialects["tensorflow"].__all__:
    globals()[_name] = _function_of(getattr(_core.dialects["tensorflow"], _name))
    __all__.append(_name)
