#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/format_table.h"
#include "libcore/tables/table_rows.h"

namespace frugal::tgn {

/// One format of events. The table is all there is to say about a format.
struct EventFormat {
  std::string_view name, description;
  bool (*recognises)(const TextShape& shape) = nullptr;
  /// Destinations are of another kind than sources, and have ids of their own.
  bool own_ids = false;
  /// Columns go by their places, not by the header, which has one name for all features.
  bool by_places = false;
  /// Features lie in files beside, whose row 0 is padding; so ids begin with 1.
  bool padded = false;
  /// An object a line, whose names are columns. Events files call it csv, as which it is read.
  bool json = false;
};
const FormatTable<EventFormat>& event_formats();

/// The name of the format of JSON Lines.
inline constexpr std::string_view kJsonFormat = "jsonl";

// Names of columns in lower case.
using KnownNames = std::span<const std::string_view>;
inline constexpr std::string_view kLabelNames[] = {"label", "state_label", "state"};
inline constexpr std::string_view kRowNames[] = {"idx"};

std::vector<std::string> lower_case(std::vector<std::string> names);
/// The first column of a header in lower case that has one of the names.
std::optional<std::size_t> find_one_of(const std::vector<std::string>& header, KnownNames names);
/// Whether columns are called as in ml_NAME.csv.
bool is_tgn_header(const std::vector<std::string>& names);

}  // namespace frugal::tgn
