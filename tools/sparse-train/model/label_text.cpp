#include "tools/sparse-train/model/label_text.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

/// White space of Unicode beyond the control characters.
bool is_blank(std::uint32_t c) {
  return c == 0x20 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

/// Control characters and what else programs take for the end of a line.
bool ends_line(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;
}

bool ends_field(std::uint32_t c) { return c == '"' || ends_line(c); }

/// Whether a character of `text` is special; bytes that are no UTF-8 are not.
template <class IsSpecial>
bool has_special(std::string_view text, const IsSpecial& is_special) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length > 0 && is_special(utf8_character(text, length))) return true;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return false;
}

std::string as_json(const std::string& name) {
  using Json = nlohmann::json;
  return Json(name).dump(-1, ' ', has_special(name, ends_line), Json::error_handler_t::replace);
}

}  // namespace

std::string as_word(const std::string& name) {
  const bool plain =
      !name.empty() && !has_special(name, [](auto c) { return is_blank(c) || ends_field(c); });
  return plain ? name : as_json(name);
}

std::string as_field(const std::string& name) {
  return has_special(name, ends_field) ? as_json(name) : name;
}

}  // namespace frugal::sparse
