// Partitioned updates. An entry is the place of an update, in 32 bits, and its row. Fused loops for common updates;
// strategies/partition.cpp handles the others in two passes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "strew/op.h"

namespace strew::internal {

inline constexpr std::int64_t entry_offset_bytes = 4;
inline constexpr std::int64_t slot_bytes = 512;  // entries are written to memory in slots of whole cache lines

// Appends update i to the open slot of its part: unit = index[i] * stride + origin, part = unit >> part_shift. A full slot is
// passed to `close`.
struct PartitionRun {
  const std::byte* index;
  std::int64_t index_stride;
  std::int64_t extent;
  std::int64_t stride, origin;  // in units
  const std::byte* stream;
  std::int64_t stream_stride;
  std::int64_t count;
  int part_shift;
  std::byte* open;              // one slot per part
  std::uint32_t* filled;        // per part: offset of its next entry in `open`
  void (*close)(void* context, std::int64_t part);
  void* context;
};

// Returns false at the first bad index; later updates are not partitioned.
using PartitionKernel = bool (*)(const PartitionRun& run);
// For rows of 4 and 8 bytes and common index types; null for others.
PartitionKernel partition_kernel(Dtype index, Negative negative, std::int64_t row_bytes);

// Copies a slot with non-temporal stores: it is read only after all updates are partitioned. Both sides are aligned to 64 bytes.
void stream_slot(std::byte* to, const std::byte* from);
// Makes the slots of earlier stream_slot() calls visible to other threads.
void end_streaming();

// addressed[unit(i)] = step(addressed[unit(i)], row(i)) for each entry, in order. All slots but the last are full. `addressed` is unit 0; a
// unit has 2^unit bytes.
struct EntryRun {
  std::byte* addressed;
  const std::byte* slots;
  std::int64_t count;
  int unit;
  bool is_far;  // the places are not cached, so they are prefetched
};
using EntryKernel = void (*)(const EntryRun& run);
// For single elements of 4 and 8 bytes; null for others. With `counted`, each element is followed by its count, of the same size.
EntryKernel entry_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted);

}  // namespace strew::internal
