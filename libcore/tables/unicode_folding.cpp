#include "libcore/tables/unicode_folding.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

#include "libcore/base/text.h"

namespace frugal {
namespace {

constexpr std::int32_t kPlane = 0x10000;
constexpr std::int32_t kZeroWidthSpace = 0x200B, kDotAbove = 0x307, kDotlessI = 0x131;
constexpr std::int32_t kTatweel = 0x640;  // only stretches an Arabic word
/// Marks on a letter that are brought into order: more are no language, and their order costs time.
constexpr int kMostMarks = 30;

// Kinds of characters.
constexpr std::uint8_t kComposes = 1;    ///< may become one with what stands before it
constexpr std::uint8_t kCombines = 2;    ///< has a place in the order of marks on a letter
constexpr std::uint8_t kLong = 4;        ///< becomes more than fits
constexpr std::uint8_t kPictograph = 8;  ///< is listed apart
constexpr std::uint8_t kMark = 16;       ///< is no letter
constexpr std::uint8_t kUnseen = 32;

struct Places {
  std::size_t in = 0, out = 0;
};

std::vector<bool> find_composing() {
  constexpr std::int32_t kEnd = 0x12000;  // no later character is one of a composition
  std::vector<bool> composing(kEnd);
  for (std::int32_t c = 0x80; c < kEnd; ++c) {
    utf8proc_int32_t parts[4];
    int boundary = 0;
    const auto n = utf8proc_decompose_char(
        c, parts, 4, utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &boundary);
    for (utf8proc_ssize_t i = 1; i < n; ++i) composing[static_cast<std::size_t>(parts[i])] = true;
  }
  return composing;
}

bool composes(std::int32_t c) {
  static const std::vector<bool> composing = find_composing();
  return static_cast<std::size_t>(c) < composing.size() && composing[static_cast<std::size_t>(c)];
}

bool is_letter(std::int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN: return true;
    default: return c == '_';
  }
}

bool is_digit(std::int32_t c) { return utf8proc_category(c) == UTF8PROC_CATEGORY_ND; }

/// The digits of a script stand in order, from 0 to 9.
std::int32_t ascii_digit(std::int32_t digit) {
  std::int32_t first = digit;
  while (is_digit(first - 1)) --first;
  return '0' + (digit - first) % 10;
}

bool is_blank(std::int32_t c) {
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF: return true;
    default: return false;
  }
}

bool is_pictograph(std::int32_t c) {
  const utf8proc_property_t& property = *utf8proc_get_property(c);
  return property.category == UTF8PROC_CATEGORY_SO &&
         (property.boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC ||
          property.boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR);
}

/// Decomposes, folds, brings marks into order and composes again.
void normalise(std::string_view text, const UnicodeRules& rules, std::vector<std::int32_t>& out) {
  const auto options = utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_IGNORE |
                                         (rules.compatible ? UTF8PROC_COMPAT : 0) |
                                         (rules.lower_case ? UTF8PROC_CASEFOLD : 0));
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  out.resize(text.size() + 32);
  utf8proc_ssize_t n = 0;
  for (;;) {
    const auto room = static_cast<utf8proc_ssize_t>(out.size());
    n = utf8proc_decompose(bytes, size, out.data(), room, options);
    if (n <= room) break;
    out.resize(static_cast<std::size_t>(n));
  }
  n = utf8proc_normalize_utf32(out.data(), std::max<utf8proc_ssize_t>(n, 0),
                               utf8proc_option_t(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  out.resize(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(n, 0)));
}

std::string utf8_of(std::int32_t c) {
  utf8proc_uint8_t bytes[4];
  const auto n = utf8proc_encode_char(c, bytes);
  return {bytes, bytes + n};
}

/// Characters that one becomes by itself; nothing for one that is not seen.
std::vector<std::int32_t> parts_of(std::int32_t c, const UnicodeRules& rules) {
  std::vector<std::int32_t> parts;
  normalise(utf8_of(c), rules, parts);
  if (rules.compatible && is_digit(c)) return {ascii_digit(c)};
  if (rules.lower_case && c == kDotlessI) return {'i'};
  if (rules.lower_case && parts == std::vector<std::int32_t>{'i', kDotAbove}) return {'i'};
  return parts;
}

std::int32_t character_at(std::string_view text, std::size_t at, std::size_t size) {
  return static_cast<std::int32_t>(utf8_character(text.substr(at), size));
}

/// Position of the first byte from 0x80 on, or the size.
std::size_t find_high(std::string_view text, std::size_t at) {
  for (std::uint64_t word = 0; at + 8 <= text.size(); at += 8) {
    std::memcpy(&word, &text[at], 8);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

UnicodeFolding::UnicodeFolding(const UnicodeRules& rules) : rules_(rules), pages_(kPlane / 256) {}

UnicodeFolding::Folded UnicodeFolding::make(std::int32_t c) const {
  Folded f;
  const std::vector<std::int32_t> parts = parts_of(c, rules_);
  if ((parts.empty() && c != kZeroWidthSpace) || c == kTatweel) {
    f.kind = kUnseen;
    return f;
  }
  std::string text;
  for (const std::int32_t part : parts) text += utf8_of(part);
  if (!is_letter(c)) {  // as written: a trade mark sign is no word
    f.kind = kMark;
    const bool is_ascii = static_cast<unsigned char>(text.empty() ? ' ' : text[0]) < 0x80;
    if (is_blank(c) || rules_.marks == UnicodeMarks::blanks) {
      if (is_pictograph(c) && rules_.marks == UnicodeMarks::blanks) f.kind |= kPictograph;
      text = " ";
    } else if (rules_.marks == UnicodeMarks::words && !is_ascii) {
      text = " " + text + " ";
    }
  } else if (!parts.empty()) {
    if (composes(parts[0])) f.kind |= kComposes;
    if (utf8proc_get_property(parts[0])->combining_class != 0) f.kind |= kCombines;
  }
  if (text.size() > f.bytes.size()) f.kind |= kLong;
  f.size = static_cast<std::uint8_t>(std::min(text.size(), f.bytes.size()));
  std::copy_n(text.begin(), f.size, f.bytes.begin());
  return f;
}

const UnicodeFolding::Folded& UnicodeFolding::folded(std::int32_t c) {
  if (c >= kPlane) return beyond_ = make(c);
  std::unique_ptr<Page>& page = pages_[static_cast<std::size_t>(c) / 256];
  if (!page) {
    page = std::make_unique<Page>();
    const std::int32_t first = c & ~0xFF;
    for (std::int32_t i = 0; i < 256; ++i) (*page)[static_cast<std::size_t>(i)] = make(first + i);
  }
  return (*page)[static_cast<std::size_t>(c) % 256];
}

void UnicodeFolding::append(std::string_view bytes) {
  if (out_.size() < size_ + bytes.size()) out_.resize(2 * (size_ + bytes.size()));
  std::copy(bytes.begin(), bytes.end(), out_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += bytes.size();
}

void UnicodeFolding::append(std::int32_t c, const Folded& f) {
  if (out_.size() < size_ + f.bytes.size()) out_.resize(2 * (size_ + f.bytes.size()));
  std::memcpy(&out_[size_], f.bytes.data(), f.bytes.size());
  size_ += f.size;
  if ((f.kind & kPictograph) == 0) return;
  Pictograph& p = pictographs_.emplace_back();
  p.size = static_cast<std::size_t>(utf8proc_encode_char(c, p.bytes.data()));
}

/// Appends characters of which some depend on each other.
void UnicodeFolding::append_normal(std::string_view text) {
  normalise(text, rules_, characters_);
  std::int32_t before = 0;
  for (const std::int32_t c : characters_) {
    const Folded& f = folded(c);
    const bool dot_of_i = rules_.lower_case && before == 'i' && c == kDotAbove;
    if ((f.kind & kLong) != 0) {
      append(utf8_of(c));
    } else if (!dot_of_i) {
      append(c, f);
    }
    before = c;
  }
}

/// Where the marks end that begin at a place of a text.
std::size_t UnicodeFolding::end_of_marks(std::string_view text, std::size_t at) {
  for (int i = 0; i < kMostMarks && at < text.size(); ++i) {
    const std::size_t size = utf8_length(text.substr(at));
    if (size < 2) break;
    const Folded& f = folded(character_at(text, at, size));
    if ((f.kind & (kComposes | kCombines | kUnseen)) == 0) break;
    at += size;
  }
  return at;
}

std::string_view UnicodeFolding::fold(std::string_view text) {
  size_ = 0;
  pictographs_.clear();
  Places open;  // of the last character that the next one may change
  bool combined = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size =
        static_cast<unsigned char>(text[at]) < 0x80 ? 0 : utf8_length(text.substr(at));
    if (size == 0) {
      const std::size_t end = std::max(at + 1, find_high(text, at));
      append(text.substr(at, end - at));
      at = end;
      open = {at - 1, size_ - 1};
      combined = false;
      continue;
    }
    const std::int32_t c = character_at(text, at, size);
    const Folded& f = folded(c);
    if ((f.kind & (kComposes | kLong)) != 0 || ((f.kind & kCombines) != 0 && combined)) {
      at = end_of_marks(text, at + size);
      size_ = open.out;
      append_normal(text.substr(open.in, at - open.in));
      open = {at, size_};
      combined = false;
      continue;
    }
    const Places here{at, size_};
    append(c, f);
    at += size;
    if ((f.kind & kCombines) != 0) combined = true;
    if ((f.kind & (kCombines | kUnseen)) != 0) continue;
    combined = false;
    open = (f.kind & kMark) != 0 ? Places{at, size_} : here;
  }
  return {reinterpret_cast<const char*>(out_.data()), size_};
}

}  // namespace frugal
