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

/// Arrays of an archive of NumPy, under one of several names that programs give them.
class NumpyArrays {
 public:
  explicit NumpyArrays(const std::string& path) : path_(path), reader_(path) {}

  /// The first of these names that is there, or "".
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
  /// A single text.
  std::string text(const std::string& name);
  /// Names that were not read, "" if there are none.
  std::string unused() const;
  std::string place(const std::string& name) const { return path_ + ": " + name; }
  const std::string& path() const { return path_; }
  std::string names() const { return joined(reader_.names()); }

 private:
  std::string path_;
  NpzReader reader_;
  std::set<std::string> used_;
};

/// [rows, columns] of a sparse matrix in CSR, or its transpose where it is in CSC.
struct SparseArrays {
  Integers offsets, indices;
  std::uint64_t rows = 0, columns = 0;
  bool transposed = false;
};

/// Arrays PREFIXindptr, PREFIXindices and, unless the matrix is square, PREFIXshape, as SciPy names
/// them. Fails (bad_input) where offsets do not ascend from 0 to the number of indices.
/// PREFIXformat, where SciPy wrote one, is csr or csc.
SparseArrays read_csr(NumpyArrays& arrays, const std::string& prefix);

/// The same with PREFIXdata as features: finite, of each row each column once.
SparseRows read_sparse_features(NumpyArrays& arrays, const std::string& prefix);

}  // namespace frugal::gnn
