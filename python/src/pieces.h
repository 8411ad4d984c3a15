// strew.Pieces: a scatter whose indices and updates come in pieces.
#pragma once

#include "call.h"

namespace strew::python {

void add_pieces_type(nb::module_& module);
[[nodiscard]] nb::object make_pieces(const Callable& function, const Slots& slots);

}  // namespace strew::python
