#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/delimited.h"
#include "tools/robe-compress/columns/click_formats.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/columns/column_look.h"
#include "tools/robe-compress/columns/label_rule.h"

namespace frugal::robe {

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
  /// A category whose values are whole numbers: 7, 7.0 and 007 are one, and so is what is missing.
  bool is_whole = false;
  /// Taken from numbers so large that 32 bits would not hold their differences.
  double offset = 0;
};

/// What the columns of click data mean: options and the first record of the training data made
/// definite.
struct ClickSchema {
  std::string format;  ///< a name of click_formats(); of JSON Lines csv, as which they are read
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

/// Fails (usage) naming the option that no data could satisfy.
void check_click_options(const ClickOptions& options);

/// The format of an input: as options say, else as it begins. Fails (usage, bad_input).
const ClickFormat& choose_format(const ClickOptions& options, const FormatSample& sample);
/// --separator, which is not auto. Fails (usage).
char separator_of(const ClickOptions& options);
/// How an input that begins with `head` falls into fields. The separator of csv is as options say,
/// else the one that its lines agree on. Fails (usage).
DelimitedStyle input_style(const ClickFormat& format, const ClickOptions& options,
                           std::string_view head);
/// Fails (bad_input) where a text is no table of that format, with the way in; usage: options that
/// JSON Lines have no use for.
void refuse_other_texts(const ClickFormat& format, const ClickOptions& options,
                        const std::string& name, std::string_view head);

/// The schema of training data that begins with `head` (more than its first record). Fails (usage,
/// bad_input) with `name`: no such format or column, a wrong declaration.
ClickSchema make_schema(const ClickOptions& options, const std::string& name,
                        std::string_view head);

}  // namespace frugal::robe
