"""ONNX: models of one node. ONNX Runtime answers where it has a kernel, the reference evaluator elsewhere.

The evaluator checks almost nothing, so whether a call without a kernel is legal is asked of ONNX Runtime too, with the same shapes and
indices and elements of a dtype that it has.
"""
import functools

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from tensors import Array
from values import packed, result

onnxruntime.set_default_logger_severity(4)

# operator: its name in a model, the newest opset that is tested.
OPERATORS = {
    "scatter_elements": ("ScatterElements", 18),
    "scatter_nd": ("ScatterND", 18),
    "scatter": ("Scatter", 9),
    "gather_elements": ("GatherElements", 13),
    "gather_nd": ("GatherND", 13),
}
# Types whose name in a model is another one.
SPELLING = {"float32": "float", "float64": "double"}
# A version of the file format that every opset here may stand in.
IR_VERSION = 8
LACKING = ("NOT_IMPLEMENTED", "is not supported with", "is invalid", "Could not find an implementation", "registered or supported")


def versions():
    return {"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__}


def is_lacking(error, message):
    return False


def proto(dtype):
    return {"float16": TensorProto.FLOAT16, "bfloat16": TensorProto.BFLOAT16, "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE,
            "string": TensorProto.STRING, "bool": TensorProto.BOOL}.get(dtype) or getattr(TensorProto, dtype.upper())


def one_node(op, opset, dtypes, attributes):
    """A model with one node, whose inputs have a type and no shape: the kernel's own checks speak."""
    name, _ = OPERATORS[op]
    inputs = [helper.make_tensor_value_info(n, proto(t), None) for n, t in dtypes]
    output = helper.make_tensor_value_info("out", proto(dtypes[0][1]), None)
    node = helper.make_node(name, [n for n, _ in dtypes], ["out"], **dict(attributes))
    graph = helper.make_graph([node], op, inputs, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION)


def with_casts(model):
    """bfloat16 goes in and out as float32, which is exact: ONNX Runtime's Python cannot hold it."""
    graph = model.graph
    node = graph.node[0]
    before, after = [], []
    for place, value in enumerate(graph.input):
        if value.type.tensor_type.elem_type == TensorProto.BFLOAT16:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
            node.input[place] = value.name + "_narrow"
            before.append(helper.make_node("Cast", [value.name], [value.name + "_narrow"], to=TensorProto.BFLOAT16))
    if graph.output[0].type.tensor_type.elem_type == TensorProto.BFLOAT16:
        graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
        node.output[0] = "narrow"
        after.append(helper.make_node("Cast", ["narrow"], ["out"], to=TensorProto.FLOAT))
    nodes = before + [node] + after
    copies = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    del graph.node[:]
    graph.node.extend(copies)
    return model


@functools.lru_cache(maxsize=4096)
def session(op, opset, dtypes, attributes):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = with_casts(one_node(op, opset, dtypes, attributes))
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@functools.lru_cache(maxsize=4096)
def evaluator(op, opset, dtypes, attributes):
    return ReferenceEvaluator(one_node(op, opset, dtypes, attributes))


def parts(op, arguments):
    """A call as (opset, dtypes, attributes) and its tensors."""
    attributes = dict(arguments)
    tensors = {n: attributes.pop(n) for n in list(attributes) if isinstance(attributes[n], Array)}
    opset = attributes.pop("opset", OPERATORS[op][1])
    if opset < 16 and attributes.get("reduction") == "none":
        # The attribute came with opset 16; before, there was nothing to say.
        del attributes["reduction"]
    return opset, tuple((n, t.dtype) for n, t in tensors.items()), tuple(attributes.items()), tensors


def ask_runtime(op, arguments):
    opset, dtypes, attributes, tensors = parts(op, arguments)
    feeds = {n: packed(t) for n, t in tensors.items()}
    return session(op, opset, dtypes, attributes).run(None, feeds)[0]


def ask_evaluator(op, arguments):
    opset, dtypes, attributes, tensors = parts(op, arguments)
    feeds = {n: packed(t).astype(ml_dtypes.bfloat16) if t.dtype == "bfloat16" else packed(t) for n, t in tensors.items()}
    return np.asarray(evaluator(op, opset, dtypes, attributes).run(None, feeds)[0])


def twin(arguments):
    """The same call with float32 in the place of the data and of the updates, and nothing to combine."""
    call = dict(arguments)
    for name in ("data", "updates"):
        if name in call:
            call[name] = Array("float32", np.zeros(call[name].shape, np.float32))
    if call.get("reduction") in ("add", "mul", "max", "min"):
        call["reduction"] = "add"
    return call


def specified(op, opset, dtype):
    """Whether the operator's text has this type of data."""
    schema = onnx.defs.get_schema(OPERATORS[op][0], opset)
    return any("tensor(%s)" % SPELLING.get(dtype, dtype) in c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == "T")


def error_of(error):
    return {"error": {"class": type(error).__name__, "message": str(error)[:400]}}


def run(op, arguments):
    dtype = arguments["data"].dtype
    try:
        return result(dtype, np.asarray(ask_runtime(op, arguments)))
    except Exception as error:
        if not any(word in str(error) for word in LACKING):
            return error_of(error)
    opset = arguments.get("opset", OPERATORS[op][1])
    try:
        if not specified(op, opset, dtype) or arguments.get("updates", arguments["data"]).dtype != dtype:
            raise TypeError("the operator does not take these types of data and updates")
        ask_runtime(op, twin(arguments))
    except Exception as error:
        return error_of(error)
    try:
        values = ask_evaluator(op, arguments)
    except Exception as error:
        return {"lacks": "ONNX Runtime has no kernel, and the reference evaluator fails: %r" % error}
    if dtype == "bfloat16":
        values = values.astype(np.float32)
    return dict(result(dtype, values), by="reference")
