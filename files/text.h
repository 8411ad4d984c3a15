// Strings as fixed-width elements of a file, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "npy.h"
#include "strew/tensor.h"

namespace strew::files {

// The elements of a file as UTF-8 strings, in the order of the file; trailing zeros are padding. Bytes ('S') are taken as they are. Throws
// a FileError for a code that is no Unicode character.
[[nodiscard]] Tensor decoded_text(const NpyHeader& header, std::span<const std::byte> elements, std::string_view file);

// How strings are written: as 'U', or as 'S' if one of them is not UTF-8, as wide as the longest.
struct TextFormat {
  Encoding encoding = Encoding::utf32;
  std::int64_t width = 1;  // in code points or bytes
  [[nodiscard]] std::int64_t item() const { return encoding == Encoding::utf32 ? 4 * width : width; }
};
// Throws a FileError if a string ends with a zero, which the padding would swallow.
[[nodiscard]] TextFormat text_format(std::span<const std::string> strings, std::string_view file);
// Writes the strings to `elements`, which has room for strings.size() * format.item() bytes.
void encode_text(std::span<const std::string> strings, const TextFormat& format, std::span<std::byte> elements);

// Removes the first character of a text, which is not empty; no value if it is not UTF-8 in its shortest form.
[[nodiscard]] std::optional<std::uint32_t> take_character(std::string_view& text);
// Appends a character as UTF-8.
void append_character(std::string& text, std::uint32_t code);
// Whether a terminal may obey a character instead of showing it: control characters, and those that change the direction of text.
[[nodiscard]] bool is_control(std::uint32_t code);
// "202e": at least four digits.
[[nodiscard]] std::string hexadecimal(std::uint32_t code);

}  // namespace strew::files
