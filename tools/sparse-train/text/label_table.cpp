#include "tools/sparse-train/text/label_table.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"

namespace frugal::sparse {

namespace {

/// Digits behind a zero, which are no number like others: "01" may stand beside "1".
bool is_code(std::string_view name) {
  if (name.starts_with('+') || name.starts_with('-')) name.remove_prefix(1);
  return name.size() > 1 && name[0] == '0' && is_digit(name[1]);
}

/// Each name once: by value where all are whole numbers, else by bytes.
std::vector<std::string> natural_order(std::vector<std::string> names) {
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return parse_whole(name).has_value();
  });
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    const auto x = numbers ? parse_whole(a) : 0;
    const auto y = numbers ? parse_whole(b) : 0;
    return x != y ? x < y : a < b;
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
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
    if (const auto value = parse_whole(name)) {
      const auto [place, is_new] = ids_of_numbers_.try_emplace(*value, id);
      if (!is_new && !is_code(name)) place->second = id;
    }
  }
}

LabelTable LabelTable::with(std::vector<std::string> names) const {
  if (numbered_) {
    std::uint32_t new_size = size();
    for (const std::string& name : names) {
      const auto id = parse_number<std::uint32_t>(name);
      if (!id || *id == kMissing) {
        const bool digits = std::all_of(name.begin(), name.end(), is_digit) && !name.empty();
        fail(ExitStatus::bad_input, "label '", printable(name), "' is ",
             digits ? "too large" : "no number",
             ", expected ids from 0 as in the model's training data");
      }
      new_size = std::max(new_size, *id + 1);
    }
    return numbered(new_size);
  }
  std::erase_if(names, [&](const std::string& name) { return find(name) != kMissing; });
  std::vector<std::string> all = names_;
  for (std::string& name : natural_order(std::move(names))) all.push_back(std::move(name));
  return LabelTable(std::move(all));
}

LabelTable LabelTable::numbered(std::uint32_t size) {
  check_memory("a range of " + std::to_string(size) + " labels",
               size * std::uint64_t{sizeof(std::string)});
  LabelTable table;
  table.numbered_ = true;
  table.names_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) table.names_[i] = std::to_string(i);
  return table;
}

std::uint32_t LabelTable::find(const std::string& name) const {
  if (numbered_) {
    const auto id = parse_whole(name);
    return id && *id >= 0 && *id < size() ? static_cast<std::uint32_t>(*id) : kMissing;
  }
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  if (ids_of_numbers_.empty()) return kMissing;
  const auto value = parse_whole(name);
  const auto found = value ? ids_of_numbers_.find(*value) : ids_of_numbers_.end();
  return found == ids_of_numbers_.end() ? kMissing : found->second;
}

std::uint32_t LabelNumbers::number(const std::string& name) {
  const auto value = codes_are_numbers_ || !is_code(name) ? parse_whole(name) : std::nullopt;
  const auto [place, is_new] = numbers_.try_emplace(value ? std::to_string(*value) : name,
                                                    static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return place->second;
}

}  // namespace frugal::sparse
