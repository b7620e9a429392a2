#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/tables/table_head.h"

namespace frugal {

/// Whether a line is one JSON object within the limits of libcore/streams/json_text.h.
bool is_json_object(std::string_view line);

/// Converts the first objects of JSON Lines to a table. The first row lists all names in the order
/// of first occurrence; the others are the values of each object. Lines that are not objects are
/// omitted. Without names there are no rows. Fails (bad_input) if there are more than kMostColumns
/// names.
TableHead json_head(std::string_view head, const std::string& name);
/// Reads a reader's text until it contains an object. Fails (bad_input) if there is none within the
/// reader's max_record.
TableHead json_head(PieceReader& reader);
/// Fails (bad_input): `head` contains no object with names. A first line that looks like an object
/// is parsed for the reason.
[[noreturn]] void refuse_no_objects(const std::string& name, std::string_view head);
/// A table as CSV with commas, quoted where necessary.
std::string csv_text(std::span<const TableRow> rows);

/// Warns that no object in the head, which has `names`, has the columns `lacking` that a model
/// needs. They are missing values unless a later object has them. Does nothing if `lacking` is
/// empty.
void warn_of_missing_columns(const std::string& input, std::span<const std::string> lacking,
                             std::span<const std::string> names);
/// Fails (usage) if --header or --separator is given, which have no meaning for JSON Lines.
void check_json_options(const std::string& header, const std::string& separator,
                        const std::string& input);

}  // namespace frugal
