#include "libcore/parallel/mpi/roll_call.h"

#include <mpi.h>

#include <algorithm>

namespace frugal {
namespace {

constexpr int kCall = 1, kAnswer = 2;  // tags; 0 has the data
/// Who waits for longer listens to calls. An answer takes a second or little more.
constexpr auto kBeforeListening = std::chrono::seconds(1), kForAnswers = std::chrono::seconds(3);

frugal_mpi_patience limit{};  // of all waits

/// A message without content, which nobody needs to wait for.
void send(int to, int tag) {
  MPI_Request request{};
  MPI_Isend(nullptr, 0, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
}  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): freed, so not waited for

/// The rank whose message was there, or none: -1.
int take(int tag) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return -1;
  MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

int this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

void RollCall::set_patience(const frugal_mpi_patience& patience) { limit = patience; }

void RollCall::answer() {
  for (int caller = take(kCall); caller >= 0; caller = take(kCall)) send(caller, kAnswer);
}

void RollCall::look(Clock::time_point now) {
  const std::chrono::duration<double> waited = now - since_;
  if (waited < kBeforeListening) return;
  answer();
  if (limit.seconds <= 0 || waited.count() < limit.seconds) return;
  if (!is_calling_) return call(now);
  for (int rank = take(kAnswer); rank >= 0; rank = take(kAnswer)) {
    present_[static_cast<std::size_t>(rank)] = true;
  }
  const std::vector<std::int32_t> lost = missing();
  if (lost.empty()) {
    is_calling_ = false;
    since_ = now;
  } else if (now - called_at_ > (is_lowest() ? kForAnswers : 2 * kForAnswers)) {
    limit.lost(lost.data(), static_cast<std::int32_t>(lost.size()));
  }
}

void RollCall::call(Clock::time_point now) {
  while (take(kAnswer) >= 0) {  // late ones to an earlier call
  }
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  present_.assign(static_cast<std::size_t>(ranks), false);
  present_[static_cast<std::size_t>(this_rank())] = true;
  for (const std::int32_t other : missing()) send(other, kCall);
  is_calling_ = true;
  called_at_ = now;
}

/// One of those that are there speaks for all.
bool RollCall::is_lowest() const {
  return std::ranges::find(present_, true) - present_.begin() == this_rank();
}

std::vector<std::int32_t> RollCall::missing() const {
  std::vector<std::int32_t> ranks;
  for (std::size_t rank = 0; rank < present_.size(); ++rank) {
    if (!present_[rank]) ranks.push_back(static_cast<std::int32_t>(rank));
  }
  return ranks;
}

}  // namespace frugal
