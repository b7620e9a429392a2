#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/header_guess.h"
#include "libcore/tables/table_head.h"
#include "tools/sparse-train/data/input_layout.h"

namespace frugal::sparse {

/// guess_header() for examples: a row whose label or other value comes again below it, or that has
/// a sentence in it, is an example.
HeaderGuess guess_names(std::span<const TableRow> rows);

/// Finds header, label and features of training data, by the options, else by the names of columns,
/// else by what they hold. Says what it assumes. Fails (usage, bad_input) with `name`.
void lay_out_table(const FeatureOptions& options, const std::string& name, std::string_view head,
                   InputLayout& layout);

}  // namespace frugal::sparse
