// Runs a case through the registry and watches everything that the call must leave alone.
#pragma once

#include <cstddef>

#include "harness/case.h"
#include "strew/run.h"

namespace strew::harness {

enum class Form : std::uint8_t {
  by_name,     // in place if the operator's name ends in an underscore, functional otherwise
  functional,  // a result of its own
  into,        // into memory of the caller's, which holds something else before
  in_place,    // into the first argument, as always where an operator has no other form
};

// Whether a scatter is run at once or from a plan. A plan may outlive the indices it was made from, and may be made before there are
// updates: then each of the two descriptions of the op has stand-ins for the other's tensors. Or it is made again from its places.
enum class Planned : std::uint8_t { no, yes, indices_gone, described_twice, from_places };

struct Setup {
  RunOptions options = {};  // of a plan that is made: `strategy` names its layout
  Form form = Form::by_name;
  std::size_t shift = 0;  // bytes by which every argument is moved off its alignment
  Planned planned = Planned::no;
  bool explained = false;  // the op is explained and not run: of its answer only the error counts
  std::uint64_t pieces = 0;  // the seed of a run in pieces; 0: one call
};

// Throws std::runtime_error when there is no such operator. Errors of the operator are answers.
[[nodiscard]] Answer run_case(const Case& c, const Setup& setup = {});

// Whether the case's operator can write over its first argument.
[[nodiscard]] bool has_in_place_form(const Case& c);

}  // namespace strew::harness
