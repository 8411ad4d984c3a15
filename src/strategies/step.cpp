// Calls the kernels.
#include "strategies/step.h"

#include <algorithm>

#include "kernels/prefetch.h"
#include "strategies/blocks.h"
#include "strategies/targets.h"

namespace strew::internal {
namespace {

// Calls a kernel for rows, one dense or strided run of the row at a time. The elements of a row are distinct, so each still gets its
// updates in the order of the points.
void each_row_run(const Job& job, RowKernel kernel, const Points& points, std::int64_t ahead = 0) {
  const Walk& walk = job.walk;
  const bool scalar = walk.row.empty();
  RowBlock block{.addressed = job.addressed,
                 .offsets = points.offsets,
                 .stream = points.stream,
                 .stream_stride = points.stream_stride,
                 .rows = points.count,
                 .width = scalar ? 1 : walk.row.back(),
                 .addressed_width_stride = scalar ? 0 : walk.addressed_row_strides.back(),
                 .stream_width_stride = scalar ? 0 : walk.stream_row_strides.back(),
                 .ahead = ahead,
                 .known = points.count};
  if (walk.row.size() <= 1) {
    kernel(block);
    return;
  }
  each_run(walk.row, [&](const Coordinates& at) {
    block.addressed = job.addressed + dot(at, walk.addressed_row_strides);
    block.stream = points.stream + dot(at, walk.stream_row_strides);
    kernel(block);
    return true;
  });
}

constexpr std::int64_t lines_ahead = 64, max_lines_of_row = 8;

}  // namespace

void step(const Job& job, const Points& points) {
  const Counts& counts = job.counts;
  if (!counts) {
    each_row_run(job, job.kernel, points);
    return;
  }
  if (counts.first == nullptr) {
    for (std::int64_t i = 0; i < points.count; ++i) counts.add(job.addressed + points.offsets[i]);
    each_row_run(job, job.kernel, points);
    return;
  }
  for (std::int64_t i = 0; i < points.count; ++i) {
    const bool is_first = counts.add(job.addressed + points.offsets[i]);
    each_row_run(job, is_first ? counts.first : job.kernel, points.part(i, 1));
  }
}

void step_ahead(const Job& job, const Points& points) {
  const Walk& walk = job.walk;
  const std::int64_t row =
      walk.row.empty() ? 1 : walk.row.back() * std::abs(walk.addressed_row_strides.back()) + (job.counts ? job.counts.bytes() : 0);
  // An unaligned row extends into one more line, unless it is short.
  const bool reaches_on = row > line_bytes / 2 && (!begins_line(job.addressed) || row % line_bytes != 0);
  const std::int64_t lines = std::clamp<std::int64_t>((row + line_bytes - 1) / line_bytes + (reaches_on ? 1 : 0), 1, max_lines_of_row);
  const std::int64_t group = lines_ahead / lines;
  const auto prefetch_rows = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t line = 0; line < lines; ++line) prefetch(job.addressed, points.offsets[i] + line * line_bytes);
    }
  };
  prefetch_rows(0, std::min(group, points.count));
  if (!job.counts && walk.row.size() <= 1 && (job.gathers || places_are_dense(job))) {
    each_row_run(job, job.kernel, points, group);
    return;
  }
  for (std::int64_t begin = 0; begin < points.count; begin += group) {
    const std::int64_t end = std::min(begin + group, points.count);
    prefetch_rows(end, std::min(end + group, points.count));
    step(job, points.part(begin, end - begin));
  }
}

}  // namespace strew::internal
