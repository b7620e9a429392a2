#include "tools/sparse-train/tree/node_exchange.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace frugal::sparse {
namespace {

/// Arrays behind one another as bytes, each with its size before it.
class Packer {
 public:
  explicit Packer(std::size_t bytes) { bytes_.reserve(bytes); }
  template <class T>
  void put(const std::vector<T>& values) {
    const std::uint64_t size = values.size();
    append(&size, sizeof size);
    append(values.data(), values.size() * sizeof(T));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    const auto* const begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : left_(bytes) {}
  template <class T>
  void take(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t size = 0;
    move_to(&size, sizeof size);
    values.resize(size);
    move_to(values.data(), size * sizeof(T));
  }
  bool is_empty() const { return left_.empty(); }

 private:
  void move_to(void* to, std::size_t size) {
    assert(size <= left_.size());
    if (size != 0) std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }
  std::span<const std::byte> left_;
};

/// Calls visit(array) for all arrays of a job.
template <class Job, class Visit>
void each_array(Job& job, const Visit& visit) {
  visit(job.part.bias);
  visit(job.part.feature_of_row);
  visit(job.part.weights);
  visit(job.whole.features);
  visit(job.whole.ends);
  visit(job.whole.weights);
}

std::vector<std::byte> pack(std::span<const std::uint32_t> owner, std::uint32_t rank,
                            std::vector<TrainedJob>& jobs) {
  std::size_t bytes = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (owner[j] != rank) continue;
    each_array(jobs[j], [&](const auto& array) {
      bytes += sizeof(std::uint64_t) + array.size() * sizeof(array[0]);
    });
  }
  Packer packer(bytes);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (owner[j] != rank) continue;
    each_array(jobs[j], [&](const auto& array) { packer.put(array); });
    jobs[j] = {};
  }
  return packer.take();
}

}  // namespace

std::vector<std::uint32_t> deal_jobs(std::span<const std::uint64_t> work, std::size_t ranks) {
  std::vector<std::uint32_t> owner(work.size(), 0);
  if (ranks == 1) return owner;
  std::vector<std::uint32_t> order(work.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order,
                           [&](std::uint32_t a, std::uint32_t b) { return work[a] > work[b]; });
  std::vector<std::uint64_t> load(ranks, 0);
  for (const std::uint32_t j : order) {
    const auto least = std::ranges::min_element(load);
    *least += work[j];
    owner[j] = static_cast<std::uint32_t>(least - load.begin());
  }
  return owner;
}

void bring_to_first(Communicator& ranks, std::span<const std::uint32_t> owner,
                    std::vector<TrainedJob>& jobs) {
  if (ranks.size() == 1) return;
  std::vector<std::vector<std::byte>> to(static_cast<std::size_t>(ranks.size()));
  if (ranks.rank() != 0) to[0] = pack(owner, static_cast<std::uint32_t>(ranks.rank()), jobs);
  std::vector<std::vector<std::byte>> from = ranks.all_to_all(std::move(to));
  for (std::uint32_t r = 1; ranks.rank() == 0 && r < from.size(); ++r) {
    Unpacker unpacker(from[r]);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (owner[j] == r) each_array(jobs[j], [&](auto& array) { unpacker.take(array); });
    }
    assert(unpacker.is_empty());
    from[r] = {};
  }
}

void broadcast_shape(Communicator& ranks, int root, TreeShape& shape) {
  for (std::vector<std::uint32_t>* const array : {&shape.slot_begin, &shape.labels}) {
    std::uint64_t size = array->size();
    ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
    array->resize(size);
    ranks.broadcast(std::as_writable_bytes(std::span(*array)), root);
  }
}

}  // namespace frugal::sparse
