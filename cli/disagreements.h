// The table of one input a row, one dialect a column.
#pragma once

namespace strew::cli {

// Every cell is computed when it is printed.
void show_disagreements();

}  // namespace strew::cli
