#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace frugal {

/// Rows of a matrix with a gradient: values holds rows.size() * dim floats; rows ascend without
/// repeats.
struct RowGradients {
  std::size_t dim = 0;
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
};

/// The processes that work together on one job. Collective: every process calls the same functions
/// in the same order with the same sizes. Results are the same on every process and do not depend
/// on timing.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;  ///< in [0, size())
  virtual int size() const = 0;
  /// values[i] becomes the sum over processes.
  virtual void all_reduce_sum(std::span<float> values) = 0;
  /// The union of all processes' rows, gradients of equal rows added.
  virtual void all_reduce_rows(RowGradients& gradients) = 0;
  /// The bytes of `root` reach all.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void barrier() = 0;
};

/// One process: every collective is the identity.
std::unique_ptr<Communicator> make_single_process();

/// Items [first, second) of n that process `rank` of `size` works on: contiguous, sizes differ by
/// one at most.
std::pair<std::size_t, std::size_t> shard_range(std::size_t n, int rank, int size);

}  // namespace frugal
