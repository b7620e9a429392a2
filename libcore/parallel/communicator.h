#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace frugal {

/// Rows of a table that a rank has touched: values [rows.size(), dim] row-major, row j belongs at
/// rows[j]. Ids ascend without repetition.
struct TouchedRows {
  std::size_t dim = 0;
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
};

/// The ranks that train together. Every rank calls the same operations in the same order with the
/// same sizes; each returns when this rank's part is done. Sums are taken in rank order, so all
/// ranks get the same bits.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// values[i] becomes the sum of all ranks' values[i].
  virtual void all_reduce_sum(std::span<float> values) = 0;
  virtual void all_reduce_sum(std::span<double> values) = 0;
  /// `rows` becomes the union of all ranks' rows with their sums.
  virtual void all_reduce_sum(TouchedRows& rows) = 0;
  /// Bytes of rank `root` to all.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void barrier() = 0;
};

/// The communicator of a program that runs alone: every sum is its own, nothing is sent.
std::unique_ptr<Communicator> single_process();

}  // namespace frugal
