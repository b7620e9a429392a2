#include "libcore/streams/json_scanner.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 48;

void append_utf8(std::string& to, std::uint32_t c) {
  const auto put = [&to](std::uint32_t byte) { to += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

/// Character that the one-letter escape \c denotes; NUL if there is no such escape.
char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
  }
}

}  // namespace

void JsonScanner::bad(std::string_view finding) const {
  fail(ExitStatus::bad_input, place_, ": byte ", at_, ": ", finding);
}

void JsonScanner::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

bool JsonScanner::take(char c) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonScanner::take_null() {
  skip_space();
  if (!text_.substr(at_).starts_with("null")) return false;
  at_ += 4;
  return true;
}

void JsonScanner::expect(char c) {
  if (take(c)) return;
  const std::string found =
      at_ == text_.size() ? "the end" : "'" + printable(text_.substr(at_, 1)) + "'";
  bad("expected '" + std::string(1, c) + "', found " + found);
}

std::string JsonScanner::string(std::string_view what, std::uint64_t max_bytes) {
  expect('"');
  std::string value;
  for (;;) {
    // Plain runs are copied whole.
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<unsigned char>(text_[at_]) >= 0x20) {
      ++at_;
    }
    if (value.size() + (at_ - from) > max_bytes) {
      bad(std::string(what) + " is longer than " + std::to_string(max_bytes) + " bytes");
    }
    value.append(text_.substr(from, at_ - from));
    if (at_ == text_.size()) bad("a string does not end");
    const char c = text_[at_++];
    if (c == '"') break;
    if (c != '\\') bad("a control character in a string");
    append_escape(value);
  }
  if (!is_utf8(value)) bad(std::string(what) + " is not UTF-8");
  return value;
}

void JsonScanner::append_escape(std::string& to) {
  const char c = next_character();
  ++at_;
  if (c == 'u') return append_utf8(to, code_point());
  const char meant = simple_escape(c);
  if (meant == '\0') bad("an unknown escape in a string");
  to += meant;
}

/// Reads the rest of \uXXXX, or of a surrogate pair for a character above U+FFFF.
std::uint32_t JsonScanner::code_point() {
  const std::uint32_t high = hex4();
  if (high < 0xd800 || high > 0xdfff) return high;
  if (high > 0xdbff || text_.substr(at_, 2) != "\\u") bad("half of a surrogate pair");
  at_ += 2;
  const std::uint32_t low = hex4();
  if (low < 0xdc00 || low > 0xdfff) bad("half of a surrogate pair");
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

std::uint32_t JsonScanner::hex4() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = next_character();
    const char lower = static_cast<char>(c | 0x20);
    if (is_digit(c)) {
      value = value * 16 + static_cast<std::uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value * 16 + static_cast<std::uint32_t>(lower - 'a' + 10);
    } else {
      bad("expected four hexadecimal digits after \\u");
    }
  }
  return value;
}

std::uint64_t JsonScanner::number() {
  skip_space();
  if (!is_digit(next_character())) bad("expected a number of digits only");
  const std::size_t first = at_;
  std::uint64_t value = 0;
  for (; is_digit(next_character()); ++at_) {
    value = value * 10 + static_cast<std::uint64_t>(next_character() - '0');
    if (value > kMaxNumber) bad("a number above 2^48");
  }
  if (text_[first] == '0' && at_ > first + 1) bad("a number with a leading zero");
  const char after = next_character();
  if (after == '.' || after == 'e' || after == 'E') bad("expected a number of digits only");
  return value;
}

void JsonScanner::expect_padding() {
  const std::size_t end = text_.find_first_not_of(' ', at_);
  if (end == std::string_view::npos) return;
  at_ = end;
  bad("expected only spaces after the last '}'");
}

std::string json_string(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace frugal
