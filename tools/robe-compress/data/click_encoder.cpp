#include "tools/robe-compress/data/click_encoder.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/data/click_parser.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kLookupsAhead = 16;  ///< look-ups whose cache lines are asked for

/// "I1 (log)", "user (1460)", "when (hour, 24)": a column, its type and how many values it has.
std::string described(const ClickColumn& column, const ValueCount& values) {
  std::string text;
  const bool plain =
      column.type == ClickColumnType::category || column.type == ClickColumnType::number;
  if (!plain) text = click_column_types().name(column.type);
  const std::string number = values.text();
  if (!number.empty()) (text += text.empty() ? "" : ", ") += number;
  return text.empty() ? column.name : column.name + " (" + text + ")";
}

}  // namespace

std::string ValueCount::text() const {
  if (samples == 0) return "";
  if (exact) return std::to_string(values);
  std::uint64_t unit = 1;
  while (values / unit >= 100) unit *= 10;
  return "about " + std::to_string((values + unit / 2) / unit * unit);
}

ClickEncoder::ClickEncoder(ClickSchema schema)
    : schema_(std::move(schema)),
      scales_(schema_.numbers.size()),
      number_values_(schema_.numbers.size()),
      fields_(schema_.categories.size()) {
  for (std::size_t f = 0; f < schema_.rows.size(); ++f) fields_[f].rows = schema_.rows[f];
}

void ClickEncoder::set_vocabulary(std::size_t field, std::vector<std::uint64_t> keys,
                                  std::vector<std::uint32_t> counts) {
  Field& f = fields_[field];
  f.rows = keys.size() + 1;
  f.index = HashIndex(std::move(keys));
  f.counts = std::move(counts);
}

std::uint64_t ClickEncoder::Field::gap_rows() const {
  std::uint64_t rows = 0;
  for (const RowGap& gap : gaps) rows += gap.count;
  return rows;
}

void ClickEncoder::grow(std::vector<NewCategories> by_field) {
  if (std::all_of(by_field.begin(), by_field.end(),
                  [](const NewCategories& added) { return added.keys.empty(); })) {
    return;
  }
  std::uint64_t behind = 0, end = 0;
  for (Field& field : fields_) {
    if (!field.first) field.first = behind;
    behind = *field.first + field.rows;
    end = std::max(end, behind);
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    Field& field = fields_[f];
    const NewCategories& added = by_field[f];
    if (added.keys.empty()) continue;
    const RowGap gap{field.rows, end - *field.first - field.rows};
    if (gap.count > 0) field.gaps.push_back(gap);
    end += added.keys.size();
    field.rows = end - *field.first;
    if (field.rows > kMostTableRows) {
      fail(ExitStatus::unavailable, "column '", printable(field_name(f)), "' would have ",
           field.rows, " rows, expected at most ", kMostTableRows);
    }
    for (const std::uint64_t key : added.keys) field.index.insert(key);
    field.counts.insert(field.counts.end(), added.counts.begin(), added.counts.end());
    field.values = {field.index.size(), field.values.samples};
    field.num_new = added.keys.size();
  }
}

std::vector<std::string> ClickEncoder::describe() const {
  std::vector<std::string> lines{"label: " + schema_.label.name};
  if (!schema_.positive.text().empty()) lines.back() += " (" + schema_.positive.text() + ")";
  std::string numbers, categories;
  for (std::size_t n = 0; n < num_numbers(); ++n) {
    const ValueCount& values = number_values_[n];
    if (n == 0) numbers = values.samples > 0 ? "numbers (and their values): " : "numbers: ";
    (numbers += n == 0 ? "" : ", ") += described(schema_.numbers[n], values);
  }
  for (std::size_t f = 0; f < num_fields(); ++f) {
    const bool counted = num_values(f).samples > 0;
    if (f == 0) categories = counted ? "categories (and their values): " : "categories: ";
    (categories += f == 0 ? "" : ", ") += described(schema_.categories[f], num_values(f));
  }
  for (const std::string& line : {numbers, categories}) {
    if (!line.empty()) lines.push_back(line);
  }
  std::vector<std::string> grown;
  for (std::size_t f = 0; f < num_fields(); ++f) {
    if (fields_[f].num_new == 0) continue;
    grown.push_back(field_name(f) + " (" + std::to_string(fields_[f].num_new) + ")");
  }
  if (!grown.empty()) lines.push_back("new categories, with rows of their own: " + joined(grown));
  if (!schema_.ignored.empty()) lines.push_back("ignored: " + joined(schema_.ignored));
  return lines;
}

std::vector<ColumnFacts> ClickEncoder::columns() const {
  const auto use = [](ClickColumnType type) {
    return std::string(click_column_types().name(type));
  };
  std::vector<ColumnFacts> facts{{schema_.label.name, use(ClickColumnType::label), {}}};
  for (std::size_t n = 0; n < num_numbers(); ++n) {
    facts.push_back({schema_.numbers[n].name, use(schema_.numbers[n].type), number_values_[n]});
  }
  for (std::size_t f = 0; f < num_fields(); ++f) {
    facts.push_back({field_name(f), use(schema_.categories[f].type), num_values(f)});
  }
  for (const std::string& name : schema_.ignored) {
    facts.push_back({name, use(ClickColumnType::ignore), {}});
  }
  return facts;
}

std::optional<std::uint32_t> ClickEncoder::find_row(std::size_t field, std::uint64_t key) const {
  if (schema_.ids == IdKind::count) {
    const std::uint32_t id = fields_[field].index.find(key);
    if (id != HashIndex::kMissing) {
      return static_cast<std::uint32_t>(fields_[field].row_of(id));
    }
  } else if (key < fields_[field].rows) {
    return static_cast<std::uint32_t>(key);
  }
  return std::nullopt;
}

void ClickEncoder::encode_rows(ParsedPiece& piece) const {
  const std::size_t fields = num_fields(), values = piece.keys.size();
  piece.rows.resize(values);
  std::size_t unknown = values;
  piece.num_unknown.assign(fields, 0);
  for (std::size_t f = 0; f < fields; ++f) {
    const Field& field = fields_[f];
    const bool counted = schema_.ids == IdKind::count;
    for (std::size_t i = f; i < values; i += fields) {
      const std::size_t ahead = i + kLookupsAhead * fields;
      if (counted && ahead < values) field.index.prefetch(piece.keys[ahead]);
      const std::optional<std::uint32_t> row = find_row(f, piece.keys[i]);
      if (!row) {
        unknown = std::min(unknown, i);
        ++piece.num_unknown[f];
      }
      piece.rows[i] = row.value_or(0);
    }
  }
  if (unknown < values) piece.unknown = {unknown / fields, unknown % fields};
}

void ClickEncoder::scale_numbers(float* numbers, std::size_t samples, std::size_t step) const {
  for (std::size_t i = 0; i < samples; ++i, numbers += step) {
    for (std::size_t n = 0; n < scales_.size(); ++n) {
      const double x = numbers[n];  // doubles: the difference of two floats may be too large
      numbers[n] = std::isnan(x) ? 0 : static_cast<float>((x - scales_[n].mean) * scales_[n].scale);
    }
  }
}

}  // namespace frugal::robe
