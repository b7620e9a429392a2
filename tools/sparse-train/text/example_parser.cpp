#include "tools/sparse-train/text/example_parser.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/tables/field_number.h"
#include "tools/sparse-train/data/table_style.h"
#include "tools/sparse-train/text/date_features.h"
#include "tools/sparse-train/text/short_hashes.h"

namespace frugal::sparse {
namespace {

/// Calls use(part) for each trimmed, non-empty part between separators. separator: "" = none.
template <class Use>
void for_each_part(std::string_view text, std::string_view separator, const Use& use) {
  const auto use_part = [&](std::string_view part) {
    if (!trim(part).empty()) use(trim(part));
  };
  while (!separator.empty() && text.find(separator) != std::string_view::npos) {
    const std::size_t end = text.find(separator);
    use_part(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  use_part(text);
}

std::string date_feature_name(const std::string& column, const DatePart& part, int value) {
  static constexpr const char* kWeekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  const bool is_weekday = part.value == &CalendarDate::weekday;
  return column + " " + std::string(part.name) + "=" +
         (is_weekday ? kWeekdays[value] : std::to_string(value));
}

/// Fails (bad_input) if the text is binary data, UTF-16 or Latin-1.
void check_text(std::string_view record) {
  const std::size_t at = find_non_text(record);
  if (at == std::string_view::npos) return;
  char byte[8];
  std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(record[at]));
  fail(ExitStatus::bad_input, "byte ", at + 1, " of the record is ", byte,
       record[at] == 0 ? ", expected text without NUL: is this UTF-16 or a binary file?"
                       : ", expected UTF-8; --encoding bytes takes any text as it is");
}

}  // namespace

ExampleParser::ExampleParser(const FeatureOptions& options, const InputLayout& layout,
                             const KnownFeatures& known)
    : options_(options),
      layout_(layout),
      known_(known),
      rows_(layout.form(), ""),
      ngrams_(options),
      keep_counts_(options.weighting != "none"),
      checks_text_(options.encoding != "bytes" && !layout.format->feature_ids) {}

ExamplePiece ExampleParser::parse(const TextPiece& piece) {
  ExamplePiece out;
  label_index_.clear();
  hashes_.clear();
  check_records_ = checks_text_ && find_non_text(piece.text()) != std::string_view::npos;
  rows_.start(piece);
  while (rows_.pass()) {
    try {
      split_record(rows_.row());
      append(out);
      note_joined_rows(out);
    } catch (const Error& error) {
      const std::uint64_t lines = 1 + count_lines(rows_.row());
      const std::string end = lines == 1 ? ""
                                         : "; the quoted record ends in line " +
                                               std::to_string(rows_.line() + lines - 1);
      out.bad_lines.push_back({rows_.line(), error.what() + end, lines});
    }
  }
  out.empty_lines = rows_.num_empty();
  out.column_values = std::exchange(values_, {});
  return out;
}

void ExampleParser::note_joined_rows(ExamplePiece& out) {
  std::string problem = joined_rows(rows_.row(), layout_);
  if (!problem.empty()) out.joined_rows.push_back({rows_.line(), std::move(problem)});
}

void ExampleParser::parse_record(std::string_view record, ExamplePiece& out) {
  label_index_.clear();
  hashes_.clear();
  check_records_ = checks_text_;
  rows_.take(record);
  split_record(rows_.row());
  append(out);
  out.column_values = std::exchange(values_, {});
}

void ExampleParser::split_record(std::string_view record) {
  parts_.labels.clear();
  parts_.texts.clear();
  label_ids_.clear();
  numbers_.clear();
  weight_.reset();
  ngrams_.clear();
  if (check_records_) check_text(record);
  const ExampleFormat& format = *layout_.format;
  if (format.columns) {
    split_row();
    return use_fields(rows_.fields());
  }
  format.split(record, {options_.label_prefix, layout_.feature_limit}, parts_);
  for (const std::string_view text : parts_.texts) ngrams_.add(text);
  if (format.counts) return parse_label_ids(parts_.sparse.labels, layout_.label_limit, label_ids_);
  if (format.feature_ids) split_labels(parts_.sparse.labels);
}

void ExampleParser::split_row() {
  try {
    rows_.split();
  } catch (const Error& error) {
    const bool has_quotes = rows_.row().find('"') != std::string_view::npos;
    fail(error.status(), error.what(), has_quotes ? advice_on_quotes(layout_.style) : "");
  }
}

void ExampleParser::use_fields(std::span<const std::string_view> fields) {
  if (layout_.keeps_blank && fields.size() == 1 && fields[0].empty()) return;
  const bool unlabelled = layout_.may_lack_label && fields.size() + 1 == layout_.num_columns;
  if (!unlabelled && fields.size() != layout_.num_columns) {
    fail(ExitStatus::bad_input, "found ", format_count(fields.size(), "column"), ", expected ",
         layout_.num_columns, advice_on_width(layout_, fields));
  }
  for (const InputColumn& column : layout_.columns) {
    const std::size_t shift = unlabelled && column.index > layout_.label_column ? 1 : 0;
    use_field(column, fields[column.index - shift]);
  }
  if (layout_.weight_column != kNoColumn) use_weight(fields[layout_.weight_column]);
  if (unlabelled || layout_.label_column == kNoColumn) return;
  const std::string_view label = fields[layout_.label_column];
  if (!layout_.label_is_number || !is_missing_number(label)) split_labels(label);
}

void ExampleParser::use_field(const InputColumn& column, std::string_view field) {
  switch (column.type) {
    case ColumnType::text: return ngrams_.add(field);
    case ColumnType::category: return use_category(column, field);
    case ColumnType::number: return use_number(column, field);
    case ColumnType::date: return use_date(column, field);
    case ColumnType::label:
    case ColumnType::ignore: break;
  }
}

void ExampleParser::use_category(const InputColumn& column, std::string_view field) {
  for_each_part(field, column.separator, [&](std::string_view value) {
    if (is_missing(value)) return;
    const auto id = column.has_ids ? parse_whole(value) : std::nullopt;
    const std::string text = id                      ? std::to_string(*id)
                             : column.joins_booleans ? std::string(plain_boolean(value))
                                                     : std::string(value);
    const std::uint64_t hash = hash_combine(column.salt, hash_bytes(text));
    if (known_.index != nullptr) count_value(column, hash);
    ngrams_.add_feature(hash, ngrams_.keeps_names() ? column.name + "=" + text : "");
  });
}

void ExampleParser::count_value(const InputColumn& column, std::uint64_t hash) {
  values_.resize(layout_.columns.size());
  ColumnValues& counts = values_[static_cast<std::size_t>(&column - layout_.columns.data())];
  counts.column = column.name;
  ++counts.values;
  counts.unknown += known_.index->find(short_hash(hash, options_.hash_bits)) == HashIndex::kMissing;
}

void ExampleParser::use_date(const InputColumn& column, std::string_view field) {
  if (is_missing_number(field)) return;
  const auto moment = parse_moment(field);
  const auto date = moment ? calendar_date(*moment) : std::nullopt;
  if (!date) {
    fail(
        ExitStatus::bad_input, "column '", printable(column.name), "': found '",
        printable(field, 30),
        "', expected a date like 2024-02-29, 20240229, 2024-02-29T13:05 or a Unix time, or nothing "
        "for a missing one");
  }
  for (const DatePart& part : kDateParts) {
    const int value = (*date).*part.value;
    if (value < 0) continue;
    const std::uint64_t key = hash_combine(column.salt, hash_bytes(part.name));
    const std::uint64_t hash = hash_combine(key, static_cast<std::uint64_t>(value));
    ngrams_.add_feature(
        hash, ngrams_.keeps_names() ? date_feature_name(column.name, part, value) : std::string());
  }
}

void ExampleParser::use_number(const InputColumn& column, std::string_view field) {
  const auto number = parse_value(field, layout_.style.separator);
  if (!number) {
    fail(ExitStatus::bad_input, "column '", printable(column.name), "': found '",
         printable(field, 30), "', expected a finite number, or nothing for a missing one",
         layout_.guesses_numbers ? ", as in the first rows (--columns says what a column holds, "
                                   "--text-columns '*' reads words)"
                                 : "");
  }
  layout_.decimal_marks.check(column.index, field);
  if (known_.numbers == nullptr) {
    numbers_.push_back(*number);
    return;
  }
  const NumberFeatures& of_column = (*known_.numbers)[column.number];
  number_features_.clear();
  of_column.append_features(*number, number_features_);
  for (const std::uint32_t feature : number_features_) {
    ngrams_.add_feature(of_column.hash(feature),
                        ngrams_.keeps_names() ? of_column.name(feature) : std::string());
  }
}

void ExampleParser::use_weight(std::string_view field) {
  const auto weight = parse_number_between<float>(trim(field), layout_.style.separator);
  if (!weight || *weight < 0) {
    fail(ExitStatus::bad_input, layout_.column_text(layout_.weight_column), ": found '",
         printable(field, 30), "', expected a weight of at least 0");
  }
  layout_.decimal_marks.check(layout_.weight_column, field);
  weight_ = *weight;
}

void ExampleParser::split_labels(std::string_view text) {
  for_each_part(text, layout_.label_separator,
                [&](std::string_view label) { parts_.labels.push_back(label); });
}

void ExampleParser::append(ExamplePiece& out) {
  if (weight_) out.weights.push_back(*weight_);
  append_features(out);
  append_labels(out);
}

void ExampleParser::append_features(ExamplePiece& out) {
  if (layout_.format->feature_ids) {
    const SparseLine& sparse = parts_.sparse;
    out.features.insert(out.features.end(), sparse.features.begin(), sparse.features.end());
    out.values.insert(out.values.end(), sparse.values.begin(), sparse.values.end());
    out.num_features.push_back(static_cast<std::uint32_t>(sparse.features.size()));
    return;
  }
  const auto hashes = ngrams_.hashes();
  if (options_.hash_bits == kWholeHash) {
    hashes_.insert(hashes_.end(), hashes.begin(), hashes.end());
  } else {
    for (const std::uint64_t hash : hashes) hashes_.push_back(short_hash(hash, options_.hash_bits));
  }
  if (keep_counts_) pack_counts(ngrams_.counts(), out);
  out.num_features.push_back(static_cast<std::uint32_t>(hashes.size()));
  out.numbers.insert(out.numbers.end(), numbers_.begin(), numbers_.end());
}

void ExampleParser::append_labels(ExamplePiece& out) {
  for (const std::string_view label : parts_.labels) {
    auto known = label_index_.find(label);
    if (known == label_index_.end()) {
      const auto id = static_cast<std::uint32_t>(out.label_names.size());
      known = label_index_.emplace(label, id).first;
      out.label_names.emplace_back(label);
    }
    const auto begin = label_ids_.begin();
    if (std::find(begin, label_ids_.end(), known->second) == label_ids_.end()) {
      label_ids_.push_back(known->second);
    }
  }
  out.labels.insert(out.labels.end(), label_ids_.begin(), label_ids_.end());
  out.num_labels.push_back(static_cast<std::uint32_t>(label_ids_.size()));
}

}  // namespace frugal::sparse
