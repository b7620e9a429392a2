#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace frugal {

/// Limits of every JSON text that is parsed into a tree. A file that claims more is hostile or
/// damaged: recursion over its tree would overflow the stack, or the tree fill the memory.
inline constexpr std::size_t kMostJsonBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMostJsonDepth = 64;                     ///< lists and objects
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 19;  ///< containers count too

/// Parses a JSON text within the limits, in time proportional to its length but for the sorting of
/// names. A name that an object repeats has its last value. Json is nlohmann::json or
/// nlohmann::ordered_json. Fails (bad_input) with `place`, line, column and finding, in one line.
/// All trees come from here or from find_json(): tests/rules/layers.sh refuses other calls.
template <class Json>
Json parse_json(std::string_view text, const std::string& place);

/// Returns the same tree, or nothing where the text is no JSON or exceeds a limit.
template <class Json>
std::optional<Json> find_json(std::string_view text);

/// Fails (bad_input) with `place` where the names of all values, each preceded by the names of the
/// objects around it, are longer than 4 MiB together. To be called before values are stored under
/// such names ("machine.cpu.name"): a long name around many values would fill the memory.
void check_joined_names(const nlohmann::ordered_json& tree, const std::string& place);

extern template nlohmann::json parse_json(std::string_view, const std::string&);
extern template nlohmann::ordered_json parse_json(std::string_view, const std::string&);
extern template std::optional<nlohmann::json> find_json(std::string_view);
extern template std::optional<nlohmann::ordered_json> find_json(std::string_view);

}  // namespace frugal
