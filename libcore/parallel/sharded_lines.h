#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/parallel/communicator.h"

namespace frugal {

/// What gradients are sent as. Rounding does not depend on whether they leave this rank.
enum class WireType { f32, bf16 };

/// An array of numbers that ranks share in lines of a few numbers. Page p, of `page` numbers,
/// belongs to rank p mod ranks, which steps it; others have copies as of their last pull().
/// Operations are those of all ranks together, as Communicator's are.
class ShardedLines {
 public:
  struct Layout {
    std::size_t line = 16, page = 4096;  ///< numbers; a page has whole lines
  };
  ShardedLines(Communicator& ranks, Layout layout, WireType gradients);

  /// values: the array. Brings the numbers of these lines from their owners; one that is named
  /// twice is sent twice. A rank sends 4 bytes for each line that is another's, and 4 for each
  /// number that others ask for.
  void pull(std::span<const std::uint64_t> lines, std::span<float> values);

  struct Gradients {
    std::vector<std::uint64_t> lines;
    std::vector<float> sums;  ///< [lines, layout.line]
  };
  /// Hands gradients to the lines' owners. What all ranks have for this one comes back, those of
  /// rank 0 first, each rank's as it gave them; good until the next call. A rank sends 4 bytes for
  /// each of another's lines, and a number's bytes.
  const Gradients& push(std::span<const std::uint64_t> lines, std::span<const float> sums);

  /// Brings all numbers of the array from their owners.
  void gather(std::span<float> values);

 private:
  std::size_t owner(std::uint64_t line) const {
    return line * layout_.line / layout_.page % static_cast<std::size_t>(ranks_.size());
  }
  std::vector<std::vector<std::byte>> letters() const;

  Communicator& ranks_;
  Layout layout_;
  WireType type_;
  Gradients received_;
};

}  // namespace frugal
