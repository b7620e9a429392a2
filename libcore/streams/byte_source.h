#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace frugal {

/// Decompresses gzip (RFC 1952) piece by piece. Consecutive members are one text; zeros after the
/// last member are padding. The checksum and the length of each member are verified.
class GzipDecoder {
 public:
  GzipDecoder();
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    const char* error = nullptr;  ///< what is wrong with the input; null: nothing
  };
  Step decode(std::span<const char> input, std::span<char> output);
  /// True inside a member, where the input must not end. False right after a member's end.
  bool inside_member() const { return inside_member_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool inside_member_ = true;
};

/// Plain bytes of a path or "-" in constant memory. zstd and gzip are recognised by their magic.
/// Errors: cannot_open (66); io_error (74: reading failed, or a regular file became shorter while
/// it was read); bad_input (65: damaged or truncated zstd or gzip).
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads up to `size` bytes and at least one: in a pipe, as many as are ready. Returns 0 only at
  /// the end. The input is not touched before the first call.
  std::size_t read(char* out, std::size_t size);
  /// Whether read() can return without waiting for a pipe, unless a compressed block is incomplete.
  bool is_ready() const { return wait(0); }
  /// Waits at most `seconds` until is_ready(), or until a signal comes. Returns whether it is.
  bool wait(double seconds) const;

  /// For messages: the path, or "stdin".
  const std::string& name() const;
  /// Bytes read so far, and the size of the (compressed) input, 0 if unknown: for progress bars.
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal
