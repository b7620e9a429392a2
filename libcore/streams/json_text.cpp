#include "libcore/streams/json_text.h"

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

/// The limits of a parser's events, and what is wrong with a text that exceeds them.
class LimitedEvents {
 public:
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

  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) {
    std::string_view what(error.what());
    for (const std::string_view before : {"] ", "parse error at line ", ": "}) {
      const std::size_t found = what.find(before);
      if (found != what.npos) what.remove_prefix(found + before.size());
    }
    const bool is_python =
        (token.ends_with('N') || token.ends_with('I')) && what.find("invalid string") == what.npos;
    return refuse("not valid JSON: " + printable(what, 160) +
                  (is_python ? "; NaN, None and Infinity are not JSON, null is" : ""));
  }

 protected:
  explicit LimitedEvents(std::string_view text) : text_(text), reached_(text.data()) {}

  /// Parses the text; false where finding() says why not. The parser has no recursion, and ends
  /// with the first event that returns false.
  template <class Json, class Handler>
  bool run(Handler& handler) {
    if (text_.size() > kMostJsonBytes) {
      return refuse("longer than " + format_bytes(kMostJsonBytes));
    }
    const RecordingIterator begin(text_.data(), &reached_);
    const RecordingIterator end(text_.data() + text_.size(), &reached_);
    return Json::sax_parse(begin, end, &handler) && finding_.empty();
  }
  bool refuse(const std::string& finding) {
    finding_ = finding;
    return false;
  }
  bool count() {
    if (++num_values_ <= kMostJsonValues) return true;
    return refuse("more than " + std::to_string(kMostJsonValues) + " values");
  }
  /// Counts a list or an object inside `depth` others.
  bool count_container(std::size_t depth) {
    if (depth < kMostJsonDepth) return count();
    return refuse("nested more than " + std::to_string(kMostJsonDepth) + " deep");
  }

 private:
  std::string_view text_;
  const char* reached_;
  std::size_t num_values_ = 0;
  std::string finding_;
};

/// Builds a tree.
template <class Json>
class TreeBuilder : public LimitedEvents {
 public:
  explicit TreeBuilder(std::string_view text) : LimitedEvents(text) {}

  /// Returns whether there is a tree; else finding() says why.
  bool build() { return run<Json>(*this); }
  Json take() { return std::move(root_); }

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

 private:
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
    if (!count_container(open_.size())) return false;
    open_.push_back(std::move(value));
    return true;
  }
  OpenValue<Json> take_open() {
    OpenValue<Json> value = std::move(open_.back());
    open_.pop_back();
    return value;
  }

  std::vector<OpenValue<Json>> open_;
  Json root_;
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

/// Writes the members of the outermost object into one buffer.
class JsonMembers::Events : public LimitedEvents {
 public:
  Events(std::string_view text, JsonMembers& out) : LimitedEvents(text), out_(out) {}

  bool parse() { return run<nlohmann::json>(*this); }

  bool null() { return add(""); }
  bool boolean(bool value) { return add(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return add(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return add(std::to_string(value)); }
  bool number_float(double, const std::string& text) { return add(text); }
  bool string(std::string& value) {
    if (value.find('\0') == std::string::npos) return add(value);
    return refuse("a string with the character U+0000, expected text");
  }
  bool binary(nlohmann::json::binary_t&) { return refuse("binary data"); }
  bool start_object(std::size_t) { return open(false); }
  bool start_array(std::size_t) { return open(true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (depth_ == 1) {
      out_.members_.push_back({append(name), {out_.bytes_.size(), 0}, JsonValueKind::plain});
    }
    return true;
  }

 private:
  bool refuse_value() { return refuse("expected a JSON object"); }
  Part append(std::string_view text) {
    const std::size_t begin = out_.bytes_.size();
    out_.bytes_ += text;
    return {begin, text.size()};
  }

  bool add(std::string_view text) {
    if (depth_ == 0) return refuse_value();
    if (!count()) return false;
    Member& member = out_.members_.back();
    if (member.kind == JsonValueKind::nested) return true;
    if (depth_ == 2 && list_values_++ > 0) append(std::string_view(&kJsonListSeparator, 1));
    append(text);
    member.text.size = out_.bytes_.size() - member.text.begin;
    return true;
  }
  bool open(bool is_list) {
    if (depth_ == 0 && is_list) return refuse_value();
    if (!count_container(depth_)) return false;
    if (depth_ == 1 && is_list) {
      out_.members_.back().kind = JsonValueKind::list;
      list_values_ = 0;
    } else if (depth_ > 0) {
      note_nested(depth_ == 1 ? "{...}" : "[...]");
    }
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }
  void note_nested(std::string_view shown) {
    Member& member = out_.members_.back();
    if (member.kind == JsonValueKind::nested) return;
    member.kind = JsonValueKind::nested;
    out_.bytes_.resize(member.text.begin);
    member.text = append(shown);
  }

  JsonMembers& out_;
  std::size_t depth_ = 0;
  std::size_t list_values_ = 0;
};

void JsonMembers::parse(std::string_view object) {
  bytes_.clear();
  members_.clear();
  Events events(object, *this);
  if (!events.parse()) fail(ExitStatus::bad_input, events.finding());
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
