// Pieces: one scatter whose indices and updates come in several steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "strew/export.h"
#include "strew/run.h"

namespace strew::inline v0 {

// A scatter that takes its points piece by piece, for data that is larger than memory. The result has the bits of one call with all pieces
// joined in their order, whatever the cut: the fold begins once and finishes once.
//
// The output is read when the object is made and written by finish(), in one go; in between nobody may write it or free its memory, and no
// call reads it. Memory is one copy of the output, or its accumulators where the fold needs them; see nbytes().
//
// A piece that is rejected changes nothing, and the next one may follow. Errors name the piece, counted from 0. The exception is
// ErrorCode::changed: another thread changed indices while they were read. Then only abort() is left.
//
// One thread at a time may use an object: a call during another one throws an Error of code `argument`.
class STREW_API Pieces {
 public:
  // Takes the output, its base, the axes, the rows, the type of the updates and the fold from an op. Its points are not stepped and need no
  // memory; the op may have no points. Throws the Errors of run().
  explicit Pieces(const ScatterOp& op, const RunOptions& options = {});
  Pieces(Pieces&& other) noexcept;
  Pieces& operator=(Pieces&& other) noexcept;
  ~Pieces();  // aborts unless finished

  // Steps the points of an op that differs from the first one only in its points, indices and updates. All or nothing.
  void step(const ScatterOp& piece, const RunOptions& options = {});
  // The same with index columns of one shape, that of the points, and updates of that shape and the row; or with a number for every update.
  void step(std::span<const ConstTensorRef> columns, const ConstTensorRef& updates, const RunOptions& options = {});
  void step(std::span<const ConstTensorRef> columns, const Scalar& number, const RunOptions& options = {});

  // Writes the output. If it throws, nothing is written, and it may be called again.
  void finish(const RunOptions& options = {});
  // Leaves the output as it was, and frees the memory.
  void abort();

  // The bytes that the object holds besides the output; 0 after finish() and abort().
  [[nodiscard]] std::int64_t nbytes() const;
  // The number of pieces that were stepped.
  [[nodiscard]] std::int64_t count() const;

 private:
  struct State;
  [[nodiscard]] State& state() const;
  std::unique_ptr<State> state_;  // null after a move
};

}  // namespace strew::inline v0
