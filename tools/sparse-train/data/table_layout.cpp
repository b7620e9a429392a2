#include "tools/sparse-train/data/table_layout.h"

#include <algorithm>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_profile.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/json_head.h"
#include "tools/sparse-train/data/label_copies.h"
#include "tools/sparse-train/data/label_lists.h"
#include "tools/sparse-train/data/number_columns.h"
#include "tools/sparse-train/data/table_style.h"

namespace frugal::sparse {
namespace {

/// A column with more different values, of those in the first rows, looks like no label.
constexpr double kMostDistinct = 0.5;
/// Blanks in a field that is no name.
constexpr std::ptrdiff_t kBlanksOfSentence = 3;
/// Words of a field, on average, from which on a column is one of texts.
constexpr double kWordsOfText = 3;

bool is_name(std::string_view column) {
  return !column.empty() && column != kOtherColumns && !parse_number<std::uint32_t>(column);
}

/// Whether a column is asked for by its name.
bool asks_by_name(const FeatureOptions& options) {
  if (is_name(options.label_column)) return true;
  const std::vector<ColumnSpec> columns = parse_columns(options.columns);
  const auto texts = split(options.text_columns, ',');
  return std::any_of(columns.begin(), columns.end(),
                     [](const ColumnSpec& column) { return is_name(column.name); }) ||
         std::any_of(texts.begin(), texts.end(), [](auto text) { return is_name(trim(text)); });
}

/// The column that --weights names; kNoColumn: it names something else.
std::size_t weight_column(const FeatureOptions& options, const ColumnNames& names) {
  const std::string& name = options.weights;
  const auto number = parse_number<std::uint32_t>(name);
  const bool is_column = names.has(name) || (number && *number >= 1 && *number <= names.size());
  return is_column ? names.find(name) : kNoColumn;
}

/// Lays out the columns of one table.
class TableLayout {
 public:
  TableLayout(const FeatureOptions& options, const std::string& name, std::string_view head,
              InputLayout& layout)
      : options_(options),
        name_(name),
        layout_(layout),
        head_(first_rows(head, *layout.format, layout.style, name)),
        rows_(head_.rows) {}

  void run() {
    layout_.num_columns = rows_[0].size();
    check_num_columns(layout_.num_columns, name_);
    if (layout_.num_columns < 2) refuse_one_column();
    const bool is_json = layout_.format->json;
    find_header();
    const std::span<const TableRow> rows(rows_);
    profiles_ = profile_columns(rows.subspan(layout_.has_header ? 1 : 0));
    profiles_.resize(layout_.num_columns);
    const std::string place = name_ + ":" + std::to_string(layout_.header_line);
    names_ = ColumnNames(layout_.header, layout_.num_columns, place);
    layout_.weight_column = weight_column(options_, names_);
    is_feature_.assign(layout_.num_columns, false);
    find_columns();
    layout_.look_at_values(rows.subspan(layout_.has_header ? 1 : 0), name_, options_.quiet);
    if (!options_.quiet) warn_of_label_copies(rows.subspan(layout_.has_header ? 1 : 0));
    const ColumnProfile& label = profiles_[layout_.label_column];
    layout_.label_is_number = label.filled > 0 && label.is_numeric();
    if (!is_json) return;
    layout_.has_header = false;  // the names stand in each record
    if (!has_lists(rows.subspan(1), layout_.label_column)) return;
    layout_.label_separator = kJsonListSeparator;
    refuse_indicators(rows.subspan(1), layout_.label_column, name_,
                      layout_.column_text(layout_.label_column));
  }

 private:
  [[noreturn]] void refuse_one_column() const {
    if (layout_.format->json) {
      fail(ExitStatus::bad_input, name_, ":1: its objects have one name, '",
           printable(rows_[0].empty() ? "" : rows_[0][0]), "', expected a label and features");
    }
    const char separator = layout_.style.separator;
    fail(ExitStatus::bad_input, name_, ":1: found one column, expected a label and features ",
         "separated by ", separator == '\t' ? "tabs" : "'" + std::string(1, separator) + "'",
         " (--separator: by something else)");
  }

  void find_header() {
    const bool is_named = layout_.format->json || asks_by_name(options_);
    const HeaderGuess guess = is_named ? HeaderGuess{true, true} : guess_names(rows_);
    layout_.has_header = layout_.format->json || has_header(options_.header, guess);
    if (!options_.quiet) say_header_assumption(options_.header, guess, name_, rows_[0]);
    if (!layout_.has_header) return;
    layout_.header_line = head_.line;
    refuse_missing_name(rows_, name_);
    refuse_quoted_names();
    layout_.header = header_names(rows_[0], *layout_.format);
  }

  /// Quotes between tabs are characters because some are not as in CSV. If they enclose all names,
  /// that is an accident.
  void refuse_quoted_names() const {
    const bool may_be_quoted =
        options_.format == "auto" && layout_.style.separator == '\t' && !layout_.style.quotes;
    const bool are_quoted =
        std::all_of(rows_[0].begin(), rows_[0].end(), [](const std::string& field) {
          return field.size() > 1 && field.front() == '"' && field.back() == '"';
        });
    if (!may_be_quoted || !are_quoted) return;
    fail(ExitStatus::bad_input, name_, ":", layout_.header_line,
         ": the names are quoted, but a field has a quote that is not doubled, as in \\\"; R's "
         "write.table(..., qmethod = \"double\") doubles them (--format tsv: quotes are text)");
  }

  /// Fails (bad_input) if the header has the column's name twice: models find columns by names.
  /// Columns without names, as spreadsheets leave them, are found by their order.
  void check_name(std::size_t column) const {
    const bool has_name = column < layout_.header.size() && !layout_.header[column].empty();
    if (has_name) static_cast<void>(names_.find(layout_.header[column]));
  }

  void add_column(const ColumnSpec& spec) {
    if (!spec.is_named) check_name(spec.index);
    std::size_t number = 0;
    if (!layout_.columns.empty()) {
      const InputColumn& last = layout_.columns.back();
      number = last.number + (last.type == ColumnType::number ? 1 : 0);
    }
    const ColumnProfile& profile = profiles_[spec.index];
    layout_.columns.push_back({spec.index, spec.type, spec.name, spec.separator,
                               column_salt(spec.name), number,
                               profile.filled > 0 && profile.wholes == profile.filled,
                               spec.type == ColumnType::category});
  }

  /// Different numbers that rise from row to row under a name like "id", or none: no feature, no
  /// label.
  bool numbers_rows(std::size_t column) const {
    const ColumnProfile& profile = profiles_[column];
    return column < layout_.header.size() && layout_.num_columns > 2 &&
           is_usual_name(ColumnRole::row_id, layout_.header[column]) && profile.grows &&
           profile.wholes == profile.filled && profile.distinct == profile.filled;
  }
  bool is_text(std::size_t column) const {
    const bool by_name =
        column < layout_.header.size() && is_usual_name(ColumnRole::text, layout_.header[column]);
    return by_name || profiles_[column].mean_words() >= kWordsOfText;
  }
  double share_distinct(std::size_t column) const {
    const ColumnProfile& profile = profiles_[column];
    return profile.filled == 0
               ? 1
               : static_cast<double>(profile.distinct) / static_cast<double>(profile.filled);
  }

  /// Numbers with fractions, of more values than two: measured, and no classes.
  bool is_measured(std::size_t column) const {
    const ColumnProfile& profile = profiles_[column];
    return profile.is_numeric() && profile.wholes < profile.numbers && profile.distinct > 2;
  }
  /// Whether a column looks like a label: classes that repeat, more than one.
  bool has_classes(std::size_t column) const {
    return column != layout_.weight_column && !is_feature_[column] && !numbers_rows(column) &&
           !is_text(column) && !is_measured(column) && share_distinct(column) <= kMostDistinct &&
           profiles_[column].distinct > 1;
  }
  /// Whether the last column is the label rather than the first, where both have classes.
  bool prefers_last(const ColumnProfile& first, const ColumnProfile& last) const {
    const bool is_shorter = last.mean_words() < first.mean_words();
    if (is_shorter && last.distinct <= first.distinct) return true;
    // Ratings and digits, of at most ten values, are classes; ages and counts have more.
    constexpr std::size_t kMostRatings = 10;
    return first.is_numeric() && first.distinct > kMostRatings &&
           (last.distinct < first.distinct || !last.is_numeric());
  }
  /// A column with classes whose name ends with "sentiment", "label" or "target":
  /// airline_sentiment. Other usual names, such as class, also end names of features.
  std::optional<std::size_t> find_named_by_last_word() const {
    for (std::size_t c = 0; c < layout_.header.size(); ++c) {
      const std::string& name = layout_.header[c];
      const auto ends_with = [&](std::string_view word) {
        return name.size() > word.size() + 1 && name.ends_with(word) &&
               std::string_view(" _-.").find(name[name.size() - word.size() - 1]) !=
                   std::string_view::npos;
      };
      const bool is_named = ends_with("sentiment") || ends_with("label") || ends_with("target");
      if (is_named && has_classes(c)) return c;
    }
    return std::nullopt;
  }

  /// The first column, unless another one looks like a label and the first does not, or less so:
  /// the last, else the one with the fewest values.
  std::size_t guess_label() const {
    if (const auto named = find_named_by_last_word()) return *named;
    const std::size_t last = layout_.num_columns - 1;
    const bool last_fits = has_classes(last);
    const bool takes_last = last_fits && prefers_last(profiles_[0], profiles_[last]);
    if (has_classes(0) && !takes_last) return 0;
    if (last_fits) return last;
    std::size_t best = kNoColumn;
    for (std::size_t c = 1; c < last; ++c) {
      const bool is_better = best == kNoColumn || share_distinct(c) < share_distinct(best);
      if (has_classes(c) && is_better) best = c;
    }
    if (best != kNoColumn) return best;
    // Few rows: none repeats. What is no text is the label.
    for (std::size_t c = 0; c <= last; ++c) {
      if (!is_feature_[c] && !numbers_rows(c) && !is_text(c)) return c;
    }
    const auto other = std::find(is_feature_.begin(), is_feature_.end(), false);
    return other == is_feature_.end() ? 0 : static_cast<std::size_t>(other - is_feature_.begin());
  }

  void find_label_column() {
    layout_.label_separator = options_.label_separator;
    if (!options_.label_column.empty()) {
      layout_.label_column = names_.find(options_.label_column);
      return;
    }
    if (const auto named = find_role(ColumnRole::label, layout_.header)) {
      layout_.label_column = *named;
      return check_name(*named);
    }
    layout_.label_is_guessed = true;
    layout_.label_column = guess_label();
    check_name(layout_.label_column);
    const bool is_usual = layout_.label_column == 0 && layout_.num_columns == 2;
    if (options_.quiet || (is_usual && !layout_.has_header)) return;
    log_info(name_, ": ", layout_.column_text(layout_.label_column),
             " is taken for the label (--label-column NAME: another one)");
  }

  /// --columns: what is not named is ignored.
  void find_declared_columns(const std::vector<ColumnSpec>& declared) {
    if (!options_.text_columns.empty()) {
      fail(ExitStatus::usage, "--columns and --text-columns are given, expected one of them");
    }
    const std::vector<ColumnSpec> placed = column_types().place(declared, names_);
    const auto label = std::find_if(placed.begin(), placed.end(), [](const ColumnSpec& spec) {
      return spec.type == ColumnType::label;
    });
    if (label == placed.end()) {
      note_features(placed);
      find_label_column();
    } else if (!options_.label_column.empty()) {
      fail(ExitStatus::usage, "--columns and --label-column name a label, expected one of them");
    } else {
      layout_.label_column = label->index;
      layout_.label_separator = label->separator;
    }
    for (const ColumnSpec& spec : placed) {
      if (spec.type == ColumnType::label || spec.type == ColumnType::ignore) continue;
      if (spec.index != layout_.label_column) {
        add_column(spec);
      } else if (spec.is_named) {
        fail(ExitStatus::usage, "column '", printable(spec.name),
             "' has features and the label, expected another one of type label");
      }
    }
  }

  void note_features(const std::vector<ColumnSpec>& columns) {
    for (const ColumnSpec& spec : columns) {
      if (spec.is_named && spec.type != ColumnType::ignore) is_feature_[spec.index] = true;
    }
  }

  /// --text-columns: what is not named is ignored.
  void find_text_columns() {
    std::vector<ColumnSpec> texts;
    for (const std::string_view part : split(options_.text_columns, ',')) {
      texts.push_back({std::string(trim(part)), ColumnType::text});
    }
    const std::vector<ColumnSpec> placed = column_types().place(texts, names_);
    note_features(placed);
    find_label_column();
    for (const ColumnSpec& spec : placed) {
      if (spec.index != layout_.label_column) {
        add_column(spec);
      } else if (spec.is_named) {
        refuse_label_among_texts(spec);
      }
    }
  }

  /// A model that reads the label as text is of no use.
  [[noreturn]] void refuse_label_among_texts(const ColumnSpec& spec) const {
    fail(ExitStatus::usage, "--text-columns has '", printable(spec.name), "', but ",
         layout_.column_text(layout_.label_column),
         " is the label; leave it out, or name another label (--label-column)");
  }

  /// Takes the features for numbers if they are, unless an option asks for words.
  bool find_numbers(const std::vector<std::size_t>& features) {
    if (!options_.for_text.empty() || options_.tokenizer != FeatureOptions().tokenizer)
      return false;
    const auto rows = std::span(rows_).subspan(layout_.has_header ? 1 : 0);
    const auto numbers = number_columns(features, rows, layout_.style.separator, names_);
    layout_.guesses_numbers = !numbers.empty();
    for (const ColumnSpec& spec : numbers) add_column(spec);
    if (!options_.quiet) say_numbers(numbers, name_);
    return !numbers.empty();
  }

  void find_columns() {
    const std::vector<ColumnSpec> declared = parse_columns(options_.columns);
    if (!declared.empty()) return find_declared_columns(declared);
    if (!options_.text_columns.empty()) return find_text_columns();
    find_label_column();
    std::vector<std::size_t> features;
    for (std::size_t i = 0; i < layout_.num_columns; ++i) {
      const bool is_feature =
          i != layout_.label_column && i != layout_.weight_column && !numbers_rows(i);
      if (is_feature) features.push_back(i);
    }
    if (find_numbers(features)) return;
    for (const std::size_t i : features) {
      add_column({std::to_string(i + 1), {}, {}, i, /*is_named=*/false});
    }
  }

  /// The answer in other words, such as label_text beside label, is no feature of new examples.
  void warn_of_label_copies(std::span<const TableRow> rows) const {
    const auto& columns = layout_.columns;  // one may be there twice, as number and category
    if (columns.empty() || columns.front().index == columns.back().index) return;
    for (const InputColumn& column : columns) {
      const bool has_words = column.type == ColumnType::text || column.type == ColumnType::category;
      if (!has_words || !are_copies(rows, column.index, layout_.label_column)) continue;
      log_warning(name_, ": ", layout_.column_text(column.index),
                  " determines the label: each of its values has one label, and each label one "
                  "value; --columns or --text-columns without it leaves it out");
    }
  }

  const FeatureOptions& options_;
  const std::string& name_;
  InputLayout& layout_;
  TableHead head_;
  const std::vector<TableRow>& rows_;
  std::vector<ColumnProfile> profiles_;
  std::vector<bool> is_feature_;  ///< of columns that the user names as features
  ColumnNames names_;
};

/// Whether the fields of the first row are single words, or shorter than the texts below.
bool are_short(std::span<const TableRow> rows) {
  const auto below = profile_columns(rows.subspan(1));
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    const std::string& first = rows.front()[c];
    const auto words = std::count(first.begin(), first.end(), ' ') + 1;
    const double texts = c < below.size() ? below[c].mean_words() : 0;
    if (words > 1 && texts < 2 * static_cast<double>(words)) return false;
  }
  return true;
}

}  // namespace

HeaderGuess guess_names(std::span<const TableRow> rows) {
  const HeaderGuess guess = guess_header(rows);
  if (guess.is_sure || rows.empty()) return guess;
  const TableRow& first = rows.front();
  for (std::size_t c = 0; c < first.size(); ++c) {
    const bool comes_again = std::any_of(rows.begin() + 1, rows.end(), [&](const TableRow& row) {
      return c < row.size() && row[c] == first[c];
    });
    const bool is_sentence = std::count(first[c].begin(), first[c].end(), ' ') >= kBlanksOfSentence;
    if ((comes_again && !is_missing(first[c])) || is_sentence) return {false, true};
  }
  if (stands_apart(rows) && are_short(rows)) return {.is_header = true};
  // "good text" has a word that names have, but is none.
  const bool some_usual = std::any_of(
      first.begin(), first.end(), [](const std::string& field) { return is_usual_name(field); });
  const bool some_blanks = std::any_of(first.begin(), first.end(), [](const std::string& field) {
    return field.find(' ') != std::string::npos;
  });
  return some_blanks && !some_usual ? HeaderGuess{} : guess;
}

void lay_out_table(const FeatureOptions& options, const std::string& name, std::string_view head,
                   InputLayout& layout) {
  if (layout.format->json) check_json_options(options.header, options.separator, name);
  layout.style = table_style(options, *layout.format, head);
  TableLayout(options, name, head, layout).run();
}

}  // namespace frugal::sparse
