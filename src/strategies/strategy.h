// The ways to run a job, in the order they are asked. The last one takes everything.
#pragma once

#include <span>
#include <string_view>

#include "base/before_writing.h"
#include "strategies/job.h"

namespace strew::internal {

struct Strategy;

// The strategy that a job is handed on to, and what that takes from the heap.
struct HandedOn {
  const Strategy* to = nullptr;
  std::int64_t scratch = 0;
};

struct Strategy {
  std::string_view name;
  std::string_view summary;
  std::int64_t least_elements;  // it is not asked about smaller jobs unless it is asked for by name
  // Whether it can run the job; if not, `why` says so in a few words.
  bool (*accepts)(const Job& job, std::string_view& why);
  // Returns false when it met a bad index; what it wrote before stays.
  bool (*run)(const Job& job);
  // Bytes that it takes from the heap for a job it accepts, all before the first write. Null: none.
  std::int64_t (*scratch)(const Job& job) = nullptr;
  // Whether it looks at every index before it writes the first byte, so that no pass over them need come before. Null: it does not.
  bool (*looks_first)(const Job& job) = nullptr;
  // Whether it begins and finishes folds by itself, with its scratch memory given by the job. Others step into accumulators.
  bool folds = false;
  // To which one it hands the job on, if it does not step by itself; none where an index is bad. For explaining: it may cost a pass.
  HandedOn (*hands_on)(const Job& job) = nullptr;
  // Whether it steps on the calling thread alone, however many there are.
  bool alone = false;
  // Where it accepts by a look at some of the indices, and leaves the job to others if the rest is otherwise: whether all bear it out. For
  // explaining: it costs a pass. Null: what it accepts, it runs.
  bool (*holds)(const Job& job, std::string_view& why) = nullptr;
};

std::span<const Strategy* const> strategies();

// The best way without threads: for small jobs, and for strategies that hand out parts of one.
const Strategy& best_on_one_thread(const Job& job);
bool run_on_one_thread(const Job& part);

// For strategies that look first and then leave the job to others: checks every index, then runs the first one after this that accepts.
bool run_by_next(const Strategy& after, const Job& job);
bool run_checked_by_next(const Strategy& after, Job job);  // where that was done
HandedOn next_of(const Strategy& after, Job job);  // which one that is in the end; it may cost a pass

// For strategies that look first: every index was fine. The caller may still stop the call; what is bad from here on has changed.
inline void begin_writing(const Job& job) {
  if (job.began == nullptr) return;
  if (!*job.began) ask_before_writing();
  *job.began = true;
}
// Checks every index, then runs without threads: what is left when scratch memory cannot be had.
bool run_without_scratch(const Job& job);

// Whether every index is in range: one pass over the indices, before anything is written.
bool indices_in_range(const Job& job);

}  // namespace strew::internal
