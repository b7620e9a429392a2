#include "libcore/io/json_text.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <type_traits>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

/// Walks over the text and records how far the parser is, for errors.
class RecordingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  RecordingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  RecordingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const RecordingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const RecordingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// A list or an object whose end has not come. Values lie apart from names until then: vectors of
/// ordered_json's members, whose names are constant, copy whole subtrees as they grow.
template <class Json>
struct OpenValue {
  bool is_object = false;
  std::vector<std::string> names;
  std::vector<Json> values;
};

/// Returns for each member whether a later one has its name.
std::vector<bool> repeated_members(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
  std::vector<bool> repeated(names.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (names[order[i - 1]] == names[order[i]]) repeated[order[i - 1]] = true;
  }
  return repeated;
}

template <class Json>
Json object_of(OpenValue<Json>&& open) {
  Json object = Json::object();
  auto& members = object.template get_ref<typename Json::object_t&>();
  if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) members.reserve(open.names.size());
  const std::vector<bool> repeated = repeated_members(open.names);
  for (std::size_t i = 0; i < open.names.size(); ++i) {
    if (repeated[i]) continue;
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      // Its emplace() would compare the name with all before it.
      members.emplace_back(std::move(open.names[i]), std::move(open.values[i]));
    } else {
      members.emplace(std::move(open.names[i]), std::move(open.values[i]));
    }
  }
  return object;
}

/// Builds a tree from the events of the parser, which has no recursion, and ends with the first
/// value that exceeds a limit.
template <class Json>
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text), reached_(text.data()) {}

  /// Returns whether there is a tree; else finding() says why.
  bool build() {
    if (text_.size() > kMostJsonBytes) {
      return refuse("longer than " + format_bytes(kMostJsonBytes));
    }
    const RecordingIterator begin(text_.data(), &reached_);
    const RecordingIterator end(text_.data() + text_.size(), &reached_);
    return Json::sax_parse(begin, end, this) && finding_.empty();
  }
  Json take() { return std::move(root_); }

  /// "column 7: nested more than 64 deep", behind "line 3, " where the text has several lines.
  std::string finding() const {
    const auto at = static_cast<std::size_t>(reached_ - text_.data());
    const std::string_view before = text_.substr(0, std::max<std::size_t>(at, 1) - 1);
    const auto line = std::count(before.begin(), before.end(), '\n');
    const std::size_t end_of_line = before.rfind('\n');
    const std::size_t column =
        before.size() - (end_of_line == before.npos ? 0 : end_of_line + 1) + 1;
    const bool one_line = text_.find('\n') == text_.npos;
    return (one_line ? "" : "line " + std::to_string(line + 1) + ", ") + "column " +
           std::to_string(column) + ": " + finding_;
  }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(value); }
  bool binary(typename Json::binary_t&) { return refuse("binary data"); }
  bool start_object(std::size_t) { return open({true, {}, {}}); }
  bool start_array(std::size_t) { return open({}); }
  bool key(std::string& name) {
    open_.back().names.push_back(name);
    return true;
  }
  bool end_object() { return put(object_of(take_open())); }
  bool end_array() { return put(Json(typename Json::array_t(take_open().values))); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    std::string_view what(error.what());
    for (const std::string_view before : {"] ", "parse error at line ", ": "}) {
      const std::size_t found = what.find(before);
      if (found != what.npos) what.remove_prefix(found + before.size());
    }
    return refuse("not valid JSON: " + printable(what, 160));
  }

 private:
  bool refuse(const std::string& finding) {
    finding_ = finding;
    return false;
  }
  bool count() {
    if (++num_values_ <= kMostJsonValues) return true;
    return refuse("more than " + std::to_string(kMostJsonValues) + " values");
  }
  bool put(Json&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().values.push_back(std::move(value));
    }
    return true;
  }
  bool add(Json value) { return count() && put(std::move(value)); }
  bool open(OpenValue<Json>&& value) {
    if (open_.size() == kMostJsonDepth) {
      return refuse("nested more than " + std::to_string(kMostJsonDepth) + " deep");
    }
    open_.push_back(std::move(value));
    return count();
  }
  OpenValue<Json> take_open() {
    OpenValue<Json> value = std::move(open_.back());
    open_.pop_back();
    return value;
  }

  std::string_view text_;
  const char* reached_;
  std::vector<OpenValue<Json>> open_;
  Json root_;
  std::size_t num_values_ = 0;
  std::string finding_;
};

/// Sum over all values in `tree`, whose own names are `outer` bytes long.
std::uint64_t joined_name_bytes(const nlohmann::ordered_json& tree, std::uint64_t outer) {
  std::uint64_t bytes = outer;
  for (const auto& [name, value] : tree.items()) {
    if (!tree.is_structured()) break;  // items() lists a plain value, too
    bytes += joined_name_bytes(value, outer + (tree.is_object() ? name.size() : 0) + 1);
  }
  return bytes;
}

}  // namespace

template <class Json>
Json parse_json(std::string_view text, const std::string& place) {
  TreeBuilder<Json> builder(text);
  if (!builder.build()) fail(ExitStatus::bad_input, place, builder.finding());
  return builder.take();
}

template <class Json>
std::optional<Json> find_json(std::string_view text) {
  TreeBuilder<Json> builder(text);
  if (!builder.build()) return std::nullopt;
  return builder.take();
}

void check_joined_names(const nlohmann::ordered_json& tree, const std::string& place) {
  constexpr std::uint64_t kMost = std::uint64_t{4} << 20;
  if (joined_name_bytes(tree, 0) <= kMost) return;
  fail(ExitStatus::bad_input, place, "names of nested values are longer than ", format_bytes(kMost),
       " together");
}

template nlohmann::json parse_json(std::string_view, const std::string&);
template nlohmann::ordered_json parse_json(std::string_view, const std::string&);
template std::optional<nlohmann::json> find_json(std::string_view);
template std::optional<nlohmann::ordered_json> find_json(std::string_view);

}  // namespace frugal
