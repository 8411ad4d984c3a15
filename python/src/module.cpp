// strew._core: one module object per dialect, one function per row of the registry.

#include <atomic>
#include <string>
#include <vector>

#include "base/text.h"
#include "call.h"
#ifdef STREW_WITH_COMMAND
#include "cli/command.h"
#endif
#include "comparison.h"
#include "exporters.h"
#include "form.h"
#include "gradient.h"
#include "lock.h"
#include "memory.h"
#include "parts.h"
#include "pieces.h"
#include "plan.h"
#include "saved.h"
#include "strew/run.h"

namespace strew::python {
namespace {

nb::object make_dialect(std::span<const Operator> operators) {
  const std::string dialect(operators.front().dialect);
  nb::object module = checked(PyModule_New(("strew." + dialect).c_str()));
  module.attr("__doc__") = cat("The operators of ", dialect, ".");
  nb::list all;
  const auto add = [&](const Operator& op, bool in_place) {
    const nb::object function = make_callable(op, in_place);
    const nb::object name = function.attr("__name__");
    module.attr(name) = function;
    all.append(name);
  };
  for (const Operator& op : operators) {
    add(op, op.writes_first_argument());
    if (op.in_place) add(op, true);
  }
  module.attr("__all__") = all;
  return module;
}

nb::dict make_dialects() {
  nb::dict dialects;
  for (const std::span<const Operator> operators : registry()) {
    const std::string_view name = operators.front().dialect;
    dialects[nb::str(name.data(), name.size())] = make_dialect(operators);
  }
  return dialects;
}

// A function that takes an operator, then its arguments; of a scatter perhaps those of its plan function.
enum class Updates : std::uint8_t { given, left_out };
PyObject* describe(const char* name, nb::object (*say)(const Callable&, const Slots&), PyObject* const* arguments, Py_ssize_t count,
                   PyObject* keywords, Updates updates = Updates::given) {
  try {
    const Callable* callable = count == 0 ? nullptr : as_operator(arguments[0]);
    if (callable == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() takes an operator of Strew first, such as strew.pytorch.scatter_add, then its arguments", name);
      return nullptr;
    }
    if (updates == Updates::left_out && callable->plan != nullptr) callable = as_plan_function(callable->plan);
    const Slots slots = callable->signature.assign(arguments + 1, static_cast<std::size_t>(count - 1), keywords);
    return say(*callable, slots).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}
PyObject* explain(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return describe("explain", &explain_call, arguments, count, keywords);
}
PyObject* draw(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return describe("draw", &draw_call, arguments, count, keywords);
}
PyObject* places(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return describe("places", &places_call, arguments, count, keywords, Updates::left_out);
}

// compare(data, indices, updates, axis, reduction, mine)
PyObject* compare(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  try {
    if (count != 6) throw Error(ErrorCode::argument, "compare: six arguments are needed");
    return outliving_interpreter(
               [&] { return compare_arrays(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]); })
        .release()
        .ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// restore_plan(*saved)
PyObject* restore(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  try {
    return restore_plan({arguments, static_cast<std::size_t>(count)}).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// Converts the number itself: the binding library would end the process if Python ended the thread during the conversion.
void set_or_raise(void (*set)(std::int64_t), const char* argument, nb::handle given) {
  try {
    const nb::object number = nb::steal(foreign<&PyNumber_Index>(given.ptr()));
    if (!number.is_valid()) {
      nb::python_error raised;
      throw_with_cause(raised, argument);
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) throw Error(ErrorCode::argument, cat(argument, " must fit 64 bits"));
    set(value);
  } catch (...) {
    set_python_error();
    throw nb::python_error();
  }
}

#ifdef STREW_WITH_COMMAND
// command(arguments): a list of bytes
PyObject* command(PyObject*, PyObject* list) {
  try {
    if (PyList_Check(list) == 0) {
      PyErr_SetString(PyExc_TypeError, "command() takes the arguments as a list of bytes");
      return nullptr;
    }
    std::vector<std::string> words;
    const Py_ssize_t count = PyList_Size(list);
    for (Py_ssize_t i = 0; i < count; ++i) {
      char* text = nullptr;
      Py_ssize_t size = 0;
      if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &text, &size) != 0) return nullptr;
      words.emplace_back(text, static_cast<std::size_t>(size));
    }
    if (count < 0) return nullptr;
    int code = 0;
    Py_BEGIN_ALLOW_THREADS;
    code = cli::command(words);
    Py_END_ALLOW_THREADS;
    return PyLong_FromLong(code);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}
#endif

PyMethodDef functions[] = {
#ifdef STREW_WITH_COMMAND
    {"command", &command, METH_O,
     "command($module, arguments, /)\n--\n\n"
     "Runs the strew command with these arguments, a list of bytes; prints to the process's own output and returns the exit code."},
#endif
    {"explain", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&explain)), METH_FASTCALL | METH_KEYWORDS,
     "explain($module, operator, /, *arguments, **keywords)\n--\n\n"
     "How a call of an operator with these arguments would run, in words; nothing is written."},
    {"draw", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&draw)), METH_FASTCALL | METH_KEYWORDS,
     "draw($module, operator, /, *arguments, **keywords)\n--\n\n"
     "The SVG text of a picture of a call of an operator with these arguments; nothing is written."},
    {"compare", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&compare)), METH_FASTCALL,
     "compare($module, data, indices, updates, axis, reduction, mine, /)\n--\n\n"
     "The answers of all dialects."},
    {"places", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&places)), METH_FASTCALL | METH_KEYWORDS,
     "places($module, operator, /, *arguments, **keywords)\n--\n\n"
     "The number of the row of the output that each point of a call goes to: int64, in the shape of the points,\n"
     "and -1 where a point is skipped. Takes the arguments of a scatter without the updates, or those of a\n"
     "gather, for which it is the row of the source. Rows are numbered in row-major order. All indices are\n"
     "checked; nothing is written.\n\n"
     ">>> import numpy, strew\n"
     ">>> strew.places(strew.numpy.add_at, numpy.zeros((3, 2)), ([2, 0, -1], [1, 0, 0]))\n"
     "array([5, 0, 4])\n"
     ">>> strew.places(strew.pytorch.index_add, numpy.zeros((3, 2)), 0, numpy.array([2, 0]))\n"
     "array([2, 0])\n"},
    {"restore_plan", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&restore)), METH_FASTCALL,
     "restore_plan($module, /, *saved)\n--\n\n"
     "The plan that pickle has saved."},
    {nullptr, nullptr, 0, nullptr},
};

// Types, errors and the classes of other libraries are stored for the lifetime of the process.
void refuse_second_interpreter() {
  static std::atomic<std::int64_t> first = -1;
  const std::int64_t own = PyInterpreterState_GetID(PyInterpreterState_Get());
  std::int64_t none = -1;
  if (first.compare_exchange_strong(none, own) || none == own) return;
  PyErr_SetString(PyExc_ImportError, "strew can be imported by one interpreter of a process only, and another one has");
  throw nb::python_error();
}

}  // namespace

NB_MODULE(_core, module) {
  refuse_second_interpreter();
  learn_errors();
  intern_library_names();
  learn_exporters();
  add_memory_type(module);
  add_callable_type(module);
  add_plan_type(module);
  add_pieces_type(module);
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw nb::python_error();
  if (PyModule_AddFunctions(module.ptr(), part_functions()) != 0) throw nb::python_error();
  add_gradient_functions(module);
  add_form_functions(module);
  module.attr("version") = STREW_VERSION;
  module.attr("compiler") = STREW_COMPILER;
  module.attr("threads_from") = STREW_THREADS_FROM;
  module.attr("dialects") = make_dialects();
  nb::list codes;
  for (int code = 0; code <= static_cast<int>(ErrorCode::changed); ++code)
    codes.append(std::string(to_string(static_cast<ErrorCode>(code))));
  module.attr("error_codes") = nb::tuple(codes);
  module.def(
      "get_threads", &get_threads,
      "Returns the number of threads of calls without threads=: the value of set_threads(), or what the machine allows this process.");
  module.def(
      "set_threads", [](nb::handle count) { set_or_raise(&set_threads, "set_threads: count", count); }, nb::arg("count"),
      "Sets the number of threads of calls without threads=; 0 restores the default. The number does not affect the bits of results.");
  module.def("release_scratch", &release_scratch, "Frees the scratch memory that is kept for later calls.");
  module.def("get_scratch_limit", &get_scratch_limit, "Returns how many bytes of scratch memory may be kept for later calls.");
  module.def(
      "set_scratch_limit", [](nb::handle bytes) { set_or_raise(&set_scratch_limit, "set_scratch_limit: bytes", bytes); }, nb::arg("bytes"),
      "Sets how many bytes of scratch memory may be kept for later calls; 0 keeps nothing.");
}

}  // namespace strew::python
