#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/tables/table_head.h"

namespace frugal {

/// The first objects of JSON Lines as a table: a row of all their names, in the order of first
/// occurrence, then the values of each. Lines that are no objects are left out. No rows where there
/// are no names. Fails (bad_input) where there are more than kMostColumns names.
TableHead json_head(std::string_view head, const std::string& name);
/// Reads the head of a reader's text, and on until it holds an object. Fails (bad_input) if there
/// is none within the reader's max_record.
TableHead json_head(PieceReader& reader);
/// Fails (bad_input): `head` has no object with names.
[[noreturn]] void refuse_no_objects(const std::string& name, std::string_view head);
/// A table as CSV between commas, with quotes where they must be.
std::string csv_text(std::span<const TableRow> rows);

/// Warns that no object of json_head(), which has `names`, has those that a model needs. Their
/// fields are missing values, unless a later object has them. Nothing where `lacking` is empty.
void warn_of_missing_columns(const std::string& input, std::span<const std::string> lacking,
                             std::span<const std::string> names);
/// Fails (usage) where --header or --separator is given, which JSON Lines have no use for.
void check_json_options(const std::string& header, const std::string& separator,
                        const std::string& input);

}  // namespace frugal
