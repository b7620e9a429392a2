#include "tools/tgn-train/data/event_formats.h"

#include <algorithm>
#include <array>

namespace frugal::tgn {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kTimeNames[] = {"time", "ts", "timestamp", "t", "unix_time", "unixtime"};

bool is_one_of(std::string_view name, KnownNames names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_jodie(const TextShape& shape) {
  const Names header = lower_case(shape.first_fields);
  return shape.separator != ' ' && header.size() >= 4 && header[0] == "user_id" &&
         header[1] == "item_id" && is_one_of(header[2], kTimeNames) &&
         is_one_of(header[3], kLabelNames);
}
bool is_tgn(const TextShape& shape) {
  return shape.separator != ' ' && is_tgn_header(shape.first_fields);
}
bool is_snap(const TextShape& shape) { return shape.separator == ' '; }
bool is_csv(const TextShape& shape) { return !is_snap(shape); }

constexpr std::array kFormats{
    EventFormat{
        .name = "jodie",
        .description = "columns user_id,item_id,timestamp,state_label,features, with this header",
        .recognises = is_jodie,
        .own_ids = true,
        .by_places = true},
    EventFormat{.name = "tgn",
                .description =
                    "ml_NAME.csv of the TGN and DGB programs with ids from 1, and ml_NAME.npy and "
                    "ml_NAME_node.npy from the same folder",
                .recognises = is_tgn,
                .padded = true},
    EventFormat{.name = "csv",
                .description =
                    "source,destination,time[,label,features] separated by commas, semicolons or "
                    "tabs, or as a header or --columns names them",
                .recognises = is_csv},
    EventFormat{.name = "snap",
                .description = "the same columns separated by blanks, as in SNAP",
                .recognises = is_snap},
    EventFormat{.name = kJsonFormat,
                .description = "one JSON object a line, whose names are the columns",
                .json = true},
};
constexpr FormatTable<EventFormat> kTable{kFormats};

}  // namespace

const FormatTable<EventFormat>& event_formats() { return kTable; }

std::vector<std::string> lower_case(std::vector<std::string> names) {
  for (std::string& name : names) {
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return names;
}

std::optional<std::size_t> find_one_of(const std::vector<std::string>& header, KnownNames names) {
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (is_one_of(header[c], names)) return c;
  }
  return std::nullopt;
}

bool is_label_name(const std::string& name) {
  return is_one_of(lower_case({name})[0], kLabelNames);
}

std::optional<std::size_t> find_edge_types(const Names& header, const std::string& earlier) {
  const auto found = std::find(header.begin(), header.end(), earlier);
  if (earlier.empty() || found == header.end()) {
    return find_one_of(lower_case(header), kEdgeTypeNames);
  }
  return static_cast<std::size_t>(found - header.begin());
}

bool is_tgn_header(const std::vector<std::string>& names) {
  const Names header = lower_case(names);
  return header.size() >= 4 && header[0].empty() && header[1] == "u" && header[2] == "i" &&
         header[3] == "ts";
}

}  // namespace frugal::tgn
