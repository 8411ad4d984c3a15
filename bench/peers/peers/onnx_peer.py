"""ONNX Runtime: a model of one node, bound to the same memory, in place."""
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

REDUCTIONS = {"add": "add", "assign": "none", "amax": "max", "mul": "mul"}
TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64, "uint16": TensorProto.UINT16}
OPSET = 18


def bits(array):
    """To assign is to move bits: a bfloat16 travels as an integer."""
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


class Onnx:
    name, threads, version = "onnxruntime", (1, 2), onnxruntime.__version__
    races = ("ScatterND",)

    def set_threads(self, count):
        self.count = count

    def call(self, operator, inputs, out, **attributes):
        """One run of the operator; the inputs are arrays by name, in order."""
        values = [helper.make_tensor_value_info(name, TYPES[array.dtype.name], array.shape) for name, array in inputs.items()]
        result = helper.make_tensor_value_info("out", TYPES[out.dtype.name], out.shape)
        graph = helper.make_graph([helper.make_node(operator, list(inputs), ["out"], **attributes)], "one", values, [result])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = self.count, 3
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for name, array in inputs.items():
            binding.bind_input(name, "cpu", 0, TYPES[array.dtype.name], array.shape, array.ctypes.data)
        binding.bind_output("out", "cpu", 0, TYPES[out.dtype.name], out.shape, out.ctypes.data)
        return lambda: session.run_with_iobinding(binding)

    def scatter_nd(self, p):
        out = bits(p.out)
        inputs = {"data": out, "indices": p.column(), "updates": bits(p.updates)}
        return {"ScatterND": self.call("ScatterND", inputs, out, reduction=REDUCTIONS[p.op])}

    def scatter_elements(self, p):
        inputs = {"data": p.out, "indices": p.index, "updates": p.updates}
        return {"ScatterElements": self.call("ScatterElements", inputs, p.out, axis=p.axis, reduction=REDUCTIONS[p.op])}

    def flat(self, p):
        return {**self.scatter_elements(p), **self.scatter_nd(p)}

    def gather(self, p):
        return {"Gather": self.call("Gather", {"data": p.source, "indices": p.index}, p.out, axis=0)}

    def rows_add(self, p):
        return self.scatter_nd(p) if p.dtype.name in TYPES else {}

    flat_add = flat_assign = flat_amax = flat_mul = flat
    elements_add = elements_assign = elements_amax = scatter_elements
    rows_assign = nd_add = nd_assign = scatter_nd
    flat_gather = rows_gather = gather
