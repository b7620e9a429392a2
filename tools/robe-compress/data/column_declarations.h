#pragma once
#include <string_view>
#include <vector>

#include "tools/robe-compress/data/click_schema.h"

namespace frugal::robe {

std::string_view column_type_name(ClickColumnType type);
/// Fails (bad_input) without the place.
ClickColumnType column_type(std::string_view name);

/// Parses "click:label,hour:hour,hour:weekday,price:number,*:ignore"; "*" is every column not
/// named. The indices stay 0. Fails (usage) naming --columns and the part that is wrong.
std::vector<ClickColumn> parse_columns(std::string_view text);

}  // namespace frugal::robe
