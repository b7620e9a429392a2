#include "tools/robe-compress/data/click_schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/data/click_batch.h"
#include "tools/robe-compress/data/click_shapes.h"
#include "tools/robe-compress/data/column_names.h"

namespace frugal::robe {
namespace {

std::optional<double> label_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<double>(text);
}

}  // namespace

LabelRule::LabelRule(std::string_view text) : text_(text) {
  const std::size_t at = text.find_first_of("<>=");
  std::string_view rest = text;
  if (at != std::string_view::npos) {
    const bool or_equal = text.substr(at + 1).starts_with('=');
    const char op = text[at];
    rest = text.substr(at + (or_equal ? 2 : 1));
    const auto number = label_number(trim(rest));
    if (op == '=') {
      test_ = Test::equal;
      column_ = trim(text.substr(0, at));
      value_ = trim(rest);
    } else if (number) {
      test_ = op == '>' ? (or_equal ? Test::at_least : Test::above)
                        : (or_equal ? Test::at_most : Test::below);
      column_ = trim(text.substr(0, at));
      number_ = *number;
    }
  }
  if (test_ == Test::one) {  // ">50K" is a text
    test_ = Test::equal;
    value_ = trim(text);
  }
  if (is_utf8(text) && (test_ != Test::equal || !value_.empty())) return;
  fail(ExitStatus::usage, "--positive is '", printable(text),
       "', expected a condition like rating>=4 or the text of a click like >50K");
}

std::optional<float> LabelRule::label(std::string_view value) const {
  if (value == "0") return test_ == Test::one ? std::optional(0.0F) : judge(value);
  if (value == "1") return test_ == Test::one ? std::optional(1.0F) : judge(value);
  return judge(value);
}

std::optional<float> LabelRule::judge(std::string_view value) const {
  value = trim(value);
  if (value.empty()) return std::nullopt;
  if (test_ == Test::equal) return value == value_ ? 1.0F : 0.0F;
  if (test_ == Test::one && (value == "True" || value == "true")) return 1.0F;  // pandas, JSON
  if (test_ == Test::one && (value == "False" || value == "false")) return 0.0F;
  const auto number = label_number(value);
  if (!number || *number != *number) return std::nullopt;
  switch (test_) {
    case Test::at_least: return *number >= number_ ? 1.0F : 0.0F;
    case Test::at_most: return *number <= number_ ? 1.0F : 0.0F;
    case Test::above: return *number > number_ ? 1.0F : 0.0F;
    case Test::below: return *number < number_ ? 1.0F : 0.0F;
    default: break;
  }
  if (*number == 1) return 1.0F;
  if (*number == 0 || *number == -1) return 0.0F;
  return std::nullopt;
}

std::string LabelRule::expectation() const {
  if (test_ == Test::one) {
    return "expected a label 0 or 1, or -1 or 1 (--positive says what else is a click)";
  }
  return test_ == Test::equal ? "expected a label" : "expected a number as label";
}

namespace {

constexpr std::size_t kLooks = 1000;  ///< records

constexpr std::array<std::string_view, 7> kLabelNames{"click",  "label", "clicked", "is_click",
                                                      "target", "y",     "rating"};
constexpr std::array<std::string_view, 3> kIdKindNames{"count", "hash", "number"};

using Fields = std::vector<std::string_view>;
using Names = std::vector<std::string>;

/// Makes a schema of the columns of a delimited text.
class SchemaMaker {
 public:
  SchemaMaker(const ClickOptions& options, const ClickFormat& format, const std::string& name,
              std::string_view head)
      : options_(options), format_(format), name_(name), head_(head) {}

  void run(ClickSchema& schema) {
    RecordParser parser(format_.style);
    Fields fields;
    const std::size_t length = parser.parse(head_, fields);
    check_num_columns(fields.size(), name_);
    schema.num_columns = fields.size();
    schema.has_header = has_header(fields, head_.substr(length));
    name_columns(schema, fields);
    looks_ = look_at_columns(schema.has_header ? head_.substr(length) : head_, format_.style,
                             fields.size());
    columns_ = {has_names_ ? names_ : Names{}, names_.size(), name_ + (has_names_ ? ":1" : "")};
    const ColumnTypes<ClickColumnType>& types = click_column_types();
    declared_ = types.place(
        types.parse(options_.columns.empty() ? format_.declaration : options_.columns), columns_);
    find_label(schema);
    if (schema.has_header) head_.remove_prefix(length);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (i != schema.label.index) add_column(schema, i);
    }
  }

 private:
  /// rest: the text behind the first record.
  bool has_header(const Fields& first, std::string_view rest) const {
    if (!format_.may_have_header && options_.header != "yes") return false;
    RecordParser parser(format_.style);
    Fields second;
    if (!rest.empty()) parser.parse(rest, second);
    return names_columns(options_, first, second);
  }

  std::size_t index_of(const std::string& column) const { return columns_.find(column); }

  void name_columns(const ClickSchema& schema, const Fields& fields) {
    const auto fixed = split(format_.columns, ',');
    if (!format_.columns.empty() && fields.size() != fixed.size()) {
      fail(ExitStatus::bad_input, name_, ":1: found ", fields.size(), " columns, expected ",
           fixed.size(), " (format ", format_.name, ")");
    }
    has_names_ = schema.has_header || !format_.columns.empty();
    const std::vector<std::string> in_header = header_names(fields);
    std::unordered_set<std::string> known;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (schema.has_header) {
        names_.push_back(in_header[i]);
      } else {
        names_.push_back(has_names_ ? std::string(fixed[i]) : std::to_string(i + 1));
      }
      if (find_non_text(names_.back()) != std::string::npos) {
        fail(ExitStatus::bad_input, name_, ":1: the header has a column '",
             printable(names_.back()), "', expected names in UTF-8 (or --header no)");
      }
      if (known.insert(names_.back()).second) continue;
      fail(ExitStatus::bad_input, name_, ":1: the header has the column '",
           printable(names_.back()), "' twice, expected each name once");
    }
  }

  /// By --label-column, --positive or --columns; else by its name; else the first.
  void find_label(ClickSchema& schema) const {
    std::string label = options_.label_column;
    const auto use = [&](const std::string& other) {
      if (other.empty()) return;
      if (!label.empty() && index_of(label) != index_of(other)) {
        fail(ExitStatus::usage, "the label is column '", printable(label), "' and column '",
             printable(other), "', expected one (--label-column, --positive, --columns)");
      }
      label = other;
    };
    use(schema.positive.column());
    for (const auto& column : declared_) {
      const bool preset = options_.columns.empty() && !label.empty();
      if (column.type == ClickColumnType::label && !preset) use(column.name);
    }
    for (const std::string_view usual : kLabelNames) {
      if (label.empty() && std::find(names_.begin(), names_.end(), usual) != names_.end()) {
        label = usual;
      }
    }
    if (label.empty() && has_names_) {
      fail(ExitStatus::usage, name_, ": which column is the label? expected --label-column with ",
           joined(names_));
    }
    schema.label = {"", label.empty() ? 0 : index_of(label), ClickColumnType::label};
    schema.label.name = names_[schema.label.index];
  }

  void add_column(ClickSchema& schema, std::size_t index) const {
    bool is_declared = false;
    for (const auto& column : declared_) {
      if (column.index != index) continue;
      add_use(schema, index, column.type);
      is_declared = true;
    }
    if (!is_declared) add_undeclared(schema, index);
  }

  void add_use(ClickSchema& schema, std::size_t index, ClickColumnType type,
               const std::optional<ColumnLook>& look = {}) const {
    ClickColumn column{names_[index], index, type, look};
    switch (type) {
      case ClickColumnType::label: return;  // another was chosen over a preset's
      case ClickColumnType::ignore: return schema.ignored.push_back(column.name);
      case ClickColumnType::number:
      case ClickColumnType::log: return schema.numbers.push_back(column);
      case ClickColumnType::weekday: column.name += ".weekday"; [[fallthrough]];
      default: schema.categories.push_back(column);
    }
  }

  /// Columns whose values are numbers, one of them with a decimal point, are numbers; "id" and an
  /// index without a name are ignored; all others are categories.
  void add_undeclared(ClickSchema& schema, std::size_t index) const {
    if (names_[index] == "id" || is_unnamed(names_[index])) {
      return add_use(schema, index, ClickColumnType::ignore);
    }
    const ColumnLook& look = looks_[index];
    const bool is_number = look.are_numbers && look.has_decimal;
    add_use(schema, index, is_number ? ClickColumnType::number : ClickColumnType::category, look);
  }

  const ClickOptions& options_;
  const ClickFormat& format_;
  const std::string& name_;
  std::string_view head_;
  Names names_;
  bool has_names_ = false;  ///< not the numbers from 1 on
  std::vector<ColumnLook> looks_;
  ColumnNames columns_;
  std::vector<ColumnTypes<ClickColumnType>::Column> declared_;
};

/// Each pair of the first line is a field.
void make_pairs_schema(const std::string& name, std::string_view head, ClickSchema& schema) {
  std::string_view line = trim(head.substr(0, head.find('\n')));
  const auto words = split(line, ' ');
  schema.num_columns = words.size();
  schema.label = {"label", 0, ClickColumnType::label};
  for (std::size_t i = 1; i < words.size(); ++i) {
    schema.categories.push_back({std::to_string(i), i, ClickColumnType::category});
  }
  if (words.size() < 2) {
    fail(ExitStatus::bad_input, name, ":1: found '", printable(line),
         "', expected 'label id:1 ...'");
  }
}

void set_rows(const ClickOptions& options, const std::string& name, ClickSchema& schema) {
  const std::size_t fields = schema.categories.size();
  if (schema.ids == IdKind::hash) schema.rows.assign(fields, options.hash_rows);
  if (schema.ids != IdKind::number) return;
  schema.max_rows = options.max_rows;
  if (options.rows.empty()) return;
  schema.rows = parse_rows(options.rows, "--rows");
  if (schema.rows.size() == 1) schema.rows.resize(fields, schema.rows[0]);
  if (schema.rows.size() != fields) {
    fail(ExitStatus::usage, "--rows has ", schema.rows.size(),
         " numbers, expected one for each of ", fields, " categories of ", name);
  }
  for (std::uint64_t& rows : schema.rows) {
    if (schema.max_rows != 0) rows = std::min(rows, schema.max_rows);
  }
}

}  // namespace

std::vector<ColumnLook> look_at_columns(std::string_view text, DelimitedStyle style,
                                        std::size_t columns) {
  RecordParser parser(style);
  std::vector<std::string_view> fields;
  std::vector<std::unordered_set<std::string>> values(columns);
  std::vector<ColumnLook> looks(columns);
  for (std::size_t n = 0; n < kLooks && text.find('\n') != std::string_view::npos; ++n) {
    text.remove_prefix(parser.parse(text, fields));
    for (std::size_t c = 0; c < std::min(columns, fields.size()); ++c) {
      const std::string_view value = trim(fields[c]);
      if (is_missing(value)) continue;
      values[c].emplace(value);
      const auto number = parse_number<double>(value);
      ColumnLook& look = looks[c];
      look.are_numbers &= number.has_value();
      look.are_whole &= number && std::floor(*number) == *number;
      look.has_decimal |= value.find('.') != std::string_view::npos;
    }
  }
  for (std::size_t c = 0; c < columns; ++c) looks[c].values = values[c].size();
  return looks;
}

std::vector<std::string> id_kind_names() { return {kIdKindNames.begin(), kIdKindNames.end()}; }

std::string_view id_kind_name(IdKind kind) { return kIdKindNames[static_cast<std::size_t>(kind)]; }

IdKind id_kind(std::string_view name) {
  const auto found = std::find(kIdKindNames.begin(), kIdKindNames.end(), name);
  if (found != kIdKindNames.end()) return static_cast<IdKind>(found - kIdKindNames.begin());
  fail(ExitStatus::usage, "ids are '", printable(name), "', expected ", joined(id_kind_names()));
}

void check_click_options(const ClickOptions& options) {
  const auto one_of = [](std::string_view option, const std::string& value,
                         const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    fail(ExitStatus::usage, option, " is '", printable(value), "', expected ", joined(allowed));
  };
  if (options.format != "auto") static_cast<void>(click_formats().by_name(options.format));
  one_of("--header", options.header, {"auto", "yes", "no"});
  one_of("--ids", options.ids, id_kind_names());
  one_of("--unknown", options.unknown, {"rare", "error"});
  if (options.hash_rows < 1 || options.hash_rows > kMostTableRows) {
    fail(ExitStatus::usage, "--hash-rows is ", options.hash_rows, ", expected 1 to ",
         kMostTableRows);
  }
  if (options.max_rows > kMostTableRows) {
    fail(ExitStatus::usage, "--max-rows is ", options.max_rows, ", expected at most ",
         kMostTableRows);
  }
  if (options.min_count < 1) {
    fail(ExitStatus::usage, "--min-count is 0, expected at least 1");
  }
  if (!options.rows.empty()) static_cast<void>(parse_rows(options.rows, "--rows"));
  if (!options.positive.empty()) static_cast<void>(LabelRule(options.positive));
  static_cast<void>(click_column_types().parse(options.columns));
}

ClickSchema make_schema(const ClickOptions& options, const std::string& name,
                        std::string_view head) {
  if (trim(head).empty()) fail(ExitStatus::bad_input, name, ": is empty, expected samples");
  const ClickFormat& format = options.format == "auto" ? click_formats().detect({name, head})
                                                       : click_formats().by_name(options.format);
  ClickSchema schema;
  schema.format = format.name;
  schema.scale_numbers = format.scale_numbers;
  schema.ids = id_kind(options.ids);
  schema.hex_ids = format.hex_ids;
  if (!options.positive.empty()) schema.positive = LabelRule(options.positive);
  if (format.pairs) {
    if (!options.columns.empty() || !options.label_column.empty()) {
      fail(ExitStatus::usage, name, ": the format is ", format.name, ", but ",
           options.columns.empty() ? "--label-column" : "--columns", " goes with columns");
    }
    make_pairs_schema(name, head, schema);
  } else {
    SchemaMaker(options, format, name, head).run(schema);
  }
  if (schema.categories.empty() && schema.numbers.empty()) {
    fail(ExitStatus::usage, name,
         ": no column is a category or a number, expected one beside the label (--columns)");
  }
  set_rows(options, name, schema);
  return schema;
}

}  // namespace frugal::robe
