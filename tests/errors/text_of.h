// What a call that fails says.
#pragma once

#include <string>

#include "strew/error.h"

namespace strew {

// The code and the text of a call's error, "no error" if there is none.
template <class Call>
std::string text_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

}  // namespace strew
