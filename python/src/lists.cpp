// Validates the items of a list before NumPy makes an array of it.
#include "lists.h"

#include <algorithm>
#include <unordered_map>

#include "lock.h"

namespace strew::python {
namespace {

// Reads a list once for each depth at most, although it may occur in another one many times, and in itself.
class Items {
 public:
  explicit Items(const ArgumentName& name) : name_(name) {}

  // Returns the number of elements of the array that NumPy would make of the list.
  std::int64_t require_readable(PyObject* list, int depth) {
    if (depth == max_rank) return 1;
    if (PyRange_Check(list)) return length_of_range(list);
    if (PyList_Check(list) == 0 && PyTuple_Check(list) == 0) return 1;
    const bool may_occur_again = Py_REFCNT(list) > 2;  // by the list that it is in, and by the reader
    if (may_occur_again) {
      if (const auto known = known_.find(list); known != known_.end() && known->second.depth <= depth) {
        if (known->second.is_open) name_.fail(ErrorCode::shape, "is a list that contains itself");
        return known->second.elements;
      }
      known_.insert_or_assign(list, Known{nb::borrow(list), depth, 0, true});
    }
    const std::int64_t elements = read(list, depth);
    if (may_occur_again) {
      Known& known = known_[list];
      known.elements = elements;
      known.is_open = false;
    }
    return elements;
  }

 private:
  static constexpr std::int64_t most_elements = std::int64_t{1} << 31;

  struct Known {
    nb::object list;  // alive, so that no other list has its address
    int depth = 0;    // the least at which it was read
    std::int64_t elements = 0;
    bool is_open = false;  // it is being read
  };

  // At most one more than is allowed: a range may have more items than an integer counts.
  static std::int64_t length_of_range(PyObject* range) {
    const Py_ssize_t length = PyObject_Size(range);
    if (length < 0 && PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw nb::python_error();
    PyErr_Clear();
    return length < 0 ? most_elements + 1 : std::min<std::int64_t>(length, most_elements + 1);
  }

  std::int64_t read(PyObject* list, int depth) {
    std::int64_t elements = 0;
    for (Py_ssize_t i = 0; i < PySequence_Size(list); ++i) {
      const nb::object item = checked(foreign<&PySequence_GetItem>(list, i));
      const bool is_number = PyFloat_CheckExact(item.ptr()) || PyLong_CheckExact(item.ptr());
      elements += is_number ? 1 : require_readable(item.ptr(), depth + 1);
      if (elements > most_elements)
        name_.fail(ErrorCode::memory, "has more than 2**31 elements, which lists that occur many times or ranges stand for");
      if (!is_number) python::require_readable(item.ptr(), name_);
    }
    return elements;
  }

  const ArgumentName& name_;
  std::unordered_map<PyObject*, Known> known_;
};

}  // namespace

void require_readable_items(PyObject* list, const ArgumentName& name) { static_cast<void>(Items(name).require_readable(list, 0)); }

}  // namespace strew::python
