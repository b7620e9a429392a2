#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "libcore/parallel/wire_type.h"

namespace frugal {

/// An array of floats that is distributed over the ranks. It consists of lines, the unit of
/// exchange, and of pages of whole lines, the unit of ownership: page p belongs to rank p mod
/// ranks. Only the owner updates a line; every rank has a copy of the whole array, whose lines are
/// as of their last pull(). With 3 ranks, lines of 16 numbers and pages of 4096:
///
///     page     0        1         2         3         4     ...
///     lines    0..255   256..511  512..767  768..1023 ...
///     owner    rank 0   rank 1    rank 2    rank 0    rank 1
///
///     rank 0 needs lines 7, 300 and 301; 7 is its own:
///       pull    rank 0  --  300, 301 (numbers of lines)     ->  rank 1
///               rank 0  <-  a bit a line, floats            --  rank 1
///       push    rank 0  --  300, gradient, 301, gradient    ->  rank 1
///       step    rank 1 adds up the gradients in received() and updates its lines
///
/// Exchanges can overlap the computation of gradients. Call pull() once; then in each step ask()
/// for the next step's lines, push() gradients, read received(), update the own lines, bring() and
/// wait(). Lines that no rank uses in this step are sent by ask(), the others, after their update,
/// by bring(). The result is the same as with pull() in every step. Like Communicator's operations,
/// all ranks must call these together.
class ShardedLines {
 public:
  struct Layout {
    std::size_t line = 16, page = 4096;  ///< in numbers; a page has whole lines
  };
  /// values: the array, which must outlive the object. gradients: number type in which they are
  /// sent.
  ShardedLines(Communicator& ranks, Layout layout, WireType gradients, std::span<float> values);

  /// Copies the lines that a step needs from their owners; a line listed twice is sent twice. A
  /// rank sends 4 bytes and one bit per line of another rank, and 4 bytes per number that others
  /// need.
  void pull(std::span<const std::uint64_t> lines);

  /// Requests the lines of the next step, and copies those that no rank uses in this step. It runs
  /// beside the caller's work, which must not write lines of other ranks, nor own lines outside
  /// this step.
  void ask(std::span<const std::uint64_t> lines);
  /// Copies the rest of the requested lines, beside the caller's work. Call it after updating the
  /// own lines.
  void bring();
  /// Waits until the requested lines have arrived; the next step then becomes the current one.
  void wait();

  struct Gradients {
    std::vector<std::uint64_t> lines;
    std::vector<float> sums;  ///< [lines, layout.line]
  };
  /// Sends gradients to the owners of the lines, beside the caller's work. All ranks must call it
  /// equally often. A rank sends 4 bytes per line of another rank, and its numbers in the wire
  /// type.
  void push(std::span<const std::uint64_t> lines, std::span<const float> sums);
  /// Gradients that all ranks have pushed to this one since the last call: those of rank 0 first,
  /// each rank's in its order. Valid until the next call.
  const Gradients& received();

  /// Copies all numbers of an array with the same distribution from their owners.
  void gather(std::span<float> values);

 private:
  using Letters = std::vector<std::vector<std::byte>>;  ///< one letter (message) per rank

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
  std::vector<bool> used_;               ///< own lines that any rank uses in this step
  std::vector<std::uint64_t> own_used_;  ///< own lines that this rank uses in the next step
  /// Own lines that each rank has requested for the next step.
  std::vector<std::vector<std::uint32_t>> asked_;
  /// Requested lines of each rank that have not arrived.
  std::vector<std::vector<std::uint64_t>> missing_;
  std::vector<Letters> pushed_;
  Gradients received_;
  // Last: running operations use the members above.
  Communicator::Pending coming_;
  std::vector<Communicator::Pending> pushes_;
};

}  // namespace frugal
