#pragma once
#include <cstdint>
#include <string>

#include "tools/tensor-file/diff.h"

namespace frugal::tensor_file {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  bool equal_nan = false;
};

/// Compares two tensors of one type and shape, piece by piece.
class ElementDiff {
 public:
  ElementDiff(const Shape& shape, const Tolerance& tolerance)
      : shape_(shape), tolerance_(tolerance) {}
  /// The next rows of both.
  void add(const Tensor& a, const Tensor& b);
  std::uint64_t count() const { return difference_.elements; }
  Difference difference(std::uint64_t document, const std::string& tensor) const;

 private:
  template <class T>
  void compare(const Tensor& a, const Tensor& b);
  void count_difference(const Tensor& a, const Tensor& b, std::uint64_t i, double distance);

  const Shape& shape_;
  Tolerance tolerance_;
  std::uint64_t compared_ = 0;  ///< elements of the pieces before
  Difference difference_;
};

}  // namespace frugal::tensor_file
