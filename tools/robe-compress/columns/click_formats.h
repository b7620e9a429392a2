#pragma once
#include <string_view>

#include "libcore/tables/delimited.h"
#include "libcore/tables/format_table.h"
#include "libcore/tables/table_columns.h"

namespace frugal::robe {

/// Use of a column. hour and weekday are categories made of a date or time; number is
/// scaled to mean 0 and deviation 1, log is log(1 + max(x, 0)) before that.
enum class ClickColumnType { label, category, hour, weekday, number, log, ignore };

const ColumnTypes<ClickColumnType>& click_column_types();

/// One format of click data. The table is all there is to say about a format.
struct ClickFormat {
  std::string_view name;
  std::string_view description;       ///< one line for --format's help
  DelimitedStyle style;               ///< pairs: lines
  std::string_view columns = {};      ///< names of the columns where they are fixed, "a,b,c"
  std::string_view declaration = {};  ///< their --columns
  bool pairs = false;                 ///< "label id:1 id:1 ...", one pair a field
  bool json = false;                  ///< an object a line, whose names are columns
  bool may_have_header = true;
  bool scale_numbers = true;
  bool hex_ids = false;  ///< --ids number reads hexadecimal
  bool (*recognises)(const FormatSample& sample) = nullptr;

  /// Its columns are what the user or a header says.
  bool has_any_columns() const { return !pairs && columns.empty(); }
};

const FormatTable<ClickFormat>& click_formats();

}  // namespace frugal::robe
