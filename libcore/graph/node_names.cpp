#include "libcore/graph/node_names.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/streams/line_reader.h"

namespace frugal {
namespace {

[[noreturn]] void fail_shared(std::string_view a, std::string_view b) {
  fail(ExitStatus::unavailable, "names '", printable(a), "' and '", printable(b),
       "' have the same hash, expected different ones: rename one");
}

}  // namespace

std::optional<std::string> whole_number_text(std::string_view text) {
  text = trim(text);
  if (text.find('e') != text.npos || text.find('E') != text.npos) {
    const auto number = parse_whole(text);
    return number ? std::optional(std::to_string(*number)) : std::nullopt;
  }
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string_view digits = text.substr(0, point);
  const bool is_whole =
      !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit) &&
      text.substr(std::min(point + 1, text.size())).find_first_not_of('0') == std::string::npos;
  if (!is_whole) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return (is_negative && digits != "0" ? "-" : "") + std::string(digits);
}

NodeId NodeNames::number(std::string_view name) {
  const std::uint32_t id = index_.insert(hash_bytes(name));
  if (id < size()) {
    if (this->name(id) != name) fail_shared(this->name(id), name);
    return id;
  }
  bytes_.insert(bytes_.end(), name.begin(), name.end());
  offsets_.push_back(bytes_.size());
  return id;
}

std::optional<NodeId> NodeNames::find(std::string_view name) const {
  const std::uint32_t id = index_.find(hash_bytes(name));
  if (id == HashIndex::kMissing) return std::nullopt;
  if (this->name(id) != name) fail_shared(this->name(id), name);
  return id;
}

std::string_view NodeNames::name(NodeId node) const {
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size())
      .substr(offsets_[node], offsets_[node + 1] - offsets_[node]);
}

std::optional<std::vector<std::uint64_t>> NodeNames::as_numbers() const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view text = name(static_cast<NodeId>(i));
    const auto number = parse_number<std::uint64_t>(text);
    if (!number || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<NodeId> NodeNames::merge_whole() {
  NodeNames merged;
  std::vector<NodeId> numbers;
  bool changes = false;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view text = name(static_cast<NodeId>(i));
    const auto whole = whole_number_text(text);
    if (!whole) return {};
    changes = changes || *whole != text;
    numbers.push_back(merged.number(*whole));
  }
  if (!changes) return {};
  *this = std::move(merged);
  return numbers;
}

NodeNames read_node_names(const std::string& path) {
  NodeNames names;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    const std::string_view name = trim(line);
    const std::size_t before = names.size();
    if (!name.empty()) names.number(name);
    if (names.size() != before) continue;
    fail(ExitStatus::bad_input, lines.place(), ": ",
         name.empty() ? "is empty" : "'" + printable(name) + "' stands there a second time",
         ", expected a different name for each node");
  }
  return names;
}

}  // namespace frugal
