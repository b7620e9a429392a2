#pragma once
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "libcore/arrays/npy.h"
#include "libcore/base/text.h"
#include "libcore/tensors/number_tensor.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {

using Integers = std::vector<std::int64_t>;

/// Arrays of a NumPy archive, each under one of several names that programs use.
class NumpyArrays {
 public:
  explicit NumpyArrays(const std::string& path) : path_(path), reader_(path) {}

  /// The first of these names that exists, or "".
  std::string first(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (reader_.has(name)) return name;
    }
    return "";
  }
  Tensor read(const std::string& name) {
    used_.insert(name);
    return reader_.read(name);
  }
  Integers integers(const std::string& name) { return to_integers(read(name), place(name)); }
  /// Reads an array with a single text.
  std::string text(const std::string& name);
  /// Names of the arrays that were not read; "" if there are none.
  std::string unused() const;
  std::string place(const std::string& name) const { return path_ + ": " + name; }
  const std::string& path() const { return path_; }
  std::string names() const { return joined(reader_.names()); }

 private:
  std::string path_;
  NpzReader reader_;
  std::set<std::string> used_;
};

/// A sparse matrix [rows, columns] in CSR; transposed if the archive has it in CSC.
struct SparseArrays {
  Integers offsets, indices;
  std::uint64_t rows = 0, columns = 0;
  bool transposed = false;
};

/// Reads arrays PREFIXindptr, PREFIXindices and, unless the matrix is square, PREFIXshape, under
/// SciPy's names. PREFIXformat, if SciPy wrote it, must be csr or csc. Fails (bad_input) if offsets
/// do not ascend from 0 to the number of indices.
SparseArrays read_csr(NumpyArrays& arrays, const std::string& prefix);

/// As read_csr(), with PREFIXdata as feature values. They must be finite, and no row may have a
/// column twice.
SparseRows read_sparse_features(NumpyArrays& arrays, const std::string& prefix);

}  // namespace frugal::gnn
