// What a caller would write between the brackets of a[...], as the numpy dialect takes it.
#pragma once

#include <memory>
#include <vector>

#include "array.h"

namespace strew::python {

// Keeps the arrays of a key in place until the call is over.
class KeyArrays {
 public:
  [[nodiscard]] IndexKey take(PyObject* object, const Place& place);
  [[nodiscard]] std::int64_t bytes() const;

 private:
  [[nodiscard]] numpy::Index part(PyObject* object, const Place& place);
  [[nodiscard]] numpy::Index array(PyObject* object, const Place& place);

  std::vector<std::unique_ptr<Array>> arrays_;
};

}  // namespace strew::python
