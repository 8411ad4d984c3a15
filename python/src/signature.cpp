// Assigns arguments to parameters; errors have Python's wording.
#include "signature.h"

#include <algorithm>

#include "base/text.h"
#include "object.h"

namespace strew::python {

std::size_t SlotsOf::updates() const {
  for (std::size_t i = 0; i < parameters(); ++i) {
    const Parameter::Type type = op->parameters[i].type;
    if (type == Parameter::updates || type == Parameter::source) return i;
  }
  return end();
}

bool SlotsOf::is_index(std::size_t parameter) const {
  const Parameter::Type type = op->parameters[parameter].type;
  return type == Parameter::indices || is_key(type);
}

bool SlotsOf::has_input() const {
  const Parameter::Type first = op->parameters.front().type;
  return first == Parameter::tensor || first == Parameter::target;
}

Signature::~Signature() {
  for (std::size_t i = 0; i < count_; ++i) Py_DECREF(rows_[i].name);
}

void Signature::add(std::string_view name, std::size_t slot, bool is_positional, bool is_required) {
  if (count_ == max_slots || slot >= max_slots) throw std::logic_error("an operator has more parameters than there are slots");
  const bool is_other_name = std::any_of(rows_, rows_ + count_, [&](const Row& row) { return row.slot == slot; });
  PyObject* const own = interned(std::string(name).c_str());  // may throw, so before the row is added
  rows_[count_++] = {own, static_cast<std::uint8_t>(slot), is_required, is_other_name};
  if (is_positional) positional_ = count_;
}

void Signature::fail(const std::string& sentence) const {
  PyErr_SetObject(PyExc_TypeError, text(cat(function_, "() ", sentence)).ptr());
  throw nb::python_error();
}

// A name may be any Python string, even one that is not valid UTF-8.
void Signature::fail_about(const char* sentence, PyObject* name) const {
  PyErr_SetObject(PyExc_TypeError, checked(PyUnicode_FromFormat(sentence, function_.c_str(), name)).ptr());
  throw nb::python_error();
}

const Signature::Row& Signature::named(PyObject* name) const {
  // Names in source code are interned, so equal names are nearly always the same object.
  for (std::size_t i = 0; i < count_; ++i) {
    if (rows_[i].name == name) return rows_[i];
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (PyUnicode_Compare(rows_[i].name, name) == 0) return rows_[i];
  }
  fail_about("%s() got an unexpected keyword argument '%.200U'", name);
}

Slots Signature::assign(PyObject* const* arguments, std::size_t count, PyObject* keywords) const {
  Slots slots{};
  if (count > positional_) fail(cat("takes ", positional_, " positional arguments but ", count, " were given"));
  for (std::size_t i = 0; i < count; ++i) slots.given[rows_[i].slot] = arguments[i];
  const Py_ssize_t names = keywords == nullptr ? 0 : PyTuple_Size(keywords);
  for (Py_ssize_t k = 0; k < names; ++k) {
    PyObject* const name = PyTuple_GetItem(keywords, k);
    const Row& row = named(name);
    PyObject*& given = slots.given[row.slot];
    if (given != nullptr) fail_about("%s() got multiple values for argument '%.200U'", name);
    given = arguments[count + static_cast<std::size_t>(k)];
    slots.is_renamed[row.slot] = row.is_other_name;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (rows_[i].is_required && slots.given[rows_[i].slot] == nullptr)
      fail(cat("missing required argument: '", utf8_of(rows_[i].name), "'"));
  }
  return slots;
}

nb::object Signature::names(const Slots& slots) const {
  nb::object names = checked(PyDict_New());
  for (std::size_t i = 0; i < count_; ++i) {
    PyObject* const given = slots.given[rows_[i].slot];
    if (given == nullptr || rows_[i].is_other_name != slots.is_renamed[rows_[i].slot]) continue;
    if (PyDict_SetItem(names.ptr(), rows_[i].name, given) != 0) throw nb::python_error();
  }
  return names;
}

}  // namespace strew::python
