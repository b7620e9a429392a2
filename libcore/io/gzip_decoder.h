#pragma once
#include <cstddef>
#include <memory>
#include <span>

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

}  // namespace frugal
