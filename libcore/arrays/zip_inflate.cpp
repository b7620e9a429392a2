#include <zlib.h>

#include <algorithm>
#include <new>
#include <vector>

#include "libcore/arrays/crc32.h"
#include "libcore/arrays/zip.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr int kRawDeflate = -15;                // no header; the largest window
constexpr std::uint64_t kMostInflation = 1032;  // what deflate can reach
constexpr std::uint64_t kInputBlock = 1 << 18;
constexpr std::uint64_t kMostInflatedAtOnce = 1 << 30;
constexpr std::uint64_t kPassedOver = 1 << 18;  // bytes at a time that nobody asked for

}  // namespace

/// Where reading a deflated member is.
struct MemberBytes::Inflation {
  Inflation() {
    if (inflateInit2(&stream, kRawDeflate) != Z_OK) throw std::bad_alloc();
  }
  ~Inflation() { inflateEnd(&stream); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  z_stream stream{};
  std::uint64_t read = 0;  ///< of the stored bytes
  std::uint64_t made = 0;  ///< of the content
  bool ended = false;
  std::vector<unsigned char> block, passed_over;

  void restart() {
    inflateReset(&stream);
    stream.avail_in = 0;
    read = made = 0;
    ended = false;
  }
  std::uint64_t step(const MemberBytes& of, void* to, std::uint64_t room);
  void refill(const MemberBytes& of);
};

void MemberBytes::Inflation::refill(const MemberBytes& of) {
  const std::uint64_t n = std::min(kInputBlock, of.member_.stored_size - read);
  if (n == 0) of.damaged("it ends early");
  block.resize(n);
  of.file_.read_at(of.member_.begin + read, block.data(), n);
  read += n;
  stream.next_in = block.data();
  stream.avail_in = static_cast<uInt>(n);
}

/// Inflates up to `room` bytes; 0 at the end alone.
std::uint64_t MemberBytes::Inflation::step(const MemberBytes& of, void* to, std::uint64_t room) {
  stream.next_out = static_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(std::min(room, kMostInflatedAtOnce));
  const uInt given = stream.avail_out;
  while (!ended) {
    // More may come of what was read before.
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) of.damaged("no valid stream");
    ended = code == Z_STREAM_END;
    if (stream.avail_out != given) break;
    if (!ended && stream.avail_in == 0) refill(of);
  }
  made += given - stream.avail_out;
  return given - stream.avail_out;
}

MemberBytes::MemberBytes(const RegularFile& file, ZipMember member)
    : file_(file), member_(std::move(member)) {
  if (!member_.deflated) return;
  if (member_.size / kMostInflation > member_.stored_size) {
    damaged("it is too short for its size");
  }
  inflation_ = std::make_unique<Inflation>();
}

MemberBytes::~MemberBytes() = default;

void MemberBytes::damaged(const char* finding) const {
  fail(ExitStatus::bad_input, file_.path(), ": member '", printable(member_.name),
       "' is damaged: ", finding);
}

void MemberBytes::read_at(std::uint64_t offset, void* to, std::uint64_t count) const {
  if (!inflation_) return file_.read_at(member_.begin + offset, to, count);
  Inflation& from = *inflation_;
  if (offset < from.made) from.restart();
  while (from.made < offset) {
    from.passed_over.resize(std::min(kPassedOver, offset - from.made));
    const auto got = from.step(*this, from.passed_over.data(), from.passed_over.size());
    if (got == 0) damaged("it is shorter than its size");
  }
  for (auto* at = static_cast<unsigned char*>(to); count > 0;) {
    const std::uint64_t got = from.step(*this, at, count);
    if (got == 0) damaged("it is shorter than its size");
    at += got;
    count -= got;
  }
}

void MemberBytes::check_end() const {
  unsigned char none = 0;
  if (inflation_ && inflation_->step(*this, &none, 1) != 0) damaged("it is longer than its size");
}

void MemberBytes::verify() const {
  std::vector<unsigned char> piece;
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < member_.size; at += piece.size()) {
    piece.resize(std::min(kPassedOver, member_.size - at));
    read_at(at, piece.data(), piece.size());
    crc = crc32(piece.data(), piece.size(), crc);
  }
  if (member_.size == 0 && inflation_) inflation_->restart();
  check_end();
  if (crc != member_.crc) damaged("wrong checksum");
}

}  // namespace frugal
