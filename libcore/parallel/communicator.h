#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/parallel/wire_type.h"

namespace frugal {

class BackgroundOperations;

/// The ranks that train together. Every rank calls the same operations in the same order with the
/// same sizes, from one thread; each returns when this rank's part is done. A rank that dies ends
/// the others.
class Communicator {
 public:
  /// Operations that were begun. Waits for them when it goes.
  class Pending {
   public:
    Pending() = default;
    Pending(Pending&& other) noexcept { swap(other); }
    Pending& operator=(Pending&& other) noexcept;
    ~Pending();
    /// Returns when they are done; throws what one of them has thrown.
    void wait();

   private:
    friend class Communicator;
    Pending(Communicator& of, std::uint64_t number) : of_(&of), number_(number) {}
    void swap(Pending& other) noexcept;

    Communicator* of_ = nullptr;
    std::uint64_t number_ = 0;
  };

  Communicator();
  virtual ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// "one process", "MPI (Open MPI 4.1.4), 4 ranks on 2 machines".
  virtual std::string describe() const = 0;

  /// values[i] becomes the sum of all ranks' values[i]: the sums of neighbours (0 and 1, 2 and 3,
  /// ...) are added up as a balanced tree, so all ranks get the same bits. Ranks behind the largest
  /// power of two are added to the first ones before. Each rank sends about twice the values.
  /// type: both sums of neighbours are rounded to it before they are added up, and the last one.
  void all_reduce_sum(std::span<float> values, WireType type = WireType::f32);
  void all_reduce_sum(std::span<double> values);

  /// all: [size()] times mine.size(), which is the same for all ranks.
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  /// Bytes of rank `root` to all.
  void broadcast(std::span<std::byte> bytes, int root);
  /// Bytes of rank `from` to rank `to`, which are two. Others have nothing to do with it.
  void send(std::span<std::byte> bytes, int from, int to);

  /// to[r] goes to rank r; what all ranks have for this one comes back, by rank. Any sizes.
  std::vector<std::vector<std::byte>> all_to_all(std::vector<std::vector<std::byte>> to);

  /// Does `operations`, which use this communicator, in a thread of its own, while the caller goes
  /// on: after those begun before, and before the caller's next ones, which wait for them. All
  /// ranks begin the same ones in the same order. Alone they are done at once.
  [[nodiscard]] Pending begin(std::function<void()> operations);

  /// Bytes that this rank has handed over so far.
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  /// Time that the caller spent in operations so far: on their way, and waiting for other ranks.
  double seconds() const { return seconds_; }
  /// More time of operations, which went on while the caller did something else.
  double hidden_seconds() const { return std::max(0.0, background_seconds_ - waited_seconds_); }

 protected:
  /// Whether operations may come from another thread than before.
  virtual bool takes_threads() const { return true; }
  /// `mine` goes to the partner, whose bytes become `theirs`.
  virtual void swap(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) = 0;
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual void send_to_all(std::span<std::byte> bytes, int root) = 0;

 private:
  template <class T>
  void sum_in_tree(std::span<T> values, WireType type);
  void swap_sums(int partner, std::span<const float> mine, std::span<float> theirs, WireType type);
  void swap_sums(int partner, std::span<const double> mine, std::span<double> theirs, WireType) {
    swap_values(partner, mine, theirs);
  }
  template <class T>
  void swap_values(int partner, std::span<const T> mine, std::span<T> theirs);

  class Timer;
  void wait_for_background(std::uint64_t number);

  std::atomic<std::uint64_t> bytes_sent_ = 0;
  double seconds_ = 0;
  double waited_seconds_ = 0;  ///< of them, for the thread
  std::atomic<double> background_seconds_ = 0;
  std::unique_ptr<BackgroundOperations> background_;  ///< null before the first
};

/// The communicator of a program that runs alone: every sum is its own, nothing is sent.
std::unique_ptr<Communicator> single_process();

/// Whether it is so for any rank: bit i of the result is set where bit i of some rank's flags is.
std::uint8_t any_of_ranks(Communicator& ranks, std::uint8_t flags);

/// Of `count` things in a row, those [begin, end) that are this rank's: equally many for all ranks
/// where their number divides the count.
struct RankPart {
  std::uint64_t begin, end;
  bool has(std::uint64_t i) const { return begin <= i && i < end; }
};
RankPart part_of_rank(const Communicator& ranks, std::uint64_t count);

/// Fails (usage) in rank 0 where some rank has another text, naming that rank and the first lines
/// that differ, and `advice`, what to do about it; the others then wait to be ended.
void expect_agreement(Communicator& ranks, const std::string& text, const std::string& advice = "");

}  // namespace frugal
