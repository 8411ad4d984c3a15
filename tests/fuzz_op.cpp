// libFuzzer: bytes make an op, a plan or a gather by hand. What is refused changes nothing, and what runs gives the bits of the plain loop,
// whichever strategy, layout, instruction set and number of threads does it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/executor.h"
#include "kernels/pin.h"
#include "ops/gradient_judge.h"
#include "ops/loop.h"
#include "ops/recipe.h"
#include "strategies/replay.h"
#include "strategies/strategy.h"
#include "strew/gradient.h"
#include "strew/pieces.h"
#include "strew/places.h"
#include "strew/plan.h"

namespace strew::ops {
using namespace internal;
namespace {

// What a call did: its error, and the memory after it.
struct Answer {
  std::optional<ErrorCode> code;
  std::string message;
  Memory memory;
};

// Anything but an Error that a call throws ends the fuzzer.
template <class Call>
Answer attempt(const Memory& before, Call call) {
  Answer answer{{}, {}, before};
  try {
    call(answer.memory);
  } catch (const Error& error) {
    answer.code = error.code();
    answer.message = error.what();
  }
  return answer;
}

bool is_declined(const Answer& answer) {
  return answer.code == ErrorCode::argument && answer.message.find("\" declined: ") != std::string::npos;
}

// Whether two elements of a small view are the same memory.
bool overlaps_itself(const View& view) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const std::vector<std::int64_t> before = std::exchange(offsets, {});
    for (std::int64_t at = 0; at < view.shape[d]; ++at) {
      for (const std::int64_t offset : before) offsets.push_back(offset + (at == 0 ? 0 : at * view.strides[d]));
    }
  }
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

class Fuzz {
 public:
  explicit Fuzz(std::span<const std::uint8_t> bytes) : choices_(bytes), recipe_(make_recipe(choices_, before_)) {}

  void run() {
    static const std::vector<std::string_view> sets = instruction_sets();
    pin_instruction_set(choices_.pick(sets));
    if (recipe_.gathers) judge([](const Recipe& r, Memory& m) { return r.gather(m); });
    else judge([](const Recipe& r, Memory& m) { return r.scatter(m); });
  }

 private:
  [[noreturn]] void fail(const std::string& what, const Answer& answer) const {
    std::fprintf(stderr, "%s: %s %s\n%s", what.c_str(), answer.code ? std::string(to_string(*answer.code)).c_str() : "done",
                 answer.message.c_str(), print(recipe_).c_str());
    std::abort();
  }
  void require(bool fine, const std::string& what, const Answer& answer) const {
    if (!fine) fail(what, answer);
  }

  RunOptions options() {
    static harness::ThreadExecutor threads(3);
    static constexpr std::int64_t blocks[] = {0, 1, 3, 512, 7, INT64_MAX};
    RunOptions options;
    options.threads = choices_.between(1, 5);
    options.executor = choices_.chance(50) ? threads.get() : nullptr;
    options.block_points = choices_.pick(blocks);
    return options;
  }

  // A bool is true whatever its byte, and the sign of a NaN that a division makes is the processor's.
  void settle(Memory& memory) const {
    const View& view = recipe_.out;
    const bool is_mean = recipe_.fold.finish == FoldFinish::mean;
    if (view.null || view.dtype > Dtype::string) return;
    if (view.dtype == Dtype::bool_) {
      for (std::byte& byte : memory.bytes[view.buffer]) byte = static_cast<std::byte>(byte != std::byte{0});
    }
    const auto settle_parts = [&]<class T>(T) {
      std::vector<std::byte>& bytes = memory.bytes[view.buffer];
      for (std::size_t at = bytes.size() % sizeof(T); at < bytes.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
        std::memcpy(bytes.data() + at, &value, sizeof value);
      }
    };
    if (is_mean && view.dtype == Dtype::complex64) settle_parts(float());
    if (is_mean && view.dtype == Dtype::complex128) settle_parts(double());
  }

  [[nodiscard]] bool shares_memory() const {
    const auto shares = [&](const View& view) {
      return view.buffer == recipe_.out.buffer && (view.dtype == Dtype::string) == (recipe_.out.dtype == Dtype::string);
    };
    bool any = shares(recipe_.base) || (!recipe_.gathers && shares(recipe_.updates));
    for (const View& column : recipe_.columns) any = any || shares(column);
    return any;
  }

  template <class Make>
  void judge(Make make) {
    const Answer checked = attempt(before_, [&](Memory& memory) { validate(make(recipe_, memory)); });
    const Answer explained = attempt(before_, [&](Memory& memory) { static_cast<void>(explain(make(recipe_, memory), options())); });
    require(checked.memory == before_ && explained.memory == before_, "memory changed without a run", checked);
    if (checked.code) {
      require(recipe_.odd || checked.code == ErrorCode::unsupported, "a sound op was refused", checked);
      const Answer ran = attempt(before_, [&](Memory& memory) { strew::run(make(recipe_, memory), options()); });
      require(ran.code == checked.code && ran.message == checked.message && ran.memory == before_, "run and check differ", ran);
    }
    if (recipe_.huge) {
      if (!recipe_.gathers) each_plan([&](const Plan& plan, std::string_view) { require(plan.nbytes() >= 0, "bytes overflow", checked); });
      return;
    }
    if (checked.code) return;
    const Answer serial =
        attempt(before_, [&](Memory& memory) { strew::run(make(recipe_, memory), {.threads = 1, .strategy = "serial"}); });
    judge_serial(serial, make);
    for (const Strategy* strategy : strategies()) {
      RunOptions with = options();
      with.strategy = strategy->name;
      const Answer other = attempt(before_, [&](Memory& memory) { strew::run(make(recipe_, memory), with); });
      require(is_declined(other) || agree(other, serial), "another answer by " + std::string(strategy->name), other);
    }
    const Answer chosen = attempt(before_, [&](Memory& memory) { strew::run(make(recipe_, memory), options()); });
    require(agree(chosen, serial), "another answer by choice", chosen);
    judge_compute(serial, make);
    judge_gradient(serial, make);
    if (!recipe_.gathers) judge_plans(serial);
    judge_places(serial, make);
    judge_into(make);
    if (recipe_.gathers) return;
    judge_pieces(serial);
    judge_plan_from_places(serial);
  }

  [[nodiscard]] bool agree(const Answer& a, const Answer& b) const {
    return a.code == b.code && a.message == b.message && a.memory == b.memory;
  }

  template <class Make>
  void judge_serial(const Answer& serial, Make make) {
    const bool overlaps = overlaps_itself(recipe_.out);
    Memory expected = before_;
    const Judgement judgement = overlaps ? Judgement::undefined : run_loop(make(recipe_, expected));
    if (serial.code) {
      require(serial.memory == before_, "an error left marks", serial);
      if (serial.code == ErrorCode::overlap) require(overlaps || shares_memory(), "no overlap", serial);
      else require(serial.code == ErrorCode::index && judgement == Judgement::bad_index, "an error without a reason", serial);
      return;
    }
    require(!overlaps, "an output that overlaps itself was written", serial);
    require(judgement != Judgement::bad_index, "a bad index was taken", serial);
    if (judgement == Judgement::undefined) return;
    Memory got = serial.memory;
    settle(got);
    settle(expected);
    require(got == expected, "not what the loop gives", serial);
  }

  // The elements of a computed tensor are those of the output in row-major order.
  template <class Make>
  void judge_compute(const Answer& serial, Make make) {
    std::optional<Tensor> result;
    const Answer computed = attempt(before_, [&](Memory& memory) { result = compute(make(recipe_, memory), options()); });
    require(computed.memory == before_, "compute changed memory", computed);
    if (serial.code == ErrorCode::overlap) return;
    require(computed.code == serial.code && computed.message == serial.message, "compute and run differ", computed);
    if (computed.code) return;
    Memory after = serial.memory;
    const TensorRef out = make(recipe_, after).out;
    const Tensor wanted = Tensor::copy_of(out);
    bool same = wanted.shape() == result->shape() && wanted.dtype() == result->dtype();
    if (same && wanted.dtype() == Dtype::string) {
      const auto a = std::as_const(wanted).values<std::string>(), b = std::as_const(*result).values<std::string>();
      same = std::equal(a.begin(), a.end(), b.begin(), b.end());
    } else if (same && wanted.size() > 0) {
      same = std::memcmp(wanted.data(), result->data(), static_cast<std::size_t>(wanted.size() * size_of(wanted.dtype()))) == 0;
    }
    require(same, "compute gives other elements", computed);
  }

  // Derivatives read the op, and take it wherever run() does.
  template <class Make>
  void judge_gradient(const Answer& serial, Make make) {
    if (serial.code == ErrorCode::overlap) return;
    std::string wrong;
    const Answer judged = attempt(before_, [&](Memory& memory) { wrong = wrong_with_gradient(make(recipe_, memory), options()); });
    require(wrong.empty(), wrong, serial);
    require(judged.memory == before_, "a gradient changed memory", judged);
    require(!judged.code || judged.code == serial.code, "a gradient was refused", judged);
  }

  // Calls use(plan, layout) for every layout that takes the op; returns the last error that is not about the layout.
  template <class Use>
  Answer each_plan(Use use) {
    Answer refused;
    const auto one = [&](std::string_view layout) {
      RunOptions with = options();
      with.strategy = layout;
      std::optional<Plan> made;
      const Answer planned = attempt(before_, [&](Memory& memory) { made.emplace(plan(recipe_.scatter(memory), with)); });
      require(planned.memory == before_, "a plan changed memory", planned);
      if (made) use(*made, layout);
      else if (!is_declined(planned)) refused = planned;
    };
    one({});
    for (const Layout* layout : layouts()) one(layout->name);
    return refused;
  }

  void judge_plans(const Answer& serial) {
    const auto wrong = [&](const Answer& got) {
      if (serial.code == ErrorCode::overlap) return got.code && !(got.memory == before_);  // a plan does not read the indices again
      return !agree(got, serial);
    };
    const Answer refused = each_plan([&](const Plan& plan, std::string_view layout) {
      const std::string by = " by plan " + std::string(layout);
      for (int turn = 0; turn < 2; ++turn) {
        const Answer again = attempt(before_, [&](Memory& memory) { plan.apply(recipe_.scatter(memory), options()); });
        require(!wrong(again), "another answer" + by, again);
      }
      if (recipe_.begins == Recipe::Base::tensor) return;
      const Answer applied = attempt(before_, [&](Memory& memory) {
        const ScatterOp op = recipe_.scatter(memory);
        if (op.scalar) plan.apply(*op.scalar, op.out, options());
        else plan.apply(op.updates, op.out, options());
      });
      const Dims& updates = plan.updates_shape();
      if (!(recipe_.scalar && updates.size() > max_rank)) require(!wrong(applied), "another answer applied" + by, applied);
    });
    if (refused.code)
      require(refused.code == ErrorCode::index && (serial.code == ErrorCode::index || serial.code == ErrorCode::overlap),
              "a plan was refused", refused);
    if (refused.code && serial.code == ErrorCode::index) require(refused.message == serial.message, "a plan says something else", refused);
  }

  // A run that succeeds has places.
  template <class Make>
  void judge_places(const Answer& serial, Make make) {
    const Answer listed = attempt(before_, [&](Memory& memory) { static_cast<void>(places(make(recipe_, memory), options())); });
    require(listed.memory == before_, "listing places changed memory", listed);
    require(!listed.code || serial.code, "places were refused", listed);
  }

  // A view of a result, sometimes spoiled.
  template <class Ref>
  Ref spoiled(Ref view) {
    static constexpr std::int64_t sizes[] = {-1, 0, 1, 2, std::int64_t{1} << 61, INT64_MAX, INT64_MIN};
    if (!choices_.chance(20)) return view;
    switch (choices_.between(0, 3)) {
      case 0: view.data = nullptr; break;
      case 1: view.dtype = static_cast<Dtype>(choices_.between(0, 255)); break;
      case 2: view.strides.push_back(1); break;
      default:
        if (!view.shape.empty()) view.shape[0] = choices_.pick(sizes);
        view.strides = Dims(view.shape.size(), 0);
    }
    return view;
  }

  // Derivatives into the memory of the op itself: what is refused leaves no marks.
  template <class Make>
  void judge_into(Make make) {
    if (recipe_.out.dtype > Dtype::string) return;
    const auto refused_or_done = [&](const char* what, auto call) {
      const Answer answer = attempt(before_, [&](Memory& memory) { call(make(recipe_, memory)); });
      require(!answer.code || answer.memory == before_, std::string(what) + " left marks", answer);
      require(answer.message.size() <= 1000, std::string(what) + " says too much", answer);
    };
    refused_or_done("vjp_into", [&](const auto& op) {
      const Tensor zeros = Tensor::zeros(op.out.dtype, op.out.shape);
      const ConstTensorRef cotangent = spoiled(ConstTensorRef(zeros));
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(op)>, GatherOp>) {
        vjp_into(spoiled(TensorRef(const_cast<void*>(op.from.data), op.from.dtype, op.from.shape, op.from.strides)), op, cotangent,
                 options());
      } else {
        CotangentsInto into{.base = spoiled(op.out)};
        if (choices_.chance(50))
          into.updates = spoiled(TensorRef(const_cast<void*>(op.updates.data), op.updates.dtype, op.updates.shape, op.updates.strides));
        vjp_into(into, op, cotangent, {}, options());
      }
    });
    refused_or_done("jvp_into", [&](const auto& op) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(op)>, GatherOp>) {
        const Tensor zeros = Tensor::zeros(op.from.dtype, op.from.shape);
        jvp_into(spoiled(op.out), op, spoiled(ConstTensorRef(zeros)), options());
      } else {
        const Tensor zeros = Tensor::zeros(op.out.dtype, op.out.shape);
        ScatterTangents tangents;
        if (choices_.chance(70)) tangents.base = spoiled(ConstTensorRef(zeros));
        jvp_into(spoiled(op.out), op, tangents, {}, options());
      }
    });
  }

  // A scatter in one piece is the scatter.
  void judge_pieces(const Answer& serial) {
    const Answer pieced = attempt(before_, [&](Memory& memory) {
      const ScatterOp op = recipe_.scatter(memory);
      Pieces pieces(op, options());
      pieces.step(op, options());
      pieces.finish(options());
    });
    require(!pieced.code || pieced.memory == before_, "pieces left marks", pieced);
    if (serial.code == ErrorCode::overlap || pieced.code == ErrorCode::overlap) return;
    require(pieced.code == serial.code && pieced.memory == serial.memory, "another answer in pieces", pieced);
  }

  // The places of a plan make the same plan; other numbers make an error, or a plan that writes nowhere else.
  void judge_plan_from_places(const Answer& serial) {
    if (serial.code) return;
    const Answer again = attempt(before_, [&](Memory& memory) {
      const ScatterOp op = recipe_.scatter(memory);
      const Tensor list = plan(op, options()).places();
      plan_from_places(op, list, options()).apply(op, options());
    });
    require(agree(again, serial), "another answer by the places of a plan", again);
    static constexpr std::int64_t numbers[] = {-2, -1, 0, 1, 1 << 20, INT32_MAX, INT64_MAX, INT64_MIN};
    const Answer other = attempt(before_, [&](Memory& memory) {
      const ScatterOp op = recipe_.scatter(memory);
      Tensor list = plan(op, options()).places();
      if (list.size() > 0 && list.dtype() == Dtype::int64) list.values<std::int64_t>()[0] = choices_.pick(numbers);
      plan_from_places(op, spoiled(ConstTensorRef(list)), options()).apply(op, options());
    });
    require(!other.code || other.memory == before_, "a plan from places left marks", other);
  }

  harness::ByteChoices choices_;
  Memory before_;
  Recipe recipe_;
};

}  // namespace
}  // namespace strew::ops

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strew::ops::Fuzz({data, size}).run();
  return 0;
}
