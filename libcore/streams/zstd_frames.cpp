#include "libcore/streams/zstd_frames.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "libcore/base/error.h"

namespace frugal {
namespace {

constexpr std::size_t kMaxBlock = std::size_t{128} << 10;
constexpr std::uint64_t kMaxWindow = std::uint64_t{1} << 27;
constexpr std::size_t kBlockHeader = 3;

std::uint64_t load_little_endian(const std::byte* from, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}

bool is_last_block(const std::byte* header) { return (std::to_integer<int>(header[0]) & 1) != 0; }

/// The shortest match to look for: what zstd chooses for inputs larger than our frames. Its choice
/// for 256 KiB is one less, which on numbers is slower and no smaller: level 1 on int32 columns 264
/// MB/s and ratio 1.571, with 7 285 MB/s and 1.583 (zstd 1.5.4, Xeon family 6 model 207, November
/// 2026). 0 leaves the choice to zstd, as is best for small frames.
int shortest_match(int level, std::size_t plain_size) {
  constexpr std::size_t kSmall = std::size_t{128} << 10;
  if (level > 2 || plain_size <= kSmall) return 0;
  return level == 1 ? 7 : 6;
}

}  // namespace

std::uint32_t load_u32(const std::byte* from) {
  return static_cast<std::uint32_t>(load_little_endian(from, 4));
}

std::byte* ByteBuffer::extend(std::size_t n) {
  if (memory_.size() - size_ < n) {
    Array<std::byte> larger(std::max(size_ + n, memory_.size() + memory_.size() / 2),
                            uninitialized);
    if (size_ != 0) std::memcpy(larger.data(), memory_.data(), size_);
    memory_ = std::move(larger);
  }
  std::byte* const at = memory_.data() + size_;
  size_ += n;
  return at;
}

void FrameReader::bad(const char* finding) const {
  fail(ExitStatus::bad_input, input_.path(), ": damaged: frame at byte ", frame_begin_, ": ",
       finding);
}

FrameReader::Found FrameReader::next(FrameHeader& header) {
  after_table_ = false;
  for (;;) {
    frame_begin_ = input_.position();
    std::fill_n(bytes_, 4, std::byte{});
    const std::size_t got = input_.read(bytes_, 4);
    if (got == 0) return Found::end;
    const std::uint32_t magic = load_u32(bytes_), there = 0xffffffffu >> (32 - 8 * got);
    const bool skippable = (magic & there & 0xfffffff0u) == (0x184d2a50u & there);
    if (magic != (kZstdMagic & there) && !skippable) {
      bad("expected the begin of a zstd frame, found other bytes");
    }
    if (got < 4) return Found::truncated;
    if (!skippable) break;
    if (input_.read(bytes_, 4) < 4) return Found::truncated;
    const std::uint64_t size = load_u32(bytes_);
    if (input_.skip(size) < size) return Found::truncated;
    after_table_ = magic == kSeekTableMagic;
  }
  if (!parse_header()) return Found::truncated;
  header = header_;
  return Found::frame;
}

/// RFC 8878, section 3.1.1.1; false at the end of the input.
bool FrameReader::parse_header() {
  if (input_.read(bytes_ + 4, 1) < 1) return false;
  const int descriptor = std::to_integer<int>(bytes_[4]);
  const bool single_segment = (descriptor & 0x20) != 0;
  const int size_flag = descriptor >> 6;
  if ((descriptor & 0x08) != 0) bad("reserved bit set in the header");
  if ((descriptor & 0x03) != 0) bad("it needs a dictionary");
  const std::size_t window_bytes = single_segment ? 0 : 1;
  const std::size_t content_bytes =
      size_flag == 0 ? (single_segment ? 1 : 0) : std::size_t{1} << size_flag;
  header_ = {};
  header_.size = 5 + window_bytes + content_bytes;
  header_.has_checksum = (descriptor & 0x04) != 0;
  const std::size_t rest = window_bytes + content_bytes;
  if (input_.read(bytes_ + 5, rest) < rest) return false;
  if (content_bytes != 0) {
    const std::uint64_t value = load_little_endian(bytes_ + 5 + window_bytes, content_bytes);
    header_.content_size = content_bytes == 2 ? value + 256 : value;
  }
  if (single_segment) {
    header_.window_size = *header_.content_size;
  } else {
    const int window = std::to_integer<int>(bytes_[5]);
    const std::uint64_t base = std::uint64_t{1} << (10 + (window >> 3));
    header_.window_size = base + base / 8 * static_cast<std::uint64_t>(window & 7);
  }
  if (header_.window_size > kMaxWindow) bad("it needs a window of more than 128 MiB");
  return true;
}

/// Stored bytes of the block that follows its header.
std::size_t FrameReader::block_size(const std::byte* block_header) const {
  const auto value = static_cast<std::size_t>(load_little_endian(block_header, kBlockHeader));
  const std::size_t type = value >> 1 & 3;
  const std::size_t size = value >> 3;
  if (type == 3) bad("reserved block type");
  if (size > kMaxBlock) bad("a block of more than 128 KiB");
  return type == 1 ? 1 : size;
}

bool FrameReader::read_frame(ByteBuffer& frame) {
  // A frame that was compressed in one call is hardly longer than its content.
  const std::uint64_t most = header_.content_size.value_or(0) * 2 + (std::uint64_t{1} << 20);
  frame.clear();
  std::memcpy(frame.extend(header_.size), bytes_, header_.size);
  std::byte* block = frame.extend(kBlockHeader);
  if (input_.read(block, kBlockHeader) < kBlockHeader) return false;
  for (;;) {
    // One read fetches the block and the bytes after it: the next block's header or the checksum.
    const bool last = is_last_block(block);
    const std::size_t size = block_size(block);
    const std::size_t after = last ? (header_.has_checksum ? 4 : 0) : kBlockHeader;
    if (frame.size() + size > most) bad("much longer than its content");
    std::byte* const at = frame.extend(size + after);
    if (input_.read(at, size + after) < size + after) return false;
    if (last) return true;
    block = at + size;
  }
}

bool FrameReader::skip_frame() {
  std::byte block[kBlockHeader];
  do {
    if (input_.read(block, kBlockHeader) < kBlockHeader) return false;
    const std::size_t size = block_size(block);
    if (input_.skip(size) < size) return false;
  } while (!is_last_block(block));
  const std::size_t checksum = header_.has_checksum ? 4 : 0;
  return input_.skip(checksum) == checksum;
}

void check_zstd_memory(std::size_t code) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
}

FrameCompressor::FrameCompressor(int level) : context_(ZSTD_createCCtx()), level_(level) {
  if (context_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
}

FrameCompressor::~FrameCompressor() { ZSTD_freeCCtx(context_); }

FrameCompressor::FrameCompressor(FrameCompressor&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)), level_(other.level_) {}

void FrameCompressor::compress(std::span<const std::byte> plain, ByteBuffer& frame) {
  frame.clear();
  ZSTD_CCtx_setParameter(context_, ZSTD_c_minMatch, shortest_match(level_, plain.size()));
  const std::size_t room = ZSTD_compressBound(plain.size());
  std::byte* const to = frame.extend(room);
  const std::size_t size = ZSTD_compress2(context_, to, room, plain.data(), plain.size());
  check_zstd_memory(size);
  if (ZSTD_isError(size)) fail(ExitStatus::internal, "zstd: ", ZSTD_getErrorName(size));
  frame.shrink(size);
}

FrameDecompressor::FrameDecompressor() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
}

FrameDecompressor::~FrameDecompressor() { ZSTD_freeDCtx(context_); }

FrameDecompressor::FrameDecompressor(FrameDecompressor&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)) {}

const char* FrameDecompressor::decompress(std::span<const std::byte> frame,
                                          std::span<std::byte> to) {
  const std::size_t size =
      ZSTD_decompressDCtx(context_, to.data(), to.size(), frame.data(), frame.size());
  check_zstd_memory(size);
  if (ZSTD_isError(size)) return ZSTD_getErrorName(size);
  return size == to.size() ? nullptr : "its content is shorter than declared";
}

void FrameDecompressor::begin() { ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }

FrameDecompressor::Step FrameDecompressor::step(std::span<const std::byte> from,
                                                std::span<std::byte> to) {
  ZSTD_inBuffer in{from.data(), from.size(), 0};
  ZSTD_outBuffer out{to.data(), to.size(), 0};
  const std::size_t left = ZSTD_decompressStream(context_, &out, &in);
  check_zstd_memory(left);
  Step step{in.pos, out.pos, left == 0, nullptr};
  if (ZSTD_isError(left)) step.error = ZSTD_getErrorName(left);
  return step;
}

}  // namespace frugal
