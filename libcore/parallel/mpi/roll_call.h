#pragma once
#include <chrono>
#include <vector>

#include "libcore/parallel/mpi/mpi_abi.h"

namespace frugal {

/// Finds out in a long wait for other ranks which of them are still there. A rank that has waited
/// for longer than its patience calls all. Those that wait answer, and those that compute once a
/// second. Others were lost, hang or cannot be reached.
class RollCall {
 public:
  using Clock = std::chrono::steady_clock;

  /// Of all waits.
  static void set_patience(const frugal_mpi_patience& patience);
  /// What a rank does now and then while it does not wait: answers calls.
  static void answer();

  explicit RollCall(Clock::time_point began) : since_(began) {}
  /// To be called now and then while the wait goes on. Calls the patience's lost() where ranks do
  /// not answer. Where all do, their messages are on their way, and the patience begins anew.
  void look(Clock::time_point now);

 private:
  void call(Clock::time_point now);
  bool is_lowest() const;
  std::vector<std::int32_t> missing() const;

  Clock::time_point since_;      ///< when the wait or the last complete roll call was
  Clock::time_point called_at_;  ///< where is_calling_
  bool is_calling_ = false;
  std::vector<bool> present_;  ///< ranks that have answered
};

}  // namespace frugal
