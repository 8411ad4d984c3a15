// Partitions updates by the part of the output that they go to, and steps the entries of a part.
#include "kernels/entries.h"

#include <algorithm>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/checked.h"
#include "kernels/cell.h"
#include "kernels/coordinate.h"
#include "kernels/prefetch.h"

namespace strew::internal {
namespace {

template <class Row, class I, bool wrap>
bool partition(const PartitionRun& run) {
  constexpr std::uint32_t entry = entry_offset_bytes + sizeof(Row), last = (slot_bytes / entry - 1) * entry;
  const std::byte *index = run.index, *stream = run.stream;
  const std::int64_t index_stride = run.index_stride, stream_stride = run.stream_stride, extent = run.extent;
  const std::int64_t stride = run.stride, origin = run.origin;
  const int part_shift = run.part_shift;
  std::byte* const open = run.open;
  std::uint32_t* const filled = run.filled;
  for (std::int64_t left = run.count; left > 0; --left, index += index_stride, stream += stream_stride) {
    if (left % 8 == 0) {
      prefetch_stream(index, line_bytes);
      prefetch_stream(stream, line_bytes);
    }
    const std::int64_t at = coordinate_at<I, wrap>(index, extent);
    if (outside(at, extent)) return false;
    const std::int64_t unit = wrapping_add(wrapping_mul(at, stride), origin), part = unit >> part_shift;
    const std::uint32_t to = filled[part];
    std::byte* const next = open + to;
    if constexpr (sizeof(Row) == 4) {
      store(next, static_cast<std::uint64_t>(load<Row>(stream)) << 32 | static_cast<std::uint32_t>(unit));  // one store is faster than two
    } else {
      store(next, static_cast<std::uint32_t>(unit));
      store(next + entry_offset_bytes, load<Row>(stream));
    }
    filled[part] = to + entry;
    if (to % slot_bytes == last) run.close(run.context, part);
  }
  return true;
}

template <class Row>
PartitionKernel find_partition(Dtype index, Negative negative) {
  return find_by_index<PartitionKernel>(index, negative, []<class I, bool wrap>() -> PartitionKernel { return &partition<Row, I, wrap>; });
}

template <class Element>
void step_entries(const EntryRun& run) {
  using T = typename Element::Update;
  constexpr std::int64_t entry = entry_offset_bytes + sizeof(T), per_slot = slot_bytes / entry;
  std::byte* const addressed = run.addressed;
  const int unit = run.unit;
  const bool is_far = run.is_far;
  const auto offset_of = [unit](const std::byte* at) { return static_cast<std::int64_t>(load<std::uint32_t>(at)) << unit; };
  const std::byte* slot = run.slots;
  for (std::int64_t left = run.count; left > 0; left -= per_slot, slot += slot_bytes) {
    if (is_far && left >= 2 * per_slot) {
      for (std::int64_t i = 0; i < per_slot; ++i) prefetch(addressed, offset_of(slot + slot_bytes + i * entry));
    }
    for (std::int64_t i = 0; i < std::min(left, per_slot); ++i) {
      std::byte* const at = addressed + offset_of(slot + i * entry);
      Element element(at);
      element.step(load<T>(slot + i * entry + entry_offset_bytes));
      element.put(at);
    }
  }
}

}  // namespace

#ifdef __SSE2__
void stream_slot(std::byte* to, const std::byte* from) {
  for (std::int64_t at = 0; at < slot_bytes; at += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_load_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
}
void end_streaming() { _mm_sfence(); }
#else
void stream_slot(std::byte* to, const std::byte* from) { std::memcpy(to, from, slot_bytes); }
void end_streaming() {}
#endif

PartitionKernel partition_kernel(Dtype index, Negative negative, std::int64_t row_bytes) {
  if (row_bytes == 4) return find_partition<std::uint32_t>(index, negative);
  if (row_bytes == 8) return find_partition<std::uint64_t>(index, negative);
  return nullptr;
}

EntryKernel entry_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted) {
  return find_cell<EntryKernel>(reduction, compare, dtype, counted, []<class Element>() -> EntryKernel { return &step_entries<Element>; });
}

}  // namespace strew::internal
