// One call: arguments to views, views to an op, run it, and hand the result over.
#include "call.h"

#include <algorithm>
#include <utility>

#include "base/cancellation.h"
#include "base/text.h"
#include "core/core.h"
#include "core/view.h"
#include "described.h"
#include "dialects/views.h"
#include "index_key.h"
#include "interrupt.h"
#include "literals.h"
#include "strew/picture.h"
#include "strew/places.h"
#include "strew/run.h"
#include "strings.h"
#include "text.h"
#include "values.h"

namespace strew::python {
namespace {

bool is_array(Parameter::Type type) { return is_data(type) || type == Parameter::indices; }
bool is_none(PyObject* given) { return given == nullptr || given == Py_None; }

// The number of elements of a shape, which may be invalid. Large numbers are imprecise.
std::int64_t elements_of(const Dims& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) elements = std::clamp<std::int64_t>(size, 0, long_elements) * std::min(elements, long_elements);
  return elements;
}
std::int64_t elements_of(const IndexKey& key) {
  std::int64_t elements = 0;
  for (const numpy::Index& part : key) {
    if (const auto* view = std::get_if<ConstTensorRef>(&part)) elements += elements_of(view->shape);
  }
  return elements;
}

// An op described from arguments without updates, to which it adds a placeholder for them.
AnyOp described_without_updates(const Callable& callable, SmallVector<Argument, 8>& arguments, Dtype updates_dtype) {
  const Operator& op = *callable.op;
  arguments.push_back(
      {op.parameters[callable.slots().updates()].name, stand_in(updates_dtype, op.updates_shape(Arguments(op, arguments)))});
  const TensorRef out = callable.in_place ? writable(Arguments(op, arguments).tensor(op.parameters.front().name)) : TensorRef();
  return op.describe(out, Arguments(op, arguments));
}

// The plan of the op that arguments without updates describe: from the places of the points, or null to read the indices.
Planned planned_of(const Callable& callable, SmallVector<Argument, 8>& arguments, Dtype updates_dtype, const RunOptions& options,
                   const ConstTensorRef* places) {
  const std::string_view first = callable.op->parameters.front().name;
  const std::size_t given = arguments.size();
  std::optional<ConstTensorRef> input;
  if (callable.slots().has_input()) input = Arguments(*callable.op, arguments).tensor(first);
  const AnyOp any = described_without_updates(callable, arguments, updates_dtype);
  const auto& scatter = std::get<ScatterOp>(any);
  Planned made{places == nullptr ? plan(scatter, options) : plan_from_places(scatter, *places, options),
               {},
               {},
               std::get<ConstTensorRef>(arguments.back().value),
               options.threads};
  if (input) made.input = stand_in(input->dtype, input->shape);
  for (std::size_t i = 0; i < given; ++i) {
    if (!input || arguments[i].name != first) made.kept.push_back(without_memory(arguments[i]));
  }
  return made;
}

// What placeholders for the indices of a scatter into `out` look like: one of them suits every operator.
SmallVector<Argument, 4> index_placeholders(const Parameter& parameter, const Dims& out) {
  SmallVector<Argument, 4> made;
  for (const Dtype dtype : {Dtype::int64, Dtype::int32}) {
    if (is_key(parameter.type)) {
      const numpy::Index column = stand_in(dtype, {1});
      made.push_back({parameter.name, IndexKey{column}});
      made.push_back({parameter.name, IndexKey{column, column}});
    } else {
      if (out.size() > 1) made.push_back({parameter.name, stand_in(dtype, out)});
      made.push_back({parameter.name, stand_in(dtype, {1})});
      made.push_back({parameter.name, stand_in(dtype, {1, 1})});
    }
  }
  return made;
}

// Describes a call without indices and updates with placeholders for them, and throws the Error that does not depend on them, if any.
// Returns the bytes that its pieces will hold, or 0 if the indices decide.
std::int64_t check_pieces(const Callable& callable, const SmallVector<Argument, 8>& common, const ConstTensorRef& out,
                          const RunOptions& options) {
  const auto& parameters = callable.op->parameters;
  const auto index = std::find_if(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
    return parameter.type == Parameter::indices || is_key(parameter.type);
  });
  std::optional<Error> refusal, of_argument;
  std::optional<std::int64_t> bytes;
  bool is_accepted = false, depends = index->type == Parameter::index_key;  // a key may select a part of the output
  bool is_same = true;
  for (const Dtype updates : {out.dtype, out.dtype == Dtype::float32 ? Dtype::float64 : Dtype::float32}) {
    for (const Argument& placeholder : index_placeholders(*index, out.shape)) {
      SmallVector<Argument, 8> arguments = common;
      arguments.push_back(placeholder);
      try {
        const AnyOp any = described_without_updates(callable, arguments, updates);
        const std::int64_t planned = UnfinishedScatter::planned_nbytes(std::get<ScatterOp>(any), options);
        is_accepted = true;
        if (updates == out.dtype) depends = depends || bytes.value_or(planned) != planned;
        if (updates == out.dtype) bytes = planned;
      } catch (const Error& error) {
        is_same = is_same && std::string_view(refusal.value_or(error).what()) == error.what();
        if (!refusal) refusal = error;
        const bool blames_argument = error.code() == ErrorCode::argument || error.code() == ErrorCode::axis;
        if (updates == out.dtype && blames_argument && !of_argument) of_argument = error;
      }
    }
  }
  if (!is_accepted && of_argument) throw Error(*of_argument);
  if (!is_accepted && is_same) throw Error(*refusal);
  return depends ? 0 : bytes.value_or(0);
}

class Call {
 public:
  // Reads all arguments, which may run any code. Only settle() says where arrays are.
  Call(const Callable& callable, const Slots& slots, const Planned* planned = nullptr, std::span<const Beside> beside = {})
      : callable_(callable), slots_(slots), planned_(planned), beside_(beside) {
    const std::size_t parameters = callable.slots().parameters();
    PyObject *const dtype = slots.given[callable.slots().dtype()], *const threads = slots.given[callable.slots().threads()];
    runs_code_ = !is_none(dtype) || (threads != nullptr && !is_inert(threads));
    for (std::size_t i = 0; i <= callable.slots().out() && !runs_code_; ++i) runs_code_ = slots.given[i] != nullptr && !is_inert_at(i);
    for (const Beside& array : beside) runs_code_ = runs_code_ || !is_inert(array.object);
    if (runs_code_) watch_all();  // before it does
    if (!is_none(dtype)) {
      const ArgumentName name{callable.op, callable.in_place, "dtype"};
      updates_dtype_ = naming(name, [&] { return dtype_from(dtype, name); });
      ran_ = Code::any;
    }
    if (!is_none(threads)) {
      const ArgumentName name{callable.op, callable.in_place, "threads"};
      options_.threads = naming(name, [&] { return threads_from(threads, name); });
      if (!is_inert(threads)) ran_ = Code::any;
    }
    for (std::size_t i = 0; i < parameters; ++i) {
      if (!is_array(callable.op->parameters[i].type)) convert(i);
    }
    for (std::size_t i = 0; i < parameters; ++i) {
      if (!is_array(callable.op->parameters[i].type)) continue;
      convert(i);
      if (arrays_[i] != nullptr) see_type(i);
    }
    if (planned != nullptr && !data_) data_ = planned->updates.dtype;
    for (std::size_t i = 0; i < parameters && has_lists_; ++i) convert_list(i);
    for (const Beside& array : beside) convert_beside(array);
  }

  nb::object run() {
    return stopping_once([&] { return run_once(); });
  }

  // Of a call without indices and updates: what all pieces have in common.
  Begun begin() {
    if (arrays_[0]->strings() != nullptr) name(0).fail(ErrorCode::unsupported, "holds strings, which cannot be scattered in pieces");
    static_cast<void>(settle_writable(*arrays_[0]));
    Begun begun{{}, out_view(), nullptr, 0, options_.threads};
    begun.planned_nbytes = check_pieces(callable_, arguments_, out_view(), options_);
    for (const Argument& argument : arguments_) {
      if (argument.name != callable_.op->parameters.front().name) begun.kept.push_back(without_memory(argument));
    }
    return begun;
  }

  void step(Begun& begun) {
    go_on_with(begun);
    stopping_once([&] {
      const Settled settled = settle_same_out(begun);
      without_lock([&] { step_op(begun, std::get<ScatterOp>(describe(settled, writable(out_view())))); });
    });
  }

  void finish(Begun& begun) {
    go_on_with(begun);
    stopping_once([&] {
      static_cast<void>(settle_same_out(begun));
      if (begun.scatter != nullptr) without_lock([&] { begun.scatter->finish(options_); });
    });
    if (begun.scatter != nullptr) arrays_[0]->tell_written();
  }

  Planned plan() {
    return stopping_once([&] {
      static_cast<void>(settle());
      return without_lock([&] {
        SmallVector<Argument, 8> arguments = arguments_;  // a second attempt describes the op again
        return planned_of(callable_, arguments, updates_dtype(), options_, nullptr);
      });
    });
  }

  // The place of each point, of a gather or of a scatter without updates.
  nb::object places() {
    if (PyObject* const out = slots_.given[callable_.slots().out()]; !is_none(out))
      ArgumentName{callable_.op, callable_.in_place, "out"}.fail(ErrorCode::argument, "is not taken here: nothing is written");
    Tensor list = stopping_once([&] {
      const Settled settled = settle();
      return without_lock([&] {
        SmallVector<Argument, 8> arguments = arguments_;  // a second attempt describes the op again
        const AnyOp op =
            callable_.op->scatters() ? described_without_updates(callable_, arguments, updates_dtype()) : describe(settled, {});
        return std::visit([&](const auto& any) { return strew::places(any, options_); }, op);
      });
    });
    return hand_over(first_ == nullptr ? nullptr : first_->library(), std::move(list));
  }

  // The op as data, and the arrays that NumPy did not make, converted to NumPy's: {argument: array}.
  nb::object describe_as_data() {
    static_cast<void>(settle());
    nb::object arrays = checked(PyDict_New());
    for (std::size_t slot = 0; slot < callable_.slots().parameters(); ++slot) {
      if (arrays_[slot] == nullptr || ndarray::is_plain(slots_.given[slot])) continue;
      const auto& view = std::get<ConstTensorRef>(argument(slot).value);
      if (view.dtype != Dtype::string) keep_copy(arrays, slot, hand_over(nullptr, Tensor::copy_of(view)));
    }
    return tuple_of({described(callable_, arguments_), arrays});
  }

  Derived derive(const Derive& work) {
    std::vector<std::optional<Tensor>> made = stopping_once([&] {
      static_cast<void>(settle());
      return without_lock([&] { return work(arguments_, beside_views_, options_); });
    });
    Derived derived{std::move(made), {}, first_ == nullptr ? nullptr : first_->library()};
    for (const Array* array : arrays_) derived.libraries.push_back(array == nullptr ? nullptr : array->library());
    return derived;
  }

  // What `say` says of the op. Refuses what a run would refuse.
  template <class Say>
  std::string told(Say say) {
    PyObject* const out = slots_.given[callable_.slots().out()];
    if (!callable_.in_place && !is_none(out)) take_out(out);
    return stopping_once([&] {
      const Settled settled = callable_.in_place      ? settle_writable(*arrays_[0])
                              : out_array_ != nullptr ? settle_writable(*out_array_)
                                                      : settle();
      const bool has_memory = callable_.in_place || out_array_ != nullptr;
      return without_lock([&] {
        const AnyOp op = describe(settled, has_memory ? writable(out_view()) : TensorRef());
        return std::visit([&](const auto& any) { return say(any, options_); }, op);
      });
    });
  }

 private:
  // Runs `once`, and once more if a signal whose handler returns has stopped it.
  template <class Once>
  std::invoke_result_t<Once> stopping_once(Once once) {
    return interruptible([&](bool may_stop) {
      may_stop_ = may_stop;
      if (!may_stop) {
        runs_code_ = true;
        ran_ = Code::any;
      }
      return once();
    });
  }

  void go_on_with(const Begun& begun) {
    begun_ = &begun;
    options_.threads = begun.threads;
  }

  // The scatter begins with the first piece that has points: its rows are known then.
  void step_op(Begun& begun, const ScatterOp& op) const {
    if (begun.scatter != nullptr) return begun.scatter->step(op, options_);
    validate(op);
    if (is_empty(op.where.points)) return;
    auto scatter = std::make_unique<UnfinishedScatter>(op, options_);
    scatter->step(op, options_);
    begun.scatter = std::move(scatter);
  }

  void keep_copy(const nb::object& arrays, std::size_t slot, const nb::object& copy) const {
    const nb::object name = text(callable_.op->parameters[slot].name);
    if (PyDict_SetItem(arrays.ptr(), name.ptr(), copy.ptr()) != 0) throw nb::python_error();
  }

  nb::object run_once() {
    if (callable_.in_place) return run_in_place();
    PyObject* const out = slots_.given[callable_.slots().out()];
    return is_none(out) ? compute_new() : run_into(out);
  }

  // The dtype of updates that are not given: `dtype=`, else that of the input, else the dialect's default for lists.
  [[nodiscard]] Dtype updates_dtype() const {
    return updates_dtype_.value_or(data_.value_or(literal_types_of(callable_.op->dialect).floating));
  }

  // Proves that all addresses were taken after the last code of the caller ran. Code that requires one must not run any.
  class Settled {
    friend class Call;
    Settled() = default;
  };

  // Takes the addresses of all arrays. Code that ran while arguments were read may have moved them.
  [[nodiscard]] Settled settle() {
    if (elements_ >= lock_free_elements) {
      if (!runs_code_) watch_all();
      // Ctrl-C while a long call reads its arguments ends it here.
      if (foreign<&PyErr_CheckSignals>() != 0) throw nb::python_error();
      runs_code_ = true;
      ran_ = Code::any;
    }
    if (runs_code_) reread();
    if (planned_ != nullptr) take_kept();
    if (begun_ != nullptr && !std::exchange(took_kept_, true)) arguments_.append(begun_->kept);
    return {};
  }

  // With an array that is written into.
  [[nodiscard]] Settled settle_writable(const Array& array) {
    naming(out_name(), [&] { array.require_changeable(out_name()); });
    const Settled settled = settle();
    if (array.refusal() != nullptr) out_name().fail_array(cat(array.refusal(), instead_of_writing()));
    return settled;
  }

  // The output must still be what it was when the pieces began.
  [[nodiscard]] Settled settle_same_out(const Begun& begun) {
    const Settled settled = settle_writable(*arrays_[0]);
    const ConstTensorRef &now = out_view(), &then = begun.out;
    if (now.data != then.data || now.dtype != then.dtype || !(now.shape == then.shape) || !(now.strides == then.strides))
      name(0).fail_array("was resized or moved since the pieces began; only abort() is left");
    return settled;
  }

  // What to do where an array cannot be written.
  [[nodiscard]] std::string instead_of_writing() const {
    const Operator& op = *callable_.op;
    if (callable_.in_place) return op.in_place ? cat("; ", op.dialect, ".", op.name, " returns a new array instead") : "";
    const bool starts_from_out = planned_ != nullptr && planned_->input && is_none(slots_.given[0]);
    return starts_from_out ? "; as base= it is left as it is, and the result is a new array" : "; without out= the result is a new array";
  }

  void reread() {
    watched_.check();
    for (std::size_t slot = 0; slot < callable_.slots().parameters(); ++slot) {
      if (arrays_[slot] != nullptr) arrays_[slot]->reread(std::get<ConstTensorRef>(argument(slot).value), name(slot), ran_);
      if (!is_key(callable_.op->parameters[slot].type) || slots_.given[slot] == nullptr) continue;
      auto& key = std::get<IndexKey>(argument(slot).value);
      for (std::size_t i = 0; i < key.size(); ++i) {
        if (key_arrays_[i] != nullptr) key_arrays_[i]->reread(std::get<ConstTensorRef>(key[i]), name(slot), ran_);
      }
    }
    if (out_array_ != nullptr) out_array_->reread(out_, out_name(), ran_);
    for (std::size_t i = 0; i < beside_.size(); ++i) beside_arrays_[i]->reread(beside_views_[i], name_of(beside_[i]), ran_);
  }

  // What is written into: the first argument, or out=.
  const ConstTensorRef& out_view() { return callable_.in_place ? std::get<ConstTensorRef>(argument(0).value) : out_; }

  // Whether nothing that reading the argument does can run code of the caller's.
  [[nodiscard]] bool is_inert_at(std::size_t slot) const {
    PyObject* const given = slots_.given[slot];
    if (is_inert(given)) return true;
    return slot < callable_.slots().parameters() && is_key(callable_.op->parameters[slot].type) && is_inert_key(given);
  }

  void watch_all() {
    for (std::size_t i = 0; i <= callable_.slots().out(); ++i) {
      if (slots_.given[i] == nullptr) continue;
      each_part(slots_.given[i], [&](PyObject* part) { watched_.add(part, i == callable_.slots().out() ? out_name() : name(i)); });
    }
    for (const Beside& array : beside_) watched_.add(array.object, name_of(array));
  }

  ArgumentName name(std::size_t slot) const {
    ArgumentName own{callable_.op, callable_.in_place, callable_.op->parameters[slot].name, planned_ != nullptr};
    // A plan takes what the output starts from by another name.
    if (own.in_plan && slot == 0 && planned_->input) own.argument = own.in_place ? "out" : "base";
    return own;
  }
  ArgumentName out_name() const {
    if (callable_.in_place) return name(0);
    return {callable_.op, false, "out", planned_ != nullptr};
  }

  ArgumentName name_of(const Beside& array) const { return {callable_.op, callable_.in_place, array.name}; }

  Argument& add(std::size_t slot) {
    positions_[slot] = static_cast<std::uint8_t>(arguments_.size());
    Argument& argument = arguments_.emplace_back();
    argument.name = callable_.op->parameters[slot].name;
    return argument;
  }

  // Exceptions from code of the argument become errors that name the argument.
  template <class Work>
  std::invoke_result_t<Work> naming(const ArgumentName& name, Work work) const {
    try {
      return runs_code_ ? outliving_interpreter(work) : work();
    } catch (nb::python_error& raised) {
      throw_with_cause(raised, cat(name.operator_name(), ": ", name.argument));
    } catch (const std::bad_cast&) {
      forget_error();  // from the conversion
      name.fail_array("describes itself with values of the wrong type");
    }
  }

  // Before an argument is read, unless all of them are inert.
  void see_code(std::size_t slot, PyObject* given) {
    if (ran_ == Code::any || is_inert_at(slot)) return;
    const bool is_out = slot == callable_.slots().out();
    if (!is_out && (!is_array(callable_.op->parameters[slot].type) || slots_.is_renamed[slot])) {
      ran_ = Code::any;
      return;
    }
    see_array_code(given);
  }
  void see_array_code(PyObject* given) {
    const Library* const library = is_plain_array(given) ? library_of(given) : nullptr;
    if (library != nullptr && (library == quiet_ || is_quiet(*library))) {
      quiet_ = library;
    } else {
      ran_ = Code::any;
    }
  }

  void convert(std::size_t slot) {
    const ArgumentName name = this->name(slot);
    naming(name, [&] { convert(slot, name); });
  }

  void convert(std::size_t slot, const ArgumentName& name) {
    const Parameter& parameter = callable_.op->parameters[slot];
    PyObject* const given = slots_.given[slot];
    if (given == nullptr || (given == Py_None && parameter.fallback && takes_none(parameter))) return;
    if (runs_code_) see_code(slot, given);
    switch (parameter.type) {
      case Parameter::tensor:
      case Parameter::updates:
      case Parameter::indices:
      case Parameter::target:
      case Parameter::source: convert_array(slot, given, name); break;
      case Parameter::integer: add(slot).value = Number(integer_from(given, name)); break;
      case Parameter::boolean: add(slot).value = Number(boolean_from(given, name)); break;
      case Parameter::word: add(slot).value = word_from(given, name); break;
      case Parameter::shape: {
        Dims shape = shape_from(given, name);
        elements_ += elements_of(shape);
        add(slot).value = std::move(shape);
        break;
      }
      case Parameter::index_key:
      case Parameter::columns:
        elements_ += elements_of(add(slot).value.emplace<IndexKey>(key_from(given, parameter.type, memory_, key_arrays_, name)));
        break;
      case Parameter::number: {
        auto number = number_from(given, name);
        if (!number) number = element_from(given, name);
        if (!number) name.fail(ErrorCode::dtype, cat("must be a number, got ", type_name(given)));
        add(slot).value = *number;
        break;
      }
    }
  }

  // Numbers stay numbers where the operator takes them. Lists wait until the dtype of the arrays is known.
  void convert_array(std::size_t slot, PyObject* given, const ArgumentName& name) {
    const Parameter::Type type = callable_.op->parameters[slot].type;
    if (type == Parameter::source && !is_plain_array(given)) {
      const bool is_own = is_inert(given);  // one of Python's numbers
      const bool typed = literals_of(*callable_.op).typed_numbers && !is_own && is_numpy_number(given);
      if (const auto number = typed ? std::nullopt : number_from(given, name)) {
        add(slot).value = *number;
        return;
      }
    }
    // The other name of a source is that of a number, for which PyTorch takes a tensor of rank 0 as well, of any type.
    if (slots_.is_renamed[slot]) {
      if (const auto number = element_from(given, name)) {
        add(slot).value = *number;
        return;
      }
    }
    if (is_literal(given)) {
      has_lists_ = true;
      return;
    }
    Argument& argument = add(slot);
    auto& view = argument.value.emplace<ConstTensorRef>();
    Array& array = memory_.add();
    if (!array.take(given, view, name, slots_.is_free[slot], quiet_))
      name.fail(ErrorCode::dtype, cat("must be an array, got ", type_name(given)));
    if (!array.is_as_given()) ran_ = Code::any;
    elements_ += elements_of(view.shape);
    arrays_[slot] = &array;
  }

  // An array that is no argument of the operator.
  void convert_beside(const Beside& given) {
    const ArgumentName name = name_of(given);
    Array& array = *beside_arrays_.emplace_back(&memory_.add());
    ConstTensorRef& view = beside_views_.emplace_back();
    naming(name, [&] {
      if (ran_ != Code::any && !is_inert(given.object)) see_array_code(given.object);
      if (!array.take(given.object, view, name, false, quiet_))
        name.fail(ErrorCode::dtype, cat("must be an array, got ", type_name(given.object)));
    });
    if (!array.is_as_given()) ran_ = Code::any;
    elements_ += elements_of(view.shape);
  }

  void see_type(std::size_t slot) {
    if (first_ == nullptr) first_ = arrays_[slot];
    if (is_data(callable_.op->parameters[slot].type) && !data_) data_ = std::get<ConstTensorRef>(argument(slot).value).dtype;
  }

  void convert_list(std::size_t slot) {
    const Parameter& parameter = callable_.op->parameters[slot];
    if (!is_array(parameter.type) || arrays_[slot] != nullptr || slots_.given[slot] == nullptr) return;
    for (const Argument& argument : arguments_) {
      if (argument.name == parameter.name) return;  // a number
    }
    Argument& argument = add(slot);
    auto& view = argument.value.emplace<ConstTensorRef>();
    const bool follows = is_data(parameter.type) && data_ && !literals_of(*callable_.op).typed_numbers;
    Array& array = memory_.add();
    const ArgumentName name = this->name(slot);
    naming(name, [&] { array.take_list(slots_.given[slot], view, name, follows ? data_ : std::nullopt); });
    elements_ += elements_of(view.shape);
    arrays_[slot] = &array;
    see_type(slot);
  }

  // Adds the arguments that the plan was made with. The input of the call must have their dtype and shape.
  void take_kept() {
    const bool is_first = !std::exchange(took_kept_, true);
    if (is_first) arguments_.append(planned_->kept);
    elements_ += element_count(planned_->updates.shape);  // there were so many indices
    if (!planned_->input) return;
    if (slots_.given[0] == nullptr) {
      if (is_first) add(0).value = *planned_->input;
      return;
    }
    const auto& view = std::get<ConstTensorRef>(argument(0).value);
    const ConstTensorRef& input = *planned_->input;
    if (view.dtype != input.dtype)
      name(0).fail(ErrorCode::dtype, cat("must be ", to_string(input.dtype), ", as the plan was made for, got ", to_string(view.dtype)));
    if (!(view.shape == input.shape)) {
      name(0).fail(ErrorCode::shape,
                   cat("must have shape ", bracketed(input.shape), ", as the plan was made for, got ", bracketed(view.shape)));
    }
  }

  // The op of a call with a plan. If types are promoted, the plan must have been made for the promoted type. Without a base, the output
  // starts from its current values.
  ScatterOp planned(AnyOp any) const {
    auto& op = std::get<ScatterOp>(any);
    const Dtype dtype = op.scalar ? op.scalar->dtype : op.updates.dtype, expected = planned_->plan.updates_dtype();
    if (dtype != expected) {
      throw Error(ErrorCode::dtype, cat(op.name, ": the plan was made for ", op.name.updates, " of ", to_string(expected), ", got ",
                                        to_string(dtype), "; plan(..., dtype=\"", to_string(dtype), "\") makes one for that"));
    }
    if (planned_->input && slots_.given[0] == nullptr) op.base = InPlace{};
    return std::move(op);
  }

  AnyOp describe(Settled, const TensorRef& out) const { return callable_.op->describe(out, Arguments(*callable_.op, arguments_)); }

  template <class Work>
  std::invoke_result_t<Work> without_lock(Work work) const {
    return strew::python::without_lock(elements_, work, may_stop_ && elements_ >= long_elements ? &stop_if_interrupted : nullptr);
  }

  // Into the first argument or out=, which can be written.
  void run_on(Array& array) {
    const Settled settled = settle_writable(array);
    const TensorRef out = writable(out_view());
    try {
      // Describing may take long as well: masks become indices, and updates are converted.
      without_lock([&] {
        if (planned_ != nullptr) return planned_->plan.apply(planned(describe(settled, out)), options_);
        std::visit([&](auto&& any) { run_consuming(any, options_); }, describe(settled, out));
      });
    } catch (const Error& error) {
      if (error.code() == ErrorCode::changed) array.tell_written();
      throw;
    }
    array.tell_written();
    if (array.strings() != nullptr) store_strings(array.object(), *array.strings(), out_name());
  }

  nb::object run_in_place() {
    run_on(*arrays_[0]);
    return planned_ == nullptr && callable_.returns_nothing() ? nb::none() : nb::borrow(slots_.given[0]);
  }

  // Throws the dialect's own error if the array is on another device and the dialect has one.
  void refuse_other_device(PyObject* object, const ArgumentName& name) const {
    const std::string_view words = literals_of(*callable_.op).no_cpu;
    if (words.empty() || !has(object, "device")) return;
    const nb::object own = attribute(object, "device");
    const std::string device = shown(own.ptr());
    if (device != "cpu") throw ArrayError(cat(name.operator_name(), ": ", words, device, " instead"));
  }

  // The caller's array to write into.
  void take_out(PyObject* object) {
    out_array_ = &memory_.add();
    const ArgumentName name = out_name();
    naming(name, [&] { see_code(callable_.slots().out(), object); });
    bool is_array = false;
    try {
      is_array = naming(name, [&] { return out_array_->take(object, out_, name, false, quiet_); });
    } catch (const ArrayError&) {
      refuse_other_device(object, name);
      throw;
    }
    if (!is_array) throw Error(ErrorCode::dtype, cat(name.operator_name(), ": ", literals_of(*callable_.op).no_array, type_name(object)));
    if (!out_array_->is_as_given()) ran_ = Code::any;
    elements_ += elements_of(out_.shape);
  }

  nb::object run_into(PyObject* object) {
    take_out(object);
    run_on(*out_array_);
    return nb::borrow(object);
  }

  nb::object compute_new() {
    const Settled settled = settle();
    Tensor result = without_lock([&] {
      if (planned_ != nullptr) return planned_->plan.compute(planned(describe(settled, {})), options_);
      return std::visit([&](auto&& any) { return compute(std::move(any), options_); }, describe(settled, {}));
    });
    if (result.dtype() == Dtype::string) return strings_to(strings_like(), result);
    return hand_over(first_ == nullptr ? nullptr : first_->library(), std::move(result));
  }

  PyObject* strings_like() const {
    for (const Array* array : arrays_) {
      if (array != nullptr && array->strings() != nullptr) return array->object();
    }
    return Py_None;
  }

  // The argument that add() made for the slot.
  Argument& argument(std::size_t slot) { return arguments_[positions_[slot]]; }

  const Callable& callable_;
  const Slots& slots_;
  const Planned* const planned_;  // null: the indices are among the arguments
  const std::span<const Beside> beside_;
  SmallVector<Array*, 4> beside_arrays_;
  SmallVector<ConstTensorRef, 4> beside_views_;
  const Begun* begun_ = nullptr;  // of a call that goes on with pieces
  RunOptions options_;
  Arrays memory_;
  Array* arrays_[max_slots] = {};  // in memory_; null for arguments that are not arrays
  KeyArrays key_arrays_;
  WatchedViews watched_;
  Array* out_array_ = nullptr;  // of out=
  ConstTensorRef out_;
  SmallVector<Argument, 8> arguments_;
  std::uint8_t positions_[max_slots];  // in arguments_, of those that were added
  const Array* first_ = nullptr;  // decides the type of the result
  std::optional<Dtype> data_, updates_dtype_;
  std::int64_t elements_ = 0;  // of everything that is read or written
  bool may_stop_ = true;       // at a signal, before the first write
  bool has_lists_ = false;     // and numbers, which become arrays when the dtype of the arrays is known
  bool took_kept_ = false;     // the arguments that the plan was made with, or the pieces, are there
  bool runs_code_ = false;     // reading an argument may have run code of the caller's
  Code ran_ = Code::of_a_collection;  // while arguments were read
  const Library* quiet_ = nullptr;    // reading its arrays runs no code of the caller's during this call
};

}  // namespace

nb::object call(const Callable& callable, const Slots& slots) {
  return with_own_errors(callable, [&] { return Call(callable, slots).run(); });
}
Planned plan_call(const Callable& callable, const Slots& slots) {
  return with_own_errors(callable, [&] { return Call(callable, slots).plan(); });
}
Planned plan_arguments(const Callable& callable, SmallVector<Argument, 8> arguments, Dtype updates_dtype, const RunOptions& options,
                       const ConstTensorRef& places) {
  return without_lock(element_count(places.shape), [&] { return planned_of(callable, arguments, updates_dtype, options, &places); });
}
nb::object apply_plan(const Callable& callable, const Planned& planned, const Slots& slots) {
  return with_own_errors(callable, [&] { return Call(callable, slots, &planned).run(); });
}
Begun begin_pieces(const Callable& callable, const Slots& slots) {
  return with_own_errors(callable, [&] { return Call(callable, slots).begin(); });
}
void step_piece(const Callable& callable, Begun& begun, const Slots& slots) {
  const std::string name = ArgumentName{callable.op, true, {}}.operator_name();
  try {
    with_own_errors(callable, [&] { Call(callable, slots).step(begun); });
  } catch (const Error& error) {
    throw_in_piece(error, name.c_str(), begun.count);
  } catch (const ArrayError& error) {
    throw ArrayError(in_piece(error.what(), name.c_str(), begun.count));
  }
  ++begun.count;
}
void finish_pieces(const Callable& callable, Begun& begun, PyObject* out) {
  Slots slots{};
  slots.given[0] = out;
  with_own_errors(callable, [&] { Call(callable, slots).finish(begun); });
}
nb::object describe_call(const Callable& callable, const Slots& slots) {
  return with_own_errors(callable, [&] { return Call(callable, slots).describe_as_data(); });
}
Derived derive_call(const Callable& callable, const Slots& slots, std::span<const Beside> beside, const Derive& work) {
  return with_own_errors(callable, [&] { return Call(callable, slots, nullptr, beside).derive(work); });
}
nb::object places_call(const Callable& callable, const Slots& slots) {
  return with_own_errors(callable, [&] { return Call(callable, slots).places(); });
}
nb::object explain_call(const Callable& callable, const Slots& slots) {
  const auto say = [](const auto& op, const RunOptions& options) { return strew::explain(op, options); };
  return with_own_errors(callable, [&] { return text(Call(callable, slots).told(say)); });
}
nb::object draw_call(const Callable& callable, const Slots& slots) {
  const auto say = [](const auto& op, const RunOptions&) { return picture(op); };
  return with_own_errors(callable, [&] { return text(Call(callable, slots).told(say)); });
}

}  // namespace strew::python
