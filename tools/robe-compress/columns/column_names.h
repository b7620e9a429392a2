#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/header_guess.h"
#include "tools/robe-compress/columns/click_options.h"

namespace frugal::robe {

/// Whether the first record of a csv or tsv text names its columns: as options.header says, else as
/// the rows tell, else where it has no number. Names may be missing at its beginning only, where
/// pandas writes an index; `second` is the record behind it, empty where there is none.
bool names_columns(const ClickOptions& options, const std::vector<std::string_view>& first,
                   const std::vector<std::string_view>& second, const HeaderGuess& guess);

/// A name in small letters, without blanks, '_' and '-'.
std::string plain_name(std::string_view name);
/// The names in a header; a column without one is called as pandas does: "Unnamed: 0".
std::vector<std::string> header_names(const std::vector<std::string_view>& fields);
/// Made by header_names(), here or in pandas.
bool is_unnamed(std::string_view name);

}  // namespace frugal::robe
