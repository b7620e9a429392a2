#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace frugal {

/// Decompresses gzip (RFC 1952) piece by piece: members one behind the other are one text, zeros
/// behind the last are padding. The checksum and the length of each member are verified.
class GzipDecoder {
 public:
  GzipDecoder();
  ~GzipDecoder();
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    const char* error = nullptr;  ///< what is wrong with the input
  };
  Step decode(std::span<const char> input, std::span<char> output);
  /// True unless a member has just ended: the input may not end here.
  bool inside_member() const { return inside_member_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool inside_member_ = true;
};

/// Plain bytes of a path or "-" in constant memory; zstd and gzip are recognised by their magic.
/// Errors: cannot_open (66), io_error (74: reading fails, or a regular file became shorter while it
/// was read), bad_input (65: damaged or truncated zstd or gzip).
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `size` bytes, at least one: as many as a pipe has ready. 0 only at the end. Nothing is
  /// read before the first call.
  std::size_t read(char* out, std::size_t size);
  /// Whether read() can go on without waiting for a pipe, unless for the rest of a packed block.
  bool is_ready() const { return wait(0); }
  /// Waits so long for that at most, less where a signal comes.
  bool wait(double seconds) const;

  /// For messages: the path, or "stdin".
  const std::string& name() const;
  /// Bytes read so far and size of the (compressed) input, 0 when unknown: for progress.
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace frugal
