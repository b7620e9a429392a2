#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/parallel/mpi/mpi_abi.h"

namespace frugal {

/// An operation in which a rank waits. Ranks send each other this struct.
struct Exchange {
  enum Kind : std::int32_t { none, swap, gather, broadcast };
  std::int32_t kind = none;
  std::int32_t partner = -1;  ///< partner of a swap; root of a broadcast
  std::uint64_t given = 0;    ///< bytes that the rank sends
  std::uint64_t taken = 0;    ///< bytes that a swap receives
  std::uint64_t number = 0;   ///< number of this operation on its rank, from 1
  double seconds = 0;         ///< seconds since it began

  /// Text for messages: "exchange 12 (broadcast of 8 bytes from rank 0)".
  std::string text() const;
};

/// Detects lost ranks and deadlocks during a long wait. A rank that has waited longer than its
/// patience calls all others. Waiting ranks answer at once, computing ones within a second; ranks
/// that do not answer were lost, hang or cannot be reached. If all ranks have waited longer than
/// the patience, in exchanges that do not match, none of them can ever end.
class RollCall {
 public:
  using Clock = std::chrono::steady_clock;

  /// Sets the patience of all waits.
  static void set_patience(const frugal_mpi_patience& patience);
  /// Reports a deadlock: calls the patience's apart().
  static void fail_apart(const std::string& exchanges);
  /// Answers pending calls. A rank that computes must call it about once a second.
  static void answer();

  /// Begins a wait in `exchange`, whose number and seconds are set here. Only one exists at a time.
  RollCall(Clock::time_point began, const Exchange& exchange);
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// Call it at intervals during the wait. Calls the patience's lost() if ranks do not answer, and
  /// its apart() in a deadlock. Otherwise some rank computes, or messages are on their way, and the
  /// patience starts anew.
  void look(Clock::time_point now);

 private:
  void call(Clock::time_point now);
  void end_call(Clock::time_point now);
  bool is_lowest() const;
  std::vector<std::int32_t> missing() const;

  Clock::time_point since_;      ///< begin of the wait, or time from which the patience counts anew
  Clock::time_point called_at_;  ///< time of the call, if is_calling_
  bool is_calling_ = false;
  std::vector<bool> present_;        ///< ranks that have answered
  std::vector<Exchange> exchanges_;  ///< exchanges in which they wait
};

}  // namespace frugal
