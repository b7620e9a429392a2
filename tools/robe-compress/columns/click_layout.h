#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/column_checks.h"
#include "libcore/tables/table_rows.h"
#include "tools/robe-compress/columns/click_schema.h"
#include "tools/robe-compress/columns/day_range.h"

namespace frugal::robe {

/// Whether labels are read, or left alone wherever they are and whatever they say.
enum class Labels { required, ignored };

/// Where the columns of a schema stand in one input.
struct ClickLayout {
  TableForm form;
  bool pairs = false;        ///< a row is one field, which holds the pairs
  bool has_labels = true;    ///< a row has a label
  bool reads_labels = true;  ///< labels are parsed
  ClickSchema schema;        ///< with this input's indices
  std::optional<DayRange> days;
  std::size_t day_column = 0;
  DecimalMarks decimal_marks;
  bool keeps_values = false;  ///< ParsedPiece::values are wanted
};

/// The format of an input that begins with `head`, of which the first line matters: the one that
/// the user names, else jsonl where the text is JSON Lines, else that of the schema; of those with
/// any columns (csv, tsv), which stand for each other, the one whose separator the line has. Fails
/// (usage).
const ClickFormat& find_format(const ClickSchema& schema, const ClickOptions& options,
                               std::string_view head);

/// The layout of an input that begins with `head` and has the columns of `schema`, by name where it
/// has a header. With Labels::ignored the label may be missing. Warns of columns that are unlikely
/// to be what their types say. Fails (usage, bad_input) with `name`.
ClickLayout find_layout(const ClickSchema& schema, const ClickOptions& options,
                        const std::string& name, std::string_view head, Labels labels);

}  // namespace frugal::robe
