#include "libcore/parallel/mpi/roll_call.h"

#include <mpi.h>

#include <algorithm>
#include <list>

namespace frugal {
namespace {

constexpr int kCall = 1, kAnswer = 2;  // tags; 0 has the data
/// Time after which a waiting rank answers calls, and time that the caller allows for answers.
constexpr auto kBeforeListening = std::chrono::seconds(1), kForAnswers = std::chrono::seconds(3);

frugal_mpi_patience limit{};  // of all waits
std::uint64_t num_exchanges = 0;

/// Exchange in which this rank waits; kind none while it computes.
Exchange current;
RollCall::Clock::time_point current_began;

/// An answer that is being sent.
struct Answer {
  MPI_Request request{};
  Exchange exchange;
};
std::list<Answer> answers;

/// Sends an empty message without waiting for it.
void send_call(int to) {
  MPI_Request request{};
  MPI_Isend(nullptr, 0, MPI_BYTE, to, kCall, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
}  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): freed, so not waited for

Exchange current_exchange() {
  Exchange exchange = current;
  const std::chrono::duration<double> waited = RollCall::Clock::now() - current_began;
  exchange.seconds = exchange.kind == Exchange::none ? 0 : waited.count();
  return exchange;
}

void send_answer(int to) {
  std::erase_if(answers, [](Answer& answer) {
    int done = 0;
    MPI_Test(&answer.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  Answer& answer = answers.emplace_back();
  answer.exchange = current_exchange();
  MPI_Isend(&answer.exchange, sizeof answer.exchange, MPI_BYTE, to, kAnswer, MPI_COMM_WORLD,
            &answer.request);
}  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): the next answer asks for it

/// Receives a message if there is one, `size` bytes to `to`. Returns its sender, or -1.
int take(int tag, void* to, int size) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return -1;
  MPI_Recv(to, size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

/// Whether the exchanges of ranks `a` and `b` match.
bool belong_together(int a, const Exchange& of_a, int b, const Exchange& of_b) {
  if (of_a.kind != of_b.kind) return false;
  if (of_a.kind == Exchange::swap) {
    return of_a.partner == b && of_b.partner == a && of_a.given == of_b.taken &&
           of_a.taken == of_b.given;
  }
  return of_a.partner == of_b.partner && of_a.given == of_b.given;
}

/// Whether some ranks can proceed: two in one swap, or all in one other exchange.
bool some_meet(const std::vector<Exchange>& exchanges) {
  const int n = static_cast<int>(exchanges.size());
  const auto of = [&](int rank) -> const Exchange& {
    return exchanges[static_cast<std::size_t>(rank)];
  };
  bool all = true;
  for (int rank = 0; rank < n; ++rank) {
    all = all && of(rank).kind != Exchange::swap && belong_together(0, of(0), rank, of(rank));
    const int partner = of(rank).partner;
    if (of(rank).kind == Exchange::swap && belong_together(rank, of(rank), partner, of(partner))) {
      return true;
    }
  }
  return all;
}

/// A rank whose exchange does not match rank 0's: its partner if it has one, else the first such
/// rank.
int rank_apart(const std::vector<Exchange>& exchanges) {
  if (exchanges[0].kind == Exchange::swap) return exchanges[0].partner;
  const auto apart = std::ranges::find_if(exchanges, [&](const Exchange& exchange) {
    return !belong_together(0, exchanges[0], 1, exchange);
  });
  return static_cast<int>(apart - exchanges.begin());
}

int this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

std::string Exchange::text() const {
  const auto bytes = [](std::uint64_t count) { return std::to_string(count) + " bytes"; };
  const std::string name = "exchange " + std::to_string(number);
  switch (kind) {
    case swap:
      return name + " (" + bytes(given) + " to and " + bytes(taken) + " from rank " +
             std::to_string(partner) + ")";
    case gather: return name + " (" + bytes(given) + " from each rank)";
    case broadcast:
      return name + " (" + bytes(given) + " from rank " + std::to_string(partner) + " to all)";
    default: return "none";
  }
}

RollCall::RollCall(Clock::time_point began, const Exchange& exchange) : since_(began) {
  current = exchange;
  current.number = ++num_exchanges;
  current_began = began;
}

RollCall::~RollCall() { current.kind = Exchange::none; }

void RollCall::set_patience(const frugal_mpi_patience& patience) { limit = patience; }

void RollCall::answer() {
  for (int caller = take(kCall, nullptr, 0); caller >= 0; caller = take(kCall, nullptr, 0)) {
    send_answer(caller);
  }
}

void RollCall::look(Clock::time_point now) {
  const std::chrono::duration<double> waited = now - since_;
  if (waited < kBeforeListening) return;
  answer();
  if (limit.seconds <= 0 || waited.count() < limit.seconds) return;
  if (!is_calling_) return call(now);
  Exchange theirs;
  for (int rank = take(kAnswer, &theirs, sizeof theirs); rank >= 0;
       rank = take(kAnswer, &theirs, sizeof theirs)) {
    present_[static_cast<std::size_t>(rank)] = true;
    exchanges_[static_cast<std::size_t>(rank)] = theirs;
  }
  const std::vector<std::int32_t> lost = missing();
  if (lost.empty()) {
    end_call(now);
  } else if (now - called_at_ > (is_lowest() ? kForAnswers : 2 * kForAnswers)) {
    limit.lost(lost.data(), static_cast<std::int32_t>(lost.size()));
  }
}

void RollCall::call(Clock::time_point now) {
  Exchange late;
  while (take(kAnswer, &late, sizeof late) >= 0) {  // to an earlier call
  }
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  present_.assign(static_cast<std::size_t>(ranks), false);
  present_[static_cast<std::size_t>(this_rank())] = true;
  exchanges_.assign(static_cast<std::size_t>(ranks), Exchange());
  for (const std::int32_t other : missing()) send_call(other);
  is_calling_ = true;
  called_at_ = now;
}

/// Ends a call that all have answered. If all ranks have waited longer than the patience and no two
/// exchanges match, reports a deadlock. If two match, their messages may still be on their way.
void RollCall::end_call(Clock::time_point now) {
  is_calling_ = false;
  exchanges_[static_cast<std::size_t>(this_rank())] = current_exchange();
  double least = limit.seconds;
  for (const Exchange& exchange : exchanges_) least = std::min(least, exchange.seconds);
  since_ = now - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(least));
  if (least < limit.seconds) return;
  since_ = now;
  if (!is_lowest() || some_meet(exchanges_)) return;
  const int other = rank_apart(exchanges_);
  const std::string text = "rank 0 waits in " + exchanges_[0].text() + ", rank " +
                           std::to_string(other) + " waits in " +
                           exchanges_[static_cast<std::size_t>(other)].text();
  fail_apart(text);
}

void RollCall::fail_apart(const std::string& exchanges) { limit.apart(exchanges.c_str()); }

/// True on the lowest rank that is present, which reports for all.
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
