// Counts heap allocations of the whole program, by replacing operator new.
#pragma once

#include <cstdint>

std::int64_t heap_allocations();
