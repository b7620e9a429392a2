#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/header_guess.h"
#include "libcore/tables/table_head.h"
#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// How the fields of a table are told apart that begins with `head`: as --separator says, else by
/// what all of the first lines have, of several the format's own. Quotes are quotes between tabs
/// only where all fields that begin with one end with one.
DelimitedStyle table_style(const FeatureOptions& options, const ExampleFormat& format,
                           std::string_view head);
/// The first rows of such a table; the head of a small one is all there is. JSON Lines have a row
/// of names before them. Fails (bad_input) with `name` where these have no object.
std::vector<TableRow> first_rows(std::string_view head, const ExampleFormat& format,
                                 DelimitedStyle style, const std::string& name);
/// Names of columns as the first row has them, without blanks around them but for JSON Lines.
TableRow header_names(const TableRow& first, const ExampleFormat& format);

/// guess_header() for examples: a row whose label or other value comes again below it, or that has
/// a sentence in it, is an example.
HeaderGuess guess_names(std::span<const TableRow> rows);

/// Finds header, label and features of training data, by the options, else by the names of columns,
/// else by what they hold. Says what it assumes. Fails (usage, bad_input) with `name`.
void lay_out_table(const FeatureOptions& options, const std::string& name, std::string_view head,
                   InputLayout& layout);

}  // namespace frugal::sparse
