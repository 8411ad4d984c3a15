// The call as code: for Python, for C++ and for the framework itself.
const code = (() => {
  const isTensor = (parameter) => ["tensor", "target", "indices", "updates", "source"].includes(parameter.type);
  // A number stays a number where the operator takes one.
  const isArray = (parameter, value) => isTensor(parameter) && !(parameter.type === "source" && value.scalar);
  const pythonWord = (text) => ({true: "True", false: "False", none: "None"})[text] ?? text;
  const quoted = (text) => JSON.stringify(text);
  const pythonValues = (text) => text.replace(/\bNaN\b/g, "nan").replace(/\bInfinity\b/g, "inf").replace(/\btrue\b/g, "True").replace(/\bfalse\b/g, "False");

  // A value of the input as Python: an array of `np`, or what stands for one in a framework.
  const array = (value, make) => {
    const plain = pythonValues(value.text).replace(/\bnan\b/g, "np.nan").replace(/\binf\b/g, "np.inf");
    return value.fill ? make.full(value.shape, plain, value.dtype) : make.array(plain, value.dtype);
  };
  const numpyType = (dtype) => ({bfloat16: "ml_dtypes.bfloat16", string: "object"})[dtype] ?? `np.${dtype === "bool" ? "bool_" : dtype}`;
  const numpy = {
    array: (text, dtype) => `np.array(${text}, ${numpyType(dtype)})`,
    full: (shape, text, dtype) => `np.full(${shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`}, ${text}, ${numpyType(dtype)})`,
  };
  const typed = (library, create, full, prefix, names = {}) => ({
    array: (text, dtype) => `${library}.${create}(${text}, dtype=${prefix}${names[dtype] ?? dtype})`,
    full: (shape, text, dtype) => `${library}.${full}([${shape.join(", ")}], ${text}, dtype=${prefix}${names[dtype] ?? dtype})`,
  });
  const torch = typed("torch", "tensor", "full", "torch.", {}), paddle = typed("paddle", "to_tensor", "full", "paddle.", {});
  const tensorflow = {array: (text, dtype) => `tf.constant(${text}, tf.${dtype})`, full: (shape, text, dtype) => `tf.fill([${shape.join(", ")}], tf.constant(${text}, tf.${dtype}))`};

  const key = (text) => text.replace(/(^|[\s(,])\[/g, "$1np.array([").replace(/np\.array\((\[[^\]]*\])/g, "np.array($1)");
  // NumPy's a[...] as arguments of a function: slices need np.s_.
  const pythonKey = (value, parameter) => parameter.type === "columns" ? `(${value})`.replace(/^\((\[[^\]]*\]|-?\d+)\)$/, "$1") : `np.s_[${value}]`;

  // [name, value as Python] of each argument that is not at its default.
  const given = (op, values, make) => op.parameters.filter((p) => values[p.name] !== undefined).map((p) => {
    const value = values[p.name];
    if (isTensor(p)) return [p, isArray(p, value) ? array(value, make) : pythonValues(value.text)];
    if (p.type === "index_key" || p.type === "columns") return [p, pythonKey(value, p)];
    if (p.type === "word") return [p, quoted(value)];
    return [p, pythonWord(value)];
  });
  const listed = (items) => {
    let named = false;
    return items.map(([p, text]) => (named ||= p.keyword_only || p.fallback !== undefined) ? `${p.name}=${text}` : text).join(", ");
  };
  // Tensors as statements of their own, then the call.
  const program = (op, values, make, head, call) => {
    const items = given(op, values, make);
    const lines = items.filter(([p]) => isArray(p, values[p.name])).map(([p, text]) => `${p.name} = ${text}`);
    return [...head, ...lines, call(items.map(([p, text]) => [p, isArray(p, values[p.name]) ? p.name : text]))].join("\n") + "\n";
  };
  const needs = (text) => (text.includes("ml_dtypes.") ? ["import ml_dtypes"] : []);
  const numpyHead = (values, extra) => [...needs(Object.values(values).map((v) => v.dtype === "bfloat16" ? "ml_dtypes." : "").join("")), "import numpy as np", ...extra];

  function python(op, values) {
    const name = op.dialect === "strew" ? `strew.${op.name}` : `strew.${op.dialect}.${op.name}`;
    const target = op.parameters[0].name;
    return program(op, values, numpy, [...numpyHead(values, ["import strew"]), ""], (items) =>
      op.writes_first ? `${name}(${listed(items)})\nprint(${target})` : `print(${name}(${listed(items)}))`);
  }

  // C++ literals and constructors.
  const cppTypes = {bool: "bool", float32: "float", float64: "double", float16: "Half", bfloat16: "Bfloat16", string: "std::string",
                    complex64: "std::complex<float>", complex128: "std::complex<double>"};
  const cppType = (dtype) => cppTypes[dtype] ?? `std::${dtype}_t`;
  const cppNumber = (text, dtype) => {
    const special = {NaN: "NAN", nan: "NAN", inf: "INFINITY", Infinity: "INFINITY", "-inf": "-INFINITY", "-Infinity": "-INFINITY"}[text];
    if (dtype === "float16") return `to_half(${special ?? text}f)`.replace(/\((-?\d+)f/, "($1.f");
    if (dtype === "bfloat16") return `to_bfloat16(${special ?? text}f)`.replace(/\((-?\d+)f/, "($1.f");
    if (dtype === "string") return `std::string(${text})`;
    if (dtype.startsWith("complex")) {
      const [, real, imaginary] = /^(?:([-+]?[^j]*?[^e])(?=[-+]|$))?([-+]?[^j]*)?j?$/.exec(text) ?? [];
      return text.endsWith("j") ? `{${real ?? 0}, ${(imaginary ?? "0").replace(/^\+/, "")}}` : text;
    }
    return special ?? (dtype === "int64" && text === "-9223372036854775808" ? "INT64_MIN" : dtype === "uint64" ? `${text}u` : text);
  };
  const cppTensor = (name, value) => {
    const shape = `{${value.shape.join(", ")}}`, items = value.items.map((item) => cppNumber(item, value.dtype));
    const make = `${name}(Dtype::${value.dtype === "bool" ? "bool_" : value.dtype}, ${shape})`;
    if (value.items.length === 0) return `Tensor ${make};`;
    if (!value.fill) return `Tensor ${name}(std::initializer_list<${cppType(value.dtype)}>{${items.join(", ")}}, ${shape});`;
    return `Tensor ${make};\nstd::ranges::fill(${name}.values<${cppType(value.dtype)}>(), ${items[0]});`;
  };
  const cppKey = (text) => text.replace(/^\((.*)\)$/, "$1");
  function cpp(op, values) {
    const lines = ["#include <strew/strew.h>", "", "#include <algorithm>", "#include <cmath>", "", "int main() {", "  using namespace strew;"];
    const call = [], attributes = [];
    let keys = 0;
    for (const p of op.parameters) {
      const value = values[p.name];
      if (value === undefined && p.type !== "boolean" && p.type !== "word") continue;
      if (value === undefined && (p.keyword_only || op.dialect !== "pytorch")) continue;
      if (isTensor(p) && !isArray(p, value)) {
        call.push(cppNumber(value.text, "float64"));
      } else if (isTensor(p)) {
        lines.push(...cppTensor(p.name, value).split("\n").map((line) => "  " + line));
        call.push(p.name);
      } else if (p.type === "index_key" || p.type === "columns") {
        const parts = cppKey(value).match(/\[[^\]]*\]|[^,\[\]]+/g)?.map((part) => part.trim()).filter(Boolean) ?? [];
        const names = parts.map((part) => {
          if (part.startsWith("[")) {
            const items = part.slice(1, -1).split(",").map((item) => item.trim()).filter(Boolean), name = `index${keys++ || ""}`;
            const flags = items.length > 0 && items.every((item) => /^(true|false)$/i.test(item));
            lines.push(`  Tensor ${name}(std::initializer_list<${flags ? "bool" : "std::int64_t"}>{${items.join(", ").toLowerCase()}}, {${items.length}});`);
            return name;
          }
          if (part === "...") return "numpy::Ellipsis{}";
          if (part === "None" || part === "newaxis") return "numpy::NewAxis{}";
          if (!part.includes(":")) return part;
          const bounds = part.split(":").map((x) => x.trim());
          return `numpy::Slice{${["start", "stop", "step"].filter((_, i) => bounds[i]).map((n) => `.${n} = ${bounds[["start", "stop", "step"].indexOf(n)]}`).join(", ")}}`;
        });
        call.push(p.type === "columns" && names.length === 1 ? names[0] : `{${names.join(", ")}}`);
      } else {
        const text = value === undefined ? (p.type === "word" ? quoted(p.fallback) : p.fallback) : p.type === "word" ? quoted(value) : p.type === "shape" ? `{${value.replace(/[\[\]()]/g, "")}}` : value === "none" ? "{}" : value;
        const positional = p.fallback === undefined && !p.keyword_only || p.must_be_said || op.dialect === "pytorch" || (op.dialect === "paddle" && op.name === "scatter");
        if (positional) call.push(text);
        else if (value !== undefined) attributes.push([p.name, text]);
      }
    }
    const nested = op.dialect === "directml" ? attributes.filter(([name]) => ["feature_level", "out_of_range"].includes(name)) : [];
    const own = attributes.filter((item) => !nested.includes(item)).map(([name, text]) => `.${name} = ${text}`);
    if (nested.length) own.push(`.options = {${nested.map(([name, text]) => `.${name} = ${name === "out_of_range" ? `OutOfRange::${text.slice(1, -1)}` : `directml::FeatureLevel::${"level_" + text.slice(1, -1)}`}`).join(", ")}}`);
    if (own.length) call.push(`{${own.join(", ")}}`);
    const name = op.dialect === "strew" ? `strew::${op.name}` : `${op.dialect}::${op.name}`;
    lines.push(op.writes_first ? `  ${name}(${call.join(", ")});` : `  Tensor result = ${name}(${call.join(", ")});`, "}");
    return lines.join("\n") + "\n";
  }

  const onnxNames = {scatter_elements: "ScatterElements", scatter_nd: "ScatterND", scatter: "Scatter", gather_elements: "GatherElements", gather_nd: "GatherND"};
  function framework(op, values) {
    const tail = (items) => listed(items.slice(1));
    switch (op.dialect) {
      case "tensorflow": return program(op, values, tensorflow, ["import tensorflow as tf", ""], (items) => `print(tf.${op.name}(${listed(items)}))`);
      case "pytorch": return program(op, values, torch, ["import torch", ""], (items) => `print(${items[0][1]}.${op.name}(${tail(items)}))`);
      case "paddle": return program(op, values, paddle, ["import paddle", ""], (items) => `print(paddle.${op.name}(${listed(items)}))`);
      case "onnx": return program(op, values, numpy, [...numpyHead(values, ["import onnx", "from onnx.reference import ReferenceEvaluator"]), ""], (items) => {
        const inputs = items.filter(([p]) => isTensor(p)).map(([p]) => p.name), attributes = items.filter(([p]) => !isTensor(p) && p.name !== "opset").map(([p, text]) => `, ${p.name}=${text}`);
        return `node = onnx.helper.make_node("${onnxNames[op.name]}", ${JSON.stringify(inputs)}, ["result"]${attributes.join("")})\n` +
          `print(ReferenceEvaluator(node).run(None, {${inputs.map((name) => `"${name}": ${name}`).join(", ")}})[0])`;
      });
      case "numpy": return program(op, values, numpy, [...numpyHead(values, []), ""], (items) => `${op.name.endsWith("_at") ? `np.${op.name.slice(0, -3)}.at` : `np.${op.name}`}(${items.map(([, text]) => text).join(", ")})\nprint(${op.parameters[0].name})`);
      default: return null;
    }
  }
  const titles = {tensorflow: "TensorFlow", pytorch: "PyTorch", paddle: "Paddle", onnx: "ONNX", numpy: "NumPy"};
  return {python, cpp, framework, titles, isTensor};
})();
