#include "tools/tgn-train/data/header_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/json_text.h"

namespace frugal::tgn {
namespace {

using Json = nlohmann::json;

}  // namespace

std::string some_of(std::span<const std::string> names) {
  constexpr std::size_t kShown = 10;
  if (names.size() <= kShown + 1) return joined(names);
  return joined(names.first(kShown)) + " and " + std::to_string(names.size() - kShown) + " others";
}

const std::string* repeated(const HeaderNames& names) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return &name;
  }
  return nullptr;
}

void add_header_names(const char* key, const HeaderNames& names, Metadata& metadata) {
  metadata.erase(key);
  if (names.empty()) return;
  // Bytes that are no UTF-8 cannot be told in JSON.
  metadata[key] = Json(names).dump(-1, ' ', false, Json::error_handler_t::replace);
}

HeaderNames header_names_of(const char* key, const Metadata& metadata, const std::string& path) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return {};
  const Json json = parse_json<Json>(found->second, path + ": metadata '" + key + "': ");
  const bool is_list =
      json.is_array() &&
      std::all_of(json.begin(), json.end(), [](const Json& name) { return name.is_string(); });
  if (is_list) return json.get<HeaderNames>();
  fail(ExitStatus::bad_input, path, ": metadata '", key, "' is no list of names");
}

}  // namespace frugal::tgn
