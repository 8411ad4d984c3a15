// Finds a member through the central directory at the end of a ZIP archive. Every offset and size is compared with the archive before use.
#include "zip.h"

#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "error.h"

namespace strew::files {
using namespace internal;
namespace {

constexpr std::uint64_t local_magic = 0x04034b50, entry_magic = 0x02014b50, end_magic = 0x06054b50, end64_magic = 0x06064b50,
                        locator_magic = 0x07064b50, descriptor_magic = 0x08074b50;
constexpr std::uint64_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56, locator_bytes = 20;
// Encrypted, followed by a record of sizes, strongly encrypted, a UTF-8 name, a hidden header.
constexpr std::uint64_t descriptor_flag = 8, meaningful_flags = 0x2849;
constexpr std::uint64_t in_extra_16 = 0xffff, in_extra_32 = 0xffffffff;  // the value is in a field of 64 bits

// Little-endian numbers at offsets that are checked.
class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) fail("points outside of the file");
    return bytes_.subspan(offset, size);
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, unsigned size) const {
    std::uint64_t value = 0;
    const auto digits = part(offset, size);
    for (unsigned i = 0; i < size; ++i) value |= std::to_integer<std::uint64_t>(digits[i]) << (8 * i);
    return value;
  }
  [[nodiscard]] std::string_view text(std::uint64_t offset, std::uint64_t size) const {
    return {reinterpret_cast<const char*>(part(offset, size).data()), size};
  }
  [[noreturn]] void fail(std::string_view sentence) const { files::fail(file_, cat("the archive is damaged: it ", sentence)); }

 private:
  std::span<const std::byte> bytes_;
  std::string_view file_;
};

// Where the central directory is, and how many entries it has.
struct Directory {
  std::uint64_t offset, size, entries;
};

Directory find_directory(const Bytes& archive, std::string_view file) {
  // The end record is followed by a comment of at most 65535 bytes, whose length it contains.
  std::optional<std::uint64_t> end;
  for (std::uint64_t comment = 0; !end && comment <= 65535 && comment + end_bytes <= archive.size(); ++comment) {
    const std::uint64_t at = archive.size() - end_bytes - comment;
    if (archive.number(at, 4) == end_magic && archive.number(at + 20, 2) == comment) end = at;
  }
  if (!end) archive.fail("does not end like one, so a part of it is missing");
  Directory found{archive.number(*end + 16, 4), archive.number(*end + 12, 4), archive.number(*end + 10, 2)};
  std::uint64_t disks = archive.number(*end + 4, 2) | archive.number(*end + 6, 2), here = archive.number(*end + 8, 2), before = *end;
  const bool is_zip64 = *end >= locator_bytes && archive.number(*end - locator_bytes, 4) == locator_magic;
  if (is_zip64) {
    before = archive.number(*end - locator_bytes + 8, 8);
    if (archive.number(before, 4) != end64_magic || before > *end - locator_bytes || *end - locator_bytes - before < end64_bytes)
      archive.fail("has a zip64 record that is none");
    found = {archive.number(before + 48, 8), archive.number(before + 40, 8), archive.number(before + 32, 8)};
    disks = archive.number(before + 16, 4) | archive.number(before + 20, 4);
    here = archive.number(before + 24, 8);
  }
  if (disks != 0 || here != found.entries) fail(file, "is one part of a split archive, which is not supported");
  if (found.offset > before || found.size != before - found.offset) archive.fail("has a directory whose size is wrong");
  return found;
}

// An entry of the directory, with sizes of 64 bits.
struct Entry {
  std::string_view name;
  std::uint64_t flags, method, crc, compressed, size, local;
};

// The sizes that do not fit 32 bits are in an extra field, in this order, each only if its own field is full.
void read_extra(const Bytes& archive, std::uint64_t at, std::uint64_t end, Entry& entry) {
  while (end - at >= 4) {
    const std::uint64_t kind = archive.number(at, 2), size = archive.number(at + 2, 2);
    at += 4;
    if (size > end - at) archive.fail("has an extra field that is too long");
    if (kind == 1) {
      std::uint64_t from = at;
      for (std::uint64_t* value : {&entry.size, &entry.compressed, &entry.local}) {
        if (*value != in_extra_32) continue;
        if (at + size - from < 8) archive.fail("lacks a size of 64 bits");
        *value = archive.number(from, 8);
        from += 8;
      }
    }
    at += size;
  }
}

// The bytes that a member occupies: its local header, its name, its contents.
struct Range {
  std::uint64_t begin, contents, end;
};
Range range_of(const Bytes& archive, const Directory& directory, const Entry& entry) {
  if (archive.number(entry.local, 4) != local_magic) archive.fail("has no member where the directory says");
  const std::uint64_t name_size = archive.number(entry.local + 26, 2), extra_size = archive.number(entry.local + 28, 2);
  const std::uint64_t contents = entry.local + local_bytes + name_size + extra_size;
  if (contents > directory.offset || entry.compressed > directory.offset - contents)
    archive.fail("has a member that reaches into its directory");
  return {entry.local, contents, contents + entry.compressed};
}

// The record after the contents of a member whose header was written before its sizes were known: perhaps a mark, the checksum, and two
// sizes of 32 or 64 bits. Returns where it ends.
std::uint64_t check_descriptor(const Bytes& archive, const Directory& directory, const Entry& entry, std::uint64_t at) {
  for (const unsigned width : {4u, 8u}) {
    for (const unsigned mark : {4u, 0u}) {
      const std::uint64_t size = mark + 4 + 2 * width, crc = at + mark;
      if (size > directory.offset - at || (mark > 0 && archive.number(at, 4) != descriptor_magic)) continue;
      const bool is_same = archive.number(crc, 4) == entry.crc && archive.number(crc + 4, width) == entry.compressed &&
                           archive.number(crc + 4 + width, width) == entry.size;
      if (is_same) return at + size;
    }
  }
  archive.fail("has no record of sizes after a member that needs one");
}

// The local header must say the same as the entry; where a record of sizes follows the contents, zeros may stand for checksum and sizes.
void check_local(const Bytes& archive, const Entry& entry, bool has_descriptor) {
  const std::uint64_t at = entry.local, name_size = archive.number(at + 26, 2), extra_size = archive.number(at + 28, 2);
  if (archive.text(at + local_bytes, name_size) != entry.name) archive.fail("names a member in two ways");
  if (archive.number(at + 8, 2) != entry.method) archive.fail("gives a member two methods of compression");
  if (((archive.number(at + 6, 2) ^ entry.flags) & meaningful_flags) != 0) archive.fail("gives a member flags that contradict each other");
  Entry local{.name = entry.name,
              .flags = entry.flags,
              .method = entry.method,
              .crc = archive.number(at + 14, 4),
              .compressed = archive.number(at + 18, 4),
              .size = archive.number(at + 22, 4),
              .local = 0};
  read_extra(archive, at + local_bytes + name_size, at + local_bytes + name_size + extra_size, local);
  const auto is_same = [&](std::uint64_t here, std::uint64_t there) { return here == there || (has_descriptor && here == 0); };
  if (!is_same(local.crc, entry.crc)) archive.fail("gives a member two checksums");
  if (!is_same(local.compressed, entry.compressed) || !is_same(local.size, entry.size)) archive.fail("gives a member two sizes");
}

Member open_entry(const Bytes& archive, const Directory& directory, const Entry& entry, std::span<const Entry> all, std::string_view file) {
  const std::string name = cat("the member \"", printable(entry.name), "\" ");
  if ((entry.flags & 0x2041) != 0) fail(file, cat(name, "is encrypted"));
  if (entry.method != 0 && entry.method != 8)
    fail(file, cat(name, "is compressed by method ", entry.method, "; only deflate is supported"));
  if (entry.size > INT64_MAX || entry.compressed > INT64_MAX) archive.fail("has a member whose size does not fit");
  Range range = range_of(archive, directory, entry);
  if (entry.method == 0 && entry.compressed != entry.size) archive.fail("has a stored member of two sizes");
  const bool has_descriptor = (entry.flags & descriptor_flag) != 0;
  check_local(archive, entry, has_descriptor);
  if (has_descriptor) range.end = check_descriptor(archive, directory, entry, range.end);
  for (const Entry& other : all) {
    if (&other == &entry) continue;
    const Range others = range_of(archive, directory, other);
    if (others.begin < range.end && range.begin < others.end) archive.fail("has members that overlap");
  }
  return {.name = entry.name,
          .is_deflated = entry.method == 8,
          .crc = static_cast<std::uint32_t>(entry.crc),
          .size = static_cast<std::int64_t>(entry.size),
          .stored = archive.part(range.contents, entry.compressed)};
}

bool is_named(std::string_view entry, std::string_view name) {
  return entry == name || (entry.size() == name.size() + 4 && entry.starts_with(name) && entry.ends_with(".npy"));
}

}  // namespace

bool is_zip(std::span<const std::byte> start) {
  if (start.size() < 4) return false;
  const Bytes bytes(start, "");
  return bytes.number(0, 4) == local_magic || bytes.number(0, 4) == end_magic;
}

Member find_member(std::span<const std::byte> whole, std::string_view name, std::string_view file) {
  const Bytes archive(whole, file);
  const Directory directory = find_directory(archive, file);
  std::vector<Entry> entries;
  std::optional<std::size_t> found;
  std::string names;
  std::uint64_t at = directory.offset;
  const std::uint64_t end = directory.offset + directory.size;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (end - at < entry_bytes || archive.number(at, 4) != entry_magic) archive.fail("has a directory that ends too early");
    const std::uint64_t name_size = archive.number(at + 28, 2), extra_size = archive.number(at + 30, 2),
                        comment_size = archive.number(at + 32, 2);
    if (name_size + extra_size + comment_size > end - at - entry_bytes) archive.fail("has an entry that is too long");
    Entry entry{.name = archive.text(at + entry_bytes, name_size),
                .flags = archive.number(at + 8, 2),
                .method = archive.number(at + 10, 2),
                .crc = archive.number(at + 16, 4),
                .compressed = archive.number(at + 20, 4),
                .size = archive.number(at + 24, 4),
                .local = archive.number(at + 42, 4)};
    if (archive.number(at + 34, 2) != 0 && archive.number(at + 34, 2) != in_extra_16)
      fail(file, "is one part of a split archive, which is not supported");
    read_extra(archive, at + entry_bytes + name_size, at + entry_bytes + name_size + extra_size, entry);
    at += entry_bytes + name_size + extra_size + comment_size;
    entries.push_back(entry);
    if (i < 8) names += cat(i == 0 ? "" : ", ", printable(entry.name.ends_with(".npy") ? entry.name.substr(0, name_size - 4) : entry.name));
    if (i == 8) names += ", ...";
    if (!name.empty() && !is_named(entry.name, name)) continue;
    if (found) {
      if (name.empty()) continue;
      fail(file, cat("has more than one array named \"", printable(name), "\""));
    }
    found = entries.size() - 1;
  }
  if (at != end) archive.fail("has a directory that goes on after its last entry");
  if (name.empty() && directory.entries > 1) fail(file, cat("has several arrays; write ", printable(file), ":NAME, with one of ", names));
  if (!found)
    fail(file,
         name.empty() ? "has no arrays" : cat("has no array named \"", printable(name), "\"; it has ", names.empty() ? "none" : names));
  return open_entry(archive, directory, entries[*found], entries, file);
}

}  // namespace strew::files
