#include "libcore/distributed/communicator.h"

#include <algorithm>
#include <cassert>

namespace frugal {
namespace {

class SingleProcess : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce_sum(std::span<float>) override {}
  void all_reduce_rows(RowGradients& gradients) override {
    assert(std::is_sorted(gradients.rows.begin(), gradients.rows.end()));
    assert(gradients.values.size() == gradients.rows.size() * gradients.dim);
    static_cast<void>(gradients);
  }
  void broadcast(std::span<std::byte>, [[maybe_unused]] int root) override { assert(root == 0); }
  void barrier() override {}
};

}  // namespace

std::unique_ptr<Communicator> make_single_process() { return std::make_unique<SingleProcess>(); }

std::pair<std::size_t, std::size_t> shard_range(std::size_t n, int rank, int size) {
  assert(rank >= 0 && rank < size);
  const auto r = static_cast<std::size_t>(rank), parts = static_cast<std::size_t>(size);
  const std::size_t begin = n / parts * r + std::min(r, n % parts);
  return {begin, begin + n / parts + (r < n % parts ? 1 : 0)};
}

}  // namespace frugal
