// A strict reader of the XML that pictures use: elements, attributes, text, the five entities. Written without the product's code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strew::harness {

struct XmlText {
  std::string element;  // name of the element that contains it
  std::string classes;  // its class attribute
  std::string content;  // with entities replaced
};

struct Xml {
  std::string flaw;  // why the document is not well-formed; empty if it is
  std::vector<XmlText> texts;
  int elements = 0;

  [[nodiscard]] std::vector<std::string> of_class(std::string_view classes) const;
  [[nodiscard]] bool has(std::string_view text) const;  // whether a text contains it
};

[[nodiscard]] Xml read_xml(std::string_view document);

}  // namespace strew::harness
