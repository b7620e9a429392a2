#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// Treatment of punctuation and symbols outside ASCII. Blanks outside ASCII always become a space.
enum class UnicodeMarks {
  blanks,   ///< replaced by a space; pictographs() returns the pictographs among them
  words,    ///< surrounded by spaces, unless they fold to ASCII, so that each becomes a word
  letters,  ///< kept, as parts of words
};

struct UnicodeRules {
  /// NFKC, in which full width forms, ligatures and superscripts equal plain characters; else NFC.
  bool compatible = true;
  bool lower_case = true;  ///< full case folding; the dotted and the dotless i of Turkish become i
  UnicodeMarks marks = UnicodeMarks::blanks;
};

/// Normalises text, so that equivalent spellings of a word become the same bytes. It applies a
/// normal form and case folding, and removes invisible characters such as soft hyphens and joiners.
/// ASCII characters and bytes that are not valid UTF-8 are not changed. Not thread-safe: each
/// thread needs its own object.
class UnicodeFolding {
 public:
  struct Pictograph {
    std::array<unsigned char, 12> bytes{};  ///< the character in UTF-8, then zeros
    std::size_t size = 0;                   ///< bytes of the character
  };

  explicit UnicodeFolding(const UnicodeRules& rules);

  /// Returns the normalised text. The result and pictographs() are valid until the next call.
  std::string_view fold(std::string_view text);
  /// Emoji and other pictographs of the last text, which UnicodeMarks::blanks replaced by spaces;
  /// callers can still use them as words.
  const std::vector<Pictograph>& pictographs() const { return pictographs_; }

 private:
  /// Result for one character, if its neighbours do not change it.
  struct Folded {
    std::array<unsigned char, 6> bytes{};
    std::uint8_t size = 0;
    std::uint8_t kind = 0;
  };
  using Page = std::array<Folded, 256>;

  Folded make(std::int32_t c) const;
  const Folded& folded(std::int32_t c);
  void append(std::string_view bytes);
  void append(std::int32_t c, const Folded& f);
  void append_normal(std::string_view text);
  std::size_t end_of_marks(std::string_view text, std::size_t at);

  UnicodeRules rules_;
  /// Results for the Basic Multilingual Plane, in pages that are filled at their first use.
  std::vector<std::unique_ptr<Page>> pages_;
  Folded beyond_;  ///< result for the most recent character outside that plane
  std::vector<unsigned char> out_;
  std::size_t size_ = 0;  ///< bytes of out_ in use
  std::vector<std::int32_t> characters_;
  std::vector<Pictograph> pictographs_;
};

}  // namespace frugal
