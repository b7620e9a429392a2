#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/zip.h"

namespace frugal {
namespace {

constexpr int kRawDeflate = -15;                // no header; the largest window
constexpr std::uint64_t kMostInflation = 1032;  // what deflate can reach
constexpr std::uint64_t kInputBlock = 1 << 20;
constexpr std::uint64_t kMostInflatedAtOnce = 1 << 30;

struct Inflater {
  Inflater() {
    if (inflateInit2(&stream, kRawDeflate) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream stream{};
};

}  // namespace

InflatedMember::InflatedMember(const RegularFile& file, const ZipMember& member,
                               std::uint64_t max_memory) {
  const auto damaged = [&](const char* finding) {
    fail(ExitStatus::bad_input, file.path(), ": member '", printable(member.name),
         "' is damaged: ", finding);
  };
  if (member.size / kMostInflation > member.stored_size) damaged("it is too short for its size");
  if (member.size > max_memory) {
    fail(ExitStatus::unavailable, file.path(), ": member '", printable(member.name), "' needs ",
         format_bytes(member.size), " twice, but ", format_bytes(2 * max_memory),
         " may be used (--max-memory)");
  }
  bytes_ = Array<std::byte>(static_cast<std::size_t>(member.size), uninitialized);
  Inflater inflater;
  z_stream& z = inflater.stream;
  std::vector<unsigned char> block(
      std::min(kInputBlock, std::max<std::uint64_t>(member.stored_size, 1)));
  std::uint64_t read = 0, made = 0;
  unsigned char none = 0;
  for (int code = Z_OK; code != Z_STREAM_END;) {
    if (z.avail_in == 0) {
      const std::uint64_t n = std::min<std::uint64_t>(block.size(), member.stored_size - read);
      if (n == 0) damaged("it ends early");
      file.read_at(member.begin + read, block.data(), n);
      read += n;
      z.next_in = block.data();
      z.avail_in = static_cast<uInt>(n);
    }
    const std::uint64_t room = std::min(bytes_.size() - made, kMostInflatedAtOnce);
    z.next_out = room == 0 ? &none : reinterpret_cast<Bytef*>(bytes_.data() + made);
    z.avail_out = static_cast<uInt>(std::max<std::uint64_t>(room, 1));
    const uInt given = z.avail_out;
    code = inflate(&z, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) damaged("no valid stream");
    const std::uint64_t got = given - z.avail_out;
    if (got > room) damaged("it is longer than its size");
    made += got;
  }
  if (made != member.size) damaged("it is shorter than its size");
}

void InflatedMember::read_at(std::uint64_t offset, void* to, std::uint64_t count) const {
  if (count != 0) std::memcpy(to, bytes_.data() + offset, count);
}

}  // namespace frugal
