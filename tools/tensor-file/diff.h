#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/metrics/result_fields.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::tensor_file {

struct DiffOptions {
  std::string a;
  std::string b;
  /// Elements are equal if |a - b| <= atol + rtol * |b|; infinities only if they are identical.
  double rtol = 0;
  double atol = 0;
  bool equal_nan = false;  ///< all NaNs are equal
  bool metadata = false;   ///< also compare metadata, except frugal.history
  TensorReadOptions read;
};

/// A difference in a tensor or, with an empty name, in a document.
struct Difference {
  std::uint64_t document = 0;
  std::string tensor;
  std::string reason;          ///< "" if elements differ
  std::uint64_t elements = 0;  ///< number of different elements
  std::uint64_t total = 0;     ///< number of all elements
  std::string first;  ///< index of the first different element, "[0, 3]"; its values follow
  std::string first_a;
  std::string first_b;
  double largest = 0;  ///< largest |a - b|; NaN if only NaNs differ
  std::string largest_at;
};

struct DiffResult {
  std::uint64_t documents = 0;  ///< number of documents compared
  std::uint64_t tensors = 0;
  std::uint64_t num_differences = 0;
  std::vector<Difference> differences;  ///< the first hundred
};

/// Compares documents one by one, and their tensors by name, in constant memory.
DiffResult diff(const DiffOptions& options);

std::string difference_text(const Difference& difference, const DiffResult& result);
/// Describes what --json prints.
void describe_diff(const ResultFields& f, const DiffResult& diff);

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool equal_nan = false;
};

/// Compares two tensors of the same type and shape, piece by piece.
class ElementDiff {
 public:
  ElementDiff(const Shape& shape, const Tolerance& tolerance)
      : shape_(shape), tolerance_(tolerance) {}
  /// Compares the next rows of both.
  void add(const Tensor& a, const Tensor& b);
  std::uint64_t count() const { return difference_.elements; }
  Difference difference(std::uint64_t document, const std::string& tensor) const;

 private:
  template <class T>
  void compare(const Tensor& a, const Tensor& b);
  void count_difference(const Tensor& a, const Tensor& b, std::uint64_t i, double distance);

  const Shape& shape_;
  Tolerance tolerance_;
  std::uint64_t compared_ = 0;  ///< number of elements compared before
  Difference difference_;
};

}  // namespace frugal::tensor_file
