// Integers, slices, Ellipsis, None, arrays, lists and masks; a tuple is several of them.
#include "index_key.h"

#include "base/text.h"

namespace strew::python {
namespace {

constexpr bool yes = true, no = false;

// NumPy counts an integer that no index can be among the bad indices.
std::int64_t integer(PyObject* object, const Place& place) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) place.fail(ErrorCode::index, "hold an integer that does not fit 64 bits");
  return value;
}

std::optional<std::int64_t> bound(const nb::handle& slice, const char* which) {
  const nb::object value = slice.attr(which);
  if (value.is_none()) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  // A bound far outside means the same as the farthest one that there is.
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow == 0 ? number : overflow < 0 ? INT64_MIN : INT64_MAX;
}

numpy::Index array_part(PyObject* object, Arrays& arrays, const Place& place) {
  constexpr const char* allowed =
      "may hold only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays";
  if (PyBytes_Check(object) != 0) place.fail(ErrorCode::index, allowed);
  Array& array = arrays.add();
  ConstTensorRef view;
  if (array.take(object, view, place)) return view;
  // What is no array but counts as an integer.
  if (PyIndex_Check(object)) {
    const nb::object index = nb::steal(PyNumber_Index(object));
    if (!index.is_valid()) throw nb::python_error();
    return integer(index.ptr(), place);
  }
  if (PySequence_Check(object) == 0 || PyUnicode_Check(object) != 0) place.fail(ErrorCode::index, allowed);
  array.take_list(object, view, place, std::nullopt);
  return view;
}

numpy::Index part(PyObject* object, Arrays& arrays, const Place& place) {
  if (PyBool_Check(object)) return ConstTensorRef(object == Py_True ? &yes : &no, Dtype::bool_, Dims{});
  if (PyLong_Check(object)) return integer(object, place);
  if (object == Py_Ellipsis) return numpy::Ellipsis{};
  if (object == Py_None) return numpy::NewAxis{};
  if (PySlice_Check(object)) {
    const nb::handle slice(object);
    return numpy::Slice{bound(slice, "start"), bound(slice, "stop"), bound(slice, "step")};
  }
  return array_part(object, arrays, place);
}

}  // namespace

IndexKey key_from(PyObject* object, Arrays& arrays, const Place& place) {
  IndexKey key;
  if (PyTuple_Check(object) == 0) {
    key.push_back(part(object, arrays, place));
    return key;
  }
  bool ran_code = false;  // the caller's
  for (const nb::handle item : nb::borrow<nb::tuple>(object)) {
    key.push_back(part(item.ptr(), arrays, place));
    ran_code |= !is_plain_array(item.ptr());
  }
  if (ran_code) see_again(key, object, arrays, place);
  return key;
}

void see_again(IndexKey& key, PyObject* object, Arrays& arrays, const Place& place) {
  const bool is_one = PyTuple_Check(object) == 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    PyObject* const item = is_one ? object : PyTuple_GetItem(object, static_cast<Py_ssize_t>(i));
    if (is_plain_array(item)) key[i] = part(item, arrays, place);
  }
}

}  // namespace strew::python
