#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/parallel/mpi/mpi_abi.h"

namespace frugal {

/// An operation that a rank waits in. Ranks send it to each other as it is.
struct Exchange {
  enum Kind : std::int32_t { none, swap, gather, broadcast };
  std::int32_t kind = none;
  std::int32_t partner = -1;  ///< of a swap; root of a broadcast
  std::uint64_t given = 0;    ///< bytes for the others
  std::uint64_t taken = 0;    ///< bytes from the partner of a swap
  std::uint64_t number = 0;   ///< operations of this rank so far, this one included
  double seconds = 0;         ///< since it began

  /// "exchange 12 (broadcast of 8 bytes from rank 0)".
  std::string text() const;
};

/// Finds out in a long wait for other ranks which of them are still there. A rank that has waited
/// for longer than its patience calls all. Those that wait answer, and those that compute once a
/// second. Others were lost, hang or cannot be reached. If all have waited for longer than that,
/// in exchanges of which no two belong together, they wait for ever.
class RollCall {
 public:
  using Clock = std::chrono::steady_clock;

  /// Of all waits.
  static void set_patience(const frugal_mpi_patience& patience);
  /// Calls the patience's apart(): ranks are in different exchanges.
  static void fail_apart(const std::string& exchanges);
  /// What a rank does now and then while it does not wait: answers calls.
  static void answer();

  /// A wait in `exchange`, whose number and seconds are found here. One at a time.
  RollCall(Clock::time_point began, const Exchange& exchange);
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// To be called now and then while the wait goes on. Calls the patience's lost() where ranks do
  /// not answer, and its apart() where all wait for ever. Otherwise some rank computes, or messages
  /// are on their way, and the patience begins anew.
  void look(Clock::time_point now);

 private:
  void call(Clock::time_point now);
  void end_call(Clock::time_point now);
  bool is_lowest() const;
  std::vector<std::int32_t> missing() const;

  Clock::time_point since_;      ///< when the wait began, or from when patience counts anew
  Clock::time_point called_at_;  ///< where is_calling_
  bool is_calling_ = false;
  std::vector<bool> present_;        ///< ranks that have answered
  std::vector<Exchange> exchanges_;  ///< what they wait in
};

}  // namespace frugal
