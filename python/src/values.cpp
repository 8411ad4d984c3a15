// Converts Python numbers, strings and sequences to the argument types of the registry.
#include "values.h"

#include "base/text.h"
#include "dialects/check.h"
#include "kernels/types.h"
#include "lock.h"
#include "text.h"

namespace strew::python {
namespace {

std::string got(PyObject* object) { return cat(", got ", type_name(object)); }

bool is_numpy_bool(PyObject* object) {
  return library_of(object) == &numpy_library() && nb::isinstance(object, import_function("numpy.bool_"));
}

// No value if the integer does not fit.
std::optional<std::int64_t> as_int64(PyObject* integer) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return overflow == 0 ? std::optional<std::int64_t>(value) : std::nullopt;
}

[[noreturn]] void fail_too_large(PyObject* integer, const ArgumentName& name) {
  name.fail(ErrorCode::argument, cat("must fit 64 bits, got ", shown_integer(integer)));
}

std::int64_t whole(PyObject* integer, const ArgumentName& name) {
  if (const auto value = as_int64(integer)) return *value;
  fail_too_large(integer, name);
}

// An int64, or a uint64 if that is the only one that holds the integer.
Number integral(PyObject* integer, const ArgumentName& name) {
  if (const auto value = as_int64(integer)) return *value;
  const unsigned long long value = PyLong_AsUnsignedLongLong(integer);
  if (PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  fail_too_large(integer, name);
}

}  // namespace

bool is_numpy_number(PyObject* object) {
  return library_of(object) == &numpy_library() && nb::isinstance(object, import_function("numpy.generic"));
}

bool is_literal(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) || PyRange_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object) ||
         PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyComplex_CheckExact(object);
}

std::optional<Number> number_from(PyObject* object, const ArgumentName& name) {
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_Check(object)) return integral(object, name);
  if (PyFloat_Check(object)) return PyFloat_AsDouble(object);
  if (PyComplex_Check(object)) return std::complex<double>(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  if (!is_numpy_number(object)) return std::nullopt;  // NumPy numbers have item()
  const nb::object item = call_method(object, "item");
  return is_numpy_number(item.ptr()) ? std::nullopt : number_from(item.ptr(), name);  // a long double stays what it is
}

std::optional<Number> element_from(PyObject* object, const ArgumentName& name) {
  Array array;
  ConstTensorRef view;
  if (is_literal(object) || !array.take(object, view, name) || !view.shape.empty()) return std::nullopt;
  array.reread(view, name, Code::any);
  std::optional<Number> number;
  visit_dtype(Numbers{}, view.dtype, [&]<class T>(Tag<T>) {
    const auto value = Computing<T>::widen(load<T>(static_cast<const std::byte*>(view.data)));
    if constexpr (ComplexLike<T>) {
      number = std::complex<double>(value);
    } else {
      number = value;
    }
  });
  return number;
}

std::int64_t integer_from(PyObject* object, const ArgumentName& name) {
  if (PyLong_CheckExact(object)) return whole(object, name);
  require_readable(object, name);
  const nb::object integer = PyBool_Check(object) ? nb::object() : nb::steal(foreign<&PyNumber_Index>(object));
  if (integer.is_valid()) return whole(integer.ptr(), name);
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  name.fail(ErrorCode::dtype, cat("must be an integer", got(object)));
}

bool boolean_from(PyObject* object, const ArgumentName& name) {
  if (!PyBool_Check(object) && !is_numpy_bool(object)) name.fail(ErrorCode::dtype, cat("must be a bool", got(object)));
  const int truth = foreign<&PyObject_IsTrue>(object);
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

std::string word_from(PyObject* object, const ArgumentName& name) {
  if (PyUnicode_Check(object) == 0) name.fail(ErrorCode::dtype, cat("must be a string", got(object)));
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    const nb::python_error raised;
    if (!raised.matches(PyExc_UnicodeError)) throw raised;
    name.fail(ErrorCode::argument, cat("must be text, got a string with lone surrogates: ", shown_text(object)));
  }
  return {text, static_cast<std::size_t>(size)};
}

Dtype dtype_from(PyObject* object, const ArgumentName& name) {
  // str() of an array prints its elements: there may be many, or they may be unreadable.
  if (PyType_Check(object) == 0 && (has(object, "__array__") || has(object, "__dlpack__")))
    name.fail(ErrorCode::dtype, cat("must be ", choice_of(all_dtypes), got(object)));
  // NumPy's dtypes have `name`, its types `__name__`; str() of torch's and Paddle's dtypes has it after a dot.
  const nb::object shown = checked(foreign<&PyObject_Str>(object));
  for (const nb::object& text : {attribute_or_none(object, "name"), attribute_or_none(object, "__name__"), shown}) {
    if (PyUnicode_Check(text.ptr()) == 0) continue;
    const std::string word = shown_text(text.ptr()), dtype_name = word.substr(word.rfind('.') + 1);
    for (const DtypeInfo& row : dtypes) {
      if (row.name == dtype_name) return row.dtype;
    }
  }
  name.fail(ErrorCode::dtype, cat("must be ", choice_of(all_dtypes), ", got ", shown_text(shown.ptr())));
}

Dims shape_from(PyObject* object, const ArgumentName& name) {
  const nb::object sizes = nb::steal(foreign<&PyObject_GetIter>(object));
  if (!sizes.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    PyErr_Clear();
    name.fail(ErrorCode::dtype, cat("must be a list of sizes", got(object)));
  }
  Dims shape;
  for (;;) {
    const nb::object size = nb::steal(foreign<&PyIter_Next>(sizes.ptr()));
    if (!size.is_valid()) break;
    if (shape.size() == max_rank) name.fail(ErrorCode::shape, cat("must hold at most ", max_rank, " sizes"));  // it may have no end
    shape.push_back(integer_from(size.ptr(), name));
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return shape;
}

std::int64_t threads_from(PyObject* object, const ArgumentName& name) {
  const std::int64_t count = integer_from(object, name);
  if (count < 1) name.fail(ErrorCode::argument, cat("must be at least 1, got ", count));
  return count;
}

}  // namespace strew::python
