// The style sheet: colours after Okabe and Ito, which the colour-blind can tell apart. Each has a contrast of at least 3 to the background,
// light or dark.
#include "picture/svg.h"

#include <cmath>

namespace strew::internal {
namespace {

// Every rule is confined to the picture, because a style sheet in a page is for the whole page. `p0` to `p4` colour places, `p5` those that
// have no colour of their own.
constexpr std::string_view style = R"(<style>
.strew text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1b1f24}
.strew .name{font:600 16px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.strew .say,.strew .label{font:12.5px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#59636e}
.strew .label{font-size:11px}.strew .small{font-size:11px}.strew .result{font-weight:700}
.strew .value,.strew .old{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-opacity:.75;stroke-linejoin:round}
.strew .old{font-size:11px;fill:#59636e}.strew .faint{opacity:.42}.strew .bad{font-weight:600;fill:#b34700}
.strew .back{fill:#fff}.strew .cell{fill:#fff;stroke:#c4ccd4}.strew .ghost{fill:none;stroke:#d55e00;stroke-width:1.5;stroke-dasharray:4 3}
.strew .arrow{fill:none;stroke-width:1.8}.strew .lost{stroke-dasharray:3 4}
.strew .line{stroke:#c4ccd4}
.strew .p0{stroke:#0072b2}.strew .p1{stroke:#a86a00}.strew .p2{stroke:#009e73}.strew .p3{stroke:#cc79a7}.strew .p4{stroke:#882255}
.strew .p5{stroke:#7d8894}.strew .p6{stroke:#d55e00}
.strew .f0{fill:#dcecf6}.strew .f1{fill:#fcf0d6}.strew .f2{fill:#d9f1ea}.strew .f3{fill:#f7e9f1}.strew .f4{fill:#eedde5}.strew .f5{fill:#eef1f4}
.strew .h0{fill:#0072b2}.strew .h1{fill:#a86a00}.strew .h2{fill:#009e73}.strew .h3{fill:#cc79a7}.strew .h4{fill:#882255}
.strew .h5{fill:#7d8894}.strew .h6{fill:#d55e00}
@media (prefers-color-scheme:dark){
.strew text{fill:#e8ebef}.strew .say,.strew .label,.strew .old{fill:#a3adb8}.strew .bad{fill:#ff9d5c}.strew .value,.strew .old{stroke:#15191e}
.strew .back{fill:#15191e}.strew .cell{fill:#1d2329;stroke:#46505b}.strew .line{stroke:#46505b}
.strew .p0{stroke:#3d9fd8}.strew .h0{fill:#3d9fd8}.strew .p1{stroke:#e69f00}.strew .h1{fill:#e69f00}.strew .p4{stroke:#f0e442}.strew .h4{fill:#f0e442}
.strew .f0{fill:#12334a}.strew .f1{fill:#46350d}.strew .f2{fill:#0d3c30}.strew .f3{fill:#47293a}.strew .f4{fill:#47440f}.strew .f5{fill:#2a3139}}
</style>)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': append(result, "&amp;"); break;
      case '<': append(result, "&lt;"); break;
      case '>': append(result, "&gt;"); break;
      case '"': append(result, "&quot;"); break;
      default: append(result, c);
    }
  }
  return result;
}

std::string px(double value) {
  const auto tenths = static_cast<std::int64_t>(std::llround(value * 10));
  const std::int64_t whole = tenths / 10, rest = std::abs(tenths % 10);
  const std::string_view sign = tenths < 0 && whole == 0 ? "-" : "";
  return rest == 0 ? cat(sign, whole) : cat(sign, whole, ".", rest);
}

void Svg::box(double x, double y, double width, double height, std::string_view classes) {
  append(body_, cat("<rect class=\"", classes, "\" x=\"", px(x), "\" y=\"", px(y), "\" width=\"", px(width), "\" height=\"", px(height),
                    "\" rx=\"3\"/>\n"));
}

void Svg::text(double x, double y, std::string_view classes, Anchor anchor, std::string_view content) {
  constexpr std::string_view anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  const std::string name = classes.empty() ? std::string() : cat(" class=\"", classes, "\"");
  append(text_, cat("<text", name, " x=\"", px(x), "\" y=\"", px(y), "\"", anchors[static_cast<std::size_t>(anchor)], ">", escaped(content),
                    "</text>\n"));
}

void Svg::path(std::string_view commands, std::string_view classes) {
  append(body_, cat("<path class=\"", classes, "\" d=\"", commands, "\"/>\n"));
}

std::string Svg::document(double width, double height, std::string_view title, std::string_view description) const {
  const std::string w = px(width), h = px(height);
  return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"strew\" role=\"img\" width=\"", w, "\" height=\"", h, "\" viewBox=\"0 0 ",
             w, " ", h, "\">\n<title>", escaped(title), "</title>\n<desc>", escaped(description), "</desc>\n", style,
             "\n<rect class=\"back\" width=\"", w, "\" height=\"", h, "\" rx=\"8\"/>\n", body_, text_, "</svg>\n");
}

}  // namespace strew::internal
