// Guards the calls of one object: its state, its thread, and the number of the piece in errors.
#include "strew/pieces.h"

#include <atomic>
#include <new>
#include <optional>

#include "base/text.h"
#include "core/unfinished.h"

namespace strew::inline v0 {
using namespace internal;

// Not exported, although the enclosing class is.
struct [[gnu::visibility("hidden")]] Pieces::State {
  std::string name;
  std::optional<UnfinishedScatter> scatter;  // none after the end
  const char* end = "";
  std::int64_t count = 0;
  std::atomic<bool> busy = false;

  [[noreturn]] void fail(std::string_view sentence) const { throw Error(ErrorCode::argument, cat(name, ": ", sentence)); }
};

namespace {

// Marks an object as used by the calling thread.
template <class State>
class Using {
 public:
  explicit Using(State& state) : state_(state) {
    if (state.busy.exchange(true, std::memory_order_acquire)) state.fail("another call is running; pieces take one thread at a time");
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;
  ~Using() { state_.busy.store(false, std::memory_order_release); }

  [[nodiscard]] UnfinishedScatter& scatter() const {
    if (!state_.scatter) state_.fail(cat("the pieces were ", state_.end, " already"));
    return *state_.scatter;
  }

 private:
  State& state_;
};

// Calls work(), which may allocate.
template <class Work>
auto reporting_memory_errors(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, "Pieces: not enough memory; the output is unchanged");
  }
}

// Calls work(scatter), whose errors name the piece.
template <class State, class Work>
void step_piece(State& state, const Work& work) {
  reporting_memory_errors([&] {
    const Using use(state);
    UnfinishedScatter& scatter = use.scatter();
    try {
      work(scatter);
    } catch (const Error& error) {
      throw_in_piece(error, state.name.c_str(), state.count);
    }
    ++state.count;
  });
}

}  // namespace

Pieces::Pieces(const ScatterOp& op, const RunOptions& options) {
  reporting_memory_errors([&] {
    state_ = std::make_unique<State>();
    state_->name = cat(op.name.op);  // which may be null
    state_->scatter.emplace(op, options);
  });
}
Pieces::Pieces(Pieces&&) noexcept = default;
Pieces& Pieces::operator=(Pieces&&) noexcept = default;
Pieces::~Pieces() = default;

Pieces::State& Pieces::state() const {
  if (state_ == nullptr) throw Error(ErrorCode::argument, "Pieces: the object was moved from");
  return *state_;
}

void Pieces::step(const ScatterOp& piece, const RunOptions& options) {
  step_piece(state(), [&](UnfinishedScatter& scatter) { scatter.step(piece, options); });
}

void Pieces::step(std::span<const ConstTensorRef> columns, const ConstTensorRef& updates, const RunOptions& options) {
  step_piece(state(), [&](UnfinishedScatter& scatter) { scatter.step(scatter.piece(columns, &updates, nullptr), options); });
}

void Pieces::step(std::span<const ConstTensorRef> columns, const Scalar& number, const RunOptions& options) {
  step_piece(state(), [&](UnfinishedScatter& scatter) { scatter.step(scatter.piece(columns, nullptr, &number), options); });
}

void Pieces::finish(const RunOptions& options) {
  const Using use(state());
  use.scatter().finish(options);
  state_->scatter.reset();
  state_->end = "finished";
}

void Pieces::abort() {
  const Using use(state());
  static_cast<void>(use.scatter());
  state_->scatter.reset();
  state_->end = "aborted";
}

std::int64_t Pieces::nbytes() const {
  const Using use(state());
  return state_->scatter ? state_->scatter->nbytes() : 0;
}

std::int64_t Pieces::count() const {
  const Using use(state());
  return state_->count;
}

}  // namespace strew::inline v0
