// Passes the shape and a flat list of bytes to strew._convert, which supports NumPy's four kinds of strings.
#include "strings.h"

#include "base/text.h"
#include "object.h"

namespace strew::python {

namespace {

std::string text_of(const ArgumentName& name) { return cat(name.operator_name(), ": ", name.argument); }

nb::object list_of(const Tensor& strings) {
  nb::object flat = checked(PyList_New(0));
  for (const std::string& text : strings.values<std::string>())
    append(flat.ptr(), checked(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))));
  return flat;
}

}  // namespace

Tensor strings_from(PyObject* object, const ArgumentName& name) {
  const nb::object pair = call(import_function("strew._convert.strings").ptr(), {text(text_of(name)).ptr(), object});
  Dims shape;
  for (const nb::handle size : nb::borrow<nb::tuple>(pair[0])) shape.push_back(nb::cast<std::int64_t>(size));
  Tensor strings(Dtype::string, shape);
  std::size_t next = 0;
  for (const nb::handle item : nb::borrow<nb::list>(pair[1])) {
    const nb::bytes text = nb::borrow<nb::bytes>(item);
    strings.values<std::string>()[next++].assign(text.c_str(), text.size());
  }
  return strings;
}

void store_strings(PyObject* into, const Tensor& strings, const ArgumentName& name) {
  (void)call(import_function("strew._convert.store_strings").ptr(), {text(text_of(name)).ptr(), into, list_of(strings).ptr()});
}

nb::object strings_to(PyObject* like, const Tensor& strings) {
  return call(import_function("strew._convert.string_array").ptr(), {like, tuple_of(strings.shape()).ptr(), list_of(strings).ptr()});
}

}  // namespace strew::python
