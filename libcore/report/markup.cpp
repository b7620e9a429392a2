#include "libcore/report/markup.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "libcore/base/text.h"

namespace frugal {
namespace {

/// Bytes of the UTF-8 character that begins at text[i]; 0 if none does.
std::size_t character_length(std::string_view text, std::size_t i) {
  for (std::size_t length = 1; length <= 4 && i + length <= text.size(); ++length) {
    if (is_utf8(text.substr(i, length))) return length;
  }
  return 0;
}

/// U+007F to U+009F are legal but invisible; U+FFFE and U+FFFF are not XML.
bool is_forbidden(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) {
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  }
  if (character.size() == 2)
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

void append_escaped(std::string& out, std::string_view character) {
  if (character == "&") {
    out += "&amp;";
  } else if (character == "<") {
    out += "&lt;";
  } else if (character == ">") {
    out += "&gt;";
  } else if (character == "\"") {
    out += "&quot;";
  } else if (character == "'") {
    out += "&#39;";
  } else {
    out += character;
  }
}

/// Advance widths of a wide sans-serif (DejaVu) in four classes; most fonts are narrower.
double character_width(char c) {
  static constexpr std::string_view kNarrow = "ijl.,:;'|!()[]/ ftrI";
  static constexpr std::string_view kWide = "mwMWQ@%";
  if (kNarrow.find(c) != std::string_view::npos) return 0.36;
  if (kWide.find(c) != std::string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.70 : 0.61;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0 || is_forbidden(text.substr(i, length))) {
      out += "\xef\xbf\xbd";
      i += length == 0 ? 1 : length;
      continue;
    }
    append_escaped(out, text.substr(i, length));
    i += length;
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const char c : text) width += continues_character(c) ? 0 : character_width(c);
  return width * font_size;
}

std::string shorten(const std::string& text, double font_size, double max_width) {
  if (text_width(text, font_size) <= max_width) return text;
  std::string out = text;
  do {
    while (!out.empty() && continues_character(out.back())) out.pop_back();
    if (!out.empty()) out.pop_back();
  } while (!out.empty() && text_width(out, font_size) + font_size > max_width);
  return out + "\xe2\x80\xa6";
}

std::string coordinate(double value) {
  const double rounded = std::round(value * 100) / 100;
  return format_number(rounded == 0 ? 0 : rounded);
}

std::string short_number(double value, int digits) {
  struct Unit {
    double size;
    const char* suffix;
  };
  Unit unit{1, ""};
  for (const Unit& larger : {Unit{1e3, "k"}, Unit{1e6, "M"}, Unit{1e9, "G"}, Unit{1e12, "T"}}) {
    if (std::abs(value) >= 1e5 && std::abs(value) >= larger.size) unit = larger;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g%s", digits, value / unit.size, unit.suffix);
  return text.data();
}

}  // namespace frugal
