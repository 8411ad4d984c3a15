// Steps, gathers, numbers and finishes a part of an op: some of its points, a block of its output.
#include "parts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "call.h"
#include "core/copy.h"
#include "core/core.h"
#include "dialects/numpy_types.h"
#include "dialects/views.h"
#include "kernels/finish.h"
#include "object.h"
#include "strew/places.h"
#include "values.h"

namespace strew::python {
namespace {

// The arguments of one function. Only strew.dask calls it, so they have the right types; a wrong one is an exception all the same.
class Given {
 public:
  Given(PyObject* const* arguments, Py_ssize_t count, std::size_t expected) : arguments_(arguments) {
    if (static_cast<std::size_t>(count) == expected) return;
    PyErr_SetString(PyExc_TypeError, "a private function of strew._core got a wrong number of arguments");
    throw nb::python_error();
  }

  // Where a message would name an argument.
  [[nodiscard]] ArgumentName name() const {
    const Callable* const callable = as_operator(arguments_[0]);
    if (callable == nullptr) wrong_type();
    return {callable->op, callable->in_place, "a part of the call"};
  }
  [[nodiscard]] PyObject* object(std::size_t at) const { return arguments_[at]; }
  [[nodiscard]] std::int64_t integer(std::size_t at) const { return integer_in(arguments_[at]); }
  [[nodiscard]] Dims dims(std::size_t at) const { return dims_in(arguments_[at]); }
  [[nodiscard]] Dtype dtype(std::size_t at) const { return number_dtype(dtype_from(arguments_[at], name())); }
  [[nodiscard]] ConstTensorRef array(std::size_t at) { return array_in(arguments_[at]); }
  [[nodiscard]] TensorRef writable(std::size_t at) {
    ConstTensorRef view;
    Array& array = memory_.add();
    if (!array.take(arguments_[at], view, name()) || array.refusal() != nullptr) wrong_type();
    number_dtype(view.dtype);
    return {const_cast<void*>(view.data), view.dtype, view.shape, view.strides};
  }
  // An enumerator; `last` is the largest one.
  template <class E>
  [[nodiscard]] E enumerator(std::size_t at, E last) const {
    return enumerator_in(arguments_[at], last);
  }
  [[nodiscard]] std::optional<Scalar> scalar(std::size_t at) const {
    if (arguments_[at] == Py_None) return std::nullopt;
    Scalar scalar{number_dtype(dtype_from(item(arguments_[at], 0), name())), {}};
    PyObject* const bytes = item(arguments_[at], 1);
    if (PyBytes_Check(bytes) == 0 || PyBytes_Size(bytes) != size_of(scalar.dtype)) wrong_type();
    std::memcpy(scalar.bytes, PyBytes_AsString(bytes), static_cast<std::size_t>(size_of(scalar.dtype)));
    return scalar;
  }
  [[nodiscard]] RunOptions options(std::size_t at) const {
    RunOptions options;
    if (arguments_[at] != Py_None) options.threads = integer(at);
    return options;
  }

  // (axes, negative, out_of_range, tuples, argument, sentence), the points, the row, and the columns.
  [[nodiscard]] Addressing addressing(std::size_t rules, std::size_t points, std::size_t row, std::size_t columns) {
    PyObject* const given = arguments_[rules];
    Addressing where;
    where.points = dims(points);
    where.row = dims(row);
    each(item(given, 0), [&](PyObject* axis) {
      const std::int64_t number = integer_in(item(axis, 1));
      if (number < 0 || std::cmp_greater(number, max_rank)) wrong_type();
      where.axes.push_back({enumerator_in(item(axis, 0), Axis::row), static_cast<std::uint8_t>(number)});
    });
    where.negative = enumerator_in(item(given, 1), Negative::wrap);
    where.out_of_range = enumerator_in(item(given, 2), OutOfRange::clamp);
    where.tuples = item(given, 3) == Py_True;
    argument_ = utf8_of(item(given, 4));
    sentence_ = utf8_of(item(given, 5));
    where.words = {argument_.c_str(), sentence_.c_str()};
    each(arguments_[columns], [&](PyObject* column) { where.columns.push_back(array_in(column)); });
    return where;
  }

  template <class Use>
  static void each(PyObject* tuple, Use use) {
    if (PyTuple_Check(tuple) == 0) wrong_type();
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) use(PyTuple_GetItem(tuple, i));
  }
  static PyObject* item(PyObject* tuple, Py_ssize_t at) {
    PyObject* const found = PyTuple_Check(tuple) == 0 ? nullptr : PyTuple_GetItem(tuple, at);
    if (found == nullptr) wrong_type();
    return found;
  }
  static std::int64_t integer_in(PyObject* object) {
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
  }
  template <class E>
  static E enumerator_in(PyObject* object, E last) {
    const std::int64_t value = integer_in(object);
    if (value < 0 || value > static_cast<std::int64_t>(last)) wrong_type();
    return static_cast<E>(value);
  }
  static Dims dims_in(PyObject* tuple) {
    Dims dims;
    each(tuple, [&](PyObject* size) { dims.push_back(integer_in(size)); });
    return dims;
  }
  [[noreturn]] static void wrong_type() {
    PyErr_SetString(PyExc_TypeError, "a private function of strew._core got an argument of the wrong type");
    throw nb::python_error();
  }

 private:
  // Strings have no parts.
  static Dtype number_dtype(Dtype dtype) {
    if (dtype == Dtype::string) wrong_type();
    return dtype;
  }
  [[nodiscard]] ConstTensorRef array_in(PyObject* object) {
    ConstTensorRef view;
    if (!memory_.add().take(object, view, name())) wrong_type();
    number_dtype(view.dtype);
    return view;
  }
  PyObject* const* arguments_;
  Arrays memory_;
  std::string argument_, sentence_;
};

std::int64_t points_of(const Addressing& where) {
  std::int64_t count = 1;
  for (const std::int64_t size : where.points) count = saturating_mul(count, size);
  for (const std::int64_t size : where.row) count = saturating_mul(count, size);
  return count;
}

// step(operator, name, rules, points, row, out, columns, updates, number, dtype, scale, step, compare, threads): steps into `out`, which
// the caller must own: after a bad index it may hold a part of the updates.
nb::object step(PyObject* const* arguments, Py_ssize_t count) {
  Given given(arguments, count, 14);
  const std::string name(utf8_of(given.object(1)));
  ScatterOp op{.name = name.c_str(), .where = given.addressing(2, 3, 4, 6), .out = given.writable(5)};
  op.fold.step = given.enumerator(11, Reduction::max);
  op.fold.compare = given.enumerator(12, FoldCompare::lexical);
  op.scalar = given.scalar(8);
  if (!op.scalar) op.updates = given.array(7);
  op.scale = given.scalar(10);
  const Dtype dtype = given.dtype(9);
  const RunOptions options = given.options(13);
  without_lock(points_of(op.where), [&] {
    Tensor converted;
    if (!op.scalar && op.updates.dtype != dtype) {
      converted = internal::numpy::cast(without_repeats(op.updates), dtype);
      op.updates = with_repeats(converted, op.updates);
    }
    run(std::move(op), options);
  });
  return nb::none();
}

// gather_part(operator, name, rules, points, row, source, columns, threads): a new array.
nb::object gather(PyObject* const* arguments, Py_ssize_t count) {
  Given given(arguments, count, 8);
  const std::string name(utf8_of(given.object(1)));
  GatherOp op{.name = name.c_str(), .where = given.addressing(2, 3, 4, 6), .from = given.array(5), .out = {}};
  const RunOptions options = given.options(7);
  op.out.dtype = op.from.dtype;
  op.out.shape = joined(op.where.points, op.where.row);
  op.out.strides = dense_strides(op.out.shape);
  return hand_over(nullptr, without_lock(points_of(op.where), [&] { return compute(std::move(op), options); }));
}

// number_places(operator, name, rules, points, row, columns, shape, threads): for each point the number of its place in `shape`, -1 where
// it is skipped.
nb::object number_places(PyObject* const* arguments, Py_ssize_t count) {
  Given given(arguments, count, 8);
  const std::string name(utf8_of(given.object(1)));
  ScatterOp op{.name = name.c_str(), .where = given.addressing(2, 3, 4, 5)};
  op.out = TensorRef(nullptr, Dtype::int8, given.dims(6));
  op.fold.step = Reduction::add;
  op.scalar = Scalar{Dtype::int8, {}};
  const RunOptions options = given.options(7);
  return hand_over(nullptr, without_lock(points_of(op.where), [&] { return strew::places(op, options); }));
}

template <class View>
bool is_dense(const View& view) {
  if (is_empty(view.shape)) return true;
  const Dims dense = dense_strides(view.shape);
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (view.shape[d] != 1 && view.strides[d] != dense[d]) return false;
  }
  return true;
}

// finish(operator, out, accumulators, counts, finish, self): writes finished accumulators over the rows of `out` that have a count. `out`
// and `accumulators` are dense of shape [places, width], `counts` int64 of shape [places].
nb::object finish(PyObject* const* arguments, Py_ssize_t count) {
  Given given(arguments, count, 6);
  const TensorRef out = given.writable(1);
  const ConstTensorRef accumulators = given.array(2), counts = given.array(3);
  const FinishKernel kernel = finish_kernel(given.enumerator(4, FoldFinish::mean), out.dtype, accumulators.dtype);
  const std::int64_t self = given.integer(5);
  const bool fits =
      out.rank() == 2 && accumulators.shape == out.shape && counts.shape == Dims{out.shape[0]} && counts.dtype == Dtype::int64;
  if (kernel == nullptr || !fits || !is_dense(out) || !is_dense(accumulators) || !is_dense(counts)) Given::wrong_type();
  const std::int64_t rows = out.shape[0], width = out.shape[1];
  if (width == 0) return nb::none();
  without_lock(saturating_mul(rows, width), [&] {
    const std::int64_t size = size_of(accumulators.dtype), row = size * width, out_row = size_of(out.dtype) * width;
    const auto* const from = static_cast<const std::byte*>(accumulators.data);
    const auto* const counted = static_cast<const std::byte*>(counts.data);
    auto* const to = static_cast<std::byte*>(out.data);
    constexpr std::int64_t tile = 256;
    constexpr std::int64_t count_size = sizeof(std::int64_t);
    // A kernel takes accumulators and counts at equal steps: of rows one at a time, of single elements in a tile.
    if (width > 1) {
      for (std::int64_t i = 0; i < rows; ++i)
        kernel({from + i * row, row, counted + i * count_size, true, self, to + i * out_row, out_row, 1, width, size_of(out.dtype)});
      return;
    }
    const std::int64_t step = size + count_size;
    std::array<std::byte, tile * (16 + count_size)> pairs;
    for (std::int64_t begin = 0; begin < rows; begin += tile) {
      const std::int64_t some = std::min(tile, rows - begin);
      for (std::int64_t i = 0; i < some; ++i) {
        std::memcpy(pairs.data() + i * step, from + (begin + i) * size, static_cast<std::size_t>(size));
        std::memcpy(pairs.data() + i * step + size, counted + (begin + i) * count_size, count_size);
      }
      kernel({pairs.data(), step, pairs.data() + size, true, self, to + begin * out_row, out_row, some, 1, size_of(out.dtype)});
    }
  });
  return nb::none();
}

// raise_bad_index(operator, name, rules, dtypes, shape, point, tuple, column, count): raises the error of a call whose first bad index is
// that of `column` in `point`, where the indices are `tuple`.
nb::object raise_bad_index(PyObject* const* arguments, Py_ssize_t count) {
  Given given(arguments, count, 9);
  const std::string name(utf8_of(given.object(1)));
  const nb::object none = checked(PyTuple_New(0));
  PyObject* const described[] = {arguments[0], arguments[1], arguments[2], none.ptr(), none.ptr(), none.ptr()};
  Given rules(described, 6, 6);
  Addressing where = rules.addressing(2, 3, 4, 5);
  Given::each(given.object(3), [&](PyObject* dtype) { where.columns.push_back(stand_in(dtype_from(dtype, rules.name()), {})); });
  const Dims shape = given.dims(4), tuple = given.dims(6);
  const auto column = static_cast<std::size_t>(given.integer(7));
  const bool has_axis =
      std::any_of(where.axes.begin(), where.axes.end(), [&](const Axis& axis) { return axis.from == Axis::column && axis.at == column; });
  if (!has_axis || shape.size() != where.axes.size() || column >= tuple.size() || tuple.size() != where.columns.size()) Given::wrong_type();
  throw bad_index_error(name.c_str(), where, shape, {given.dims(5), tuple, column, given.integer(8)});
}

template <nb::object (*function)(PyObject* const*, Py_ssize_t)>
PyObject* guarded(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  try {
    return function(arguments, count).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// describe(operator, *arguments, **keywords)
PyObject* describe(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  try {
    const Callable* const callable = count == 0 ? nullptr : as_operator(arguments[0]);
    if (callable == nullptr) Given::wrong_type();
    const Slots slots = callable->signature.assign(arguments + 1, static_cast<std::size_t>(count - 1), keywords);
    return describe_call(*callable, slots).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <class Function>
PyCFunction as_method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef functions[] = {
    {"describe", as_method(&describe), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"step", as_method(&guarded<&step>), METH_FASTCALL, nullptr},
    {"gather_part", as_method(&guarded<&gather>), METH_FASTCALL, nullptr},
    {"number_places", as_method(&guarded<&number_places>), METH_FASTCALL, nullptr},
    {"finish", as_method(&guarded<&finish>), METH_FASTCALL, nullptr},
    {"raise_bad_index", as_method(&guarded<&raise_bad_index>), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyMethodDef* part_functions() { return functions; }

}  // namespace strew::python
