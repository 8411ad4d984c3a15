// Filters updates by owner without branches, and steps lists.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lists.cpp"
#include "kernels/lists.h"

#include <array>

#include "base/checked.h"
#include "kernels/address.h"
#include "kernels/cell.h"
#include "kernels/coordinate.h"
#include "kernels/instruction_sets.h"
#include "kernels/prefetch.h"

#ifndef STREW_KERNELS_LANE_ORDER
#define STREW_KERNELS_LANE_ORDER
namespace strew::internal {
namespace {

// For each set of eight lanes: the lanes in the set, then zeros.
[[maybe_unused]] constexpr auto lane_order = [] {
  std::array<std::array<std::uint8_t, 8>, 256> order{};
  for (std::size_t set = 0; set < order.size(); ++set) {
    std::size_t next = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1) != 0) order[set][next++] = lane;
    }
  }
  return order;
}();

}  // namespace
}  // namespace strew::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace strew::internal::HWY_NAMESPACE {
namespace {

#if defined(STREW_WITH_HIGHWAY) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

// As hide_from_optimizer, for a vector in a register.
template <class V>
[[gnu::always_inline]] inline void hide_vector_from_optimizer(V& value) {
#if HWY_ARCH_X86
  asm("" : "+v"(value.raw));
#elif HWY_ARCH_ARM
  asm("" : "+w"(value.raw));
#else
  asm("" : "+m"(value));
#endif
}

// Loads and wraps a vector of indices. As unsigned numbers, coordinates out of range are >= extent; `most` collects the maxima.
template <bool wrap, class D, class Most>
hn::Vec<hn::RebindToUnsigned<D>> coordinates(D wide, const std::byte* index, std::int64_t extent, Most& most) {
  using I = hn::TFromD<D>;
  auto at = hn::LoadU(wide, reinterpret_cast<const I*>(index));
  hide_vector_from_optimizer(at);
  if constexpr (wrap) at = hn::Add(at, hn::And(hn::BroadcastSignBit(at), hn::Set(wide, static_cast<I>(extent))));
  const auto bits = hn::BitCast(hn::RebindToUnsigned<D>(), at);
  most = hn::Max(most, bits);
  return bits;
}
// Whether a maximum that coordinates() collected is out of range.
template <class D>
bool any_outside(D, hn::Vec<D> most, std::int64_t extent) {
  const D bits;
  return !hn::AllTrue(bits, hn::Lt(most, hn::Set(bits, static_cast<hn::TFromD<D>>(extent))));
}

// Moves the lanes of the mask to the front. Lanes of 8 bytes move as two of 4. AVX2 has no instruction for it, and Highway's lookup table
// would be copied at each call.
template <class D, class Mask>
hn::Vec<D> compress_lanes(D rows, hn::Vec<D> all, Mask mask) {
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(std::uint32_t)) {
#if HWY_TARGET == HWY_AVX2
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(rows, mask, bits);
    const auto lanes = hn::PromoteTo(rows, hn::LoadU(hn::Rebind<std::uint8_t, D>(), lane_order[bits[0]].data()));
    return hn::TableLookupLanes(all, hn::IndicesFromVec(rows, lanes));
#else
    return hn::Compress(all, mask);
#endif
  } else {
    const hn::Repartition<std::uint32_t, D> halves;
    const auto both = hn::MaskFromVec(hn::BitCast(halves, hn::VecFromMask(rows, mask)));
    return hn::BitCast(rows, compress_lanes(halves, hn::BitCast(halves, all), both));
  }
}

// Filters whole vectors of updates; returns the number of updates processed. Stores whole vectors, so a list needs list_slack.
template <class Row, class I, bool wrap>
std::int64_t pick_vectors(PickRun& run, bool& is_bad) {
  const hn::ScalableTag<Row> rows;
  const hn::Rebind<std::uint32_t, decltype(rows)> narrow;
  const hn::Rebind<I, decltype(rows)> wide;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(rows));
  const auto stride = hn::Set(narrow, static_cast<std::uint32_t>(run.stride)),
             origin = hn::Set(narrow, static_cast<std::uint32_t>(run.origin));
  // An owner has a contiguous range of the mixed page numbers. The comparison is signed, because every instruction set has that.
  const hn::RebindToSigned<decltype(narrow)> numbers;
  const auto first_number = [&](std::int64_t owner) { return ((static_cast<std::uint64_t>(owner) << 32) + run.owners - 1) / run.owners; };
  constexpr std::uint64_t bias = std::uint64_t{1} << 31;
  const auto mix = hn::Set(narrow, owner_mix), first = hn::Set(narrow, static_cast<std::uint32_t>(first_number(run.owner) + bias));
  const auto end = static_cast<std::int32_t>(first_number(run.owner + 1) - first_number(run.owner) - bias);
  std::int64_t i = 0, listed = run.listed;
  const auto put = [&](auto offsets) __attribute__((always_inline)) {
    prefetch_stream(run.index + i * static_cast<std::int64_t>(sizeof(I)), lanes * static_cast<std::int64_t>(sizeof(I)));
    prefetch_stream(run.stream + i * static_cast<std::int64_t>(sizeof(Row)), lanes * static_cast<std::int64_t>(sizeof(Row)));
    offsets = hn::Add(hn::Mul(offsets, stride), origin);
    const auto updates = hn::LoadU(rows, reinterpret_cast<const Row*>(run.stream + i * static_cast<std::int64_t>(sizeof(Row))));
    const auto number = hn::BitCast(numbers, hn::Sub(hn::Mul(hn::ShiftRight<page_shift>(offsets), mix), first));
    const auto is_own = hn::Lt(number, hn::Set(numbers, end));
    hn::StoreU(compress_lanes(narrow, offsets, hn::RebindMask(narrow, is_own)), narrow, run.offsets + listed);
    auto* const next = reinterpret_cast<Row*>(run.rows) + listed;
    if constexpr (sizeof(Row) == sizeof(std::uint32_t)) {
      hn::StoreU(compress_lanes(rows, updates, hn::RebindMask(rows, is_own)), rows, next);
    } else {
      const hn::RebindToSigned<decltype(rows)> wide_numbers;
      const auto is_own_row = hn::Lt(hn::PromoteTo(wide_numbers, number), hn::Set(wide_numbers, end));
      hn::StoreU(compress_lanes(rows, updates, hn::RebindMask(rows, is_own_row)), rows, next);
    }
    listed += static_cast<std::int64_t>(hn::CountTrue(numbers, is_own));
  };
  if constexpr (sizeof(I) <= sizeof(Row)) {
    const hn::RebindToUnsigned<decltype(wide)> bits;
    auto most = hn::Zero(bits);
    for (; i + lanes <= run.count; i += lanes) {
      const auto at = coordinates<wrap>(wide, run.index + i * static_cast<std::int64_t>(sizeof(I)), run.extent, most);
      if constexpr (sizeof(I) == sizeof(std::uint32_t)) {
        put(at);
      } else {
        put(hn::TruncateTo(narrow, at));
      }
    }
    is_bad |= any_outside(bits, most, run.extent);
  } else {
    // Two vectors of indices per vector of updates.
    const hn::ScalableTag<I> half_wide;
    const hn::Half<decltype(narrow)> half;
    const hn::RebindToUnsigned<decltype(half_wide)> bits;
    auto most = hn::Zero(bits);
    for (; i + lanes <= run.count; i += lanes) {
      const std::byte* const index = run.index + i * static_cast<std::int64_t>(sizeof(I));
      const auto low = coordinates<wrap>(half_wide, index, run.extent, most);
      const auto high = coordinates<wrap>(half_wide, index + lanes / 2 * static_cast<std::int64_t>(sizeof(I)), run.extent, most);
      put(hn::Combine(narrow, hn::TruncateTo(half, high), hn::TruncateTo(half, low)));
    }
    is_bad |= any_outside(bits, most, run.extent);
  }
  run.listed = listed;
  return i;
}

// Lists the owned points of whole vectors. Returns the number of points that it processed.
std::int64_t list_own_vectors(const OwnRun& run, std::int64_t& listed) {
  const hn::ScalableTag<std::int64_t> points;
  const hn::RebindToUnsigned<decltype(points)> bits;
  const hn::Repartition<std::uint32_t, decltype(points)> halves;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(points));
  const auto mix = hn::Set(halves, owner_mix), owners = hn::Set(halves, static_cast<std::uint32_t>(run.owners));
  const auto owner = hn::Set(bits, static_cast<std::uint64_t>(run.owner));
  const auto left_out = hn::Set(points, skipped);
  std::array<std::int64_t, hn::MaxLanes(points)> first;
  for (std::int64_t lane = 0; lane < lanes; ++lane) first[static_cast<std::size_t>(lane)] = run.stream + lane * run.stream_stride;
  auto streams = hn::LoadU(points, first.data());
  const auto next = hn::Set(points, lanes * run.stream_stride);
  std::int64_t i = 0, own = 0;
  for (; i + lanes <= run.count; i += lanes) {
    const auto offsets = hn::LoadU(points, run.offsets + i);
    const auto page = hn::BitCast(halves, hn::ShiftRight<page_shift>(offsets));
    const auto owned_by = hn::ShiftRight<32>(hn::MulEven(hn::BitCast(halves, hn::MulEven(page, mix)), owners));
    const auto is_own = hn::And(hn::RebindMask(points, hn::Eq(owned_by, owner)), hn::Ne(offsets, left_out));
    hn::StoreU(compress_lanes(points, offsets, is_own), points, run.own_offsets + own);
    hn::StoreU(compress_lanes(points, streams, is_own), points, run.own_streams + own);
    own += static_cast<std::int64_t>(hn::CountTrue(points, is_own));
    streams = hn::Add(streams, next);
  }
  listed = own;
  return i;
}
#else
std::int64_t list_own_vectors(const OwnRun&, std::int64_t&) { return 0; }

template <class Row, class I, bool wrap>
std::int64_t pick_vectors(PickRun&, bool&) {
  return 0;
}
#endif

// The remainder: every update is stored, and the list grows only if it is picked. An unpredictable branch would be slower.
template <class Row, class I, bool wrap>
bool pick(PickRun& run) {
  bool bad = false;
  const bool dense = run.index_stride == sizeof(I) && run.stream_stride == sizeof(Row);
  for (std::int64_t i = dense ? pick_vectors<Row, I, wrap>(run, bad) : 0; i < run.count; ++i) {
    const std::int64_t at = coordinate_at<I, wrap>(run.index + i * run.index_stride, run.extent);
    bad |= outside(at, run.extent);
    const auto offset = static_cast<std::uint32_t>(wrapping_add(wrapping_mul(at, run.stride), run.origin));
    run.offsets[run.listed] = offset;
    store(run.rows + run.listed * static_cast<std::int64_t>(sizeof(Row)), load<Row>(run.stream + i * run.stream_stride));
    run.listed += owner_of(offset, run.owners) == run.owner ? 1 : 0;
  }
  return !bad;
}

template <class Row>
PickKernel find_pick_of(Dtype index, Negative negative) {
  return find_by_index<PickKernel>(index, negative, []<class I, bool wrap>() -> PickKernel { return &pick<Row, I, wrap>; });
}

// The remainder, without branches as well.
std::int64_t list_own(const OwnRun& run) {
  std::int64_t own = 0;
  for (std::int64_t i = list_own_vectors(run, own); i < run.count; ++i) {
    run.own_offsets[own] = run.offsets[i];
    run.own_streams[own] = run.stream + i * run.stream_stride;
    own += run.offsets[i] != skipped && owner_of(run.offsets[i], run.owners) == run.owner ? 1 : 0;
  }
  return own;
}

}  // namespace

OwnKernel find_own() { return &list_own; }

PickKernel find_pick(Dtype index, Negative negative, std::int64_t row_bytes) {
  if (row_bytes == 4) return find_pick_of<std::uint32_t>(index, negative);
  if (row_bytes == 8) return find_pick_of<std::uint64_t>(index, negative);
  return nullptr;
}

}  // namespace strew::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew::internal {
namespace {

template <class Element>
void step_list(const ListRun& run) {
  using T = typename Element::Update;
  std::byte* const addressed = run.addressed;
  const std::uint32_t* const offsets = run.offsets;
  const std::byte* const rows = run.rows;
  const std::int64_t count = run.count;
  const auto step_one = [&](std::int64_t i) {
    Element::step_at(addressed + offsets[i], load<T>(rows + i * static_cast<std::int64_t>(sizeof(T))));
  };
  std::int64_t i = 0;
  const std::int64_t last_prefetch =
      run.is_far ? run.known - prefetch_distance - prefetch_group : -1;  // last position that still prefetches
  for (; i + prefetch_group <= count; i += prefetch_group) {
    if (i <= last_prefetch) {
      for (std::int64_t j = 0; j < prefetch_group; ++j) prefetch(addressed, offsets[i + prefetch_distance + j]);
    }
    for (std::int64_t j = 0; j < prefetch_group; ++j) step_one(i + j);
  }
  for (; i < count; ++i) step_one(i);
}

}  // namespace

HWY_EXPORT(find_pick);
HWY_EXPORT(find_own);

OwnKernel own_kernel() { return HWY_DYNAMIC_DISPATCH(find_own)(); }

PickKernel pick_kernel(Dtype index, Negative negative, std::int64_t row_bytes) {
  return HWY_DYNAMIC_DISPATCH(find_pick)(index, negative, row_bytes);
}

ListKernel list_kernel(Reduction reduction, FoldCompare compare, Dtype dtype, bool counted) {
  return find_cell<ListKernel>(reduction, compare, dtype, counted, []<class Element>() -> ListKernel { return &step_list<Element>; });
}

}  // namespace strew::internal
#endif
