#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/streams/input_stream.h"

namespace frugal {

/// Where the frames of a zstd file lie.
class FrameIndex {
 public:
  struct Frame {
    std::uint64_t file_begin = 0;
    std::uint64_t plain_begin = 0;
  };

  /// The seek table at the end of the file: nothing if there is none or if its sizes do not sum to
  /// the file (the rest of a concatenation). Its plain sizes have not been compared with the
  /// frames.
  static std::optional<FrameIndex> from_table(InputStream& input);
  /// Walks the headers of all frames and blocks. Nothing if a frame does not say its plain size or
  /// the walk ends in damage.
  static std::optional<FrameIndex> from_scan(InputStream& input);

  std::uint64_t plain_size() const { return plain_size_; }
  std::size_t size() const { return frames_.size(); }
  const Frame& operator[](std::size_t i) const { return frames_[i]; }
  std::uint64_t plain_size_of(std::size_t i) const {
    return (i + 1 < frames_.size() ? frames_[i + 1].plain_begin : plain_size_) -
           frames_[i].plain_begin;
  }
  /// Whether each frame is decompressed in one call.
  bool has_small_frames() const;
  /// The frame that holds that plain byte, which must be below plain_size().
  std::size_t find(std::uint64_t plain) const;
  /// True if a frame begins there or the content ends there.
  bool is_boundary(std::uint64_t plain) const;

 private:
  void add(std::uint64_t file_begin, std::uint64_t plain);

  std::vector<Frame> frames_;
  std::uint64_t plain_size_ = 0;
};

/// Collects the entries of a seek table while frames are written.
class SeekTableWriter {
 public:
  /// `frame` ends in its checksum, which the table repeats.
  void add(std::span<const std::byte> frame, std::uint64_t plain_size);
  /// The skippable frame that holds the table.
  std::string text() const;

 private:
  std::string entries_;
  std::uint32_t count_ = 0;
};

}  // namespace frugal
