// Decompresses with zlib.
#include "inflate.h"

#include <zlib.h>

#include <algorithm>

#include "base/text.h"
#include "error.h"

namespace strew::files {
using internal::cat;
namespace {

std::string about(const Member& member, std::string_view sentence) { return cat("the member \"", printable(member.name), "\" ", sentence); }

uLong updated_crc(uLong crc, std::span<const std::byte> bytes) {
  return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

constexpr std::size_t chunk_bytes = static_cast<std::size_t>(progress_chunk);

}  // namespace

struct Inflater::Stream {
  const Member member;
  const std::string file;
  z_stream z{};
  std::span<const std::byte> rest;  // compressed bytes that zlib has not got yet
  uLong crc = crc32_z(0, nullptr, 0);
  bool ended = false;

  Stream(const Member& of, std::string_view in) : member(of), file(in), rest(of.stored) {
    const auto most = static_cast<std::int64_t>(std::min<std::size_t>(rest.size(), INT64_MAX / 1032)) * 1032;
    if (member.size > most) fail(cat("claims to hold ", member.size, " bytes, more than ", rest.size(), " compressed bytes can"));
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) detail::throw_no_memory();
  }
  ~Stream() { inflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[noreturn]] void fail(std::string_view sentence) const { files::fail(file, about(member, sentence)); }

  // Writes to `out`, at most `chunk_bytes`; returns how many.
  std::size_t fill(std::span<std::byte> out) {
    if (z.avail_in == 0) {
      const auto chunk = rest.first(std::min(rest.size(), chunk_bytes));
      rest = rest.subspan(chunk.size());
      z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(chunk.data()));
      z.avail_in = static_cast<uInt>(chunk.size());
    }
    const std::size_t room = std::min(out.size(), chunk_bytes);
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(room);
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) detail::throw_no_memory();
    ended = result == Z_STREAM_END;
    const std::size_t count = room - z.avail_out;
    if (!ended && result != Z_OK && result != Z_BUF_ERROR) fail("is damaged: its compressed bytes make no sense");
    if (!ended && count == 0 && z.avail_in == 0 && rest.empty()) fail("is damaged: its compressed bytes end too early");
    crc = updated_crc(crc, out.first(count));
    return count;
  }
};

Inflater::Inflater(const Member& member, std::string_view file) : stream_(std::make_unique<Stream>(member, file)) {}
Inflater::~Inflater() = default;

void Inflater::read(std::span<std::byte> out, Progress& progress) {
  std::size_t done = 0;
  while (done < out.size()) {
    if (stream_->ended) stream_->fail("is damaged: it is shorter than it claims");
    done += stream_->fill(out.subspan(done));
    progress.done(static_cast<std::int64_t>(done));
  }
}

void Inflater::finish() {
  while (!stream_->ended) {
    std::byte one[1];
    if (stream_->fill(one) > 0) stream_->fail("is damaged: it is longer than it claims");
  }
  if (stream_->z.avail_in > 0 || !stream_->rest.empty()) stream_->fail("is damaged: bytes follow its compressed ones");
  if (stream_->crc != stream_->member.crc) stream_->fail("is damaged: its checksum is wrong");
}

void check_stored(const Member& member, std::string_view file, Progress& progress) {
  uLong crc = crc32_z(0, nullptr, 0);
  for (std::size_t at = 0; at < member.stored.size(); at += chunk_bytes) {
    const auto chunk = member.stored.subspan(at, std::min(chunk_bytes, member.stored.size() - at));
    crc = updated_crc(crc, chunk);
    progress.done(static_cast<std::int64_t>(at + chunk.size()));
  }
  if (crc != member.crc) fail(file, about(member, "is damaged: its checksum is wrong"));
}

}  // namespace strew::files
