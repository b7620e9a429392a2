#include "tools/sparse-train/text/label_table.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/tables/field_number.h"

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

struct LabelTable::Content {
  std::vector<std::string> names;  ///< of a numbered table, empty until `named`
  std::once_flag named, indexed;
  std::unordered_map<std::string_view, std::uint32_t> ids;
  /// Ids of labels that are whole numbers, by value.
  std::unordered_map<std::int64_t, std::uint32_t> ids_of_numbers;
};

LabelTable::LabelTable() : content_(std::make_shared<Content>()) {}

LabelTable::LabelTable(std::vector<std::string> names) {
  *this = without_index(std::move(names));
  indexed();
}

LabelTable LabelTable::without_index(std::vector<std::string> names) {
  LabelTable table;
  table.size_ = static_cast<std::uint32_t>(names.size());
  table.content_->names = std::move(names);
  return table;
}

const std::vector<std::string>& LabelTable::names() const {
  if (numbered_) {
    std::call_once(content_->named, [this] {
      content_->names.resize(size_);
      for (std::uint32_t i = 0; i < size_; ++i) content_->names[i] = std::to_string(i);
    });
  }
  return content_->names;
}

const LabelTable::Content& LabelTable::indexed() const {
  std::call_once(content_->indexed, [this] {
    Content& c = *content_;
    c.ids.clear();
    c.ids_of_numbers.clear();
    c.ids.reserve(c.names.size());
    for (const std::string& name : c.names) {
      const auto id = static_cast<std::uint32_t>(c.ids.size());
      if (!c.ids.emplace(name, id).second) {
        fail(ExitStatus::bad_input, "label '", printable(name),
             "' stands twice, expected distinct names");
      }
      if (const auto value = parse_whole(name)) {
        const auto [place, is_new] = c.ids_of_numbers.try_emplace(*value, id);
        if (!is_new && !is_code(name)) place->second = id;
      }
    }
  });
  return *content_;
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
  std::vector<std::string> all = this->names();
  for (std::string& name : natural_order(std::move(names))) all.push_back(std::move(name));
  return LabelTable(std::move(all));
}

LabelTable LabelTable::numbered(std::uint32_t size) {
  check_memory("a range of " + std::to_string(size) + " labels",
               size * std::uint64_t{sizeof(std::string)});
  LabelTable table;
  table.numbered_ = true;
  table.size_ = size;
  return table;
}

std::uint32_t LabelTable::find(const std::string& name) const {
  if (numbered_) {
    const auto id = parse_whole(name);
    return id && *id >= 0 && *id < size() ? static_cast<std::uint32_t>(*id) : kMissing;
  }
  if (size_ == 0) return kMissing;
  const Content& c = indexed();
  if (const auto found = c.ids.find(name); found != c.ids.end()) return found->second;
  const std::string_view boolean = plain_boolean(name);
  for (const char* const same : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (plain_boolean(same) != boolean) continue;
    if (const auto found = c.ids.find(same); found != c.ids.end()) return found->second;
  }
  if (c.ids_of_numbers.empty()) return kMissing;
  const auto value = parse_whole(name);
  const auto found = value ? c.ids_of_numbers.find(*value) : c.ids_of_numbers.end();
  return found == c.ids_of_numbers.end() ? kMissing : found->second;
}

std::uint32_t LabelNumbers::number(const std::string& name) {
  const auto value = codes_are_numbers_ || !is_code(name) ? parse_whole(name) : std::nullopt;
  const auto [place, is_new] = numbers_.try_emplace(value ? std::to_string(*value) : name,
                                                    static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return place->second;
}

}  // namespace frugal::sparse
