// One pass over the document; the first flaw ends it.
#include "harness/xml.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

namespace strew::harness {
namespace {

constexpr std::pair<std::string_view, std::string_view> entities[] = {
    {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};

// What of the bytes is no character of XML 1.0 in UTF-8; empty if all are.
std::string flaw_of_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || i + length > text.size()) return "bytes that are not UTF-8";
    std::uint32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (next >> 6 != 2) return "bytes that are not UTF-8";
      code = code * 64 + (next & 63);
    }
    const bool is_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool is_control = code < 32 && code != '\n' && code != '\t' && code != '\r';
    if (is_long || is_control || (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF)
      return "a character that XML forbids";
    i += length;
  }
  return {};
}

class Reader {
 public:
  explicit Reader(std::string_view document) : rest_(document) { xml_.flaw = flaw_of_characters(document); }

  Xml read() {
    while (xml_.flaw.empty() && !rest_.empty()) {
      if (rest_.front() == '<') tag();
      else text();
    }
    if (xml_.flaw.empty() && !open_.empty()) xml_.flaw = "an element is not closed: " + open_.back().element;
    if (xml_.flaw.empty() && roots_ != 1) xml_.flaw = "not one root";
    return std::move(xml_);
  }

 private:
  void fail(std::string what) {
    if (xml_.flaw.empty()) xml_.flaw = std::move(what);
    rest_ = {};
  }

  std::string decoded(std::string_view raw) {
    std::string result;
    while (!raw.empty()) {
      const std::size_t at = std::min(raw.find('&'), raw.size());
      result += raw.substr(0, at);
      raw.remove_prefix(at);
      if (raw.empty()) break;
      const std::size_t end = raw.find(';');
      const std::string_view name = raw.substr(1, end == std::string_view::npos ? 0 : end - 1);
      const auto* const found = std::find_if(std::begin(entities), std::end(entities), [&](const auto& e) { return e.first == name; });
      if (found == std::end(entities)) {
        fail("an ampersand without an entity");
        return result;
      }
      result += found->second;
      raw.remove_prefix(end + 1);
    }
    return result;
  }

  void text() {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    const std::string_view raw = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (raw.find("]]>") != std::string_view::npos) return fail("]]> in a text");
    const std::string content = decoded(raw);
    const bool blank = std::all_of(content.begin(), content.end(), [](char c) { return c == ' ' || c == '\n'; });
    if (open_.empty() && !blank) return fail("text outside of the root");
    if (!open_.empty() && !blank) xml_.texts.push_back({open_.back().element, open_.back().classes, content});
  }

  std::string name() {
    std::size_t end = 0;
    while (end < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '-')) ++end;
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (word.empty()) fail("a name is missing");
    return word;
  }
  bool skip(std::string_view part) {
    if (!rest_.starts_with(part)) return false;
    rest_.remove_prefix(part.size());
    return true;
  }

  void tag() {
    skip("<");
    if (skip("/")) {
      const std::string word = name();
      if (open_.empty() || open_.back().element != word || !skip(">")) return fail("a closing tag that closes nothing: " + word);
      open_.pop_back();
      return;
    }
    XmlText element{name(), {}, {}};
    ++xml_.elements;
    if (open_.empty()) ++roots_;
    std::vector<std::string> seen;
    while (skip(" ")) {
      const std::string attribute = name();
      if (std::find(seen.begin(), seen.end(), attribute) != seen.end()) return fail("an attribute twice: " + attribute);
      seen.push_back(attribute);
      if (!skip("=\"")) return fail("an attribute without a value: " + attribute);
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos || rest_.substr(0, end).find('<') != std::string_view::npos) return fail("an open value");
      const std::string value = decoded(rest_.substr(0, end));
      rest_.remove_prefix(std::min(rest_.size(), end + 1));
      if (attribute == "class") element.classes = value;
    }
    if (skip("/>")) return;
    if (!skip(">")) return fail("a tag that does not end");
    open_.push_back(element);
  }

  Xml xml_;
  std::string_view rest_;
  std::vector<XmlText> open_;
  int roots_ = 0;
};

}  // namespace

std::vector<std::string> Xml::of_class(std::string_view classes) const {
  std::vector<std::string> found;
  for (const XmlText& text : texts) {
    if (text.classes == classes) found.push_back(text.content);
  }
  return found;
}

bool Xml::has(std::string_view text) const {
  return std::any_of(texts.begin(), texts.end(), [&](const XmlText& each) { return each.content.find(text) != std::string::npos; });
}

Xml read_xml(std::string_view document) { return Reader(document).read(); }

}  // namespace strew::harness
