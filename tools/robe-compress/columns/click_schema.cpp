#include "tools/robe-compress/columns/click_schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/header_guess.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/table_head.h"
#include "libcore/tables/text_kind.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/columns/click_shapes.h"
#include "tools/robe-compress/columns/column_names.h"
#include "tools/robe-compress/columns/libfm_pairs.h"

namespace frugal::robe {
namespace {

/// Beyond, floats do not tell numbers from their neighbours by a sixteenth.
constexpr double kLargestFloat = 1 << 20;

constexpr std::array<std::string_view, 8> kLabelNames{"click",  "label", "clicked", "isclick",
                                                      "target", "y",     "rating",  "stars"};
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
    style_ = input_style(format_, options_, head_);
    RecordParser parser(style_);
    Fields fields;
    const std::size_t length = parser.parse(head_, fields);
    check_num_columns(fields.size(), name_);
    schema.num_columns = fields.size();
    schema.has_header = has_header(fields, head_.substr(length));
    name_columns(schema, fields);
    looks_ =
        look_at_columns(schema.has_header ? head_.substr(length) : head_, style_, fields.size());
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
    RecordParser parser(style_);
    Fields second;
    if (!rest.empty()) parser.parse(rest, second);
    const TableHead rows = record_head(head_, style_, /*is_whole=*/false);
    const bool is_header = names_columns(options_, first, second, guess_header(rows.rows));
    if (is_header) refuse_missing_name(rows.rows, name_);
    return is_header;
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
    if (label.empty()) label = usual_label(schema);
    schema.label = {"", label.empty() ? 0 : index_of(label), ClickColumnType::label};
    schema.label.name = names_[schema.label.index];
  }

  /// By its name: one of clicks, or a usual one of labels over classes; else the only column of
  /// classes; without names the first column where it has some.
  std::string usual_label(const ClickSchema& schema) const {
    std::vector<std::size_t> classes, labels;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (looks_[i].values != 2 || !looks_[i].are_classes) continue;
      classes.push_back(i);
      if (has_names_ && is_usual_name(ColumnRole::label, names_[i])) labels.push_back(i);
    }
    if (has_names_) {
      if (const auto usual = find_name(kLabelNames)) return *usual;
      if (labels.size() == 1) return names_[labels.front()];
    } else if (!schema.positive.text().empty() || classes.empty() || classes.front() == 0) {
      return "";
    }
    if (classes.size() == 1) {
      const std::string& name = names_[classes.front()];
      log_info(name_, ": column '", printable(name),
               "' is taken as the label, the only one of two classes (--label-column)");
      return name;
    }
    if (!has_names_) return "";
    fail(ExitStatus::usage, name_, ": which column is the label? expected --label-column with ",
         joined(names_));
  }

  /// The first of some names, however it is written: "Is Click" is "is_click".
  std::optional<std::string> find_name(std::span<const std::string_view> names) const {
    for (const std::string_view wanted : names) {
      for (const std::string& name : names_) {
        if (plain_name(name) == wanted) return name;
      }
    }
    return std::nullopt;
  }

  void add_column(ClickSchema& schema, std::size_t index) const {
    bool is_declared = false;
    for (const auto& column : declared_) {
      if (column.index != index) continue;
      add_use(schema, index, column.type, {});
      is_declared = true;
    }
    if (!is_declared) add_undeclared(schema, index);
  }

  void add_use(ClickSchema& schema, std::size_t index, ClickColumnType type,
               const std::optional<ColumnLook>& look) const {
    ClickColumn column{names_[index], index, type, look};
    column.is_whole = type == ClickColumnType::category && looks_[index].are_whole &&
                      looks_[index].values > 0 && !format_.hex_ids;
    column.joins_missing = type == ClickColumnType::category && !column.is_whole;
    column.joins_booleans = column.joins_missing;
    // Criteo's own columns have a few negative numbers.
    if (type == ClickColumnType::log && looks_[index].has_negative && !options_.columns.empty()) {
      log_warning(name_, ": column '", printable(column.name),
                  "' has negative numbers, which the type log takes for 0: log(1 + max(x, 0))");
    }
    if (type == ClickColumnType::number && looks_[index].largest > kLargestFloat) {
      column.offset = std::floor(looks_[index].first);
    }
    switch (type) {
      case ClickColumnType::label: return;  // another was chosen over a preset's
      case ClickColumnType::ignore: return schema.ignored.push_back(column.name);
      case ClickColumnType::number:
      case ClickColumnType::log: return schema.numbers.push_back(column);
      case ClickColumnType::weekday: column.name += ".weekday"; [[fallthrough]];
      default: schema.categories.push_back(column);
    }
  }

  /// Columns whose values are numbers, one of them not a whole one, are numbers; "id" and an index
  /// without a name are ignored; all others are categories.
  void add_undeclared(ClickSchema& schema, std::size_t index) const {
    if (names_[index] == "id" || is_unnamed(names_[index])) {
      return add_use(schema, index, ClickColumnType::ignore, {});
    }
    const ColumnLook& look = looks_[index];
    const bool is_number =
        look.are_numbers &&
        (look.has_fraction || std::ranges::count(options_.with_fractions, names_[index]) > 0);
    add_use(schema, index, is_number ? ClickColumnType::number : ClickColumnType::category, look);
  }

  const ClickOptions& options_;
  const ClickFormat& format_;
  const std::string& name_;
  std::string_view head_;
  DelimitedStyle style_;
  Names names_;
  bool has_names_ = false;  ///< not the numbers from 1 on
  std::vector<ColumnLook> looks_;
  ColumnNames columns_;
  std::vector<ColumnTypes<ClickColumnType>::Column> declared_;
};

/// Each pair of the first line is a field.
void make_pairs_schema(const std::string& name, std::string_view head, ClickSchema& schema) {
  const std::string_view line = trim(head.substr(0, head.find('\n')));
  std::vector<std::string_view> words;
  split_words(line, words);
  schema.num_columns = words.size();
  schema.label = {"label", 0, ClickColumnType::label};
  if (schema.num_columns < 2) {
    fail(ExitStatus::bad_input, name, ":1: found '", printable(line),
         "', expected 'label id:1 ...'");
  }
  words.erase(words.begin());
  Names columns = names_of_pairs(name, words);
  schema.by_field = split_pair(words.front()).has_field;
  for (std::string& field : columns) {
    schema.categories.push_back(
        {std::move(field), schema.categories.size() + 1, ClickColumnType::category});
  }
}

/// Makes the schema that the same rows would have as CSV.
void make_json_schema(const ClickOptions& options, const std::string& name, std::string_view head,
                      ClickSchema& schema) {
  const TableHead rows = json_head(head, name);
  if (rows.empty()) refuse_no_objects(name, head);
  const std::string csv = csv_text(rows.rows);
  const ClickFormat& avazu = click_formats().by_name("avazu");
  const bool is_avazu = options.format == "auto" && avazu.recognises({name, csv});
  const ClickFormat& format = is_avazu ? avazu : click_formats().by_name("csv");
  schema.format = format.name;
  ClickOptions of_csv = options;
  of_csv.header = "yes";
  of_csv.separator = ",";
  SchemaMaker(of_csv, format, name, csv).run(schema);
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

std::vector<std::string> id_kind_names() { return {kIdKindNames.begin(), kIdKindNames.end()}; }

std::string_view id_kind_name(IdKind kind) { return kIdKindNames[static_cast<std::size_t>(kind)]; }

IdKind id_kind(std::string_view name) {
  const auto found = std::find(kIdKindNames.begin(), kIdKindNames.end(), name);
  if (found != kIdKindNames.end()) return static_cast<IdKind>(found - kIdKindNames.begin());
  fail(ExitStatus::usage, "ids are '", printable(name), "', expected ", joined(id_kind_names()));
}

namespace {

/// Fails (usage) for comparisons without a number, and for "rating!=3", which would ask for the
/// column "rating!".
void check_rule(const LabelRule& rule) {
  rule.check_comparison();
  if (!rule.column().ends_with('!') || rule.text().find("!==") != std::string::npos) return;
  if (rule.text().find("!=") == std::string::npos) return;
  fail(ExitStatus::usage, "--positive is '", printable(rule.text()),
       "', expected one of the comparisons <, <=, >, >= and ==; there is no !=");
}

}  // namespace

void check_click_options(const ClickOptions& options) {
  const auto one_of = [](std::string_view option, const std::string& value,
                         const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    fail(ExitStatus::usage, option, " is '", printable(value), "', expected ", joined(allowed));
  };
  if (options.format != "auto") static_cast<void>(click_formats().by_name(options.format));
  one_of("--header", options.header, {"auto", "yes", "no"});
  if (options.separator != "auto") static_cast<void>(separator_of(options));
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
  if (!options.positive.empty()) check_rule(LabelRule(options.positive));
  static_cast<void>(click_column_types().parse(options.columns));
}

const ClickFormat& choose_format(const ClickOptions& options, const FormatSample& sample) {
  if (options.format != "auto") return click_formats().by_name(options.format);
  const TextKind kind = text_kind(sample.head);
  const bool is_json = kind == TextKind::json_lines;
  if (kind != TextKind::table && !is_json) return click_formats().by_name("csv");  // to refuse it
  if (options.separator == "auto") return click_formats().detect(sample);
  if (is_json) return click_formats().by_name("jsonl");
  return click_formats().by_name(separator_of(options) == '\t' ? "tsv" : "csv");
}

char separator_of(const ClickOptions& options) {
  const std::string& text = options.separator;
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && std::string_view(",;|\t").find(text[0]) != std::string_view::npos) {
    return text[0];
  }
  fail(ExitStatus::usage, "--separator is '", printable(text),
       "', expected ',', ';', '|', tab or auto");
}

DelimitedStyle input_style(const ClickFormat& format, const ClickOptions& options,
                           std::string_view head) {
  DelimitedStyle style = format.style;
  if (!format.has_any_columns() || !style.quotes) return style;
  if (options.separator != "auto") {
    style.separator = separator_of(options);
    return style;
  }
  const char found = find_separator(head, /*comments=*/false);
  if (found == ';' || found == '|') style.separator = found;
  return style;
}

void refuse_other_texts(const ClickFormat& format, const ClickOptions& options,
                        const std::string& name, std::string_view head) {
  if (format.json) return check_json_options(options.header, options.separator, name);
  const TextKind kind = text_kind(head);
  if (kind == TextKind::table) return;
  fail(ExitStatus::bad_input, name, ": is ", description(kind).name,
       ", expected a table; make it one with: ", description(kind).way_in);
}

ClickSchema make_schema(const ClickOptions& options, const std::string& name,
                        std::string_view head) {
  if (trim(head).empty()) fail(ExitStatus::bad_input, name, ": is empty, expected samples");
  const ClickFormat& format = choose_format(options, {name, head});
  refuse_other_texts(format, options, name, head);
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
  } else if (format.json) {
    make_json_schema(options, name, head, schema);
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
