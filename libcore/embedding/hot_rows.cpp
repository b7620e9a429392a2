#include "libcore/embedding/hot_rows.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr const char* kCounts = "embedding.hot.counts";  ///< of each table
constexpr const char* kFirst = "embedding.hot.first";    ///< of each table's run; none: 0
constexpr const char* kRows = "embedding.hot.rows";      ///< where they are listed

/// The numbers of a tensor; none where there is none.
std::span<const std::uint32_t> numbers_of(const Document& document, const char* name,
                                          std::uint64_t expected) {
  const Tensor* tensor = document.find(name);
  if (tensor == nullptr) return {};
  const std::span<const std::uint32_t> values = tensor->as<std::uint32_t>();
  if (values.size() != expected) {
    fail(ExitStatus::bad_input, "tensor '", name, "' has ", values.size(), " numbers, expected ",
         expected);
  }
  return values;
}

}  // namespace

/// A bijection of (table, row).
std::uint64_t HotRows::key(std::size_t table, std::uint32_t row) {
  return mix64(static_cast<std::uint64_t>(table) << 32 | row);
}

/// Numbers the hot rows, table by table.
void HotRows::number() {
  size_ = 0;
  for (Run& run : runs_) {
    run.number = static_cast<std::uint32_t>(size_);
    size_ += run.count;
  }
  if (size_ >= kNone) fail(ExitStatus::usage, size_, " hot rows, expected fewer than 2^32 - 1");
}

void HotRows::list(std::vector<std::uint32_t> rows) {
  listed_ = true;
  rows_ = std::move(rows);
  auto row = rows_.begin();
  for (std::size_t t = 0; t < runs_.size(); ++t) {
    for (std::uint32_t i = 0; i < runs_[t].count; ++i) index_.insert(key(t, *row++));
  }
}

HotRows HotRows::of(const TableSet& tables, std::span<const std::uint64_t> rows) {
  HotRows hot;
  std::vector<std::uint32_t> numbers;  // in their tables
  bool are_runs = true;
  auto row = rows.begin();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const std::uint64_t first = tables.first_row(t), end = first + tables.table(t).rows;
    const auto begin = row;
    for (; row != rows.end() && *row < end; ++row) {
      numbers.push_back(static_cast<std::uint32_t>(*row - first));
    }
    Run run;
    run.count = static_cast<std::uint32_t>(row - begin);
    if (run.count > 0) run.first = static_cast<std::uint32_t>(*begin - first);
    are_runs = are_runs && (run.count == 0 || numbers.back() - run.first + 1 == run.count);
    hot.runs_.push_back(run);
  }
  hot.number();
  if (!are_runs) hot.list(std::move(numbers));
  return hot;
}

std::vector<std::uint32_t> HotRows::runs() const {
  std::vector<std::uint32_t> numbers;
  for (const Run& run : runs_) {
    if (!listed_) numbers.insert(numbers.end(), {run.first, run.count, run.number});
  }
  return numbers;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> HotRows::keys() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  std::uint32_t number = 0;
  for (std::size_t t = 0; listed_ && t < runs_.size(); ++t) {
    for (std::uint32_t i = 0; i < runs_[t].count; ++i, ++number) {
      keys.emplace_back(static_cast<std::uint64_t>(t) << 32 | rows_[number], number);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

void HotRows::save(Document& document) const {
  if (size_ == 0) return;
  std::vector<std::uint32_t> counts, first;
  for (const Run& run : runs_) {
    counts.push_back(run.count);
    first.push_back(run.first);
  }
  const auto add = [&](const char* name, const std::vector<std::uint32_t>& values) {
    document.tensors.push_back(
        Tensor::copy_of<std::uint32_t>(name, {values.size()}, std::span(values)));
  };
  add(kCounts, counts);
  if (listed_) {
    add(kRows, rows_);
  } else if (std::any_of(first.begin(), first.end(), [](std::uint32_t f) { return f != 0; })) {
    add(kFirst, first);
  }
}

HotRows HotRows::load(const Document& document, const TableSet& tables) {
  const auto counts = numbers_of(document, kCounts, tables.size());
  const auto first = numbers_of(document, kFirst, tables.size());
  HotRows hot;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    hot.runs_.push_back({first.empty() ? 0 : first[t], counts[t], 0});
    const std::uint64_t end = std::uint64_t{hot.runs_[t].first} + counts[t];
    if (end > tables.table(t).rows) {
      fail(ExitStatus::bad_input, "table '", printable(tables.table(t).name), "' has ",
           tables.table(t).rows, " rows, expected ", end, " for the hot ones");
    }
  }
  hot.number();
  const auto rows = numbers_of(document, kRows, hot.size_);
  if (rows.empty()) return hot;
  hot.list({rows.begin(), rows.end()});
  for (std::size_t t = 0; t < hot.runs_.size(); ++t) {
    const Run& run = hot.runs_[t];
    for (const std::uint32_t row : rows.subspan(run.number, run.count)) {
      if (row < tables.table(t).rows) continue;
      fail(ExitStatus::bad_input, "tensor '", kRows, "' names row ", row, " of table '",
           printable(tables.table(t).name), "', which has ", tables.table(t).rows);
    }
  }
  if (hot.index_.size() != hot.size_) {
    fail(ExitStatus::bad_input, "tensor '", kRows, "' names a row twice");
  }
  return hot;
}

}  // namespace frugal
