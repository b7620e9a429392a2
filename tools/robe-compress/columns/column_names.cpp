#include "tools/robe-compress/columns/column_names.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace frugal::robe {
namespace {

constexpr std::string_view kUnnamed = "Unnamed: ";

}  // namespace

bool names_columns(const ClickOptions& options, const std::vector<std::string_view>& first,
                   const std::vector<std::string_view>& second, const HeaderGuess& guess) {
  if (options.header == "yes") return true;
  if (options.header == "no") return false;
  std::size_t unnamed = 0;
  while (unnamed < first.size() && trim(first[unnamed]).empty()) ++unnamed;
  if (unnamed == first.size()) return false;
  if (guess.is_sure && unnamed == 0) return guess.is_header;
  // A record whose first values are missing is no header: an index is never missing.
  for (std::size_t i = 0; i < unnamed; ++i) {
    if (i >= second.size() || trim(second[i]).empty()) return false;
  }
  if (guess.is_sure && guess.is_header) return true;
  return std::none_of(first.begin() + static_cast<std::ptrdiff_t>(unnamed), first.end(),
                      [](std::string_view field) {
                        const std::string_view name = trim(field);
                        return name.empty() || parse_number<double>(name).has_value();
                      });
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::string_view(" _-").find(c) != std::string_view::npos) continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

std::vector<std::string> header_names(const std::vector<std::string_view>& fields) {
  std::vector<std::string> names;
  for (const std::string_view field : fields) {
    names.emplace_back(trim(field));
    if (names.back().empty())
      names.back() = std::string(kUnnamed) + std::to_string(names.size() - 1);
  }
  return names;
}

bool is_unnamed(std::string_view name) { return name.starts_with(kUnnamed); }

}  // namespace frugal::robe
