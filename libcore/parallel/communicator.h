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

/// Communication between the ranks of a distributed training. Every rank calls the same operations
/// in the same order with the same sizes, from one thread. Each returns when this rank's part is
/// done. If a rank dies, the others are ended.
class Communicator {
 public:
  /// Operations started by begin(). The destructor waits for them.
  class Pending {
   public:
    Pending() = default;
    Pending(Pending&& other) noexcept { swap(other); }
    Pending& operator=(Pending&& other) noexcept;
    ~Pending();
    /// Waits until the operations are done; rethrows the exception of one that failed.
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
  /// Description for logs: "one process", "MPI (Open MPI 4.1.4), 4 ranks on 2 machines".
  virtual std::string describe() const = 0;

  /// Replaces values[i] by the sum of values[i] over all ranks. Sums form a balanced tree (0 + 1, 2
  /// + 3, ...), so that all ranks get the same bits. Ranks beyond the largest power of two are
  /// first added to ranks 0, 1, .... Each rank sends about twice the values. type: number type of
  /// the messages; both operands of every addition, and the result, are rounded to it.
  void all_reduce_sum(std::span<float> values, WireType type = WireType::f32);
  void all_reduce_sum(std::span<double> values);

  /// Concatenates `mine` of all ranks, in the order of ranks, in `all`, whose size is size() times
  /// mine.size(). All ranks must pass the same size.
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  /// Sends the bytes of rank `root` to all others.
  void broadcast(std::span<std::byte> bytes, int root);
  /// Sends bytes from rank `from` to another rank `to`; other ranks return at once.
  void send(std::span<std::byte> bytes, int from, int to);

  /// Sends to[r] to rank r. Returns what each rank has sent to this one, by rank. Sizes are
  /// arbitrary.
  std::vector<std::vector<std::byte>> all_to_all(std::vector<std::vector<std::byte>> to);

  /// Runs `operations`, which use this communicator, in a background thread. They run after those
  /// begun earlier, and before the caller's next operations, which wait for them. All ranks must
  /// begin the same operations in the same order. With one rank, or if only one thread may
  /// communicate, they run at once.
  [[nodiscard]] Pending begin(std::function<void()> operations);

  /// Bytes that this rank has sent so far.
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  /// Seconds that the caller has spent in operations so far, including waits for other ranks.
  double seconds() const { return seconds_; }
  /// Seconds of background operations during which the caller was not waiting.
  double hidden_seconds() const { return std::max(0.0, background_seconds_ - waited_seconds_); }

 protected:
  /// Whether operations may be called from another thread than before.
  virtual bool takes_threads() const { return true; }
  /// Sends `mine` to the partner and receives its bytes in `theirs`.
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
  double waited_seconds_ = 0;  ///< the part of seconds_ spent waiting for the background thread
  std::atomic<double> background_seconds_ = 0;
  std::unique_ptr<BackgroundOperations> background_;  ///< null before the first begin()
};

/// Communicator of a single process: sums are its own values, and nothing is sent.
std::unique_ptr<Communicator> single_process();

/// Bitwise OR of the flags of all ranks.
std::uint8_t any_of_ranks(Communicator& ranks, std::uint8_t flags);

/// The range [begin, end) of `count` items that belongs to this rank. All ranks have equally many
/// if their number divides `count`.
struct RankPart {
  std::uint64_t begin, end;
  bool has(std::uint64_t i) const { return begin <= i && i < end; }
};
RankPart part_of_rank(const Communicator& ranks, std::uint64_t count);

/// Checks that all ranks pass the same text. If not, rank 0 fails (usage) and names the first rank
/// that differs, the first lines that differ, and `advice`; the other ranks wait to be ended.
void expect_agreement(Communicator& ranks, const std::string& text, const std::string& advice = "");

}  // namespace frugal
