// Updates are copied into a buffer sorted by bucket of the output, then each bucket is applied by one thread: it stays in that thread's
// cache, and a large output is read and written once.
#include <array>
#include <atomic>

#include "kernels/numbered.h"
#include "kernels/permute.h"
#include "kernels/prefetch.h"
#include "strategies/blocks.h"
#include "strategies/cells.h"
#include "strategies/parallel.h"
#include "strategies/replay.h"
#include "strategies/step.h"
#include "strategies/targets.h"

namespace strew::internal {
namespace {

constexpr std::int64_t min_points = 1 << 15;
constexpr std::int64_t min_places = 1 << 8;
constexpr std::int64_t bucket_bytes = 1 << 18;
constexpr std::int64_t max_row = 64;  // bytes: longest row worth copying
// Bytes of an output that is processed in any order as fast as in buckets: on one thread, and with a kernel for single elements on one
// thread and on two.
constexpr std::int64_t cached_bytes = 1 << 20, cached_alone = 12 << 20, cached_beside = 1 << 22;
constexpr std::int64_t max_threads_in_order = 2;  // threads that gain nothing over one if updates stay near those before them
constexpr std::int64_t cells_ahead = 3;
constexpr std::int64_t places_fit = UINT32_MAX;

// The update buffer of one call. Concurrent calls that find it in use allocate their own.
class UpdateBuffer {
 public:
  explicit UpdateBuffer(std::int64_t bytes) : bytes_(bytes), free_(new Array<std::byte>(bytes)) {}
  ~UpdateBuffer() { delete free_.load(); }
  UpdateBuffer(UpdateBuffer&&) = delete;
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  // Null if the allocation fails.
  [[nodiscard]] std::unique_ptr<Array<std::byte>> acquire() const {
    if (Array<std::byte>* const own = free_.exchange(nullptr)) return std::unique_ptr<Array<std::byte>>(own);
    try {
      return std::make_unique<Array<std::byte>>(bytes_);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  void put_back(std::unique_ptr<Array<std::byte>> buffer) const {
    Array<std::byte>* expected = nullptr;
    if (free_.compare_exchange_strong(expected, buffer.get())) static_cast<void>(buffer.release());
  }

 private:
  std::int64_t bytes_;
  mutable std::atomic<Array<std::byte>*> free_;
};

// The state of one call.
class Call {
 public:
  Call(const Cells& cells, const Job& job, std::byte* buffer) : cells_(cells), job_(job), row_bytes_(row_bytes(job)), buffer_(buffer) {
    // Rows are so short that their few dimensions fit inline: nothing may be allocated here, the output may be written already.
    buffered_.addressed = job.addressed;
    buffered_.kernel = job.kernel;
    buffered_.counts = job.counts;
    buffered_.walk.row = job.walk.row;
    buffered_.walk.addressed_row_strides = job.walk.addressed_row_strides;
    Dims& dense = buffered_.walk.stream_row_strides;
    dense.resize(job.walk.row.size());
    std::int64_t stride = job.stream_bytes;
    for (std::size_t d = dense.size(); d-- > 0; stride *= job.walk.row[d]) dense[d] = stride;
    if (updates_are_dense(job) && job.numbering->points.is_line()) permute_ = permute_kernel(row_bytes_);
    if (buffer != nullptr && steps_cells(job) && job.numbering->places.is_line())
      numbered_ = numbered_kernel(job.step.reduction, job.step.compare, job.step.stream, static_cast<bool>(job.counts));
  }

  void run() {
    if (buffer_ != nullptr) {
      parallel(job_, cells_.blocks(), [&](std::int64_t block) {
        const std::int64_t begin = cells_.block_begin(block), end = cells_.block_begin(block + 1);
        move(block, begin, end, buffer_ + begin * row_bytes_);
      });
    }
    touches_ = worth_touching();
    parallel(job_, cells_.buckets(), [&](std::int64_t bucket) { step_bucket(bucket); });
  }

 private:
  // Gathers the updates [begin, end) of a block, in their new order.
  void move(std::int64_t block, std::int64_t begin, std::int64_t end, std::byte* to) const {
    if (permute_ != nullptr) {
      const auto begin_of = [&](std::int64_t b) { return job_.stream + job_.numbering->points.offset(cells_.first_point(b)); };
      // Threads claim blocks in turn, so this is likely this thread's next one. Prefetching past the end is harmless.
      const std::byte* const later = begin_of(std::min(block + threads_of(job_), cells_.blocks() - 1));
      permute_({to, begin_of(block), job_.numbering->points.stride(), cells_.points() + begin, end - begin, later});
      return;
    }
    std::array<std::int64_t, largest_block> from;
    const Walk& walk = job_.walk;
    const bool scalar = walk.row.empty();
    for (std::int64_t i = begin; i < end; i += largest_block, to += largest_block * row_bytes_) {
      const std::int64_t some = std::min(largest_block, end - i);
      job_.numbering->points.offsets(cells_.first_point(block), cells_.points() + i, some, from.data());
      each_run(walk.row, [&](const Coordinates& at) {
        job_.numbering->move({.addressed = job_.stream + dot(at, walk.stream_row_strides),
                              .offsets = from.data(),
                              .stream = to + dot(at, buffered_.walk.stream_row_strides),
                              .stream_stride = row_bytes_,
                              .rows = some,
                              .width = scalar ? 1 : walk.row.back(),
                              .addressed_width_stride = scalar ? 0 : walk.stream_row_strides.back(),
                              .stream_width_stride = job_.stream_bytes});
        return true;
      });
    }
  }

  // Places per cache line if reading a bucket sequentially first pays, else 0. It pays if most of its lines are updated: the processor
  // detects the sequence.
  [[nodiscard]] std::int64_t worth_touching() const {
    const Lattice& places = job_.numbering->places;
    if (!places.is_line() || places.stride() == 0 || std::abs(places.stride()) > line_bytes) return 0;
    const std::int64_t in_line = line_bytes / std::abs(places.stride()), lines = cells_.places_count() / in_line;
    return cells_.kept() >= lines ? in_line : 0;
  }
  void touch(std::int64_t bucket) const {
    const Lattice& places = job_.numbering->places;
    const std::int64_t end = std::min(cells_.first_place(bucket + 1), cells_.places_count());
    for (std::int64_t place = cells_.first_place(bucket); place < end; place += touches_) {
      static_cast<void>(*static_cast<const volatile std::byte*>(job_.addressed + places.offset(place)));
    }
  }

  // Prefetches the start of a cell; the hardware prefetcher follows.
  void prefetch_cell(std::int64_t bucket, std::int64_t block) const {
    const std::int64_t i = cells_.cell_begin(bucket, block);
    for (int line = 0; line < 4; ++line) prefetch(buffer_, i * row_bytes_ + line * line_bytes);
    for (int line = 0; line < 2; ++line) prefetch(cells_.places(), i * 2 + line * line_bytes);
  }

  void step_bucket(std::int64_t bucket) const {
    const std::int64_t first_place = cells_.first_place(bucket);
    if (touches_ > 0) touch(bucket);
    for (std::int64_t block = 0; block < cells_.blocks(); ++block) {
      if (buffer_ != nullptr && block + cells_ahead < cells_.blocks()) prefetch_cell(bucket, block + cells_ahead);
      const std::int64_t begin = cells_.cell_begin(bucket, block), end = cells_.cell_end(bucket, block);
      if (numbered_ != nullptr) {
        const Lattice& places = job_.numbering->places;
        numbered_({job_.addressed + places.offset(first_place), places.stride(), cells_.places() + begin, buffer_ + begin * row_bytes_,
                   end - begin});
        continue;
      }
      for (std::int64_t i = begin; i < end; i += largest_block) step(block, first_place, i, std::min(largest_block, end - i));
    }
  }

  void step(std::int64_t block, std::int64_t first_place, std::int64_t i, std::int64_t some) const {
    std::array<std::int64_t, largest_block> offsets;
    job_.numbering->places.offsets(first_place, cells_.places() + i, some, offsets.data());
    if (buffer_ != nullptr) {
      internal::step(buffered_, {offsets.data(), some, buffer_ + i * row_bytes_, row_bytes_});
      return;
    }
    std::array<std::byte, largest_block * max_row> own;
    move(block, i, i + some, own.data());
    internal::step(buffered_, {offsets.data(), some, own.data(), row_bytes_});
  }

  const Cells& cells_;
  const Job& job_;
  std::int64_t row_bytes_;
  Job buffered_;  // the job with contiguous updates
  std::byte* buffer_;
  std::int64_t touches_ = 0;
  PermuteKernel permute_ = nullptr;    // null unless a row is copied as one element
  NumberedKernel numbered_ = nullptr;  // null unless single elements have their own kernel
};

class Buckets final : public Replay {
 public:
  Buckets(Cells cells, std::int64_t row_bytes) : cells_(std::move(cells)), buffer_(cells_.kept() * row_bytes) {}

  void run(const Job& job) const override {
    std::unique_ptr<Array<std::byte>> buffer = buffer_.acquire();
    Call(cells_, job, buffer == nullptr ? nullptr : buffer->data()).run();
    if (buffer != nullptr) buffer_.put_back(std::move(buffer));
  }
  [[nodiscard]] std::int64_t bytes() const override { return cells_.bytes() + buffer_.bytes(); }
  [[nodiscard]] std::int64_t scratch() const override { return buffer_.bytes(); }
  [[nodiscard]] std::int64_t kept() const override { return cells_.kept(); }
  void list_places(const PlaceList& list) const override {
    for (std::int64_t block = 0; block < cells_.blocks(); ++block) {
      for (std::int64_t bucket = 0; bucket < cells_.buckets(); ++bucket) {
        const std::int64_t end = cells_.cell_end(bucket, block);
        for (std::int64_t i = cells_.cell_begin(bucket, block); i < end; ++i)
          list.put(cells_.first_point(block) + cells_.points()[i], cells_.first_place(bucket) + cells_.places()[i]);
      }
    }
  }

 private:
  Cells cells_;
  UpdateBuffer buffer_;
};

std::int64_t max_cached_bytes(const ReplayFacts& facts) {
  if (facts.last_only || !facts.has_loop) return facts.threads == 1 ? cached_bytes : 0;
  return facts.threads == 1 ? cached_alone : facts.threads == 2 ? cached_beside : 0;
}

bool accepts(const ReplayFacts& facts, std::string_view& why) {
  if (facts.stream_bytes == 0) {
    why = "strings cannot be copied as bytes";
  } else if (facts.stream_row() > max_row) {
    why = "rows are too long to copy";
  } else if (facts.places >= places_fit) {
    why = "there are too many places for 32 bits";
  } else if (!facts.forced && facts.points < min_points) {
    why = "there is too little work to share";
  } else if (!facts.forced && facts.places < min_places) {
    why = "there are too few places for several threads";
  } else if (!facts.forced && saturating_mul(facts.places, facts.place_row()) <= max_cached_bytes(facts)) {
    why = "the output fits the cache of one thread";
  } else if (!facts.forced && facts.stays_near && facts.has_loop && facts.threads <= max_threads_in_order) {
    why = "updates stay near those before them";
  } else if (const Grid grid(facts, bucket_bytes); !facts.forced && (grid.is_coarse || grid.cells() > facts.points)) {
    why = "there are too few updates for so many places";
  }
  return why.empty();
}

std::unique_ptr<const Replay> build(const Job& numbered, const ReplayFacts& facts) {
  Cells cells(facts, Grid(facts, bucket_bytes));
  if (!cells.fill(numbered)) return nullptr;
  if (facts.last_only) cells.drop_replaced(numbered);
  cells.compact(numbered);
  return std::make_unique<Buckets>(std::move(cells), facts.stream_row());
}

}  // namespace

extern const Layout buckets;
const Layout buckets{"buckets", "updates partitioned into buckets of the output, buckets on all threads", &accepts, &build};

}  // namespace strew::internal
