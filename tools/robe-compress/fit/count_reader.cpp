#include "tools/robe-compress/fit/count_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/json_rows.h"
#include "libcore/tables/table_rows.h"
#include "libcore/tables/text_kind.h"
#include "libcore/tensors/document_gate.h"

namespace frugal::robe {
namespace {

constexpr std::uint64_t kCountsAtATime = std::uint64_t{1} << 18;

/// Element i of a tensor of any number type; NaN of others.
template <class T>
double value_at(const Tensor& tensor, std::size_t i) {
  return static_cast<double>(tensor.as<T>()[i]);
}

double (*reader_of(Dtype dtype))(const Tensor&, std::size_t) {
  switch (dtype) {
    case Dtype::u8: return value_at<std::uint8_t>;
    case Dtype::u16: return value_at<std::uint16_t>;
    case Dtype::u32: return value_at<std::uint32_t>;
    case Dtype::u64: return value_at<std::uint64_t>;
    case Dtype::i8: return value_at<std::int8_t>;
    case Dtype::i16: return value_at<std::int16_t>;
    case Dtype::i32: return value_at<std::int32_t>;
    case Dtype::i64: return value_at<std::int64_t>;
    case Dtype::f32: return value_at<float>;
    case Dtype::f64: return value_at<double>;
    default: return nullptr;
  }
}

/// Counts of one table, from rows that `read(begin, end)` gives.
template <class Read>
void copy_counts(const TensorInfo& counts, const TableShape& table, const std::string& path,
                 const Read& read, float* to) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    fail(ExitStatus::bad_input, path, ": tensor '", printable(counts.name), "' ", found,
         ", expected ", expected);
  };
  const auto value = reader_of(counts.dtype);
  if (value == nullptr || counts.shape != Shape{table.rows}) {
    refuse("is " + std::string(dtype_name(counts.dtype)) + " " + shape_text(counts.shape),
           "a count for each of the " + std::to_string(table.rows) + " rows of table '" +
               printable(table.name) + "'");
  }
  for (std::uint64_t begin = 0; begin < table.rows; begin += kCountsAtATime) {
    const std::uint64_t end = std::min(table.rows, begin + kCountsAtATime);
    const Tensor piece = read(begin, end);
    for (std::uint64_t row = begin; row < end; ++row) {
      const double count = value(piece, row - begin);
      if (!(count >= 0) || count > static_cast<double>(std::numeric_limits<float>::max())) {
        refuse("has " + format_number(count) + " for row " + std::to_string(row),
               "a number of times");
      }
      to[row] = static_cast<float>(count);
    }
  }
}

/// Fails where a table has no counts or the data come in an order that a pipe cannot give.
std::vector<std::size_t> tables_by_counts(const TableFile& file) {
  const TableSet& tables = file.tables();
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TensorInfo* counts = file.counts_of(t);
    if (counts == nullptr) {
      const std::string name = printable(tables.table(t).name);
      fail(ExitStatus::bad_input, file.path(), ": no tensor '", name, ".counts' for table '", name,
           "', though other tables have counts");
    }
    order.emplace_back(counts->begin, t);
  }
  std::sort(order.begin(), order.end());
  if (!file.is_regular() && order.back().first > file.data_begin()) {
    fail(ExitStatus::bad_input, file.path(),
         ": counts are behind the tables in a pipe; give them with --counts FILE, or as 64-bit "
         "numbers, which come first");
  }
  std::vector<std::size_t> result;
  result.reserve(order.size());
  for (const auto& [begin, t] : order) result.push_back(t);
  return result;
}

void read_count_tensors(const std::string& path, const TableSet& tables, Array<float>& counts) {
  const auto source = open_documents(path, {});
  const auto info = source->next_info();
  if (!info) fail(ExitStatus::bad_input, path, ": holds no document, expected counts");
  check_document(
      info->metadata, path,
      {"counts of tables", {"embedding", "embeddings", "model"}, {}, ForeignDocuments::welcome});
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TableShape& table = tables.table(t);
    const TensorInfo* tensor = info->find(table.name + ".counts");
    if (tensor == nullptr) tensor = info->find(table.name);
    if (tensor == nullptr && tables.size() == 1 && info->tensors.size() == 1) {
      tensor = &info->tensors[0];
    }
    if (tensor == nullptr) {
      fail(ExitStatus::bad_input, path, ": no tensor '", printable(table.name),
           "' with the counts of that table");
    }
    const auto read = [&](std::uint64_t begin, std::uint64_t end) {
      return source->read_rows(tensor->name, begin, end);
    };
    copy_counts(*tensor, table, path, read, counts.data() + tables.first_row(t));
  }
}

/// Rows of a table with columns table, row and count.
class CountRows {
 public:
  CountRows(const std::string& path, const TableSet& tables)
      : path_(path), reader_(path), tables_(tables), met_(tables.size()) {
    for (std::size_t t = 0; t < tables.size(); ++t) numbers_[tables.table(t).name] = t;
  }

  void read(Array<float>& counts) {
    const TableForm form = find_form();
    reader_.set_style(form.style);
    TableRows rows(form, path_);
    TextPiece piece;
    while (reader_.next(piece)) {
      for_each_row(rows, piece, [&] { add(rows.fields(), counts); });
    }
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      if (!met_[t]) refuse_without(tables_.table(t).name);
    }
  }

 private:
  static constexpr std::array<std::string_view, 3> kColumns = {"table", "row", "count"};
  static constexpr std::size_t kMostOthers = 1000;

  [[noreturn]] static void bad(const std::string& finding) { fail(ExitStatus::bad_input, finding); }

  /// Finds the columns by the names in the first rows.
  TableForm find_form() {
    const std::string_view head = reader_.head();
    if (text_kind(head) == TextKind::json_lines) {
      TableRow names = json_head(reader_).first();
      find_columns(names, path_);
      auto columns = std::make_shared<JsonColumns>(std::move(names));
      columns->read_only(columns_);
      return json_form(std::move(columns));
    }
    const char found = find_separator(head, /*comments=*/false);
    TableForm form;
    form.style = {found == ' ' ? ',' : found, /*quoted=*/true};
    const TableHead rows = record_head(head, form.style, /*is_whole=*/false);
    if (rows.empty()) {
      fail(ExitStatus::bad_input, path_, ": empty, expected the columns table, row and count");
    }
    find_columns(rows.first(), path_ + ":" + std::to_string(rows.line));
    form.header_line = rows.line;
    form.num_columns = rows.first().size();
    return form;
  }
  void find_columns(const TableRow& names, const std::string& place) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), kColumns[i]);
      if (found == names.end()) {
        fail(ExitStatus::bad_input, place, ": no column '", kColumns[i],
             "', expected table, row and count");
      }
      columns_[i] = static_cast<std::size_t>(found - names.begin());
    }
  }
  /// Else all of its rows would count nothing.
  [[noreturn]] void refuse_without(const std::string& table) const {
    const std::vector<std::string> others(others_.begin(), others_.end());
    fail(ExitStatus::bad_input, path_, ": no row of table '", printable(table),
         "', expected the counts of every table", did_you_mean(table, others));
  }
  void add(const std::vector<std::string_view>& fields, Array<float>& counts) {
    const std::string name(fields[columns_[0]]);
    const auto table = numbers_.find(name);
    if (table == numbers_.end()) {  // counts of more tables than are compressed are welcome
      if (others_.size() < kMostOthers) others_.insert(name);
      return;
    }
    met_[table->second] = true;
    const std::string_view row_text = fields[columns_[1]], count_text = fields[columns_[2]];
    const auto row = parse_whole(row_text);
    const std::uint64_t rows = tables_.table(table->second).rows;
    if (!row || *row < 0 || static_cast<std::uint64_t>(*row) >= rows) {
      bad("row '" + printable(row_text) + "' of table '" + printable(name) +
          "', expected a number below " + std::to_string(rows));
    }
    const auto count = parse_finite<float>(count_text);
    if (!count || *count < 0) {
      bad("count '" + printable(count_text) + "', expected a number from 0 on");
    }
    float& sum = counts[tables_.first_row(table->second) + static_cast<std::uint64_t>(*row)];
    sum += *count;
    if (!std::isfinite(sum)) {
      bad("the counts of row " + printable(row_text) + " of table '" + printable(name) +
          "' add up to more than a float holds");
    }
  }

  const std::string& path_;
  PieceReader reader_;
  const TableSet& tables_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<bool> met_;         ///< tables that have a row
  std::set<std::string> others_;  ///< names that are no table's, some of them
  std::array<std::size_t, 3> columns_{};
};

bool is_text_name(std::string_view path) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  }
  constexpr std::array<std::string_view, 4> kSuffixes{".csv", ".tsv", ".jsonl", ".ndjson"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(),
                     [&](std::string_view suffix) { return path.ends_with(suffix); });
}

}  // namespace

RowWeights counts_in(TableFile& file) {
  const TableSet& tables = file.tables();
  bool any = false;
  for (std::size_t t = 0; t < tables.size(); ++t) any = any || file.counts_of(t) != nullptr;
  if (!any) return {};
  Array<float> counts(tables.num_rows());
  for (const std::size_t t : tables_by_counts(file)) {
    const TensorInfo& tensor = *file.counts_of(t);
    const auto read = [&](std::uint64_t begin, std::uint64_t end) {
      return file.read(tensor.name, begin, end);
    };
    copy_counts(tensor, tables.table(t), file.path(), read, counts.data() + tables.first_row(t));
  }
  return {std::move(counts), tables, file.path()};
}

RowWeights read_counts(const std::string& path, const TableSet& tables) {
  Array<float> counts(tables.num_rows());
  if (is_text_name(path)) {
    CountRows(path, tables).read(counts);
  } else {
    read_count_tensors(path, tables, counts);
  }
  return {std::move(counts), tables, path};
}

}  // namespace frugal::robe
