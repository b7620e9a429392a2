#pragma once
#include <barrier>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/parallel/communicator.h"

/// What the ranks of the tests do not do.
class TestRanks : public frugal::Communicator {
 public:
  void all_reduce_sum(frugal::TouchedRows&) override { unused(); }
  void broadcast(std::span<std::byte>, int) override { unused(); }
  void barrier() override { unused(); }

 private:
  [[noreturn]] static void unused() { frugal::fail(frugal::ExitStatus::internal, "not for tests"); }
};

/// Two ranks that have the same gradients, seen by one of them.
class TwinRanks : public TestRanks {
 public:
  using TestRanks::all_reduce_sum;
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void all_reduce_sum(std::span<float> values) override { twice(values); }
  void all_reduce_sum(std::span<double> values) override { twice(values); }
  int num_sums() const { return num_sums_; }

 private:
  template <class T>
  void twice(std::span<T> values) {
    ++num_sums_;
    for (T& x : values) x *= 2;
  }
  int num_sums_ = 0;
};

/// Runs body(rank's communicator) on `n` threads, each a rank.
class ThreadRanks {
 public:
  explicit ThreadRanks(int n) : n_(n), parts_(static_cast<std::size_t>(n)), barrier_(n) {}
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
  class Rank : public TestRanks {
   public:
    using TestRanks::all_reduce_sum;
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.n_; }
    void all_reduce_sum(std::span<float> values) override { sum(values); }
    void all_reduce_sum(std::span<double> values) override { sum(values); }

   private:
    template <class T>
    void sum(std::span<T> values) {
      std::vector<double>& own = all_.parts_[static_cast<std::size_t>(rank_)];
      own.assign(values.begin(), values.end());
      all_.barrier_.arrive_and_wait();
      for (std::size_t i = 0; i < values.size(); ++i) {
        double total = 0;
        for (const std::vector<double>& part : all_.parts_) total += part[i];
        values[i] = static_cast<T>(total);
      }
      all_.barrier_.arrive_and_wait();
    }
    ThreadRanks& all_;
    int rank_;
  };
  int n_;
  std::vector<std::vector<double>> parts_;
  std::barrier<> barrier_;
};
