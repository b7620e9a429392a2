#include "libcore/parallel/communicator.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/parallel/background_operations.h"
#include "libcore/system/clock.h"

namespace frugal {
namespace {

class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string describe() const override { return "one process"; }

 protected:
  void swap(int, std::span<const std::byte>, std::span<std::byte>) override { assert(false); }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::ranges::copy(mine, all.begin());
  }
  void send_to_all(std::span<std::byte>, [[maybe_unused]] int root) override { assert(root == 0); }
};

/// Vectors of fewer values are sent whole: for them, messages cost more than bytes.
constexpr std::size_t kWhole = 1024;

template <class T>
void add(std::span<const T> from, std::span<T> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

std::unique_ptr<Communicator> single_process() { return std::make_unique<SingleProcess>(); }

/// Measures one operation. On the caller's thread it first waits for all background operations.
class Communicator::Timer {
 public:
  explicit Timer(Communicator& of)
      : of_(of), in_background_(of.background_ != nullptr && of.background_->is_this_thread()) {
    if (!in_background_) of_.wait_for_background(std::numeric_limits<std::uint64_t>::max());
    began_ = wall_seconds();
  }
  ~Timer() {
    const double seconds = wall_seconds() - began_;
    if (in_background_) {
      of_.background_seconds_ += seconds;
    } else {
      of_.seconds_ += seconds;
    }
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Communicator& of_;
  bool in_background_;
  double began_ = 0;
};

Communicator::Communicator() = default;
Communicator::~Communicator() = default;

Communicator::Pending& Communicator::Pending::operator=(Pending&& other) noexcept {
  Pending taken(std::move(other));
  swap(taken);
  return *this;
}

void Communicator::Pending::swap(Pending& other) noexcept {
  std::swap(of_, other.of_);
  std::swap(number_, other.number_);
}

void Communicator::Pending::wait() {
  if (Communicator* of = std::exchange(of_, nullptr)) of->wait_for_background(number_);
}

/// Waits; an exception is left to the next operation, which rethrows it.
Communicator::Pending::~Pending() {
  try {
    wait();
  } catch (const std::exception&) {
  }
}

Communicator::Pending Communicator::begin(std::function<void()> operations) {
  if (size() == 1 || !takes_threads()) {
    operations();
    return {};
  }
  if (!background_) background_ = std::make_unique<BackgroundOperations>();
  return {*this, background_->begin(std::move(operations))};
}

void Communicator::wait_for_background(std::uint64_t number) {
  if (!background_) return;
  const double began = wall_seconds();
  background_->wait(number);
  const double seconds = wall_seconds() - began;
  seconds_ += seconds;
  waited_seconds_ += seconds;
}

void Communicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  assert(all.size() == mine.size() * static_cast<std::size_t>(size()));
  bytes_sent_ += mine.size() * static_cast<std::size_t>(size() - 1);
  const Timer timer(*this);
  gather(mine, all);
}

void Communicator::broadcast(std::span<std::byte> bytes, int root) {
  if (rank() == root) bytes_sent_ += bytes.size() * static_cast<std::size_t>(size() - 1);
  const Timer timer(*this);
  send_to_all(bytes, root);
}

/// In round k, ranks r and k - r (modulo the number of ranks) are partners, so that each pair meets
/// once.
std::vector<std::vector<std::byte>> Communicator::all_to_all(
    std::vector<std::vector<std::byte>> to) {
  const auto n = static_cast<std::size_t>(size()), me = static_cast<std::size_t>(rank());
  assert(to.size() == n);
  std::vector<std::uint64_t> mine(n), sizes(n * n);
  for (std::size_t r = 0; r < n; ++r) mine[r] = to[r].size();
  all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(sizes)));
  std::vector<std::vector<std::byte>> from(n);
  from[me] = std::move(to[me]);
  for (std::size_t round = 0; round < n; ++round) {
    const std::size_t partner = (round + n - me) % n;
    if (partner == me) continue;
    from[partner].resize(sizes[partner * n + me]);
    swap_values<std::byte>(static_cast<int>(partner), to[partner], from[partner]);
  }
  return from;
}

void Communicator::send(std::span<std::byte> bytes, int from, int to) {
  assert(from != to);
  if (rank() == from) swap_values<std::byte>(to, bytes, {});
  if (rank() == to) swap_values<std::byte>(from, {}, bytes);
}

void Communicator::all_reduce_sum(std::span<float> values, WireType type) {
  sum_in_tree(values, type);
}
void Communicator::all_reduce_sum(std::span<double> values) { sum_in_tree(values, WireType::f32); }

template <class T>
void Communicator::swap_values(int partner, std::span<const T> mine, std::span<T> theirs) {
  bytes_sent_ += mine.size_bytes();
  const Timer timer(*this);
  swap(partner, std::as_bytes(mine), std::as_writable_bytes(theirs));
}

/// Exchanges values in the given type, to which `mine` must have been rounded.
void Communicator::swap_sums(int partner, std::span<const float> mine, std::span<float> theirs,
                             WireType type) {
  if (type == WireType::f32) return swap_values(partner, mine, theirs);
  std::vector<BFloat16> given(mine.size()), found(theirs.size());
  std::ranges::transform(mine, given.begin(), to_bfloat16);
  swap_values<BFloat16>(partner, given, found);
  std::ranges::transform(found, theirs.begin(), [](BFloat16 x) { return to_float(x); });
}

/// Recursive halving with ever more distant partners, then recursive doubling back (Rabenseifner).
/// At each step the partners hold sums over equally many neighbouring ranks; each gives away one
/// half of its values and adds the partner's to the half it keeps:
///
///     rank         0          1          2          3        (values v = [a b c d], 4 ranks)
///     distance 1   ab: 0+1    cd: 0+1    ab: 2+3    cd: 2+3  each keeps a half
///     distance 2   a: 0..3    c: 0..3    b: 0..3    d: 0..3  each keeps a quarter, summed over all
///     back         ab         cd         ab         cd       quarters are exchanged
///                  abcd       abcd       abcd       abcd     halves are exchanged
template <class T>
void Communicator::sum_in_tree(std::span<T> values, WireType type) {
  const int in_tree = static_cast<int>(std::bit_floor(static_cast<unsigned>(size())));
  std::vector<T> other(values.size());
  const auto whole_from = [&](int partner) {
    round_to(type, values);
    swap_sums(partner, std::span<const T>(values), std::span(other), type);
  };
  if (rank() >= in_tree) {
    whole_from(rank() - in_tree);
    swap_sums(rank() - in_tree, std::span<const T>(), values, type);
    return;
  }
  const bool has_guest = rank() + in_tree < size();
  if (has_guest) {
    whole_from(rank() + in_tree);
    add<T>(other, values);
  }
  const bool halves = values.size() >= kWhole;
  std::vector<std::span<T>> parts{values};
  for (int distance = 1; distance < in_tree; distance *= 2) {
    const int partner = rank() ^ distance;
    std::span<T> part = parts.back();
    if (halves) {
      round_to(type, part);
      const std::size_t half = part.size() / 2;
      const bool keeps_first = rank() < partner;
      const std::span<T> first = part.first(half), last = part.subspan(half);
      const std::span<T> given = keeps_first ? last : first;
      part = keeps_first ? first : last;
      const std::span<T> theirs = std::span(other).first(part.size());
      swap_sums(partner, std::span<const T>(given), theirs, type);
      add<T>(theirs, part);
      parts.push_back(part);
    } else {
      whole_from(partner);
      add<T>(other, part);
    }
  }
  round_to(type, parts.back());
  for (int distance = in_tree / 2; halves && distance > 0; distance /= 2) {
    const std::span<T> part = parts.back();
    parts.pop_back();
    const std::span<T> both = parts.back();
    const bool is_first = rank() < (rank() ^ distance);
    const std::span<T> missing =
        is_first ? both.subspan(part.size()) : both.first(both.size() - part.size());
    swap_sums(rank() ^ distance, std::span<const T>(part), missing, type);
  }
  if (has_guest) swap_sums(rank() + in_tree, std::span<const T>(values), std::span<T>(), type);
}

std::uint8_t any_of_ranks(Communicator& ranks, std::uint8_t flags) {
  if (ranks.size() == 1) return flags;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(std::as_bytes(std::span(&flags, 1)), std::as_writable_bytes(std::span(all)));
  for (const std::uint8_t other : all) flags |= other;
  return flags;
}

RankPart part_of_rank(const Communicator& ranks, std::uint64_t count) {
  const auto begin = [&](int rank) {
    return count * static_cast<std::uint64_t>(rank) / static_cast<std::uint64_t>(ranks.size());
  };
  return {begin(ranks.rank()), begin(ranks.rank() + 1)};
}

}  // namespace frugal
