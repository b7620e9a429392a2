#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "libcore/io/seek_table.h"

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

}  // namespace frugal
