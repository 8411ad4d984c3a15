// The shape and a flat list of bytes go through strew._convert, which knows NumPy's four kinds of strings.
#include "strings.h"

#include "base/text.h"

namespace strew::python {

namespace {

std::string place_text(const Place& place) { return cat(place.operator_name(), ": ", place.argument); }

nb::list list_of(const Tensor& strings) {
  nb::list flat;
  for (const std::string& text : strings.values<std::string>()) flat.append(nb::bytes(text.data(), text.size()));
  return flat;
}

}  // namespace

Tensor strings_from(PyObject* object, const Place& place) {
  const nb::object pair = import_function("strew._convert.strings")(nb::str(place_text(place).c_str()), nb::handle(object));
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

void store_strings(PyObject* into, const Tensor& strings, const Place& place) {
  import_function("strew._convert.store_strings")(nb::str(place_text(place).c_str()), nb::handle(into), list_of(strings));
}

nb::object strings_to(PyObject* like, const Tensor& strings) {
  nb::list shape;
  for (const std::int64_t size : strings.shape()) shape.append(size);
  return import_function("strew._convert.string_array")(nb::handle(like), nb::tuple(shape), list_of(strings));
}

}  // namespace strew::python
