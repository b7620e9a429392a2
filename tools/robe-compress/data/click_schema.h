#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/delimited.h"
#include "tools/robe-compress/data/click_formats.h"
#include "tools/robe-compress/data/click_options.h"

namespace frugal::robe {

/// Which values of the label column are clicks.
class LabelRule {
 public:
  /// 1 is a click; 0 and -1 are none.
  LabelRule() = default;
  /// "[COLUMN]OP NUMBER" with >=, <=, >, <, "[COLUMN]=TEXT", or a text alone. Fails (usage).
  explicit LabelRule(std::string_view text);

  /// "" where the rule names none.
  const std::string& column() const { return column_; }
  const std::string& text() const { return text_; }
  /// 1 for clicks, else 0; nothing where the value cannot be a label.
  std::optional<float> label(std::string_view value) const;
  /// "expected ..." for error lines.
  std::string expectation() const;

 private:
  enum class Test { one, equal, at_least, at_most, above, below };
  std::optional<float> judge(std::string_view value) const;

  std::string text_;
  std::string column_;
  Test test_ = Test::one;
  std::string value_;
  double number_ = 0;
};

/// What the first records of a text have in a column; missing values do not count.
struct ColumnLook {
  std::size_t values = 0;    ///< different ones
  bool are_numbers = true;   ///< all
  bool are_whole = true;     ///< all: 3 and 3.0, but not 3.5
  bool has_decimal = false;  ///< one has a decimal point
};

/// Of each of the columns. text: records without a header, the last may be cut off.
std::vector<ColumnLook> look_at_columns(std::string_view text, DelimitedStyle style,
                                        std::size_t columns);

/// How categories become rows of a table.
enum class IdKind { count, hash, number };
std::vector<std::string> id_kind_names();
std::string_view id_kind_name(IdKind kind);
/// Fails (usage) naming those there are.
IdKind id_kind(std::string_view name);

struct ClickColumn {
  std::string name;       ///< in the header, else the number from 1
  std::size_t index = 0;  ///< from 0, in the training data
  ClickColumnType type = ClickColumnType::category;
  std::optional<ColumnLook> look = {};  ///< where nobody declared the type; not kept in models
};

/// What the columns of click data mean: options and the first record of the training data made
/// definite.
struct ClickSchema {
  std::string format;  ///< a name of click_formats()
  bool has_header = false;
  std::size_t num_columns = 0;
  ClickColumn label;
  LabelRule positive;
  std::vector<ClickColumn> numbers;     ///< types number and log
  std::vector<ClickColumn> categories;  ///< types category, hour and weekday: one field each
  std::vector<std::string> ignored;     ///< names, for people
  bool scale_numbers = true;            ///< (x - mean) / deviation of the training data
  IdKind ids = IdKind::count;
  bool hex_ids = false;             ///< numbers of rows are hexadecimal
  std::uint64_t max_rows = 0;       ///< IdKind::number: modulo; 0 = none
  std::vector<std::uint64_t> rows;  ///< by category; empty = to be found
};

/// The schema of training data that begins with `head` (more than its first record). Fails (usage,
/// bad_input) with `name`: no such format or column, a wrong declaration.
ClickSchema make_schema(const ClickOptions& options, const std::string& name,
                        std::string_view head);

}  // namespace frugal::robe
