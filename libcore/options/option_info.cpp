#include "libcore/options/option_info.h"

#include <cctype>
#include <cmath>
#include <cstdint>

#include "libcore/base/text.h"

namespace frugal {

std::string display_name(const OptionInfo& info) {
  if (!info.long_names.empty()) return "--" + info.long_names.front();
  if (!info.short_names.empty()) return "-" + info.short_names.front();
  std::string name = info.key;
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

bool looks_like(ValueKind kind, const std::string& text) {
  const auto all_digits = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos &&
           (digits.size() == 1 || digits.front() != '0');
  };
  const std::string_view view = text;
  switch (kind) {
    case ValueKind::integer:
      return all_digits(view.substr(view.starts_with('-') ? 1 : 0)) &&
             parse_number<std::int64_t>(view);
    case ValueKind::unsigned_integer: return all_digits(view) && parse_number<std::uint64_t>(view);
    case ValueKind::real: {
      const auto value = parse_number<double>(text);
      return value && !std::isnan(*value);
    }
    case ValueKind::boolean:
    case ValueKind::text: break;
  }
  return true;
}

}  // namespace frugal
