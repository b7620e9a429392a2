#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/streams/input_stream.h"

namespace frugal {

/// Positions and sizes of the frames of a zstd file.
class FrameIndex {
 public:
  struct Frame {
    std::uint64_t file_begin = 0;
    std::uint64_t plain_begin = 0;
  };

  /// Reads the seek table at the end of the file. Nothing if there is none, or if its frame sizes
  /// do not add up to the file's (as after concatenation). Its plain sizes are not verified.
  static std::optional<FrameIndex> from_table(InputStream& input);
  /// Scans the headers of all frames and blocks. Nothing if a frame does not state its plain size
  /// or the scan meets damage.
  static std::optional<FrameIndex> from_scan(InputStream& input);

  std::uint64_t plain_size() const { return plain_size_; }
  std::size_t size() const { return frames_.size(); }
  const Frame& operator[](std::size_t i) const { return frames_[i]; }
  std::uint64_t plain_size_of(std::size_t i) const {
    return (i + 1 < frames_.size() ? frames_[i + 1].plain_begin : plain_size_) -
           frames_[i].plain_begin;
  }
  /// Whether every frame can be decompressed in one call (at most kMaxFrame bytes).
  bool has_small_frames() const;
  /// Index of the frame with plain byte `plain`, which must be below plain_size().
  std::size_t find(std::uint64_t plain) const;
  /// True if a frame begins at plain byte `plain`, or the content ends there.
  bool is_boundary(std::uint64_t plain) const;

 private:
  void add(std::uint64_t file_begin, std::uint64_t plain);

  std::vector<Frame> frames_;
  std::uint64_t plain_size_ = 0;
};

/// Collects the entries of a seek table while frames are written.
class SeekTableWriter {
 public:
  /// Adds a frame, whose last four bytes are its checksum; the table repeats it.
  void add(std::span<const std::byte> frame, std::uint64_t plain_size);
  /// The skippable frame that holds the table.
  std::string text() const;

 private:
  std::string entries_;
  std::uint32_t count_ = 0;
};

}  // namespace frugal
