// The ways to run a job, in the order in which they are considered. The last one accepts everything.
#pragma once

#include <span>
#include <string_view>

#include "base/before_writing.h"
#include "strategies/job.h"

namespace strew::internal {

// What a strategy answers.
enum class Outcome : std::uint8_t {
  done,
  bad_index,                // nothing was written
  bad_index_after_writing,  // a part of the updates may have been written
};
// Of a strategy, or a part of one, that writes while it validates.
constexpr Outcome written(bool all_good) { return all_good ? Outcome::done : Outcome::bad_index_after_writing; }

struct Strategy;

// The strategy that runs a job in place of the one that accepted it, and its scratch memory. None where an index is bad.
struct Delegate {
  const Strategy* strategy = nullptr;
  std::int64_t scratch_bytes = 0;
};

struct Strategy {
  std::string_view name;
  std::string_view summary;
  std::int64_t min_elements = 0;  // smaller jobs are declined, unless the strategy is requested by name
  // Whether it can run the job; if not, `why` says so in a few words.
  bool (*accepts)(const Job& job, std::string_view& why);
  Outcome (*run)(const Job& job);
  // Bytes that it allocates for a job it accepts, all before the first write. Null: none.
  std::int64_t (*scratch_bytes)(const Job& job) = nullptr;
  // Whether it validates every index before it writes the first byte, so that no pass over them need come before. Null: it does not.
  bool (*validates_before_writing)(const Job& job) = nullptr;
  // Whether it begins and finishes folds by itself, in scratch memory that the job provides. Others step into accumulators.
  bool folds = false;
  // Whether it steps on the calling thread alone, however many there are.
  bool single_threaded = false;
  // For explain(), which may read all indices: the strategy that it delegates to, if it does not step by itself.
  Delegate (*delegates_to)(const Job& job) = nullptr;
  // For explain(), which may read all indices: whether they bear out what accepts() saw in a sample of them. Null: accepts() is final.
  bool (*confirms)(const Job& job, std::string_view& why) = nullptr;
};

inline bool always(const Job&) { return true; }

std::span<const Strategy* const> strategies();

// The best strategy without threads: for small jobs, and for strategies that cut a job into parts.
const Strategy& best_on_one_thread(const Job& job);
// Whether the part ran; a bad index ends it.
bool run_on_one_thread(const Job& part);

// Validates every index, then runs the first strategy after this one that accepts.
Outcome delegate(const Strategy& from, const Job& job);
Outcome delegate_validated(const Strategy& from, Job job);  // where every index was validated already
Delegate delegate_of(const Strategy& from, Job job);        // which one that is in the end; it may read all indices

// For strategies that validate before they write: every index is good, and the caller may still stop the call.
inline void ask_before_writing(const Job& job) {
  if (job.may_stop) ask_before_writing();
}
// Validates every index, then runs without threads: what is left when scratch memory cannot be allocated.
Outcome run_without_scratch(const Job& job);

// Whether every index is in range: one pass over the indices.
bool indices_in_range(const Job& job);

}  // namespace strew::internal
