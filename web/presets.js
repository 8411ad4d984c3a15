// Examples: of the frameworks' documents, and every row of the table of disagreements, in which some agree. A tensor is [text, dtype, shape].
const presets = (() => {
  const f32 = (text, shape = "") => [text, "float32", shape], i64 = (text, shape = "") => [text, "int64", shape],
        i32 = (text, shape = "") => [text, "int32", shape];
  const five = f32("[[1, 2, 3, 4, 5]]"), two = f32("[[1.1, 2.1]]"), src = i64("[[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]");
  const video = f32("0", "13, 11, 7, 5, 3");
  return [
    {group: "Start here", title: "add", op: "pytorch.scatter_add", values: {input: f32("[10, 20, 30, 40]"), dim: "0", index: i64("[1, 3, 1]"), src: f32("[5, 6, 7]")}},
    {group: "Start here", title: "replace", op: "onnx.scatter_elements", values: {data: f32("[10, 20, 30, 40]"), indices: i64("[1, 3, 1]"), updates: f32("[5, 6, 7]")}},
    {group: "Start here", title: "largest, with NaN", op: "paddle.put_along_axis", values: {arr: f32("[10, 20, 30, 40]"), indices: i64("[1, 3, 1]"), values: f32("[NaN, 6, 7]"), axis: "0", reduce: "amax"}},
    {group: "Start here", title: "whole rows", op: "pytorch.index_add", values: {input: f32("[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]"), dim: "0", index: i64("[3, 0, 3]"), source: f32("[[1, 2, 3], [4, 5, 6], [7, 8, 9]]")}},
    {group: "Start here", title: "read (gather)", op: "pytorch.gather", values: {input: f32("[10, 20, 30, 40]"), dim: "0", index: i64("[2, 0, 2]")}},
    {group: "Start here", title: "histogram", op: "numpy.add_at", values: {a: i64("[0, 0, 0, 0]"), indices: "[2, 0, 2, 3, 2]", b: i64("1")}},

    {group: "They disagree", title: "index depth 0", op: "paddle.scatter_nd_add", values: {x: i32("[[65, 17], [-14, -25]]"), index: i64("[[], []]"), updates: i32("[[[-1, -2], [1, 2]], [[3, 4], [-3, -4]]]")}},
    {group: "They disagree", title: "index -1", op: "onnx.scatter_elements", values: {data: i32("[1, 2, 3]"), indices: i64("[-1]"), updates: i32("[9]")}},
    {group: "They disagree", title: "out of range, lenient mode", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: i32("[1, 2, 3]"), indices: i64("[[7]]"), updates: i32("[9]"), bad_indices_policy: "IGNORE"}},
    {group: "They disagree", title: "float16 sum", op: "onnx.scatter_elements", values: {data: ["[2048]", "float16", ""], indices: i64("[0, 0, 0, 0]"), updates: ["[1, 1, 1, 1]", "float16", ""], reduction: "add"}},
    {group: "They disagree", title: "max, NaN is there", op: "onnx.scatter_elements", values: {data: f32("[NaN]"), indices: i64("[0]"), updates: f32("[1]"), reduction: "max"}},
    {group: "They disagree", title: "max, NaN comes", op: "tensorflow.tensor_scatter_nd_max", values: {tensor: f32("[1]"), indices: i64("[[0]]"), updates: f32("[NaN]")}},
    {group: "They disagree", title: "updates larger than indices", op: "pytorch.scatter", values: {input: i32("[0, 0, 0]"), dim: "0", index: i64("[1]"), src: i32("[5, 6]")}},
    {group: "They disagree", title: "accumulate: is the old kept?", op: "paddle.scatter", values: {x: i32("[10, 20]"), index: i64("[0, 0]"), updates: i32("[1, 2]"), overwrite: "false"}},

    {group: "They agree", title: "index out of range", op: "pytorch.scatter", values: {input: i32("[1, 2, 3]"), dim: "0", index: i64("[7]"), src: i32("[9]")}},
    {group: "They agree", title: "duplicates, replaced", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: i32("[0, 0, 0]"), indices: i64("[[1], [1]]"), updates: i32("[5, 7]")}},
    {group: "They agree", title: "integer mean, without self", op: "pytorch.scatter_reduce", values: {input: i32("[100]"), dim: "0", index: i64("[0, 0]"), src: i32("[-3, 0]"), reduce: "mean", include_self: "false"}},

    {group: "TensorFlow", title: "scalar updates", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: i32("[0, 0, 0, 0, 0, 0, 0, 0]"), indices: i32("[[1], [3], [4], [7]]"), updates: i32("[9, 10, 11, 12]")}},
    {group: "TensorFlow", title: "scalar updates, rank 2", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: i32("[[1, 1], [1, 1], [1, 1]]"), indices: i32("[[0, 1], [2, 0]]"), updates: i32("[5, 10]")}},
    {group: "TensorFlow", title: "rows", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: i32("0", "6, 3"), indices: i32("[[2], [4]]"), updates: i32("[[1, 2, 3], [4, 5, 6]]")}},
    {group: "TensorFlow", title: "video clips", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: video, indices: i32("[[0], [1]]"), updates: f32("1", "2, 11, 7, 5, 3")}},
    {group: "TensorFlow", title: "first frames", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: video, indices: i32("[[0, 0], [1, 0], [2, 0]]"), updates: f32("1", "3, 7, 5, 3")}},
    {group: "TensorFlow", title: "an X", op: "tensorflow.tensor_scatter_nd_update", values: {tensor: f32("0", "5, 5"), indices: i32("[[[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]], [[0, 4], [1, 3], [2, 2], [3, 1], [4, 0]]]"), updates: f32("1", "2, 5")}},
    {group: "PyTorch", title: "along dimension 0", op: "pytorch.scatter", values: {input: i64("0", "3, 5"), dim: "0", index: i64("[[0, 1, 2, 0]]"), src}},
    {group: "PyTorch", title: "along dimension 1", op: "pytorch.scatter", values: {input: i64("0", "3, 5"), dim: "1", index: i64("[[0, 1, 2], [0, 1, 4]]"), src}},
    {group: "PyTorch", title: "a number, multiplied", op: "pytorch.scatter", values: {input: f32("2", "2, 4"), dim: "1", index: i64("[[2], [3]]"), src: f32("1.23"), reduce: "multiply"}},
    {group: "PyTorch", title: "a number, added", op: "pytorch.scatter", values: {input: f32("2", "2, 4"), dim: "1", index: i64("[[2], [3]]"), src: f32("1.23"), reduce: "add"}},
    {group: "Paddle", title: "an index twice", op: "paddle.scatter_nd_add", values: {x: i64("[0, 1, 2, 3, 4, 5]"), index: i64("[[1], [2], [3], [1]]"), updates: i64("[9, 10, 11, 12]")}},
    {group: "Paddle", title: "tuples without coordinates", op: "paddle.scatter_nd_add", values: {x: i64("[[65, 17], [-14, -25]]"), index: i64("[[], []]"), updates: i64("[[[-1, -2], [1, 2]], [[3, 4], [-3, -4]]]")}},
    {group: "ONNX", title: "without axis", op: "onnx.scatter_elements", values: {data: f32("0", "3, 3"), indices: i64("[[1, 0, 2], [0, 2, 1]]"), updates: f32("[[1.0, 1.1, 1.2], [2.0, 2.1, 2.2]]")}},
    {group: "ONNX", title: "with axis", op: "onnx.scatter_elements", values: {data: five, indices: i64("[[1, 3]]"), updates: two, axis: "1"}},
    {group: "ONNX", title: "negative indices", op: "onnx.scatter_elements", values: {data: five, indices: i64("[[1, -3]]"), updates: two, axis: "1"}},
    {group: "ONNX", title: "duplicate indices", op: "onnx.scatter_elements", values: {data: five, indices: i64("[[1, 1]]"), updates: two, axis: "1", reduction: "add"}},
    {group: "DirectML", title: "the example", op: "directml.scatter_nd", values: {input: f32("[[1, 2, 3, 4, 5, 6, 7, 8]]"), indices: ["[[4], [3], [1], [7]]", "uint32", ""], updates: f32("[[9, 10, 11, 12]]"), input_dimension_count: "1", indices_dimension_count: "2"}},
    {group: "DirectML", title: "sizes of UpdatesTensor", op: "directml.scatter_nd", values: {input: f32("0", "3, 4, 5, 6, 7"), indices: ["[[[[[0, 0, 0], [2, 3, 4]]]]]", "uint32", ""], updates: f32("1", "1, 1, 2, 6, 7"), input_dimension_count: "5", indices_dimension_count: "3"}},
  ];
})();
