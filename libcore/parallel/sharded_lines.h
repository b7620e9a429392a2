#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "libcore/parallel/wire_type.h"

namespace frugal {

/// An array of numbers that ranks share in lines of a few numbers. Page p, of `page` numbers,
/// belongs to rank p mod ranks, which steps it; others have copies as of their last pull().
/// Operations are those of all ranks together, as Communicator's are.
///
/// Steps can ask one step ahead, while this one's gradients are computed: pull(); then for each
/// step ask() for the next, push() gradients, received(), step the own lines, bring() and wait().
/// The numbers are those that pull() would bring.
class ShardedLines {
 public:
  struct Layout {
    std::size_t line = 16, page = 4096;  ///< numbers; a page has whole lines
  };
  /// values: the array, which outlives the object.
  ShardedLines(Communicator& ranks, Layout layout, WireType gradients, std::span<float> values);

  /// Brings the numbers of these lines, which a step needs, from their owners; one that is named
  /// twice is sent twice. A rank sends 4 bytes and a bit for each line that is another's, and 4
  /// bytes for each number that others ask for.
  void pull(std::span<const std::uint64_t> lines);

  /// Asks for what the next step needs and brings the lines that no rank has in this one. Goes on
  /// beside the caller's work, which must not write others' lines, nor own ones outside this step.
  void ask(std::span<const std::uint64_t> lines);
  /// The own lines are stepped: brings the rest of what was asked for, beside the caller's work.
  void bring();
  /// The next step has its lines, and is this one.
  void wait();

  struct Gradients {
    std::vector<std::uint64_t> lines;
    std::vector<float> sums;  ///< [lines, layout.line]
  };
  /// Hands gradients to the lines' owners, beside the caller's work; all ranks equally often. A
  /// rank sends 4 bytes for each of another's lines, and a number's bytes.
  void push(std::span<const std::uint64_t> lines, std::span<const float> sums);
  /// What all ranks have pushed for this one since the last call, those of rank 0 first, each
  /// rank's as it gave them; good until the next call.
  const Gradients& received();

  /// Brings all numbers of an array that is dealt like this one from their owners.
  void gather(std::span<float> values);

 private:
  using Letters = std::vector<std::vector<std::byte>>;  ///< a rank each

  std::size_t owner(std::uint64_t line) const {
    return line * layout_.line / layout_.page % static_cast<std::size_t>(ranks_.size());
  }
  Letters letters() const { return Letters(static_cast<std::size_t>(ranks_.size())); }
  std::span<float> numbers_of(std::uint64_t line) const;
  void bring_unused(Letters wanted);
  void bring_used();
  void begin_step();
  void parse(std::span<const std::byte> letter);

  Communicator& ranks_;
  Layout layout_;
  WireType type_;
  std::span<float> values_;
  std::vector<bool> used_;                         ///< lines of this rank, by any rank in this step
  std::vector<std::uint64_t> own_used_;            ///< by this rank in the next step
  std::vector<std::vector<std::uint32_t>> asked_;  ///< of this rank's, by each for the next step
  std::vector<std::vector<std::uint64_t>> missing_;  ///< of each rank's, for the next step
  std::vector<Letters> pushed_;
  Gradients received_;
  // Last: what goes on uses the others.
  Communicator::Pending coming_;
  std::vector<Communicator::Pending> pushes_;
};

}  // namespace frugal
