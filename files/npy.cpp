// The header of a .npy file: a magic string, a version, a length, and a Python dict of three entries.
#include "npy.h"

#include <array>
#include <charconv>

#include "base/checked.h"
#include "base/text.h"
#include "error.h"

namespace strew::files {
using namespace internal;
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

// NumPy's code of each dtype, without the byte order. V2 is how NumPy stores the bfloat16 of ml_dtypes.
struct Code {
  std::string_view text;
  Dtype dtype;
};
constexpr Code codes[] = {
    {"b1", Dtype::bool_},    {"i1", Dtype::int8},    {"i2", Dtype::int16},   {"i4", Dtype::int32},     {"i8", Dtype::int64},
    {"u1", Dtype::uint8},    {"u2", Dtype::uint16},  {"u4", Dtype::uint32},  {"u8", Dtype::uint64},    {"f2", Dtype::float16},
    {"V2", Dtype::bfloat16}, {"f4", Dtype::float32}, {"f8", Dtype::float64}, {"c8", Dtype::complex64}, {"c16", Dtype::complex128},
};

// Reads the dict: only what NumPy writes, strings without escapes, True or False, and a tuple of sizes.
class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  [[noreturn]] void fail(std::string_view sentence) const { files::fail(file_, cat("the header of the array ", sentence)); }

  void skip_spaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t')) text_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip_spaces();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token, std::string_view where) {
    if (!take(token)) fail(cat("has no \"", token, "\" ", where));
  }
  void expect_end() {
    skip_spaces();
    if (!text_.empty()) fail("goes on after its end");
  }

  std::string_view string() {
    skip_spaces();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) fail("has no string where one belongs");
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail("has a string that does not end");
    const std::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }
  bool boolean() {
    if (take("True")) return true;
    if (!take("False")) fail("has a fortran_order that is neither True nor False");
    return false;
  }
  Dims shape() {
    expect("(", "before the shape");
    Dims shape;
    while (!take(")")) {
      if (shape.size() == max_rank) fail(cat("has a shape of more than ", max_rank, " dimensions"));
      shape.push_back(size());
      const bool comma = take(",");
      if (!comma && shape.size() == 1) fail("has a shape that is no tuple");
      if (!comma) {
        expect(")", "after the shape");
        break;
      }
    }
    return shape;
  }

 private:
  std::int64_t size() {
    skip_spaces();
    std::int64_t value = 0;
    const auto end = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (end.ec == std::errc::result_out_of_range) fail("has a size that does not fit 64 bits");
    if (end.ec != std::errc()) fail("has a shape that holds something other than sizes");
    if (value < 0) fail(cat("has a negative size: ", value));
    const auto digits = static_cast<std::size_t>(end.ptr - text_.data());
    if (digits > 1 && text_.front() == '0') fail("has a size that begins with 0");
    text_.remove_prefix(digits);
    if (!text_.empty() && text_.front() == 'L') text_.remove_prefix(1);  // a long of Python 2
    return value;
  }

  std::string_view text_;
  std::string_view file_;
};

// Sets the dtype, the encoding and the size of an element from a code such as "<f4".
void set_type(NpyHeader& header, std::string_view descr, const Reader& reader) {
  const std::string shown = cat("\"", printable(descr), "\"");
  const char order = descr.empty() ? '\0' : descr.front();
  if (order != '<' && order != '>' && order != '|') reader.fail(cat("has the dtype ", shown, ", which does not begin with a byte order"));
  const std::string_view code = descr.substr(1);
  if (code == "O") reader.fail("describes Python objects, which are never loaded");
  for (const Code& row : codes) {
    if (row.text != code) continue;
    header.dtype = row.dtype;
    header.item = size_of(row.dtype);
    const bool is_bytes = header.item == 1 || row.dtype == Dtype::bfloat16;
    if (order == '|' && !is_bytes) reader.fail(cat("has the dtype ", shown, ", which lacks a byte order"));
    if (order == '>' && row.dtype == Dtype::bfloat16) reader.fail(cat("has the dtype ", shown, "; bfloat16 is \"<V2\""));
    header.encoding = order == '>' && !is_bytes ? Encoding::swapped : Encoding::native;
    return;
  }
  const bool is_utf32 = code.starts_with('U'), is_text = is_utf32 || code.starts_with('S');
  std::int64_t width = 0;
  const std::string_view digits = is_text ? code.substr(1) : "";
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) reader.fail(cat("has the dtype ", shown, ", which is none of Strew's"));
  if (std::from_chars(digits.data(), digits.data() + digits.size(), width).ec != std::errc()) width = INT64_MAX;
  if (width < 1 || width > (1 << 28)) reader.fail(cat("has text of ", width, " characters"));
  header.dtype = Dtype::string;
  header.encoding = !is_utf32 ? Encoding::bytes : order == '>' ? Encoding::utf32_swapped : Encoding::utf32;
  header.item = is_utf32 ? 4 * width : width;
}

void set_sizes(NpyHeader& header, std::int64_t size, const Reader& reader, std::string_view file) {
  std::int64_t bytes = header.item;  // of an array without its empty dimensions
  bool is_empty = false;
  for (const std::int64_t extent : header.shape) {
    is_empty = is_empty || extent == 0;
    const auto product = checked_mul(bytes, extent == 0 ? 1 : extent);
    if (!product) reader.fail(cat("has the shape ", bracketed(header.shape), ", whose size does not fit 64 bits"));
    bytes = *product;
  }
  header.bytes = is_empty ? 0 : bytes;
  header.count = header.bytes / header.item;
  const std::int64_t rest = size - header.offset;
  if (rest != header.bytes) {
    fail(file, cat("the header declares ", header.bytes, " bytes of elements (", to_string(header.dtype), ", shape ",
                   bracketed(header.shape), "), but ", rest, " bytes follow it"));
  }
}

std::int64_t byte_at(std::span<const std::byte> bytes, std::size_t i) { return std::to_integer<std::int64_t>(bytes[i]); }

}  // namespace

bool is_npy(std::span<const std::byte> start) {
  return start.size() >= magic.size() && std::string_view(reinterpret_cast<const char*>(start.data()), magic.size()) == magic;
}

NpyHeader parse_npy(std::span<const std::byte> start, std::int64_t size, std::string_view file) {
  if (!is_npy(start)) fail(file, "is no .npy file: its first bytes are not those of one");
  if (start.size() < 10) fail(file, "ends within the header of the array");
  const std::int64_t major = byte_at(start, 6), minor = byte_at(start, 7);
  if (major < 1 || major > 3 || minor != 0) {
    fail(file, cat("has version ", major, ".", minor, " of the .npy format; 1.0, 2.0 and 3.0 are known"));
  }
  const std::int64_t before = major == 1 ? 10 : 12;  // bytes before the text of the header
  if (size < before || static_cast<std::int64_t>(start.size()) < before) fail(file, "ends within the header of the array");
  std::int64_t length = byte_at(start, 8) + 256 * byte_at(start, 9);
  if (major > 1) length += (byte_at(start, 10) << 16) + (byte_at(start, 11) << 24);
  if (length > size - before) fail(file, cat("declares a header of ", length, " bytes, but only ", size - before, " follow"));
  if (length > max_npy_header - 12) fail(file, cat("declares a header of ", length, " bytes; the most is ", max_npy_header - 12));

  const auto* const text = reinterpret_cast<const char*>(start.data()) + before;
  Reader reader(std::string_view(text, static_cast<std::size_t>(length)), file);
  NpyHeader header;
  header.offset = before + length;
  constexpr std::array<std::string_view, 3> keys = {"descr", "fortran_order", "shape"};
  std::array<bool, 3> seen{};
  std::string_view descr;
  reader.expect("{", "at its start");
  while (!reader.take("}")) {
    const std::string_view key = reader.string();
    std::size_t at = 0;
    while (at < keys.size() && keys[at] != key) ++at;
    if (at == keys.size()) reader.fail(cat("has an unknown entry \"", printable(key), "\""));
    if (seen[at]) reader.fail(cat("has two entries \"", key, "\""));
    seen[at] = true;
    reader.expect(":", "after the name of an entry");
    if (at == 0 && reader.take("[")) reader.fail("describes a structured dtype, which Strew does not have");
    if (at == 0) descr = reader.string();
    if (at == 1) header.fortran_order = reader.boolean();
    if (at == 2) header.shape = reader.shape();
    if (reader.take(",")) continue;
    reader.expect("}", "at its end");
    break;
  }
  reader.expect_end();
  for (std::size_t at = 0; at < keys.size(); ++at) {
    if (!seen[at]) reader.fail(cat("has no entry \"", keys[at], "\""));
  }
  set_type(header, descr, reader);
  set_sizes(header, size, reader, file);
  return header;
}

std::string npy_header(Dtype dtype, const Dims& shape, Encoding encoding, std::int64_t characters) {
  std::string code;
  if (dtype == Dtype::string) {
    code = cat(encoding == Encoding::bytes ? "|S" : "<U", characters);
  } else {
    for (const Code& row : codes) {
      if (row.dtype == dtype) code = cat(size_of(dtype) == 1 ? "|" : "<", row.text);
    }
  }
  std::string sizes;
  for (const std::int64_t size : shape) sizes += cat(sizes.empty() ? "" : ", ", size);
  std::string text = cat("{'descr': '", code, "', 'fortran_order': False, 'shape': (", sizes, shape.size() == 1 ? "," : "", "), }");
  // NumPy leaves room for the first size to grow to 20 digits, then aligns the elements to 64 bytes.
  if (!shape.empty()) text.append(21 - std::min<std::size_t>(21, cat(shape[0]).size()), ' ');
  text.append(64 - (10 + text.size() + 1) % 64, ' ');
  text += '\n';
  const auto low = static_cast<char>(text.size() & 255), high = static_cast<char>(text.size() >> 8);
  return cat(magic, '\x01', '\0', low, high, text);
}

}  // namespace strew::files
