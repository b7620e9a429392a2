#pragma once
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::sparse {

/// Mean of the rows of a matrix that changes, to be subtracted before rows are hashed. It adds the
/// same number to the product of every row with a vector, so the order of the products stays. But
/// the rows of trained labels have a large part in common, which makes all their angles and all
/// their largest coordinates alike.
class RowCenter {
 public:
  /// used: false leaves rows as they are.
  RowCenter(bool used, std::size_t dim) : values_(used ? dim : 0) {}
  bool used() const { return !values_.empty(); }

  /// Takes the mean of `rows` anew if it has moved by more than a tenth of their root mean square
  /// distance from it, or always. Returns whether it did: then all rows must be hashed.
  bool follow(MatrixView<const float> rows, bool always);
  /// Subtracts the mean from each row of `rows`.
  void subtract_from(MatrixView<float> rows) const;

  /// Tensor "lsh.center". restore() fails (bad_input) naming `path` where its size differs.
  void save(Document& state) const;
  void restore(const Document& state, const std::string& path);

 private:
  std::vector<float> values_;  ///< [dim]; none where it is not used
};

}  // namespace frugal::sparse
