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

/// The plain bytes of an input, compressed or not. Errors: bad_input (65) for damage, with path and
/// byte; an input that ends early only gives fewer bytes.
class PlainStream {
 public:
  virtual ~PlainStream() = default;

  /// Up to `size` bytes; fewer only at the end. Large reads are decompressed on several threads.
  virtual std::size_t read(std::byte* to, std::size_t size) = 0;
  /// Passes over up to n bytes, decompressing only what it must; fewer only at the end.
  virtual std::uint64_t skip(std::uint64_t n) = 0;
  /// Goes to any byte of a regular file; in a pipe only forwards. False where that cannot be done
  /// or the input ends before.
  virtual bool seek(std::uint64_t position) = 0;
  /// Whether seek() costs little, backwards too.
  virtual bool reads_anywhere() const { return input().is_regular(); }
  /// True after the input ended inside a frame.
  virtual bool is_cut() const { return false; }
  /// True after the end of compressed input whose last frame is no seek table.
  virtual bool lacks_table() const { return false; }

  /// Lets seek() use the frames that the seek table names, or those that a walk through the file
  /// finds. Null, and nothing changes, where there are none: pipes, plain files, frames of unknown
  /// size. A table must be compared with what is known about the content: its plain sizes are only
  /// claims.
  virtual const FrameIndex* use_table() { return nullptr; }
  virtual const FrameIndex* use_scan() { return nullptr; }

  std::uint64_t position() const { return position_; }
  virtual const InputStream& input() const = 0;

 protected:
  std::uint64_t position_ = 0;
};

/// zstd by its magic, or a skippable frame's; everything else is taken as it is. parallel: use
/// num_threads() threads, else the caller's alone.
std::unique_ptr<PlainStream> open_plain_stream(const std::string& path, bool parallel);

/// zstd frames as one stream. Frames of known size up to 16 MiB are decompressed in one call,
/// straight to where the caller wants them if they fit there; larger ones, and those that do not
/// say their size, are streamed. The checksum of each frame that has one is verified with its last
/// byte.
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
  bool has_header_ = false;                     ///< header_ is read, its frame is not
  std::optional<std::uint64_t> expected_size_;  ///< of the next frame, as the index has it
  bool cut_ = false;
  bool ended_ = false;

  ByteBuffer leftover_;  ///< a decompressed frame of which only a part was wanted
  std::size_t leftover_begin_ = 0;
  bool streaming_ = false;  ///< inside a frame that is decompressed in pieces
  std::size_t header_fed_ = 0;
  std::uint64_t streamed_ = 0;  ///< plain bytes of that frame so far

  std::optional<FrameIndex> index_;
};

}  // namespace frugal
