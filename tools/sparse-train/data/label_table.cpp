#include "tools/sparse-train/data/label_table.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

namespace {

/// svmlight writes its classes as -1 and +1.
std::optional<std::int64_t> whole_number(std::string_view name) {
  return parse_number<std::int64_t>(name.substr(name.starts_with('+') ? 1 : 0));
}

}  // namespace

LabelTable::LabelTable(std::vector<std::string> names) : names_(std::move(names)) {
  ids_.reserve(names_.size());
  for (const std::string& name : names_) {
    const auto id = static_cast<std::uint32_t>(ids_.size());
    if (!ids_.emplace(name, id).second) {
      fail(ExitStatus::bad_input, "label '", printable(name),
           "' stands twice, expected distinct names");
    }
  }
}

LabelTable LabelTable::in_natural_order(std::vector<std::string> names) {
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return whole_number(name).has_value();
  });
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    const auto x = numbers ? whole_number(a) : 0;
    const auto y = numbers ? whole_number(b) : 0;
    return x != y ? x < y : a < b;
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return LabelTable(std::move(names));
}

LabelTable LabelTable::numbered(std::uint32_t size) {
  LabelTable table;
  table.numbered_ = true;
  table.names_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) table.names_[i] = std::to_string(i);
  return table;
}

std::uint32_t LabelTable::find(const std::string& name) const {
  if (numbered_) {
    const auto id = parse_number<std::uint32_t>(name);
    return id && *id < size() ? *id : kMissing;
  }
  const auto found = ids_.find(name);
  return found == ids_.end() ? kMissing : found->second;
}

}  // namespace frugal
