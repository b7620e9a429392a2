#pragma once
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/parallel/communicator.h"

/// Runs body(rank's communicator) on `n` threads, each a rank, which exchange by memory.
class ThreadRanks {
 public:
  explicit ThreadRanks(int n)
      : n_(n), boxes_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  void run(const std::function<void(frugal::Communicator&)>& body) {
    std::vector<std::jthread> threads;
    for (int r = 0; r < n_; ++r) {
      threads.emplace_back([this, r, &body] {
        Rank rank(*this, r);
        body(rank);
      });
    }
  }

 private:
  /// Bytes on their way from one rank to another.
  class Mailbox {
   public:
    void put(std::span<const std::byte> bytes) {
      const std::lock_guard lock(mutex_);
      letters_.emplace_back(bytes.begin(), bytes.end());
      arrived_.notify_one();
    }
    std::vector<std::byte> take() {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !letters_.empty(); });
      std::vector<std::byte> letter = std::move(letters_.front());
      letters_.pop_front();
      return letter;
    }

   private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::vector<std::byte>> letters_;
  };
  Mailbox& box(int from, int to) {
    return boxes_[static_cast<std::size_t>(from) * static_cast<std::size_t>(n_) +
                  static_cast<std::size_t>(to)];
  }

  class Rank : public frugal::Communicator {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.n_; }
    std::string describe() const override { return "threads"; }

   protected:
    void swap(int partner, std::span<const std::byte> mine, std::span<std::byte> theirs) override {
      send(partner, mine);
      receive(partner, theirs);
    }
    void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
      for (int r = 0; r < size(); ++r) send(r, mine);
      for (int r = 0; r < size(); ++r) {
        receive(r, all.subspan(static_cast<std::size_t>(r) * mine.size(), mine.size()));
      }
    }
    void send_to_all(std::span<std::byte> bytes, int root) override {
      for (int r = 0; rank_ == root && r < size(); ++r) send(r, bytes);
      receive(root, bytes);
    }

   private:
    void send(int to, std::span<const std::byte> bytes) { all_.box(rank_, to).put(bytes); }
    void receive(int from, std::span<std::byte> bytes) {
      const std::vector<std::byte> letter = all_.box(from, rank_).take();
      if (letter.size() != bytes.size()) {
        frugal::fail(frugal::ExitStatus::internal, letter.size(), " bytes came, expected ",
                     bytes.size());
      }
      std::ranges::copy(letter, bytes.begin());
    }
    ThreadRanks& all_;
    int rank_;
  };

  int n_;
  std::vector<Mailbox> boxes_;
};
