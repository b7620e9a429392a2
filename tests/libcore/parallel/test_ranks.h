#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/parallel/communicator.h"

/// What letters between ranks as threads travel on.
struct TestWire {
  // Kept account of, and not waited for: a letter's latency, and the bytes that a rank's link
  // takes each way (0: any).
  double seconds_a_letter = 0, bytes_a_second = 0;
  /// Seed of delays at random, up to 0.1 ms of every fourth letter, so that ranks meet in another
  /// order; 0: none.
  std::uint64_t delays = 0;
};

/// Runs body(rank's communicator) on `n` threads, each a rank, which exchange by memory.
class ThreadRanks {
 public:
  explicit ThreadRanks(int n, TestWire wire = {})
      : n_(n), wire_(wire), boxes_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  /// Returns the seconds that the last rank's letters took on the wire.
  double run(const std::function<void(frugal::Communicator&)>& body) {
    std::vector<double> seconds(static_cast<std::size_t>(n_));
    std::vector<std::jthread> threads;
    for (int r = 0; r < n_; ++r) {
      threads.emplace_back([this, r, &body, &seconds] {
        Rank rank(*this, r);
        body(rank);
        seconds[static_cast<std::size_t>(r)] = rank.clock();
      });
    }
    threads.clear();  // which waits for them
    return std::ranges::max(seconds);
  }

 private:
  struct Letter {
    std::vector<std::byte> bytes;
    double arrives;
  };
  /// Letters on their way from one rank to another.
  class Mailbox {
   public:
    void put(Letter letter) {
      const std::lock_guard lock(mutex_);
      letters_.push_back(std::move(letter));
      arrived_.notify_one();
    }
    Letter take() {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !letters_.empty(); });
      Letter letter = std::move(letters_.front());
      letters_.pop_front();
      return letter;
    }

   private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Letter> letters_;
  };
  Mailbox& box(int from, int to) {
    return boxes_[static_cast<std::size_t>(from) * static_cast<std::size_t>(n_) +
                  static_cast<std::size_t>(to)];
  }

  class Rank : public frugal::Communicator {
   public:
    Rank(ThreadRanks& all, int rank)
        : all_(all), rank_(rank), delays_(all.wire_.delays, static_cast<std::uint64_t>(rank)) {}
    double clock() const { return clock_; }
    int rank() const override { return rank_; }
    int size() const override { return all_.n_; }
    std::string describe() const override { return "threads"; }

   protected:
    void swap(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
      send(partner, mine);
      receive(partner, theirs);
    }
    void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
      for (int r = 0; r < size(); ++r) send((rank_ + r) % size(), mine);
      for (int r = 0; r < size(); ++r) {
        receive(r, all.subspan(static_cast<std::size_t>(r) * mine.size(), mine.size()));
      }
    }
    void send_to_all(std::span<std::byte> bytes, int root) override {
      for (int r = 0; rank_ == root && r < size(); ++r) send(r, bytes);
      receive(root, bytes);
    }

   private:
    void send(int to, std::span<const std::byte> bytes) {
      if (all_.wire_.delays != 0 && delays_.below(4) == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(delays_.below(100)));
      }
      double arrives = clock_;
      if (to != rank_) {
        out_free_ = std::max(clock_, out_free_) + seconds_of(bytes.size());
        arrives = out_free_ + all_.wire_.seconds_a_letter;
      }
      all_.box(rank_, to).put({{bytes.begin(), bytes.end()}, arrives});
    }
    void receive(int from, std::span<std::byte> bytes) {
      const Letter letter = all_.box(from, rank_).take();
      if (letter.bytes.size() != bytes.size()) {
        frugal::fail(frugal::ExitStatus::internal, letter.bytes.size(), " bytes came, expected ",
                     bytes.size());
      }
      std::ranges::copy(letter.bytes, bytes.begin());
      if (from == rank_) return;
      in_free_ = std::max(letter.arrives, in_free_ + seconds_of(bytes.size()));
      clock_ = std::max({clock_, in_free_, out_free_});
    }
    double seconds_of(std::size_t bytes) const {
      const double rate = all_.wire_.bytes_a_second;
      return rate == 0 ? 0 : static_cast<double>(bytes) / rate;
    }
    ThreadRanks& all_;
    int rank_;
    frugal::Rng delays_;
    double clock_ = 0, out_free_ = 0, in_free_ = 0;  ///< since when the link is free, both ways
  };

  int n_;
  TestWire wire_;
  std::vector<Mailbox> boxes_;
};
