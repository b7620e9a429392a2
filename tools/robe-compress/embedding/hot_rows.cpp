#include "tools/robe-compress/embedding/hot_rows.h"

#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"

namespace frugal {
namespace {

constexpr const char* kCounts = "embedding.hot.counts";
constexpr const char* kRows = "embedding.hot.rows";

}  // namespace

/// A bijection of (table, row).
std::uint64_t HotRows::key(std::size_t table, std::uint32_t row) {
  return mix64(static_cast<std::uint64_t>(table) << 32 | row);
}

/// Numbers the hot rows, table by table.
void HotRows::number() {
  size_ = 0;
  for (const std::uint32_t n : counts_) {
    begins_.push_back(static_cast<std::uint32_t>(size_));
    size_ += n;
  }
  if (size_ >= kNone) fail(ExitStatus::usage, size_, " hot rows, expected fewer than 2^32 - 1");
}

HotRows HotRows::first_rows(std::vector<std::uint32_t> counts) {
  HotRows hot;
  hot.counts_ = std::move(counts);
  hot.number();
  return hot;
}

HotRows HotRows::listed(std::vector<std::vector<std::uint32_t>> rows) {
  HotRows hot;
  hot.listed_ = true;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    hot.counts_.push_back(static_cast<std::uint32_t>(rows[t].size()));
    for (const std::uint32_t row : rows[t]) {
      hot.rows_.push_back(row);
      hot.index_.insert(key(t, row));
    }
  }
  hot.number();
  return hot;
}

void HotRows::save(Document& document) const {
  if (size_ == 0) return;
  document.tensors.push_back(
      Tensor::copy_of<std::uint32_t>(kCounts, {counts_.size()}, std::span(counts_)));
  if (!listed_) return;
  document.tensors.push_back(
      Tensor::copy_of<std::uint32_t>(kRows, {rows_.size()}, std::span(rows_)));
}

HotRows HotRows::load(const Document& document, const std::string& path, const TableSet& tables) {
  const Tensor* counts = document.find(kCounts);
  if (counts == nullptr) return {};
  const std::span<const std::uint32_t> values = counts->as<std::uint32_t>();
  if (values.size() != tables.size()) {
    fail(ExitStatus::bad_input, path, ": tensor '", kCounts, "' has ", values.size(),
         " numbers, expected one for each of ", tables.size(), " tables");
  }
  std::uint64_t total = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    total += values[t];
    if (values[t] > tables.table(t).rows) {
      fail(ExitStatus::bad_input, path, ": table '", tables.table(t).name, "' has ", values[t],
           " hot rows of ", tables.table(t).rows);
    }
  }
  const Tensor* listed = document.find(kRows);
  if (listed == nullptr) return first_rows({values.begin(), values.end()});
  const std::span<const std::uint32_t> rows = listed->as<std::uint32_t>();
  if (rows.size() != total) {
    fail(ExitStatus::bad_input, path, ": tensor '", kRows, "' has ", rows.size(),
         " rows, expected ", total);
  }
  std::vector<std::vector<std::uint32_t>> by_table;
  std::size_t at = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    by_table.emplace_back(rows.begin() + at, rows.begin() + at + values[t]);
    at += values[t];
    for (const std::uint32_t row : by_table.back()) {
      if (row < tables.table(t).rows) continue;
      fail(ExitStatus::bad_input, path, ": tensor '", kRows, "' names row ", row, " of table '",
           tables.table(t).name, "', which has ", tables.table(t).rows);
    }
  }
  HotRows hot = HotRows::listed(std::move(by_table));
  if (hot.index_.size() != total) {
    fail(ExitStatus::bad_input, path, ": tensor '", kRows, "' names a row twice");
  }
  return hot;
}

}  // namespace frugal
