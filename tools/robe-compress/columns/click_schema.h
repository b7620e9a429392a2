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

/// How categories are mapped to rows of a table.
enum class IdKind { count, hash, number };
std::vector<std::string> id_kind_names();
std::string_view id_kind_name(IdKind kind);
/// Parses a name. Fails (usage), with the known names, on an unknown one.
IdKind id_kind(std::string_view name);

struct ClickColumn {
  std::string name;       ///< name in the header, otherwise the number from 1
  std::size_t index = 0;  ///< from 0, in the training data
  ClickColumnType type = ClickColumnType::category;
  std::optional<ColumnLook> look = {};  ///< set if the type was not declared; not stored in models
  /// A category of integers: 7, 7.0 and 007 are equal, and so are all missing values.
  bool is_whole = false;
  /// A category in which all missing values (is_missing()) are one; models of version 1.0.0 have
  /// one value for each way to write them.
  bool joins_missing = false;
  /// A category in which True and TRUE are true, and False and FALSE are false; not so in models of
  /// version 1.0.0.
  bool joins_booleans = false;
  /// Subtracted from numbers so large that 32 bits would not distinguish them.
  double offset = 0;
};

/// Meaning of the columns of click data, determined from options and the first record of the
/// training data.
struct ClickSchema {
  std::string format;  ///< a name in click_formats(); csv for JSON Lines, which are read as csv
  bool has_header = false;
  std::size_t num_columns = 0;
  /// Pairs "field:id:1" go into the column of that name, wherever they stand in a line. False for
  /// "id:1", and in models of version 1.0.0: pairs go by place.
  bool by_field = false;
  ClickColumn label;
  LabelRule positive;
  std::vector<ClickColumn> numbers;     ///< types number and log
  std::vector<ClickColumn> categories;  ///< types category, hour and weekday: one field each
  std::vector<std::string> ignored;     ///< names, for people
  bool scale_numbers = true;            ///< (x - mean) / deviation of the training data
  IdKind ids = IdKind::count;
  bool hex_ids = false;             ///< numbers of rows are hexadecimal
  std::uint64_t max_rows = 0;       ///< IdKind::number: modulo; 0 = none
  std::vector<std::uint64_t> rows;  ///< for each category; empty = to be found in the data
};

/// Fails (usage), with the option's name, for options that no data could satisfy.
void check_click_options(const ClickOptions& options);

/// Format of an input: from the options, otherwise from its beginning. Fails (usage or bad_input).
const ClickFormat& choose_format(const ClickOptions& options, const FormatSample& sample);
/// Value of --separator, which must not be auto. Fails (usage).
char separator_of(const ClickOptions& options);
/// Division of an input that begins with `head` into fields. The separator of csv is from the
/// options, otherwise the one that its lines agree on. Fails (usage).
DelimitedStyle input_style(const ClickFormat& format, const ClickOptions& options,
                           std::string_view head);
/// Fails (bad_input) if a text is not a table of that format, with advice; and (usage) for options
/// that do not go with JSON Lines.
void refuse_other_texts(const ClickFormat& format, const ClickOptions& options,
                        const std::string& name, std::string_view head);

/// Schema of training data that begins with `head` (more than its first record). Fails (usage or
/// bad_input) with `name` for an unknown format or column, or a wrong declaration.
ClickSchema make_schema(const ClickOptions& options, const std::string& name,
                        std::string_view head);

}  // namespace frugal::robe
