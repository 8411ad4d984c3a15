// Builds an SVG document. All text is escaped here.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace strew::internal {

// Text of valid UTF-8 for element content and attribute values.
[[nodiscard]] std::string escaped(std::string_view text);

// A length in pixels as text, rounded to tenths.
[[nodiscard]] std::string px(double value);

// Text lies above everything else, so that arrows never hide it.
class Svg {
 public:
  // `classes` name rules of the style sheet in svg.cpp.
  void box(double x, double y, double width, double height, std::string_view classes);
  enum class Anchor : std::uint8_t { start, middle, end };
  // `y` is the base line.
  void text(double x, double y, std::string_view classes, Anchor anchor, std::string_view content);
  void path(std::string_view commands, std::string_view classes);

  // The document: the drawn elements on a background of that size.
  [[nodiscard]] std::string document(double width, double height, std::string_view title, std::string_view description) const;

 private:
  std::string body_, text_;
};

}  // namespace strew::internal
