#include "tools/gnn-sample/formats/numpy_arrays.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

/// Adds a row's numbers that are not 0, by column.
void add_row(std::vector<std::pair<std::uint32_t, float>>& row, const std::string& place,
             SparseRows& sparse, std::vector<float>& values) {
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0 && row[i].first == row[i - 1].first) {
      fail(ExitStatus::bad_input, place, ": row ", sparse.rows(), " has column ", row[i].first,
           " twice, expected each once");
    }
    if (row[i].second == 0) continue;
    sparse.columns.push_back(row[i].first);
    values.push_back(row[i].second);
  }
  sparse.offsets.push_back(sparse.columns.size());
}

}  // namespace

std::string NumpyArrays::text(const std::string& name) {
  const Tensor tensor = read(name);
  if (tensor.dtype != Dtype::u8) {
    fail(ExitStatus::bad_input, place(name), ": is ", dtype_name(tensor.dtype), ", expected text");
  }
  const auto bytes = tensor.as<std::uint8_t>();
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), 0)};
}

std::string NumpyArrays::unused() const {
  std::vector<std::string> left;
  for (const std::string& name : reader_.names()) {
    if (!used_.contains(name)) left.push_back(name);
  }
  return joined(left);
}

SparseArrays read_csr(NumpyArrays& arrays, const std::string& prefix) {
  SparseArrays csr;
  const std::string format = arrays.first({(prefix + "format").c_str()});
  const std::string layout = format.empty() ? "csr" : arrays.text(format);
  if (layout != "csr" && layout != "csc") {
    fail(ExitStatus::bad_input, arrays.place(format), ": is '", printable(layout),
         "', expected csr or csc");
  }
  csr.transposed = layout == "csc";
  csr.offsets = arrays.integers(prefix + "indptr");
  csr.indices = arrays.integers(prefix + "indices");
  const std::string place = arrays.place(prefix + "indptr");
  const Integers& offsets = csr.offsets;
  if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()) ||
      offsets.back() != std::ssize(csr.indices)) {
    fail(ExitStatus::bad_input, place, ": expected offsets that ascend from 0 to the ",
         csr.indices.size(), " indices");
  }
  csr.rows = offsets.size() - 1;
  csr.columns = csr.rows;
  const std::string shape = arrays.first({(prefix + "shape").c_str()});
  if (shape.empty()) return csr;
  const Integers sizes = arrays.integers(shape);
  const std::size_t rows = csr.transposed ? 1 : 0, columns = 1 - rows;
  if (sizes.size() != 2 || sizes[rows] != std::ssize(offsets) - 1 || sizes[columns] < 0) {
    fail(ExitStatus::bad_input, arrays.place(shape), ": expected ", csr.rows,
         csr.transposed ? " columns, and rows" : " rows, and columns");
  }
  csr.columns = static_cast<std::uint64_t>(sizes[columns]);
  return csr;
}

SparseRows read_sparse_features(NumpyArrays& arrays, const std::string& prefix) {
  const SparseArrays csr = read_csr(arrays, prefix);
  if (csr.transposed) {
    fail(ExitStatus::bad_input, arrays.place(prefix + "format"),
         ": features are csc, expected csr; in SciPy: matrix.tocsr()");
  }
  const std::string data = arrays.place(prefix + "data"), place = arrays.place(prefix + "indices");
  const Tensor tensor = to_floats(arrays.read(prefix + "data"), data);
  const auto numbers = tensor.as<float>();
  if (numbers.size() != csr.indices.size()) {
    fail(ExitStatus::bad_input, data, ": has ", numbers.size(), " values for ", csr.indices.size(),
         " indices");
  }
  if (csr.columns == 0 || csr.columns > kMostFeatures) {
    fail(ExitStatus::bad_input, place, ": rows of ", csr.columns, " features, expected 1 to ",
         kMostFeatures);
  }
  SparseRows sparse;
  sparse.dim = csr.columns;
  std::vector<float> values;
  std::vector<std::pair<std::uint32_t, float>> row;
  for (std::size_t r = 0; r < csr.rows; ++r) {
    row.clear();
    for (auto i = static_cast<std::size_t>(csr.offsets[r]);
         i < static_cast<std::size_t>(csr.offsets[r + 1]); ++i) {
      if (csr.indices[i] < 0 || static_cast<std::uint64_t>(csr.indices[i]) >= csr.columns) {
        fail(ExitStatus::bad_input, place, ": index ", csr.indices[i], ", expected 0 to ",
             csr.columns - 1);
      }
      if (!std::isfinite(numbers[i])) {
        fail(ExitStatus::bad_input, data, ": row ", r, ", column ", csr.indices[i], " is ",
             format_number(double{numbers[i]}), ", expected finite numbers");
      }
      row.emplace_back(static_cast<std::uint32_t>(csr.indices[i]), numbers[i]);
    }
    add_row(row, place, sparse, values);
  }
  const auto bytes = std::as_bytes(std::span(values));
  sparse.values.assign(bytes.begin(), bytes.end());
  return sparse;
}

}  // namespace frugal::gnn
