// Integers, slices, Ellipsis, None, arrays, lists and masks; a tuple is several of them.
#include "index_key.h"

#include "base/text.h"
#include "lock.h"
#include "object.h"
#include "text.h"

namespace strew::python {
namespace {

constexpr bool yes = true, no = false;

// NumPy reports an integer of more than 64 bits as an index out of range.
std::int64_t integer(PyObject* object, const ArgumentName& name) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) name.fail(ErrorCode::index, cat("must fit 64 bits, got ", shown_integer(object)));
  return value;
}

std::optional<std::int64_t> bound(const nb::handle& slice, const char* which, const ArgumentName& name) {
  const nb::object value = attribute(slice.ptr(), which);
  if (value.is_none()) return std::nullopt;
  require_readable(value.ptr(), name);
  const nb::object index = nb::steal(foreign<&PyNumber_Index>(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  // A bound of more than 64 bits is equivalent to the largest one.
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow == 0 ? number : overflow < 0 ? INT64_MIN : INT64_MAX;
}

// With NumPy's message if the key is for the numpy dialect.
[[noreturn]] void refuse_part(PyObject* object, Parameter::Type type, const ArgumentName& name) {
  if (type == Parameter::columns) {
    name.fail(ErrorCode::dtype,
              cat("must be an array of integers, or a tuple of one for each of the leading axes, got ", type_name(object)));
  }
  name.fail(ErrorCode::index,
            "may hold only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays");
}

numpy::Index array_part(PyObject* object, Parameter::Type type, Arrays& memory, Array*& array, const ArgumentName& name) {
  if (PyBytes_Check(object) != 0) refuse_part(object, type, name);
  Array& own = memory.add();
  ConstTensorRef view;
  if (own.take(object, view, name)) {
    array = &own;
    return view;
  }
  // An object with __index__.
  if (PyIndex_Check(object)) {
    const nb::object index = nb::steal(foreign<&PyNumber_Index>(object));
    if (!index.is_valid()) throw nb::python_error();
    return integer(index.ptr(), name);
  }
  if (PySequence_Check(object) == 0 || PyUnicode_Check(object) != 0) refuse_part(object, type, name);
  own.take_list(object, view, name, std::nullopt);
  array = &own;
  return view;
}

// Whether a part that is not an array is an index: an integer, or a bool, which the operator rejects.
bool is_index(const numpy::Index& part) {
  return std::holds_alternative<std::int64_t>(part) || std::holds_alternative<ConstTensorRef>(part);
}

bool is_inert_part(PyObject* object) {
  if (PySlice_Check(object) == 0) return is_inert(object);
  return is_inert(attribute(object, "start").ptr()) && is_inert(attribute(object, "stop").ptr()) &&
         is_inert(attribute(object, "step").ptr());
}

}  // namespace

std::optional<numpy::Index> plain_part(PyObject* object, const ArgumentName& name) {
  if (PyBool_Check(object)) return ConstTensorRef(object == Py_True ? &yes : &no, Dtype::bool_, Dims{});
  if (PyLong_Check(object)) return integer(object, name);
  if (object == Py_Ellipsis) return numpy::Ellipsis{};
  if (object == Py_None) return numpy::NewAxis{};
  if (PySlice_Check(object) == 0) return std::nullopt;
  const nb::handle slice(object);
  return numpy::Slice{bound(slice, "start", name), bound(slice, "stop", name), bound(slice, "step", name)};
}

IndexKey key_from(PyObject* object, Parameter::Type type, Arrays& memory, KeyArrays& arrays, const ArgumentName& name) {
  IndexKey key;
  each_part(object, [&](PyObject* item) {
    Array*& array = arrays.emplace_back(nullptr);
    auto part = plain_part(item, name);
    if (part && type == Parameter::columns && !is_index(*part)) refuse_part(item, type, name);
    key.push_back(part ? *std::move(part) : array_part(item, type, memory, array, name));
  });
  return key;
}

bool is_inert_key(PyObject* object) {
  bool all = true;
  each_part(object, [&](PyObject* item) { all = all && is_inert_part(item); });
  return all;
}

}  // namespace strew::python
