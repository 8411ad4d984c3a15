// Updates sorted by place: each row of the output is read and written once, by one thread.
#include <algorithm>
#include <array>

#include "strategies/cells.h"
#include "strategies/pairs.h"
#include "strategies/parallel.h"
#include "strategies/replay.h"
#include "strategies/row_folder.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_elements = 1 << 16;
constexpr std::int64_t min_row = 64;  // bytes: shorter rows are not worth a kernel call each
constexpr std::int64_t tasks_per_thread = 32;
constexpr std::int64_t sort_bytes = 1 << 18;  // of counters, for the places that are sorted at a time
constexpr std::int64_t few_of_counters = 16;  // a bucket with fewer points than 1/16 of its places is sorted by comparison
constexpr std::int64_t numbers_fit = UINT32_MAX;

Grid grid_of(const ReplayFacts& facts) {
  ReplayFacts counters = facts;
  counters.row_count = 1;
  counters.addressed_bytes = sizeof(std::uint32_t);
  return Grid(counters, sort_bytes);
}

class Grouped final : public Replay {
 public:
  Grouped(const Job& numbered, const Cells& cells) : places_(cells.kept()), points_(cells.kept()) {
    Array<std::int64_t> begins(cells.buckets() + 1);
    begins[0] = 0;
    for (std::int64_t bucket = 0; bucket < cells.buckets(); ++bucket) {
      std::int64_t size = 0;
      for (std::int64_t block = 0; block < cells.blocks(); ++block) size += cells.cell_end(bucket, block) - cells.cell_begin(bucket, block);
      begins[bucket + 1] = begins[bucket] + size;
    }
    // Each lane has its own counters, one per place of a bucket plus one for the end: in total no more than there are points.
    const std::int64_t counters = cells.first_place(1) + 1;
    const std::int64_t lanes = std::clamp<std::int64_t>(cells.kept() / counters, 1, std::min(cells.buckets(), 4 * numbered.threads));
    Array<std::uint32_t> next(lanes * counters);
    parallel(numbered, lanes, [&](std::int64_t lane) {
      const std::int64_t end = cells.buckets() * (lane + 1) / lanes;
      for (std::int64_t bucket = cells.buckets() * lane / lanes; bucket < end; ++bucket) {
        sort_bucket(cells, bucket, begins[bucket], begins[bucket + 1] - begins[bucket], next.data() + lane * counters, counters);
      }
    });
  }

  void run(const Job& job) const override {
    const std::int64_t count = kept(), tasks = std::min(count, tasks_per_thread * job.threads);
    parallel(job, tasks, [&](std::int64_t task) {
      const std::int64_t begin = border(count * task / tasks), end = border(count * (task + 1) / tasks);
      if (job.fold) {
        fold_rows(job, begin, end);
      } else {
        step_pairs(job, places_.data() + begin, points_.data() + begin, end - begin);
      }
    });
  }
  [[nodiscard]] bool folds(const Job& job) const override { return job.walk.row.size() == 1; }
  [[nodiscard]] std::int64_t bytes() const override { return places_.bytes() + points_.bytes(); }
  [[nodiscard]] std::int64_t kept() const override { return places_.size(); }
  void list_places(const PlaceList& list) const override {
    for (std::int64_t i = 0; i < kept(); ++i) list.put(points_[i], places_[i]);
  }

 private:
  // Sorts the points of a bucket by place, stably.
  void sort_bucket(const Cells& cells, std::int64_t bucket, std::int64_t begin, std::int64_t size, std::uint32_t* next,
                   std::int64_t counters) {
    const std::int64_t first_place = cells.first_place(bucket);
    const auto each_point = [&](const auto& use) {
      for (std::int64_t block = 0; block < cells.blocks(); ++block) {
        const std::int64_t end = cells.cell_end(bucket, block);
        for (std::int64_t i = cells.cell_begin(bucket, block); i < end; ++i)
          use(cells.places()[i], cells.first_point(block) + cells.points()[i]);
      }
    };
    const auto put = [&](std::int64_t at, std::int64_t place, std::int64_t point) {
      places_[at] = static_cast<std::uint32_t>(first_place + place);
      points_[at] = static_cast<std::uint32_t>(point);
    };
    // Clearing the counters would cost more than comparing: sorts (place, point) pairs packed into one number.
    if (size < counters / few_of_counters) {
      std::array<std::uint64_t, (1 << 16) / few_of_counters> pairs;
      std::int64_t count = 0;
      each_point([&](std::uint16_t place, std::int64_t point) {
        pairs[static_cast<std::size_t>(count++)] = std::uint64_t{place} << 32 | static_cast<std::uint64_t>(point);
      });
      std::sort(pairs.begin(), pairs.begin() + count);
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t pair = pairs[static_cast<std::size_t>(i)];
        put(begin + i, static_cast<std::int64_t>(pair >> 32), static_cast<std::int64_t>(pair & UINT32_MAX));
      }
      return;
    }
    std::fill_n(next, counters, 0);
    each_point([&](std::uint16_t place, std::int64_t) { ++next[place + 1]; });
    for (std::int64_t place = 1; place < counters; ++place) next[place] += next[place - 1];
    each_point([&](std::uint16_t place, std::int64_t point) { put(begin + next[place]++, place, point); });
  }

  // The updates of a place are contiguous.
  void fold_rows(const Job& job, std::int64_t begin, std::int64_t end) const {
    const Lattice &places = job.numbering->places, &points = job.numbering->points;
    const RowFolder folder(job, 0, job.walk.row_count);
    for (std::int64_t row = begin, after; row < end; row = after) {
      after = border(row + 1);
      folder.fold(places.offset(places_[row]), after - row, [&](std::int64_t i) {
        const std::int64_t next = std::min(row + i + rows_ahead, end - 1);
        return FoldedUpdate{points.offset(points_[row + i]), places.offset(places_[next]), points.offset(points_[next])};
      });
    }
  }

  // The next position at which the place changes. Found by doubling, so that no task scans a row that has most of the updates.
  [[nodiscard]] std::int64_t border(std::int64_t at) const {
    if (at == 0 || at == kept()) return at;
    const std::uint32_t place = places_[at - 1];
    std::int64_t width = 1;
    while (width < kept() - at && places_[at + width] == place) width *= 2;
    const std::uint32_t* const first = places_.data() + at;
    return at + (std::upper_bound(first, first + std::min(width, kept() - at), place) - first);
  }

  Array<std::uint32_t> places_, points_;
};

bool accepts(const ReplayFacts& facts, std::string_view& why) {
  if (facts.stream_bytes == 0) {
    why = "strings are applied in order";
  } else if (std::max(facts.places, facts.points) >= numbers_fit) {
    why = "there are too many places or points for 32 bits";
  } else if (!facts.forced && facts.stream_row() < min_row) {
    why = "rows are short";
  } else if (!facts.forced && (facts.row_count == 0 || facts.points < min_elements / facts.row_count)) {
    why = "there is too little work to share";
  } else if (!facts.forced && grid_of(facts).is_coarse) {
    why = "there are too few updates for so many places";
  }
  return why.empty();
}

std::unique_ptr<const Replay> build(const Job& numbered, const ReplayFacts& facts) {
  Cells cells(facts, grid_of(facts));
  if (!cells.fill(numbered)) return nullptr;
  if (facts.last_only) cells.drop_replaced(numbered);
  cells.compact(numbered);
  return std::make_unique<Grouped>(numbered, cells);
}

}  // namespace

extern const Layout grouped;
const Layout grouped{"grouped", "rows sorted by place, places on all threads", &accepts, &build};

}  // namespace strew::internal
