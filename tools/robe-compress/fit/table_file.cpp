#include "tools/robe-compress/fit/table_file.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/text.h"
#include "libcore/embedding/embedding_file.h"
#include "libcore/kernels/kernels.h"
#include "libcore/tensors/document_gate.h"

namespace frugal::robe {

std::vector<std::size_t> choose_tables(const std::vector<std::string>& tables,
                                       const std::vector<std::string>& patterns,
                                       const std::string& path) {
  std::vector<std::size_t> chosen;
  std::vector<bool> used(patterns.size());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    bool take = patterns.empty();
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (fnmatch(patterns[i].c_str(), tables[t].c_str(), 0) == 0) take = used[i] = true;
    }
    if (take) chosen.push_back(t);
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (used[i]) continue;
    fail(ExitStatus::usage, path, ": no table is named '", printable(patterns[i]), "'");
  }
  return chosen;
}

namespace {

/// Bytes of rows a piece: what stays in a core's second cache while it is worked on.
constexpr std::uint64_t kTablePieceBytes = std::uint64_t{1} << 20;
constexpr std::string_view kCountsSuffix = ".counts";

bool is_table_type(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f64 || dtype == Dtype::bf16 || dtype == Dtype::f16;
}

template <class T, class Convert>
void convert_each(const Tensor& from, Array<float>& to, const Convert& convert) {
  const std::span<const T> values = from.as<T>();
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = convert(values[i]);
}

void convert_all(const Tensor& from, Array<float>& to) {
  const std::size_t n = from.bytes.size() / item_size(from.dtype);
  if (to.size() < n) to = Array<float>(n, uninitialized);
  switch (from.dtype) {
    case Dtype::bf16: kernels().from_bf16(from.as<BFloat16>().data(), to.data(), n); break;
    case Dtype::f16: convert_each<Float16>(from, to, [](Float16 x) { return to_float(x); }); break;
    default: convert_each<double>(from, to, [](double x) { return static_cast<float>(x); }); break;
  }
}

}  // namespace

TableFile::TableFile(const std::string& path, const std::vector<std::string>& names,
                     const TensorReadOptions& options)
    : path_(path), options_(options) {
  std::error_code ignored;
  regular_ = path != "-" && std::filesystem::is_regular_file(path, ignored);
  open();
  choose(names);
}

void TableFile::open() {
  source_ = open_documents(path_, options_);
  auto info = source_->next_info();
  if (!info) fail(ExitStatus::bad_input, path_, ": holds no document, expected embedding tables");
  info_ = std::move(*info);
  check_document(info_.metadata, path_,
                 {"embedding tables",
                  {"embedding", "embeddings", "graph", "model", "predictions"},
                  {},
                  ForeignDocuments::welcome});
}

void TableFile::choose(const std::vector<std::string>& names) {
  if (info_.metadata.contains("embedding.method")) {
    fail(ExitStatus::bad_input, path_,
         ": is an array already, expected tables; robe-compress expand makes them");
  }
  std::vector<const TensorInfo*> tensors;
  std::vector<std::string> candidates;
  for (const TensorInfo& tensor : info_.tensors) {
    if (tensor.name.ends_with(kCountsSuffix)) continue;
    tensors.push_back(&tensor);
    candidates.push_back(tensor.name);
  }
  std::vector<TableShape> shapes;
  for (const std::size_t t : choose_tables(candidates, names, path_)) {
    const TensorInfo& tensor = *tensors[t];
    check(tensor, chosen_.empty() ? 0 : chosen_[0].shape[1]);
    chosen_.push_back(tensor);
    shapes.push_back({tensor.name, tensor.shape[0]});
    num_bytes_ += num_elements(tensor.shape) * item_size(tensor.dtype);
  }
  if (chosen_.empty()) {
    fail(ExitStatus::bad_input, path_, ": holds no tables: expected tensors [rows, dim]");
  }
  tables_ = TableSet(std::move(shapes), chosen_[0].shape[1]);
}

/// dim: of the tables before, 0 for the first.
void TableFile::check(const TensorInfo& tensor, std::uint64_t dim) const {
  const auto refuse = [&](const std::string& expected) {
    fail(ExitStatus::bad_input, path_, ": tensor '", printable(tensor.name), "' is ",
         dtype_name(tensor.dtype), " ", shape_text(tensor.shape), ", expected ", expected,
         "; --select says which tensors are tables");
  };
  if (!is_table_type(tensor.dtype)) refuse("a table of F32, BF16, F16 or F64");
  if (tensor.shape.size() != 2) refuse("a table [rows, dim]");
  if (tensor.shape[0] == 0 || tensor.shape[1] == 0) refuse("at least one row and one column");
  if (tensor.shape[1] > kMaxDim) refuse("rows of at most " + std::to_string(kMaxDim) + " numbers");
  if (chosen_.size() == kMaxTables) refuse("at most " + std::to_string(kMaxTables) + " tables");
  if (tensor.shape[0] > kMaxRows) refuse("at most " + std::to_string(kMaxRows) + " rows");
  if (dim != 0 && tensor.shape[1] != dim) {
    refuse("rows of " + std::to_string(dim) + " numbers like those of '" +
           printable(chosen_[0].name) + "'");
  }
}

const TensorInfo* TableFile::counts_of(std::size_t table) const {
  return info_.find(tables_.table(table).name + std::string(kCountsSuffix));
}

Tensor TableFile::read(const std::string& tensor, std::uint64_t begin, std::uint64_t end) {
  return source_->read_rows(tensor, begin, end);
}

void TableFile::begin() {
  bytes_read_ = 0;
  table_ = 0;
  row_ = 0;
}

bool TableFile::next(TablePiece& piece) {
  if (table_ == chosen_.size()) return false;
  const TensorInfo& tensor = chosen_[table_];
  const std::uint64_t row_bytes = tensor.shape[1] * item_size(tensor.dtype);
  const std::uint64_t rows =
      std::min(std::max<std::uint64_t>(kTablePieceBytes / row_bytes, 1), tensor.shape[0] - row_);
  piece.table = table_;
  piece.row = row_;
  piece.stored = source_->read_rows(tensor.name, row_, row_ + rows);
  row_ += rows;
  bytes_read_ += rows * row_bytes;
  if (row_ == tensor.shape[0]) {
    ++table_;
    row_ = 0;
  }
  return true;
}

void TableFile::to_floats(TablePiece& piece) const {
  const Tensor& stored = piece.stored;
  const float* values = nullptr;
  if (stored.dtype == Dtype::f32) {
    values = stored.as<float>().data();
  } else {
    convert_all(stored, piece.converted);
    values = piece.converted.data();
  }
  piece.values = {values, stored.shape[0], stored.shape[1]};
  const std::size_t n = piece.values.rows * piece.values.cols;
  if (kernels().all_finite(values, n)) return;
  for (std::size_t r = 0; r < piece.values.rows; ++r) {
    if (kernels().all_finite(piece.values.row(r), piece.values.cols)) continue;
    fail(ExitStatus::bad_input, path_, ": table '", printable(stored.name), "', row ",
         piece.row + r, ": holds NaN or infinity, expected finite numbers",
         stored.dtype == Dtype::f64 ? " in the range of float" : "");
  }
}

}  // namespace frugal::robe
