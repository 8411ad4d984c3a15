// A table of ranges that the signal handler reads, and the handler.
#include "fault.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "strew/error.h"

namespace strew::files {
namespace {

struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<bool> lost = false;
};
Slot slots[256];
struct sigaction previous;
std::uintptr_t page_bytes = 4096;

// Maps zeros from the lost page to the end of its range; the instruction that failed then runs again. Only system calls and lock-free
// atomics: any code may have been interrupted.
void handle(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin, end = slot.end;
    if (address < begin || address >= end) continue;
    const std::uintptr_t page = address / page_bytes * page_bytes;
    slot.lost = true;
    void* const zeros = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros != MAP_FAILED) return;
  }
  // Not ours: the instruction fails again, as it would have without this handler.
  sigaction(SIGBUS, &previous, nullptr);
}

}  // namespace

FaultHandler::FaultHandler() {
  page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous);
}

FaultHandler::~FaultHandler() { sigaction(SIGBUS, &previous, nullptr); }

GuardedRange::GuardedRange(std::byte* begin, std::size_t size) : slot_(0) {
  while (slot_ < std::size(slots) && slots[slot_].taken.exchange(true)) ++slot_;
  if (slot_ == std::size(slots)) throw Error(ErrorCode::memory, "too many files are open");
  Slot& slot = slots[slot_];
  slot.lost = false;
  slot.begin = reinterpret_cast<std::uintptr_t>(begin);
  slot.end = reinterpret_cast<std::uintptr_t>(begin) + size;
}

GuardedRange::~GuardedRange() {
  slots[slot_].end = 0;
  slots[slot_].begin = 0;
  slots[slot_].taken = false;
}

bool GuardedRange::lost() const { return slots[slot_].lost; }

}  // namespace strew::files
