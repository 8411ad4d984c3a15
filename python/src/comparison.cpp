// Asks the dialects without the interpreter's lock, then makes the answers.
#include "comparison.h"

#include "array.h"
#include "base/checked.h"
#include "base/text.h"
#include "call.h"
#include "compare/agreement.h"
#include "interrupt.h"
#include "object.h"
#include "strings.h"
#include "values.h"

namespace strew::python {
namespace {

constexpr std::size_t most_positions = 10;
constexpr std::int64_t most_drawn = 200;  // elements of data and updates; pictures of more would make long texts

// What errors about the arrays name.
constexpr Operator asked{
    .dialect = "strew", .name = "compare", .parameters = {}, .dtypes = {}, .index_dtypes = {}, .in_place = false, .describe = nullptr};
ArgumentName name_of(std::string_view argument) { return {&asked, false, argument}; }

// The arrays of the caller: NumPy's, of which those of strings are copied. All are read, which may run any code, before an address is used.
class Taken {
 public:
  void add(PyObject* object, std::string_view argument) { all_.push_back({name_of(argument), object}); }
  void read() {
    for (const One& one : all_) watched_.add(one.object, one.name);
    for (One& one : all_) {
      one.array = &memory_.add();
      if (!one.array->take(one.object, one.view, one.name)) one.name.fail(ErrorCode::dtype, "must be an array");
    }
  }
  // Takes the addresses. No code of the caller may run after that until they were used.
  void settle() {
    watched_.check();
    for (One& one : all_) one.array->reread(one.view, one.name, Code::any);
  }
  [[nodiscard]] const ConstTensorRef& operator[](std::size_t number) const { return all_[number].view; }

 private:
  struct One {
    ArgumentName name;
    PyObject* object;
    Array* array = nullptr;
    ConstTensorRef view = {};
  };
  std::vector<One> all_;
  Arrays memory_;
  WatchedViews watched_;
};

// What the dialects say, and with whom the caller's own result agrees.
struct Compared {
  std::vector<Answer> answers;
  std::vector<std::string> pictures;
  std::string mine;
  std::vector<Differences> from_mine;  // of answers with a result that counts
};
bool is_compared(const Answer& answer) { return answer.counts() && answer.result; }

Compared compared(const Question& question, std::int64_t elements, const ConstTensorRef* mine) {
  Compared all{ask(question), {}, {}, {}};
  all.pictures = elements <= most_drawn ? pictures_of(question, all.answers) : std::vector<std::string>(all.answers.size());
  if (mine == nullptr) return all;
  all.mine = agreement_text(all.answers, *mine);
  for (const Answer& answer : all.answers) {
    if (is_compared(answer)) all.from_mine.push_back(differences(*answer.result, *mine, most_positions));
  }
  return all;
}

nb::object list_of_positions(const std::vector<Dims>& positions) {
  nb::object list = checked(PyList_New(0));
  for (const Dims& position : positions) append(list.ptr(), tuple_of(position));
  return list;
}

nb::object error_of(const Error& error) {
  nb::object bad = nb::none();
  if (const auto& index = error.bad_index())
    bad = tuple_of({integer(index->value), tuple_of(Dims(index->position.begin(), index->position.end())), integer(index->axis),
                    integer(index->extent), integer(index->count)});
  const std::string_view message = error.what();
  const nb::object sentence = checked(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  return tuple_of({text(to_string(error.code())), sentence, bad});
}

// Dialects of the caller's own result: who agrees, and where the others differ.
nb::object mine_of(const Compared& all) {
  nb::object same = checked(PyList_New(0)), differing = checked(PyDict_New());
  std::size_t next = 0;
  for (const Answer& answer : all.answers) {
    if (!is_compared(answer)) continue;
    const Differences& found = all.from_mine[next++];
    if (found.none()) {
      append(same.ptr(), text(answer.dialect));
      continue;
    }
    const nb::object entry = tuple_of({nb::bool_(found.same_form), integer(found.count), list_of_positions(found.positions)});
    if (PyDict_SetItem(differing.ptr(), text(answer.dialect).ptr(), entry.ptr()) != 0) throw nb::python_error();
  }
  return tuple_of({text(all.mine), same, differing});
}

nb::object compare_taken(PyObject* data, PyObject* indices, PyObject* updates, PyObject* axis, PyObject* reduction, PyObject* mine) {
  const bool has_mine = mine != Py_None;
  Taken taken;
  taken.add(data, "data");
  taken.add(indices, "indices");
  taken.add(updates, "updates");
  if (has_mine) taken.add(mine, "mine");
  taken.read();
  Question question{.data = {}, .indices = {}, .updates = {}, .axis = {}, .reduction = {}};
  const std::string word = word_from(reduction, name_of("reduction"));
  question.reduction = word;
  if (axis != Py_None) question.axis = integer_from(axis, name_of("axis"));

  Compared all = interruptible([&](bool may_stop) {
    if (foreign<&PyErr_CheckSignals>() != 0) throw nb::python_error();
    taken.settle();
    question.data = taken[0];
    question.indices = taken[1];
    question.updates = taken[2];
    const std::int64_t elements = saturating_add(element_count(question.data.shape), element_count(question.updates.shape));
    return without_lock(
        elements, [&] { return compared(question, elements, has_mine ? &taken[3] : nullptr); },
        may_stop && elements >= long_elements ? &stop_if_interrupted : nullptr);
  });

  std::vector<Answer>& answers = all.answers;
  nb::object list = checked(PyList_New(0));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    append(list.ptr(),
           tuple_of({text(answer.dialect), answer.op == nullptr ? nb::none() : text(answer.op->name),
                     answer.error ? error_of(*answer.error) : nb::none(), answer.reason.empty() ? nb::none() : text(answer.reason),
                     all.pictures[i].empty() ? nb::none() : text(all.pictures[i])}));
  }
  const nb::object agree = nb::bool_(groups_of(answers).size() < 2);
  const nb::object own = has_mine ? mine_of(all) : nb::none();
  const nb::object summary = text(agreement_text(answers));
  nb::object results = checked(PyList_New(0));
  for (Answer& answer : answers) {
    if (!answer.result) append(results.ptr(), nb::none());
    else if (answer.result->dtype() == Dtype::string) append(results.ptr(), strings_to(data, *answer.result));
    else append(results.ptr(), hand_over(nullptr, std::move(*answer.result)));
  }
  return tuple_of({list, results, agree, summary, own});
}

}  // namespace

nb::object compare_arrays(PyObject* data, PyObject* indices, PyObject* updates, PyObject* axis, PyObject* reduction, PyObject* mine) {
  try {
    return outliving_interpreter([&] { return compare_taken(data, indices, updates, axis, reduction, mine); });
  } catch (nb::python_error& raised) {
    throw_with_cause(raised, "compare");
  }
}

}  // namespace strew::python
