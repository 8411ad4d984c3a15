// The place of each point, in order: cheap to build, applied by one thread.
#include <array>
#include <bit>
#include <limits>

#include "base/array.h"
#include "base/checked.h"
#include "strategies/blocks.h"
#include "strategies/pairs.h"
#include "strategies/read_places.h"
#include "strategies/replay.h"
#include "strategies/step.h"

namespace strew::internal {
namespace {

// Marks all but the last point of each place as skipped, with an open-addressing hash table of at least twice as many slots as points.
template <class N>
void drop_replaced(Array<N>& places, N none) {
  const auto slots = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(places.size()) * 2));
  const int shift = 64 - std::countr_zero(static_cast<std::uint64_t>(slots));
  Array<N> seen(slots);
  std::fill_n(seen.data(), slots, none);
  for (std::int64_t i = places.size(); i-- > 0;) {
    const N place = places[i];
    if (place == none) continue;
    auto slot = static_cast<std::int64_t>(static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u >> shift);
    while (seen[slot] != none && seen[slot] != place) slot = (slot + 1) & (slots - 1);
    if (seen[slot] == place) places[i] = none;
    seen[slot] = place;
  }
}

template <class N>
class InOrder final : public Replay {
 public:
  explicit InOrder(const ReplayFacts& facts) : places_(facts.points), stays_near_(facts.stays_near) {}

  bool build(const Job& numbered, bool last_only) {
    if (!read_places(numbered, places_.data(), none)) return false;
    if (last_only) drop_replaced(places_, none);
    keep_used();
    return true;
  }

  void run(const Job& job) const override {
    if (const ElementKernel kernel = kernel_for(job)) {
      run_elements(job, kernel);
    } else if (points_.empty() && kept_ == job.walk.point_count) {
      run_all(job);
    } else {
      step_pairs(job, places_.data(), points_.data(), kept_);
    }
  }
  [[nodiscard]] std::int64_t bytes() const override { return places_.bytes() + points_.bytes(); }
  [[nodiscard]] std::int64_t kept() const override { return kept_; }
  void list_places(const PlaceList& list) const override {
    for (std::int64_t i = 0; i < kept_; ++i)
      list.put(points_.empty() ? i : static_cast<std::int64_t>(points_[i]), static_cast<std::int64_t>(places_[i]));
  }

 private:
  static constexpr N none = std::numeric_limits<N>::max();

  // Compacts the points that are not skipped. If none is, `points_` stays empty: the i-th place belongs to point i.
  void keep_used() {
    const std::int64_t all = places_.size();
    for (std::int64_t i = 0; i < all; ++i) kept_ += places_[i] != none ? 1 : 0;
    if (kept_ == all) return;
    Array<N> places(kept_);
    points_ = Array<N>(kept_);
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < all; ++i) {
      if (places_[i] == none) continue;
      places[next] = places_[i];
      points_[next++] = static_cast<N>(i);
    }
    places_ = std::move(places);
  }

  // The kernel for single elements of a line without skipped points, where places serve as int32 indices. Null for others.
  [[nodiscard]] ElementKernel kernel_for(const Job& job) const {
    const Lattice& places = job.numbering->places;
    const bool fits = std::same_as<N, std::uint32_t> && places.is_line() && (places.extents.empty() || places.extents[0] <= INT32_MAX);
    if (!fits || kept_ != job.walk.point_count || job.walk.points.size() != 1 || !job.walk.row.empty() || job.stream_bytes == 0)
      return nullptr;
    if (job.step.addressed != job.step.stream || (job.counts && !job.counts.is_common(job.stream_bytes))) return nullptr;
    return element_kernel(job.step.reduction, job.step.compare, job.step.stream, static_cast<bool>(job.counts), Dtype::int32,
                          Negative::reject);
  }

  void run_elements(const Job& job, ElementKernel kernel) const {
    const Lattice& places = job.numbering->places;
    const std::int64_t extent = places.extents.empty() ? 1 : places.extents[0];
    kernel({.addressed = job.addressed,
            .addressed_stride = 0,
            .index = reinterpret_cast<const std::byte*>(places_.data()),
            .index_stride = sizeof(N),
            .extent = extent,
            .stride = places.stride(),
            .stream = job.stream,
            .stream_stride = job.walk.stream_strides[0],
            .count = kept_,
            .is_far = !stays_near_ && saturating_mul(extent, std::abs(places.stride())) >= min_far_span,
            .has_runs = false});
  }

  // The job has no columns: its walk only advances the stream.
  void run_all(const Job& job) const {
    std::array<std::int64_t, largest_block> offsets;
    const std::int64_t stream_stride = job.walk.points.empty() ? 0 : job.walk.stream_strides.back();
    const N* next = places_.data();
    each_block(job, [&](const std::int64_t*, std::int64_t count, std::int64_t stream) {
      job.numbering->places.offsets(0, next, count, offsets.data());
      step(job, {offsets.data(), count, job.stream + stream, stream_stride});
      next += count;
    });
  }

  Array<N> places_;
  Array<N> points_;  // of each place; empty if no point is skipped
  std::int64_t kept_ = 0;
  bool stays_near_;
};

bool accepts(const ReplayFacts&, std::string_view&) { return true; }

template <class N>
std::unique_ptr<const Replay> build_as(const Job& numbered, const ReplayFacts& facts) {
  auto replay = std::make_unique<InOrder<N>>(facts);
  return replay->build(numbered, facts.last_only) ? std::move(replay) : nullptr;
}

std::unique_ptr<const Replay> build(const Job& numbered, const ReplayFacts& facts) {
  return std::max(facts.points, facts.places) < std::numeric_limits<std::uint32_t>::max() ? build_as<std::uint32_t>(numbered, facts)
                                                                                          : build_as<std::int64_t>(numbered, facts);
}

}  // namespace

extern const Layout in_order;
const Layout in_order{"in_order", "the place of each point in order, applied by one thread", &accepts, &build};

}  // namespace strew::internal
