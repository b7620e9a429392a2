#pragma once
#include <optional>
#include <string_view>

#include "libcore/tables/field_number.h"

namespace frugal::gnn {

/// A date in seconds since 1970, as times of edges are kept; nothing where the text is none.
std::optional<double> parse_date(std::string_view text);

}  // namespace frugal::gnn
