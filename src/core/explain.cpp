// Says in words how an op will run.
#include "base/text.h"
#include "core/accumulators.h"
#include "core/copy.h"
#include "strategies/blocks.h"

namespace strew {
namespace {

std::string loop_text(const Walk& walk) {
  return cat("  points: ", walk.point_count, " as ", bracketed(walk.points), ", rows of ", walk.row_count, " as ", bracketed(walk.row), ", ",
             walk.columns.size(), walk.columns.size() == 1 ? " index column\n" : " index columns\n");
}

std::string strategy_text(const Job& job, const RunOptions& options) {
  std::string declined;
  const Strategy& strategy = choose(job, options.strategy, &declined);
  return cat(declined, "  strategy: ", strategy.name, " (", strategy.summary, ")\n");
}

std::string check_text(bool before_writing) {
  return before_writing ? "  indices: checked in one pass before the first write, and again as they are used\n"
                        : "  indices: checked as they are used; nothing of the caller's is written before\n";
}

}  // namespace

std::string explain(const ScatterOp& op, const RunOptions& options) {
  check_form(op, false);
  Job job;
  TensorRef out = op.out;
  see_as_addressed(out, op.where);
  Dims stream = op.where.points;
  stream.append(op.where.row);
  const Dims strides = op.scalar ? Dims(stream.size(), 0) : op.updates.strides;
  make_walk(job.walk, op.where, layout(out), {stream, strides, size_of(op.out.dtype)});
  const bool accumulates = needs_accumulators(op.fold, op.out.dtype);
  const bool is_fresh = op.out.data == nullptr;
  std::string text = cat(op.name, " on ", name(op.out.dtype), " ", bracketed(op.out.shape), "\n", loop_text(job.walk), strategy_text(job, options),
                         check_text(!accumulates && !is_fresh));
  text += accumulates ? cat("  scratch: ", Accumulators::bytes(op), " bytes: an accumulator per element and a count per row\n") : cat("  scratch: ", largest_block * 8, " bytes of offsets on the stack\n");
  return text;
}

std::string explain(const GatherOp& op, const RunOptions& options) {
  check_form(op, false);
  Job job;
  ConstTensorRef from = op.from;
  see_as_addressed(from, op.where);
  make_walk(job.walk, op.where, layout(from), layout(op.out));
  return cat(op.name, " on ", name(op.from.dtype), " ", bracketed(op.from.shape), "\n", loop_text(job.walk), strategy_text(job, options),
             check_text(op.out.data != nullptr), "  scratch: ", largest_block * 8, " bytes of offsets on the stack\n");
}

}  // namespace strew
