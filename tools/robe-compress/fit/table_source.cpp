#include "tools/robe-compress/fit/table_source.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/kernels.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kTableRows = 4096;

}  // namespace

EmbeddingTables::EmbeddingTables(const Embedding& embedding, std::string path,
                                 std::vector<std::vector<RowGap>> gaps)
    : embedding_(embedding),
      path_(std::move(path)),
      row_bytes_(embedding.tables().dim() * sizeof(float)),
      gaps_(std::move(gaps)) {
  gaps_.resize(tables().size());
}

void EmbeddingTables::begin() {
  table_ = 0;
  row_ = rows_read_ = 0;
}

bool EmbeddingTables::next(TablePiece& piece) {
  if (table_ == tables().size()) return false;
  const std::uint64_t rows = tables().table(table_).rows;
  std::uint64_t end = rows;
  for (const RowGap& gap : gaps_[table_]) {
    if (gap.row == row_) row_ += gap.count;
    if (gap.row > row_) end = std::min(end, gap.row);
  }
  const std::size_t n = std::min(kTableRows, end - row_);
  piece.table = table_;
  piece.row = row_;
  piece.values = {nullptr, n, tables().dim()};
  rows_read_ += n;
  row_ += n;
  if (row_ == rows) {
    ++table_;
    row_ = 0;
  }
  return true;
}

void EmbeddingTables::to_floats(TablePiece& piece) const {
  const std::size_t n = piece.values.rows, dim = tables().dim();
  if (piece.converted.size() < n * dim) piece.converted = Array<float>(n * dim, uninitialized);
  std::vector<std::uint32_t> ids(n);
  std::iota(ids.begin(), ids.end(), static_cast<std::uint32_t>(piece.row));
  const MatrixView<float> values(piece.converted.data(), n, dim);
  embedding_.lookup_table(piece.table, ids.data(), n, values);
  if (!kernels().all_finite(values.data, n * dim)) {
    fail(ExitStatus::bad_input, path_, ": table '", printable(tables().table(piece.table).name),
         "' has numbers that are not finite");
  }
  piece.values = values;
}

}  // namespace frugal::robe
