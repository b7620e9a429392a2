#pragma once
#include <cstdint>
#include <span>

namespace frugal::sparse {

/// Folding of characters beyond ASCII in the first versions; their models still ask for it.
struct TableFolding {
  bool lower_case = true;  ///< letters below U+0800: Latin, Greek, Cyrillic, Armenian
  /// Blanks and punctuation (U+00A0..BF but for the letters among them, U+00D7, U+00F7,
  /// U+2000..206F, U+3000..303F) are no part of words.
  bool marks_end_words = true;
};

/// Folds a text in place; `in_word` has a bit for each byte, set for those that are part of words.
/// Bytes that are no UTF-8 stay.
void fold_by_tables(std::span<unsigned char> text, std::span<std::uint64_t> in_word,
                    TableFolding folding);

}  // namespace frugal::sparse
