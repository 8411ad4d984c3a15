// Text for people: colours only on a terminal, tensors as nested brackets or as rows.
#pragma once

#include <string>
#include <string_view>

#include "strew/tensor.h"

namespace strew::cli {

enum class Paint : unsigned char { plain, bold, dim, green, red };

// The text in a colour, or as it is when stdout is no terminal or NO_COLOR is set.
std::string painted(Paint paint, std::string_view text);

void print(std::string_view text);

// Element number i in row-major order: "1", "1.5", "true", "\"a\"".
std::string element_text(const Tensor& tensor, std::int64_t i);

// "[[1, 2], [3, 4]]"
std::string nested(const Tensor& tensor);

// The same with one row of the last axis per line and columns aligned; lines after the first start with `indent`.
std::string rows(const Tensor& tensor, std::string_view indent);

// "1 2 3": the elements alone, in row-major order.
std::string flat(const Tensor& tensor);

// "2310 ones, 12705 zeros", for tensors too large to show.
std::string summary(const Tensor& tensor);

// The words of a text that begins in column `begin`, in lines that fit a terminal of 100 columns. Ends with a line break.
std::string wrapped(std::string_view text, std::size_t begin);

std::string padded(std::string_view text, std::size_t width);

// Cut to `width` columns, with "..." where something is missing.
std::string shortened(std::string text, std::size_t width);

}  // namespace strew::cli
