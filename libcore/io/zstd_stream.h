#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "libcore/io/plain_stream.h"
#include "libcore/io/zstd_frames.h"

namespace frugal {

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
