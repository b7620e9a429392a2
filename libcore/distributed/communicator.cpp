#include "libcore/distributed/communicator.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace frugal {
namespace {

class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce_sum(std::span<float>) override {}
  void all_reduce_sum(std::span<double>) override {}
  void all_reduce_sum(SparseRows& rows) override { check(rows); }
  void broadcast(std::span<std::byte>, [[maybe_unused]] int root) override { assert(root == 0); }
  void barrier() override {}

 private:
  // What several ranks rely on holds for one as well, so that mistakes show without MPI.
  static void check([[maybe_unused]] const SparseRows& rows) {
    assert(rows.values.size() == rows.rows.size() * rows.dim);
    assert(std::adjacent_find(rows.rows.begin(), rows.rows.end(), std::greater_equal<>()) ==
           rows.rows.end());
  }
};

std::vector<std::uint32_t> union_of_rows(std::span<const SparseRows> parts) {
  std::vector<std::uint32_t> rows;
  for (const SparseRows& part : parts) rows.insert(rows.end(), part.rows.begin(), part.rows.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace

std::unique_ptr<Communicator> single_process() { return std::make_unique<SingleProcess>(); }

SparseRows merge_rows(std::span<const SparseRows> parts) {
  SparseRows sum;
  if (parts.empty()) return sum;
  sum.dim = parts.front().dim;
  sum.rows = union_of_rows(parts);
  sum.values.resize(sum.rows.size() * sum.dim);
  for (const SparseRows& part : parts) {
    assert(part.dim == sum.dim);
    auto place = sum.rows.begin();
    for (std::size_t j = 0; j < part.rows.size(); ++j) {
      place = std::lower_bound(place, sum.rows.end(), part.rows[j]);
      float* out = sum.values.data() + static_cast<std::size_t>(place - sum.rows.begin()) * sum.dim;
      const float* in = part.values.data() + j * sum.dim;
      for (std::size_t d = 0; d < sum.dim; ++d) out[d] += in[d];
    }
  }
  return sum;
}

}  // namespace frugal
