#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/base/view.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/lsh/hash_family.h"
#include "tools/sparse-train/lsh/row_center.h"

namespace frugal::sparse {

/// Signs of random projections of the rows of a matrix that changes, `bits` of them side by side
/// in place of tables, and the rows that agree with a vector in most of them. A row and a vector
/// differ in a sign with probability angle / pi (Charikar, STOC 2002), so the number of signs that
/// differ estimates the angle with a standard error below pi / (2 sqrt(bits)). A table of k signs
/// only tells whether k of them agree; counting in how many tables they do wastes the others. All
/// rows are compared, at 8 bytes for 64 signs in place of 4 bytes for each coordinate.
class Signatures {
 public:
  static constexpr std::uint32_t kMostBits = 1024;
  static constexpr std::size_t kBlockRows = 1024;  ///< a unit of a rebuild

  /// kind: simhash or simhash_dense. center: subtract the mean of the rows before they are hashed.
  Signatures(HashKind kind, std::uint32_t bits, std::uint64_t seed, bool center,
             std::size_t num_rows, std::size_t dim);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_blocks() const { return (num_rows_ + kBlockRows - 1) / kBlockRows; }

  /// Takes the centre for the rebuild() of all blocks.
  void begin_rebuild(MatrixView<const float> rows);
  /// Hashes the rows of a block anew; blocks may run at the same time.
  void rebuild(MatrixView<const float> rows, std::size_t block);

  /// For row i of x: [n, dim] puts the `wanted` rows that agree with it in most signs into
  /// found[i], in no order. Of rows that agree in equally many, those stay that come first after a
  /// row that order[i] draws.
  void search(MatrixView<const float> x, std::uint32_t wanted, std::span<const Rng> order,
              std::span<std::vector<std::uint32_t>> found) const;

  /// Tensors "lsh.signatures" and "lsh.center". restore() fails (bad_input) naming `path` where
  /// they do not fit.
  void save(Document& state) const;
  void restore(const Document& state, const std::string& path);

 private:
  std::size_t words() const { return (bits_ + 63) / 64; }
  void hash(MatrixView<const float> x, std::uint64_t* out, std::size_t stride) const;
  void nearest(std::span<const std::uint16_t> distances, std::uint32_t wanted, Rng order,
               std::vector<std::uint32_t>& found) const;

  std::size_t num_rows_;
  std::uint32_t bits_;
  std::unique_ptr<HashFamily> family_;
  RowCenter center_;
  std::vector<std::uint64_t> codes_;  ///< [words, rows]
};

}  // namespace frugal::sparse
