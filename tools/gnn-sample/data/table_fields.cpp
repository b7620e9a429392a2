#include "tools/gnn-sample/data/table_fields.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/hash_index.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/unknown_values.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/field_numbers.h"
#include "tools/gnn-sample/data/row_encoder.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kMostGuessed = 1000;  ///< values of a column that is guessed as a category

void sort_distinct(std::vector<std::string>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

template <class Odd>
void TableFields::refuse_first(std::size_t column, const std::string& name, const char* expected,
                               const Odd& is_odd) const {
  for (const FieldPiece& piece : pieces_) {
    for (std::size_t r = 0; r < rows(piece); ++r) {
      const std::string_view field = piece.field(r * width_ + column);
      if (is_missing_number(field) || !is_odd(field)) continue;
      fail(ExitStatus::bad_input, path_, ":", piece.lines[r], ": column '", printable(name),
           "' has '", printable(field, 40), "', expected ", expected,
           " or a missing value, as in its other rows (--columns NAME:words takes them as texts)");
    }
  }
  std::abort();
}

FeatureType TableFields::guess_type(std::size_t column, const std::string& name) const {
  std::size_t filled = 0, numbers = 0, held = 0, odd = 0, dates = 0, odd_dates = 0;
  HashIndex values;
  for_each(column, [&](std::string_view field) {
    if (is_missing_number(field)) return;
    ++filled;
    const bool is_number = parse_number_between<double>(field, separator_).has_value();
    numbers += is_number;
    odd += !is_number && resembles_number(field);
    held += is_number && number_of(field, FeatureType::number, separator_).has_value();
    if (dates + odd_dates + 1 == filled) {
      const bool is_date = parse_date(field).has_value();
      dates += is_date;
      odd_dates += !is_date && resembles_date(field);
    }
    if (values.size() <= kMostGuessed) values.insert(hash_bytes(field));
  });
  if (filled == 0) return FeatureType::ignore;
  if (held == filled) return FeatureType::number;
  if (numbers == filled) {
    fail(ExitStatus::bad_input, path_, ": column '", printable(name), "' has ",
         format_count(filled - held, "number"), " beyond those that F32 holds; expected at most ",
         "3e38, or --columns ", printable(name), ":ignore");
  }
  if (numbers + odd == filled && odd < numbers) {
    refuse_first(column, name, "a finite decimal number", [&](std::string_view field) {
      return !parse_number_between<double>(field, separator_);
    });
  }
  if (dates == filled) return FeatureType::date;
  if (dates + odd_dates == filled && odd_dates < dates) {
    refuse_first(column, name, "a date that exists",
                 [](std::string_view field) { return !parse_date(field); });
  }
  const bool recur = values.size() <= kMostGuessed && 2 * values.size() <= filled;
  return recur ? FeatureType::category : FeatureType::words;
}

bool TableFields::is_numbering(std::size_t column) const {
  std::size_t rows = 0;
  for (const FieldPiece& piece : pieces_) rows += this->rows(piece);
  std::vector<bool> seen(rows + 1);
  bool distinct = true;
  for_each(column, [&](std::string_view field) {
    const std::int64_t number = parse_whole(field).value_or(-1);
    const bool fits = number >= 0 && static_cast<std::uint64_t>(number) <= rows;
    distinct = distinct && fits && !seen[static_cast<std::size_t>(number)];
    if (distinct) seen[static_cast<std::size_t>(number)] = true;
  });
  return distinct;
}

void TableFields::fit(std::size_t column, FeatureColumn& out) const {
  if (out.type == FeatureType::number) check_decimal_marks(column, out.name);
  if (is_number_type(out.type)) measure(column, out);
  if (out.type == FeatureType::category) list_values(column, out);
}

/// Fails (bad_input) with the line of a point in a column with decimal commas.
void TableFields::check_decimal_marks(std::size_t column, const std::string& name) const {
  bool has_comma = false, has_point = false;
  const auto is_pointed = [](std::string_view field) { return field.find('.') != field.npos; };
  for_each(column, [&](std::string_view field) {
    has_comma = has_comma || field.find(',') != field.npos;
    has_point = has_point || is_pointed(field);
  });
  if (has_comma && has_point) refuse_first(column, name, "a decimal comma", is_pointed);
}

/// Mean and deviation of the column's numbers, whose sums are in the order of the rows.
void TableFields::measure(std::size_t column, FeatureColumn& out) const {
  std::size_t rows = 0, count = 0;
  const auto sum = [&](const auto& of) {
    double total = 0;
    rows = count = 0;
    for_each(column, [&](std::string_view field) {
      ++rows;
      const auto number = number_of(field, out.type, separator_);
      if (!number) return;
      ++count;
      total += of(*number);
    });
    return total;
  };
  const double total = sum([](double x) { return x; });
  out.marks_missing = count < rows;
  if (count == 0) return;
  out.mean = total / static_cast<double>(count);
  const double squares = sum([&](double x) { return (x - out.mean) * (x - out.mean); });
  if (squares > 0) out.deviation = std::sqrt(squares / static_cast<double>(count));
}

void TableFields::list_values(std::size_t column, FeatureColumn& out) const {
  for_each(column, [&](std::string_view field) {
    for_each_value(field, out.separator,
                   [&](std::string_view value) { out.values.emplace_back(value); });
    if (out.values.size() < 4 * kMostCategories) return;
    sort_distinct(out.values);
    if (out.values.size() <= kMostCategories) return;
    fail(ExitStatus::bad_input, path_, ": column '", printable(out.name), "' has more than ",
         kMostCategories, " values; expected a category of fewer, or ", printable(out.name),
         ":words, which are hashed");
  });
  sort_distinct(out.values);
}

void TableFields::say_unknown(const FeatureColumns& columns) const {
  std::vector<UnknownValues> counts(width_);
  std::vector<std::uint8_t> has_values(width_);  // threads write no bits
  parallel_for(width_, 1, [&](std::size_t c) {
    const FeatureColumn& column = columns.columns[c];
    counts[c].column = column.name;
    for_each(c, [&](std::string_view field) {
      const bool is_number = is_number_type(column.type);
      if (is_number ? is_missing_number(field) : is_missing(field)) return;
      has_values[c] = 1;
      if (column.type != FeatureType::category) return;
      for_each_value(field, column.separator, [&](std::string_view value) {
        const bool is_known = std::ranges::binary_search(column.values, value);
        ++counts[c].samples;
        counts[c].unknown += is_known ? 0 : 1;
      });
    });
  });
  std::vector<std::string> missing;
  for (std::size_t c = 0; c < width_; ++c) {
    if (has_values[c] == 0) missing.push_back(columns.columns[c].name);
  }
  if (!missing.empty()) {
    log_warning(path_, ": columns of the model are missing in all rows: ", joined(missing));
  }
  std::erase_if(counts, [](const UnknownValues& column) { return column.unknown == 0; });
  frugal::say_unknown(std::move(counts), path_);
}

SparseRows TableFields::encode(const FeatureColumns& columns) const {
  const std::size_t dim = columns.num_features();
  if (dim == 0 || dim > kMostFeatures) {
    fail(ExitStatus::bad_input, path_, ": has ", dim == 0 ? "no" : std::to_string(dim),
         " features, expected 1 to ", kMostFeatures);
  }
  std::vector<RowFeatures> made(pieces_.size());
  std::vector<std::vector<std::uint64_t>> ends(pieces_.size());
  parallel_for(pieces_.size(), 1, [&](std::size_t p) {
    RowEncoder encoder(columns, separator_);
    for (std::size_t r = 0; r < rows(pieces_[p]); ++r) {
      std::size_t first = 0;
      for (std::size_t c = 0; c < width_; ++c) {
        encoder.add(c, pieces_[p].field(r * width_ + c), first, made[p]);
        first += columns.columns[c].num_features();
      }
      ends[p].push_back(made[p].columns.size());
    }
  });
  SparseRows all;
  all.dim = dim;
  for (std::size_t p = 0; p < made.size(); ++p) {
    const std::uint64_t before = all.columns.size();
    for (const std::uint64_t end : ends[p]) all.offsets.push_back(before + end);
    all.columns.insert(all.columns.end(), made[p].columns.begin(), made[p].columns.end());
    const auto* const bytes = reinterpret_cast<const std::byte*>(made[p].values.data());
    all.values.insert(all.values.end(), bytes, bytes + made[p].values.size() * sizeof(float));
    made[p] = {};
  }
  return all;
}

}  // namespace frugal::gnn
