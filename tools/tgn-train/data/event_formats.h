#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/format_table.h"
#include "libcore/tables/table_rows.h"

namespace frugal::tgn {

/// A format of events. Its entry in event_formats() defines it completely.
struct EventFormat {
  std::string_view name, description;
  bool (*recognises)(const TextShape& shape) = nullptr;
  /// Destinations are nodes of another kind than sources, with their own ids.
  bool own_ids = false;
  /// Columns are identified by position, because the header has one name for all features.
  bool by_places = false;
  /// Features are in separate files whose row 0 is padding, so ids begin with 1.
  bool padded = false;
  /// Each line is a JSON object whose keys are the columns. Its rows are read like those of csv, so
  /// an events file names csv as its format.
  bool json = false;
};
const FormatTable<EventFormat>& event_formats();

/// Name of the format JSON Lines.
inline constexpr std::string_view kJsonFormat = "jsonl";

// Names of columns, in lower case.
using KnownNames = std::span<const std::string_view>;
/// Meaning of labels: 0 or 1, the name of a class, or a number.
enum class LabelType : std::uint8_t { binary, classes, numbers };
inline constexpr std::array<std::string_view, 3> kLabelTypeNames = {"binary", "class", "number"};
inline constexpr std::string_view kLabelNames[] = {"label", "state_label", "state"};
inline constexpr std::string_view kRowNames[] = {"idx"};
inline constexpr std::string_view kEdgeTypeNames[] = {"edge_type", "relation_type"};

/// True for a name in kLabelNames, in any case.
bool is_label_name(const std::string& name);
std::vector<std::string> lower_case(std::vector<std::string> names);
/// First column of a lower-case header with one of the names.
std::optional<std::size_t> find_one_of(const std::vector<std::string>& header, KnownNames names);
/// Column of edge types in a header: the one that an earlier header called `earlier`, otherwise one
/// with a usual name.
std::optional<std::size_t> find_edge_types(const std::vector<std::string>& header,
                                           const std::string& earlier);
/// True for the header of the TGN authors' files ml_NAME.csv: an empty name, then u, i, ts.
bool is_tgn_header(const std::vector<std::string>& names);

}  // namespace frugal::tgn
