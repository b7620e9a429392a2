#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// Limits of every JSON text that is parsed into a tree. A file that claims more is hostile or
/// damaged: recursion over its tree would overflow the stack, or the tree fill the memory.
inline constexpr std::size_t kMostJsonBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMostJsonDepth = 64;                     ///< lists and objects
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 19;  ///< containers count too

/// Parses a JSON text within the limits, in time proportional to its length except for sorting
/// names. If an object repeats a name, its last value counts. Json is nlohmann::json or
/// nlohmann::ordered_json. Fails (bad_input) with `place`, line, column and finding, in one line.
/// All JSON is parsed in this file: tests/rules/layers.sh refuses other calls.
template <class Json>
Json parse_json(std::string_view text, const std::string& place);

/// Parses as parse_json() does, but returns nothing if the text is not JSON or exceeds a limit.
template <class Json>
std::optional<Json> find_json(std::string_view text);

/// Kind of a member's value. plain: a string, number, boolean or null. list: a list of plain
/// values. nested: an object, or a list that contains lists or objects.
enum class JsonValueKind { plain, list, nested };

/// Separates the values of a list in JsonMembers::text().
inline constexpr char kJsonListSeparator = '\x1f';

/// The members of one JSON object as texts, without a tree. Memory is reused from object to object.
class JsonMembers {
 public:
  /// Parses an object within the limits above. Fails (bad_input), without a place, if the text is
  /// not an object, or if a string contains the character U+0000. Invalidates views of the previous
  /// object.
  void parse(std::string_view object);

  std::size_t size() const { return members_.size(); }
  std::string_view name(std::size_t i) const { return part(members_[i].name); }
  /// Value as text: a string without quotes and escapes; a number with all its digits; true or
  /// false; "" for null. The values of a list are separated by kJsonListSeparator. A nested value
  /// is "{...}" or "[...]".
  std::string_view text(std::size_t i) const { return part(members_[i].text); }
  JsonValueKind kind(std::size_t i) const { return members_[i].kind; }

 private:
  class Events;
  struct Part {
    std::size_t begin = 0, size = 0;
  };
  struct Member {
    Part name, text;
    JsonValueKind kind = JsonValueKind::plain;
  };
  std::string_view part(Part p) const { return std::string_view(bytes_).substr(p.begin, p.size); }

  std::string bytes_;
  std::vector<Member> members_;
};

/// Fails (bad_input) with `place` if the joined names of all values ("machine.cpu.name") are longer
/// than 4 MiB together. Call it before storing values under such names: a long name around many
/// values would fill the memory.
void check_joined_names(const nlohmann::ordered_json& tree, const std::string& place);

extern template nlohmann::json parse_json(std::string_view, const std::string&);
extern template nlohmann::ordered_json parse_json(std::string_view, const std::string&);
extern template std::optional<nlohmann::json> find_json(std::string_view);
extern template std::optional<nlohmann::ordered_json> find_json(std::string_view);

}  // namespace frugal
