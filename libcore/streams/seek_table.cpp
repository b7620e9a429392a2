#include "libcore/streams/seek_table.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/streams/zstd_frames.h"

namespace frugal {
namespace {

// zstd's seekable format 0.1.0: a skippable frame of entries (u32 compressed size, u32 plain size,
// and with bit 7 of the descriptor u32 checksum), then u32 number of frames, u8 descriptor, u32
// magic.
constexpr std::uint32_t kTableEndMagic = 0x8f92eab1;
constexpr std::size_t kFrameHeader = 8;
constexpr std::size_t kFooter = 9;
constexpr int kHasChecksums = 0x80;
constexpr int kReservedBits = 0x7c;

void append_u32(std::string& to, std::uint64_t value) {
  for (int i = 0; i < 4; ++i, value >>= 8) to += static_cast<char>(value & 0xff);
}

}  // namespace

void FrameIndex::add(std::uint64_t file_begin, std::uint64_t plain) {
  frames_.push_back({file_begin, plain_size_});
  plain_size_ += plain;
}

std::optional<FrameIndex> FrameIndex::from_table(InputStream& input) {
  std::byte bytes[12];
  if (input.size() < kFrameHeader + kFooter) return std::nullopt;
  input.seek(input.size() - kFooter);
  if (input.read(bytes, kFooter) < kFooter) return std::nullopt;
  const std::uint64_t count = load_u32(bytes);
  const int descriptor = std::to_integer<int>(bytes[4]);
  if (load_u32(bytes + 5) != kTableEndMagic || (descriptor & kReservedBits) != 0) {
    return std::nullopt;
  }
  const std::size_t entry = (descriptor & kHasChecksums) != 0 ? 12 : 8;
  const std::uint64_t table = count * entry + kFrameHeader + kFooter;
  if (table > input.size()) return std::nullopt;
  input.seek(input.size() - table);
  if (input.read(bytes, kFrameHeader) < kFrameHeader || load_u32(bytes) != kSeekTableMagic ||
      load_u32(bytes + 4) != table - kFrameHeader) {
    return std::nullopt;
  }
  FrameIndex index;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (input.read(bytes, entry) < entry) return std::nullopt;
    // Skippable frames may be listed; they hold no content.
    const std::uint64_t plain = load_u32(bytes + 4);
    if (plain != 0) index.add(at, plain);
    at += load_u32(bytes);
  }
  if (at + table != input.size()) return std::nullopt;
  return index;
}

std::optional<FrameIndex> FrameIndex::from_scan(InputStream& input) {
  FrameIndex index;
  FrameReader frames(input);
  input.seek(0);
  try {
    FrameHeader header;
    for (;;) {
      const auto found = frames.next(header);
      if (found == FrameReader::Found::end) return index;
      if (found == FrameReader::Found::truncated || !header.content_size) return std::nullopt;
      if (*header.content_size != 0) index.add(frames.frame_begin(), *header.content_size);
      if (!frames.skip_frame()) return std::nullopt;
    }
  } catch (const Error& error) {
    // Reading in order reports the damage when it gets there.
    if (error.status() != ExitStatus::bad_input) throw;
    return std::nullopt;
  }
}

bool FrameIndex::has_small_frames() const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (plain_size_of(i) > kMaxFrame) return false;
  }
  return true;
}

std::size_t FrameIndex::find(std::uint64_t plain) const {
  const auto after =
      std::upper_bound(frames_.begin(), frames_.end(), plain,
                       [](std::uint64_t at, const Frame& frame) { return at < frame.plain_begin; });
  return static_cast<std::size_t>(after - frames_.begin()) - 1;
}

bool FrameIndex::is_boundary(std::uint64_t plain) const {
  if (plain >= plain_size_) return plain == plain_size_;
  return frames_[find(plain)].plain_begin == plain;
}

void SeekTableWriter::add(std::span<const std::byte> frame, std::uint64_t plain_size) {
  append_u32(entries_, frame.size());
  append_u32(entries_, plain_size);
  append_u32(entries_, load_u32(frame.data() + frame.size() - 4));
  ++count_;
}

std::string SeekTableWriter::text() const {
  std::string text;
  append_u32(text, kSeekTableMagic);
  append_u32(text, entries_.size() + kFooter);
  text += entries_;
  append_u32(text, count_);
  text += static_cast<char>(kHasChecksums);
  append_u32(text, kTableEndMagic);
  return text;
}

}  // namespace frugal
