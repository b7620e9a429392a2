#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/streams/seek_table.h"
#include "libcore/streams/zstd_frames.h"

namespace frugal {

/// Plain bytes of an input that may be compressed. Damage is bad_input (65) with path and byte. An
/// input that ends early gives fewer bytes and no error.
class PlainStream {
 public:
  virtual ~PlainStream() = default;

  /// Up to `size` bytes; fewer only at the end. Large reads are decompressed on several threads.
  virtual std::size_t read(std::byte* to, std::size_t size) = 0;
  /// Skips up to n bytes and decompresses as little as possible; returns fewer only at the end.
  virtual std::uint64_t skip(std::uint64_t n) = 0;
  /// Moves to any byte of a regular file, or forwards in a pipe. False if that is impossible or the
  /// input ends earlier.
  virtual bool seek(std::uint64_t position) = 0;
  /// Whether seek() is cheap, backwards too.
  virtual bool reads_anywhere() const { return input().is_regular(); }
  /// True if the input has ended inside a frame.
  virtual bool is_cut() const { return false; }
  /// True if compressed input has ended and its last frame was not a seek table.
  virtual bool lacks_table() const { return false; }

  /// Lets seek() use the frames listed in the seek table, or found by a scan of the file. Returns
  /// null and changes nothing if there are none: pipes, plain files, frames of unknown size. Sizes
  /// in a seek table are unverified: compare them with the content.
  virtual const FrameIndex* use_table() { return nullptr; }
  virtual const FrameIndex* use_scan() { return nullptr; }

  std::uint64_t position() const { return position_; }
  virtual const InputStream& input() const = 0;

 protected:
  std::uint64_t position_ = 0;
};

/// Opens an input: zstd if it begins with the magic of a zstd or skippable frame, else plain bytes.
/// parallel: use num_threads() threads, else only the caller's.
std::unique_ptr<PlainStream> open_plain_stream(const std::string& path, bool parallel);

/// A stream over zstd frames. Frames of known size up to 16 MiB are decompressed in one call,
/// directly into the caller's memory if they fit there. Larger frames, and frames of unknown size,
/// are streamed. If a frame has a checksum, it is verified with the frame's last byte.
class ZstdStream : public PlainStream {
 public:
  ZstdStream(std::unique_ptr<InputStream> input, bool parallel);

  std::size_t read(std::byte* to, std::size_t size) override;
  std::uint64_t skip(std::uint64_t n) override;
  bool seek(std::uint64_t position) override;
  bool reads_anywhere() const override { return index_ && index_->has_small_frames(); }
  bool is_cut() const override { return cut_; }
  bool lacks_table() const override { return ended_ && !frames_.after_table(); }
  const FrameIndex* use_table() override;
  const FrameIndex* use_scan() override;
  const InputStream& input() const override { return *input_; }

 private:
  /// Buffer and decompressor of one frame in flight.
  struct Lane {
    ByteBuffer frame;
    FrameDecompressor decompressor;
  };

  bool next_header();
  bool fits(std::size_t room) const;
  void read_frames(std::byte* to, std::size_t size, std::size_t& done);
  bool decode_frame(std::byte* to);
  bool decode_partly_wanted_frame();
  std::size_t stream_step(std::byte* to, std::size_t size);
  void finish_streamed_frame();
  std::size_t take_leftover(std::byte* to, std::size_t size);
  void restart(std::uint64_t file_position, std::uint64_t plain_position);
  void check(const char* error, std::uint64_t frame_begin) const;

  std::unique_ptr<InputStream> input_;
  FrameReader frames_;
  bool parallel_;
  std::vector<Lane> lanes_;
  FrameHeader header_;
  bool has_header_ = false;  ///< header_ has been read, its frame has not
  /// Plain size of the next frame according to the index.
  std::optional<std::uint64_t> expected_size_;
  bool cut_ = false;
  bool ended_ = false;

  ByteBuffer leftover_;  ///< a decompressed frame, only partly delivered
  std::size_t leftover_begin_ = 0;
  bool streaming_ = false;  ///< inside a frame that is decompressed in pieces
  std::size_t header_fed_ = 0;
  std::uint64_t streamed_ = 0;  ///< plain bytes delivered of the frame being streamed

  std::optional<FrameIndex> index_;
};

}  // namespace frugal
