// Asks the dialects without the interpreter's lock, then makes the answers.
#include "comparison.h"

#include "array.h"
#include "base/text.h"
#include "call.h"
#include "compare/agreement.h"
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

// An array of the caller; a plain NumPy array, so that reading another one does not move it.
struct Taken {
  Array array;
  ConstTensorRef view;
  Taken(PyObject* object, std::string_view argument) {
    if (!array.take(object, view, name_of(argument))) name_of(argument).fail(ErrorCode::dtype, "must be an array");
  }
};

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
nb::object mine_of(const std::vector<Answer>& answers, const ConstTensorRef& mine) {
  nb::object same = checked(PyList_New(0)), differing = checked(PyDict_New());
  for (const Answer& answer : answers) {
    if (!answer.counts() || !answer.result) continue;
    const Differences found = differences(*answer.result, mine, most_positions);
    if (found.none()) {
      append(same.ptr(), text(answer.dialect));
      continue;
    }
    const nb::object entry = tuple_of({nb::bool_(found.same_form), integer(found.count), list_of_positions(found.positions)});
    if (PyDict_SetItem(differing.ptr(), text(answer.dialect).ptr(), entry.ptr()) != 0) throw nb::python_error();
  }
  return tuple_of({text(agreement_text(answers, mine)), same, differing});
}

}  // namespace

nb::object compare_arrays(PyObject* data, PyObject* indices, PyObject* updates, PyObject* axis, PyObject* reduction, PyObject* mine) {
  const Taken of_data(data, "data"), of_indices(indices, "indices"), of_updates(updates, "updates");
  std::optional<Taken> of_mine;
  if (mine != Py_None) of_mine.emplace(mine, "mine");
  const std::string word = word_from(reduction, name_of("reduction"));
  Question question{.data = of_data.view, .indices = of_indices.view, .updates = of_updates.view, .axis = {}, .reduction = word};
  if (axis != Py_None) question.axis = integer_from(axis, name_of("axis"));

  std::vector<std::string> pictures;
  const std::int64_t elements = element_count(question.data.shape) + element_count(question.updates.shape);
  std::vector<Answer> answers = without_lock(elements, [&] {
    std::vector<Answer> all = ask(question);
    pictures = elements <= most_drawn ? pictures_of(question, all) : std::vector<std::string>(all.size());
    return all;
  });

  nb::object list = checked(PyList_New(0));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    append(list.ptr(),
           tuple_of({text(answer.dialect), answer.op == nullptr ? nb::none() : text(answer.op->name),
                     answer.error ? error_of(*answer.error) : nb::none(), answer.reason.empty() ? nb::none() : text(answer.reason),
                     pictures[i].empty() ? nb::none() : text(pictures[i])}));
  }
  const nb::object agree = nb::bool_(groups_of(answers).size() < 2);
  const nb::object own = of_mine ? mine_of(answers, of_mine->view) : nb::none();
  const nb::object summary = text(agreement_text(answers));
  nb::object results = checked(PyList_New(0));
  for (Answer& answer : answers) {
    if (!answer.result) append(results.ptr(), nb::none());
    else if (answer.result->dtype() == Dtype::string) append(results.ptr(), strings_to(data, *answer.result));
    else append(results.ptr(), hand_over(nullptr, std::move(*answer.result)));
  }
  return tuple_of({list, results, agree, summary, own});
}

}  // namespace strew::python
