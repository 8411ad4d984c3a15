// WebAssembly: one thread, and memory that is never given back.
#include "base/platform.h"

namespace strew::internal {

std::int64_t usable_processors() { return 1; }

void advise_huge_pages(void*, std::size_t) {}

bool offer_pages(void*, std::size_t) { return false; }

void drop_pages(void*, std::size_t) {}

}  // namespace strew::internal
