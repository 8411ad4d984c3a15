// strew.Pieces: a C type around an unfinished scatter. It refuses a second call while one is running.
#include "pieces.h"

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "text.h"
#include "vectorcall.h"

namespace strew::python {
namespace {

struct PiecesObject {
  PyObject_HEAD PyObject* weak_references;
  PyObject* function;  // the one that made it
  PyObject* out;       // what is scattered into
  Begun begun;
  Signature signature;  // of step()
  const char* end;      // how it ended; null before that
  std::atomic<bool> busy;

  [[nodiscard]] const Callable& callable() const { return *reinterpret_cast<const Callable*>(function); }
  [[nodiscard]] ArgumentName name() const { return {callable().op, true, {}}; }
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::argument, cat(name().operator_name(), ": ", sentence));
  }
  void require_open() const {
    if (end != nullptr) fail(cat("the pieces were ", end, " already"));
  }
  void close(const char* how) {
    begun.scatter.reset();
    end = how;
  }
};

PyTypeObject* pieces_type = nullptr;

PiecesObject& self_of(PyObject* object) { return *reinterpret_cast<PiecesObject*>(object); }

// Marks the object as used by this call.
class Using {
 public:
  explicit Using(PiecesObject& self) : self_(self) {
    if (self.busy.exchange(true, std::memory_order_acquire)) self.fail("another call is running; pieces take one thread at a time");
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;
  ~Using() { self_.busy.store(false, std::memory_order_release); }

 private:
  PiecesObject& self_;
};

// Calls work(self) as the only call of the object.
template <class Work>
PyObject* alone(PyObject* object, const Work& work) {
  try {
    PiecesObject& self = self_of(object);
    const Using use(self);
    return work(self).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

nb::object finished(PiecesObject& self) {
  self.require_open();
  finish_pieces(self.callable(), self.begun, self.out);
  self.close("finished");
  return nb::borrow(self.out);
}

PyObject* step(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  return alone(object, [&](PiecesObject& self) {
    self.require_open();
    Slots slots = self.signature.assign(arguments, static_cast<std::size_t>(count), keywords);
    slots.given[0] = self.out;
    step_piece(self.callable(), self.begun, slots);
    return nb::none();
  });
}

PyObject* finish(PyObject* object, PyObject*) { return alone(object, &finished); }

PyObject* abort(PyObject* object, PyObject*) {
  return alone(object, [](PiecesObject& self) {
    self.require_open();
    self.close("aborted");
    return nb::none();
  });
}

PyObject* enter(PyObject* object, PyObject*) {
  return alone(object, [object](PiecesObject& self) {
    self.require_open();
    return nb::borrow(object);
  });
}

// The block may have ended the pieces itself.
PyObject* exit(PyObject* object, PyObject* const* arguments, Py_ssize_t count) {
  return alone(object, [&](PiecesObject& self) {
    if (self.end == nullptr && (count == 0 || arguments[0] == Py_None)) {
      static_cast<void>(finished(self));
    } else if (self.end == nullptr) {
      self.close("aborted");
    }
    return nb::none();
  });
}

PyObject* refuse_to_pickle(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "strew.Pieces cannot be pickled or copied: it writes into an array of this process");
  return nullptr;
}

std::string operator_of(const PiecesObject& self) { return cat(self.callable().module(), ".", self.callable().name()); }

nb::object operator_name_of(const PiecesObject& self) { return text(operator_of(self)); }
nb::object nbytes_of(const PiecesObject& self) {
  if (self.begun.scatter != nullptr) return integer(self.begun.scatter->nbytes());
  return integer(self.end == nullptr ? self.begun.planned_nbytes : 0);
}
nb::object count_of(const PiecesObject& self) { return integer(self.begun.count); }
nb::object representation_of(const PiecesObject& self) {
  return text(cat("<pieces of ", operator_of(self), " into ", to_string(self.begun.out.dtype), " ", bracketed(self.begun.out.shape), ">"));
}

template <nb::object (*get)(const PiecesObject&)>
PyObject* getter(PyObject* object, void*) {
  return alone(object, [](PiecesObject& self) { return get(self); });
}
// Reads nothing that a call changes, so that it works during one.
PyObject* represent(PyObject* object) { return getter_of<PiecesObject, &representation_of>(object, nullptr); }

int traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self_of(object).function);
  Py_VISIT(self_of(object).out);
  return 0;
}

// Ends the pieces, because a finaliser in the same cycle may still call them. No call is running: it would hold a reference.
int clear(PyObject* object) {
  PiecesObject& self = self_of(object);
  if (self.end == nullptr) self.close("aborted");
  PyObject* const out = std::exchange(self.out, Py_None);
  Py_INCREF(Py_None);
  Py_DECREF(out);
  return 0;
}

void deallocate(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  PiecesObject& self = self_of(object);
  PyObject_GC_UnTrack(object);
  if (self.weak_references != nullptr) PyObject_ClearWeakRefs(object);
  Py_DECREF(self.function);
  Py_DECREF(self.out);
  self.begun.~Begun();
  self.signature.~Signature();
  PyObject_GC_Del(object);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

template <class Function>
PyCFunction as_method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMemberDef members[] = {weak_references_member(offsetof(PiecesObject, weak_references)), {}};
PyMethodDef methods[] = {{"step", as_method(&step), METH_FASTCALL | METH_KEYWORDS,
                          "Steps one piece: the operator's indices and updates. A piece that is rejected changes nothing."},
                         {"finish", &finish, METH_NOARGS, "finish($self, /)\n--\n\nWrites the output in one go, and returns it."},
                         {"abort", &abort, METH_NOARGS, "abort($self, /)\n--\n\nLeaves the output as it was, and frees the memory."},
                         {"__enter__", &enter, METH_NOARGS, nullptr},
                         {"__exit__", as_method(&exit), METH_FASTCALL, nullptr},
                         {"__reduce__", &refuse_to_pickle, METH_NOARGS, nullptr},
                         {"__copy__", &refuse_to_pickle, METH_NOARGS, nullptr},
                         {"__deepcopy__", &refuse_to_pickle, METH_O, nullptr},
                         {}};
PyGetSetDef getters[] = {
    {"operator", &getter<&operator_name_of>, nullptr, "The operator that steps them.", nullptr},
    {"nbytes", &getter<&nbytes_of>, nullptr,
     "Bytes held besides the output from the first piece on: a copy of it, or its accumulators. 0 after the end, and before "
     "the first piece if they depend on its indices.",
     nullptr},
    {"count", &getter<&count_of>, nullptr, "How many pieces were stepped.", nullptr},
    {},
};

constexpr const char* documentation =
    "A scatter whose indices and updates come in pieces, with the bits of one call.\n\n"
    "step(indices, updates) takes the operator's arguments of these names. The output is written when the block\n"
    "ends, in one go; an exception, or abort(), leaves it as it was. Made by the pieces function of an operator:\n\n"
    ">>> import numpy, strew\n"
    ">>> totals = numpy.zeros(3)\n"
    ">>> with strew.pytorch.scatter_reduce_.pieces(totals, 0, reduce=\"mean\", include_self=False) as pieces:\n"
    "...     for index, values in ([0, 2], [1.0, 2.0]), ([2], [4.0]):\n"
    "...         pieces.step(numpy.array(index), numpy.array(values))\n"
    ">>> totals\n"
    "array([1., 0., 3.])\n";

PyType_Slot type_slots[] = {
    {Py_tp_doc, const_cast<char*>(documentation)},
    {Py_tp_new, reinterpret_cast<void*>(&refuse_to_construct)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
    {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(&clear)},
    {Py_tp_repr, reinterpret_cast<void*>(&represent)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, nullptr},
};
PyType_Spec spec = {"strew._core.Pieces", sizeof(PiecesObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, type_slots};

}  // namespace

void add_pieces_type(nb::module_& module) {
  const nb::object type = checked(PyType_FromSpec(&spec));
  pieces_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  module.attr("Pieces") = type;
}

nb::object make_pieces(const Callable& function, const Slots& slots) {
  Begun begun = begin_pieces(function, slots);
  PiecesObject* const self = PyObject_GC_New(PiecesObject, pieces_type);
  if (self == nullptr) throw nb::python_error();
  self->weak_references = nullptr;
  self->function = reinterpret_cast<PyObject*>(const_cast<Callable*>(&function));
  Py_INCREF(self->function);
  self->out = slots.given[0];
  Py_INCREF(self->out);
  ::new (&self->begun) Begun(std::move(begun));
  ::new (&self->signature) Signature("step");
  self->end = nullptr;
  ::new (&self->busy) std::atomic<bool>(false);
  PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
  nb::object object = nb::steal(reinterpret_cast<PyObject*>(self));
  const SlotsOf at = function.slots();
  for (std::size_t i = 0; i < at.parameters(); ++i) {
    const Parameter& parameter = function.op->parameters[i];
    if (!function.takes(i)) self->signature.add(parameter.name, i, !parameter.keyword_only, !parameter.fallback || parameter.must_be_said);
  }
  for (std::size_t i = 0; i < at.parameters(); ++i) {
    const Parameter& parameter = function.op->parameters[i];
    if (!function.takes(i) && !parameter.also.empty()) self->signature.add(parameter.also, i, false, false);
  }
  return object;
}

}  // namespace strew::python
