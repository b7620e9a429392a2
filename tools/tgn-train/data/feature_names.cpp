#include "tools/tgn-train/data/feature_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"

namespace frugal::tgn {
namespace {

using Json = nlohmann::json;

constexpr char kKey[] = "tgn.features";

}  // namespace

void add_feature_names(const FeatureNames& names, Metadata& metadata) {
  metadata.erase(kKey);
  if (names.empty()) return;
  // Bytes that are no UTF-8 cannot be told in JSON.
  metadata[kKey] = Json(names).dump(-1, ' ', false, Json::error_handler_t::replace);
}

FeatureNames feature_names_of(const Metadata& metadata, const std::string& path) {
  const auto found = metadata.find(kKey);
  if (found == metadata.end()) return {};
  const Json json = Json::parse(found->second, nullptr, false);
  const bool is_list =
      json.is_array() &&
      std::all_of(json.begin(), json.end(), [](const Json& name) { return name.is_string(); });
  if (is_list) return json.get<FeatureNames>();
  fail(ExitStatus::bad_input, path, ": metadata '", kKey, "' is no list of names");
}

}  // namespace frugal::tgn
