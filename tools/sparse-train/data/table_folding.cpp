#include "tools/sparse-train/data/table_folding.h"

#include <array>
#include <cstring>

namespace frugal::sparse {
namespace {

constexpr std::uint32_t kTwoByteLimit = 0x800;

struct Range {
  std::uint32_t first, last;
  std::uint32_t offset;  ///< from upper to lower case
};
constexpr Range kCaseRanges[] = {{0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},   {0x386, 0x386, 38},
                                 {0x388, 0x38A, 37}, {0x38C, 0x38C, 64}, {0x38E, 0x38F, 63},
                                 {0x391, 0x3A1, 32}, {0x3A3, 0x3AB, 32}, {0x400, 0x40F, 80},
                                 {0x410, 0x42F, 32}, {0x4C0, 0x4C0, 15}, {0x531, 0x556, 48}};
/// Upper and lower case take turns, the first is upper.
struct Pairs {
  std::uint32_t first, last;
};
constexpr Pairs kPairs[] = {{0x100, 0x12F}, {0x132, 0x137}, {0x139, 0x148},
                            {0x14A, 0x177}, {0x179, 0x17E}, {0x460, 0x481},
                            {0x48A, 0x4BF}, {0x4C1, 0x4CE}, {0x4D0, 0x52F}};

constexpr std::uint32_t find_lower(std::uint32_t c) {
  if (c == 0x178) return 0xFF;
  for (const Range& range : kCaseRanges) {
    if (c >= range.first && c <= range.last) return c + range.offset;
  }
  for (const Pairs& pairs : kPairs) {
    if (c >= pairs.first && c <= pairs.last) return c + ((c - pairs.first) % 2 == 0 ? 1 : 0);
  }
  return c;
}

constexpr auto kLower = [] {
  std::array<std::uint16_t, kTwoByteLimit> table{};
  for (std::uint32_t c = 0; c < kTwoByteLimit; ++c) {
    table[c] = static_cast<std::uint16_t>(find_lower(c));
  }
  return table;
}();

constexpr bool is_mark(std::uint32_t c) {
  const bool latin = c >= 0xA0 && c <= 0xBF && c != 0xAA && c != 0xB5 && c != 0xBA;
  return latin || c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c <= 0x206F) ||
         (c >= 0x3000 && c <= 0x303F);
}

/// Position of the first byte from 0x80 on, or the size.
std::size_t find_high(std::span<const unsigned char> text, std::size_t at) {
  for (std::uint64_t word = 0; at + 8 <= text.size(); at += 8) {
    std::memcpy(&word, &text[at], 8);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (at < text.size() && text[at] < 0x80) ++at;
  return at;
}

void clear_bits(std::span<std::uint64_t> bits, std::size_t begin, std::size_t end) {
  for (; begin < end; ++begin) bits[begin / 64] &= ~(std::uint64_t{1} << (begin % 64));
}

bool continues(std::span<const unsigned char> text, std::size_t at) {
  return at < text.size() && (text[at] & 0xC0U) == 0x80;
}

}  // namespace

void fold_by_tables(std::span<unsigned char> text, std::span<std::uint64_t> in_word,
                    TableFolding folding) {
  for (std::size_t at = find_high(text, 0); at < text.size(); at = find_high(text, at)) {
    const unsigned lead = text[at];
    std::uint32_t c = 0;
    std::size_t length = 1;
    if (lead >= 0xC2 && lead <= 0xDF && continues(text, at + 1)) {
      length = 2;
      c = kLower[(lead & 0x1FU) << 6 | (text[at + 1] & 0x3FU)];
      if (folding.lower_case) {
        text[at] = static_cast<unsigned char>(0xC0U | c >> 6);
        text[at + 1] = static_cast<unsigned char>(0x80U | (c & 0x3FU));
      }
    } else if ((lead & 0xF0U) == 0xE0 && continues(text, at + 1) && continues(text, at + 2)) {
      length = 3;
      c = (lead & 0x0FU) << 12 | (text[at + 1] & 0x3FU) << 6 | (text[at + 2] & 0x3FU);
    }
    if (folding.marks_end_words && is_mark(c)) clear_bits(in_word, at, at + length);
    at += length;
  }
}

}  // namespace frugal::sparse
