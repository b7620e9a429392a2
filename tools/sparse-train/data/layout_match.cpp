#include "tools/sparse-train/data/layout_match.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/json_head.h"
#include "libcore/tables/svmlight.h"
#include "libcore/tables/text_kind.h"
#include "tools/sparse-train/data/layout_finder.h"
#include "tools/sparse-train/data/table_layout.h"
#include "tools/sparse-train/data/table_style.h"

namespace frugal::sparse {
namespace {

/// Finds the columns of a model's table in another one.
class TableMatch {
 public:
  TableMatch(const InputLayout& trained, const FeatureOptions& options, Labels labels,
             const std::string& name)
      : trained_(trained), options_(options), labels_(labels), name_(name), layout_(trained) {
    layout_.keeps_blank = labels == Labels::optional;
    layout_.weight_column = kNoColumn;
  }

  InputLayout run(std::string_view head) {
    if (trim(head).empty()) return without_rows();
    choose_format(head);
    if (layout_.format->json) check_json_options(options_.header, options_.separator, name_);
    look(head, style_of(head));
    if (head_.rows.empty()) return without_rows();
    const bool named = names_found() > 0;
    const HeaderGuess guess = named ? HeaderGuess{true, true} : guess_of_first_row();
    const bool is_json = layout_.format->json;
    layout_.has_header = is_json || has_header(options_.header, guess);
    const bool is_usual = layout_.has_header == has_names();
    if (!options_.quiet && (!is_usual || !has_names()))
      say_header_assumption(options_.header, guess, name_, head_.rows[0]);
    layout_.header.clear();
    layout_.header_line = head_.line;
    if (layout_.has_header && !is_json) refuse_missing_name(head_.rows, name_);
    if (layout_.has_header) layout_.header = header();
    layout_.num_columns = head_.rows[0].size();
    if (layout_.has_header && has_names()) {
      find_by_name();
    } else {
      stay_in_place();
    }
    layout_.look_at_values(std::span(head_.rows).subspan(layout_.has_header ? 1 : 0), name_,
                           options_.quiet);
    if (is_json) {  // the names stand in each record
      layout_.has_header = false;
      layout_.num_columns = layout_.header.size();
    }
    return layout_;
  }

 private:
  InputLayout without_rows() {
    if (labels_ == Labels::required)
      fail(ExitStatus::bad_input, name_, ": is empty, expected examples");
    layout_.has_header = false;
    stay_in_place();
    return layout_;
  }

  /// A model without names was trained without a header: "food,review" is its data, and
  /// "label,text" are names. Both are told.
  HeaderGuess guess_of_first_row() const {
    HeaderGuess guess = guess_names(head_.rows);
    if (has_names()) return guess;
    if (!guess.is_header) return {false, true};
    guess.is_header = std::all_of(head_.rows[0].begin(), head_.rows[0].end(),
                                  [](const std::string& field) { return is_usual_name(field); });
    guess.is_sure = false;
    return guess;
  }

  /// Between tables and JSON Lines the name and the text tell. A file named *.jsonl whose first
  /// line is broken is no table, nor is one with objects for a model of JSON Lines.
  void choose_format(std::string_view head) {
    const ExampleFormat* const found = example_formats().recognised(FormatSample(name_, head));
    const bool is_json = (found != nullptr && found->json) ||
                         text_kind(head) == TextKind::json_lines ||
                         (trained_.format->json && !json_head(head, name_).empty());
    if (options_.format != "auto") {
      layout_.format = &example_formats().by_name(options_.format);
    } else if (is_json != layout_.format->json) {
      layout_.format = example_formats().find(is_json ? "jsonl" : "csv");
    }
  }

  void look(std::string_view head, DelimitedStyle style) {
    layout_.style = style;
    head_ = first_rows(head, *layout_.format, style, name_);
  }

  /// As the training data were, unless the first row has the model's names or number of columns by
  /// another separator alone.
  DelimitedStyle style_of(std::string_view head) {
    const DelimitedStyle usual = with_quotes_of(trained_.style, options_, *layout_.format);
    const DelimitedStyle other = table_style(options_, *layout_.format, head);
    if (options_.separator != "auto") return other.separator == usual.separator ? usual : other;
    const auto rank = [&](DelimitedStyle style) -> std::size_t {
      look(head, style);
      const bool lacks_label =
          labels_ == Labels::optional && head_.rows[0].size() + 1 == trained_.num_columns;
      if (names_found() > 0) return 1 + names_found();
      return head_.rows[0].size() == trained_.num_columns || lacks_label ? 1 : 0;
    };
    if (layout_.format->json != trained_.format->json) return other;
    const std::size_t usual_rank = rank(usual);
    if (rank(other) > usual_rank) return other;
    if (usual_rank == 1 && head_.rows[0].size() == trained_.num_columns)
      warn_of_separator(other, head);
    return usual;
  }

  /// Warns where lines without a label, by the model's separator, have one by another separator.
  void warn_of_separator(DelimitedStyle other, std::string_view head) {
    const bool has_all =
        head_.rows.size() > 1 &&
        std::all_of(head_.rows.begin(), head_.rows.end(),
                    [&](const TableRow& row) { return row.size() == trained_.num_columns; });
    look(head, trained_.style);
    if (!has_all || options_.quiet || head_.rows[0].size() == trained_.num_columns) return;
    const std::string separator =
        other.separator == '\t' ? "tab" : "'" + std::string(1, other.separator) + "'";
    log_warning(name_, ": its lines are taken as ", format_count(head_.rows[0].size(), "column"),
                " without the label, as in the training data; by ", separator, " they have ",
                trained_.num_columns, " (--separator ", separator, ")");
  }

  TableRow header() const { return header_names(head_.rows[0], *layout_.format); }

  bool has_names() const { return !trained_.header.empty(); }

  /// Number of the model's names in the first row; 0 if the model has no names.
  std::size_t names_found() const {
    if (!has_names()) return 0;
    const TableRow row = header();
    const auto has = [&](std::size_t column) {
      return std::find(row.begin(), row.end(), trained_.header[column]) != row.end();
    };
    const auto features = std::count_if(trained_.columns.begin(), trained_.columns.end(),
                                        [&](const InputColumn& c) { return has(c.index); });
    return static_cast<std::size_t>(features) + (has(trained_.label_column) ? 1 : 0);
  }

  /// The place of a column of the training data; kNoColumn: there is none.
  std::size_t place_of(std::size_t column) {
    const std::string& wanted = trained_.header[column];
    const std::size_t times = count(layout_.header, wanted);
    if (times == 0 && layout_.format->json && names_found() > 0) {
      auto lacking = std::find(lacking_.begin(), lacking_.end(), wanted);
      if (lacking == lacking_.end()) lacking = lacking_.insert(lacking, wanted);
      return layout_.header.size() + static_cast<std::size_t>(lacking - lacking_.begin());
    }
    if (times == 0) return kNoColumn;
    const std::size_t expected = count(trained_.header, wanted);
    if (times != expected) {
      fail(ExitStatus::bad_input, place(), ": the header has the column '", printable(wanted), "' ",
           format_count(times, "time"), ", expected ", expected);
    }
    // Columns of one name, given by their numbers in training, have the same order here.
    std::size_t before = count(std::span(trained_.header).first(column), wanted);
    auto found = std::find(layout_.header.begin(), layout_.header.end(), wanted);
    for (; before > 0; --before) found = std::find(found + 1, layout_.header.end(), wanted);
    return static_cast<std::size_t>(found - layout_.header.begin());
  }

  static std::size_t count(std::span<const std::string> header, const std::string& name) {
    return static_cast<std::size_t>(std::count(header.begin(), header.end(), name));
  }
  std::string place() const { return name_ + ":" + std::to_string(layout_.header_line); }

  [[noreturn]] void refuse_without(std::size_t column) const {
    fail(ExitStatus::bad_input, place(), ": has no column '", printable(trained_.header[column]),
         "', which the model was trained with; it has ", joined(layout_.header));
  }

  std::size_t place_of_label() {
    const std::string& wanted = trained_.header[trained_.label_column];
    const bool is_there =
        std::find(layout_.header.begin(), layout_.header.end(), wanted) != layout_.header.end();
    if (is_there) return place_of(trained_.label_column);
    if (labels_ == Labels::required) refuse_without(trained_.label_column);
    return kNoColumn;
  }

  void find_by_name() {
    for (InputColumn& column : layout_.columns) {
      const std::size_t place = place_of(column.index);
      if (place == kNoColumn) refuse_without(column.index);
      column.index = place;
    }
    if (!options_.quiet) warn_of_missing_columns(name_, lacking_, layout_.header);
    layout_.header.insert(layout_.header.end(), lacking_.begin(), lacking_.end());
    const auto weight = std::find(layout_.header.begin(), layout_.header.end(), options_.weights);
    layout_.weight_column = weight == layout_.header.end()
                                ? kNoColumn
                                : static_cast<std::size_t>(weight - layout_.header.begin());
    layout_.label_column = place_of_label();
  }

  /// A text with a comma looks like a label and a text, unless nothing is before the comma.
  void say_label_is_passed() const {
    const bool is_passed = !layout_.has_header && head_.rows[0].size() == trained_.num_columns &&
                           trained_.num_columns == 2 && layout_.has_text();
    const bool has_words =
        std::any_of(head_.rows.begin(), head_.rows.end(), [&](const TableRow& row) {
          return trained_.label_column < row.size() && !row[trained_.label_column].empty();
        });
    if (options_.quiet || !is_passed || !has_words) return;
    log_info(name_, ": ", layout_.column_text(trained_.label_column),
             " is taken for the label and passed over (--format text: each line is one text)");
  }

  /// The columns after the label stand one to the left where it is missing.
  void leave_out_label() {
    for (InputColumn& column : layout_.columns) {
      column.index -= column.index > trained_.label_column ? 1 : 0;
    }
    layout_.label_column = kNoColumn;
    --layout_.num_columns;
  }

  /// The first row tells whether all have a label.
  void stay_in_place() {
    layout_.num_columns = trained_.num_columns;
    layout_.may_lack_label = labels_ == Labels::optional && head_.rows.empty();
    if (labels_ == Labels::required || head_.rows.empty()) return;
    if (head_.rows[0].size() + 1 == trained_.num_columns) return leave_out_label();
    say_label_is_passed();
  }

  const InputLayout& trained_;
  const FeatureOptions& options_;
  Labels labels_;
  const std::string& name_;
  InputLayout layout_;
  TableHead head_;
  std::vector<std::string> lacking_;  ///< columns of the model that no object has
};

/// Whether a text is a JSON document by its first line: a bracket alone, or a list of objects.
/// Other lines may be texts to predict, such as "[[good]] film".
bool is_document(std::string_view head) {
  if (text_kind(head) == TextKind::lfs_pointer) return true;
  const std::string_view begin = trim(head);
  const std::string_view line = trim(begin.substr(0, begin.find('\n')));
  return line == "{" || line == "[" || (line.starts_with("[{\"") && line.ends_with(']'));
}

}  // namespace

InputLayout match_layout(const InputLayout& trained, const FeatureOptions& options, Labels labels,
                         const std::string& name, std::string_view head) {
  if (options.format == "auto" && is_document(head)) refuse_documents(name, head);
  const ExampleFormat& format =
      options.format == "auto" ? *trained.format : example_formats().by_name(options.format);
  if (format.columns && trained.format->columns) {
    return TableMatch(trained, options, labels, name).run(head);
  }
  const bool has_counts = format.counts && parse_xmc_header(head.substr(0, head.find('\n')));
  if (format.json && !trained.format->columns) {
    fail(ExitStatus::usage, "--format is jsonl, but the model was trained on ",
         trained.format->name, ", which has no names of columns");
  }
  if (labels == Labels::optional && !has_counts) return layout_of_format(format);
  FeatureOptions told = options;
  told.format = format.name;
  InputLayout layout = find_layout(told, name, head);
  if (labels == Labels::optional) {
    layout.allow_any_id();
    layout.keeps_blank = true;
  }
  return layout;
}

}  // namespace frugal::sparse
