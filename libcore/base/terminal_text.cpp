#include "libcore/base/terminal_text.h"

#include <array>
#include <cstdio>

#include "libcore/base/utf8.h"

namespace frugal {

std::size_t append_escaped(std::string_view text, std::string& out) {
  const std::size_t length = utf8_length(text);
  const bool is_byte = length <= 1;
  const std::uint32_t value =
      is_byte ? static_cast<unsigned char>(text[0]) : utf8_character(text, length);
  std::array<char, 16> escape{};
  std::snprintf(escape.data(), escape.size(), is_byte ? "\\x%02x" : "\\u%04x", value);
  out += escape.data();
  return is_byte ? 1 : length;
}

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = utf8_length(text);
    const std::uint32_t c = length == 0 ? 0 : utf8_character(text, length);
    const bool shown = length != 0 && (!is_terminal_control(c) || c == '\n' || c == '\t');
    if (shown) {
      out += text.substr(0, length);
    } else {
      length = append_escaped(text, out);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace frugal
