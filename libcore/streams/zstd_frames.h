#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/streams/input_stream.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace frugal {

/// zstd frames (RFC 8878) as the exchange format uses them.

inline constexpr std::uint32_t kZstdMagic = 0xfd2fb528;
/// Magic of the skippable frame that holds a seek table.
inline constexpr std::uint32_t kSeekTableMagic = 0x184d2a5e;
/// Largest plain size, in bytes, of a frame that is decompressed in one call; larger ones are
/// streamed.
inline constexpr std::uint64_t kMaxFrame = std::uint64_t{16} << 20;
/// Largest possible expansion: a zstd block holds at most 128 KiB of plain bytes in at least 4
/// bytes.
inline constexpr std::uint64_t kMaxExpansion = 32768;

inline constexpr bool is_skippable_magic(std::uint32_t magic) {
  return (magic & 0xfffffff0u) == 0x184d2a50u;
}
std::uint32_t load_u32(const std::byte* from);

/// A growing buffer that keeps its memory and does not clear it.
class ByteBuffer {
 public:
  std::byte* data() { return memory_.data(); }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {memory_.data(), size_}; }
  void clear() { size_ = 0; }
  /// Appends n uninitialised bytes and returns the first of them.
  std::byte* extend(std::size_t n);
  void shrink(std::size_t size) { size_ = size; }

 private:
  Array<std::byte> memory_;
  std::size_t size_ = 0;
};

struct FrameHeader {
  std::size_t size = 0;  ///< bytes of the header itself
  std::optional<std::uint64_t> content_size;
  std::uint64_t window_size = 0;
  bool has_checksum = false;
};

/// Reads an input frame by frame. Errors are bad_input (65) with path and byte. An input that ends
/// inside a frame is not an error here.
class FrameReader {
 public:
  explicit FrameReader(InputStream& input) : input_(input) {}

  enum class Found { frame, end, truncated };
  /// Reads the header of the next frame and skips skippable frames before it. The caller then calls
  /// one of the three functions below.
  Found next(FrameHeader& header);
  /// Reads the whole frame, header included. False if the input ends inside it.
  bool read_frame(ByteBuffer& frame);
  /// Skips the frame. False if the input ends inside it.
  bool skip_frame();
  /// Bytes of the header, for streaming; the rest of the frame follows in the input.
  std::span<const std::byte> header_bytes() const { return {bytes_, header_.size}; }

  std::uint64_t frame_begin() const { return frame_begin_; }
  /// True if next() has skipped a seek table since the last frame.
  bool after_table() const { return after_table_; }

 private:
  bool parse_header();
  std::size_t block_size(const std::byte* block_header) const;
  [[noreturn]] void bad(const char* finding) const;

  InputStream& input_;
  std::byte bytes_[18] = {};
  FrameHeader header_;
  std::uint64_t frame_begin_ = 0;
  bool after_table_ = false;
};

/// Throws std::bad_alloc if the result of a zstd call says that it ran out of memory.
void check_zstd_memory(std::size_t code);

/// Compresses whole frames with content size and checksum. Reuse it: creating one is slow.
class FrameCompressor {
 public:
  explicit FrameCompressor(int level);
  ~FrameCompressor();
  FrameCompressor(FrameCompressor&& other) noexcept;
  void compress(std::span<const std::byte> plain, ByteBuffer& frame);

 private:
  ZSTD_CCtx_s* context_;
  int level_;
};

/// Decompresses frames. Reuse it: creating one is slow.
class FrameDecompressor {
 public:
  FrameDecompressor();
  ~FrameDecompressor();
  FrameDecompressor(FrameDecompressor&& other) noexcept;

  /// Decompresses a whole frame of exactly to.size() plain bytes. Returns an error's text or
  /// nullptr.
  const char* decompress(std::span<const std::byte> frame, std::span<std::byte> to);

  /// Begins a frame that is decompressed in pieces.
  void begin();
  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool frame_done = false;
    const char* error = nullptr;
  };
  Step step(std::span<const std::byte> from, std::span<std::byte> to);

 private:
  ZSTD_DCtx_s* context_;
};

}  // namespace frugal
