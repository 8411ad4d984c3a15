// Text of any bytes as text that can be printed and drawn: valid UTF-8 that XML allows, cut to a length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strew::internal {

// At most `most` characters; a longer text ends in an ellipsis. Control characters become their pictures, and bytes that are not UTF-8
// the replacement character.
[[nodiscard]] std::string legible(std::string_view text, std::size_t most);

// The number of characters of valid UTF-8.
[[nodiscard]] std::size_t character_count(std::string_view text);

// The width of valid UTF-8 in letters of a fixed-width font: 2 for a character of East Asia and for an emoji, 0 for a combining mark.
[[nodiscard]] std::size_t display_width(std::string_view text);

// An integer in decimal, with a comma between groups of three digits.
[[nodiscard]] std::string grouped(std::int64_t number);

}  // namespace strew::internal
