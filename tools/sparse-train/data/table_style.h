#pragma once
#include <span>
#include <string>
#include <string_view>

#include "libcore/tables/table_head.h"
#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// How the fields of a table are told apart that begins with `head`: as --separator says, else by
/// what all of the first lines have, of several the format's own. Between tabs, --format csv and
/// tsv say whether fields may be quoted. If it is auto they are if some fields begin with a quote,
/// each of these ends with one, and none spans whole rows.
DelimitedStyle table_style(const FeatureOptions& options, const ExampleFormat& format,
                           std::string_view head);
/// Whether fields of this style are quoted as `format` says, given by --format for a table of tabs.
DelimitedStyle with_quotes_of(DelimitedStyle style, const FeatureOptions& options,
                              const ExampleFormat& format);

/// The first rows of such a table; the head of a small one is all there is. JSON Lines have a row
/// of names before them. Fails (bad_input) with `name` where these have no object.
TableHead first_rows(std::string_view head, const ExampleFormat& format, DelimitedStyle style,
                     const std::string& name);
/// Names of columns as the first row has them, without blanks around them but for JSON Lines.
TableRow header_names(const TableRow& first, const ExampleFormat& format);

/// A quote that is opened by mistake joins rows up to the next quote. Returns a warning of this if
/// each line of the record has as many separators as a row, else "". Lines of a text may have as
/// many commas by chance, but ten of them hardly have.
std::string joined_rows(std::string_view record, const InputLayout& layout);
/// The option that takes quotes as text, in a table whose fields between tabs are quoted; else "".
std::string advice_on_quotes(DelimitedStyle style);
/// The option that may help if a record has another number of fields than expected; "" if none may.
std::string advice_on_width(const InputLayout& layout, std::span<const std::string_view> fields);
/// Reads the next piece of a table; errors have advice_on_quotes().
bool next_piece(PieceReader& reader, DelimitedStyle style, TextPiece& piece);

}  // namespace frugal::sparse
