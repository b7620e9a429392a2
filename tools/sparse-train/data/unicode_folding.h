#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::sparse {

/// Treatment of punctuation, symbols and blanks beyond ASCII.
enum class UnicodeMarks {
  blanks,   ///< a blank; pictographs are listed apart
  words,    ///< words of their own; blanks beyond ASCII become one
  letters,  ///< what they are; blanks beyond ASCII become one
};

struct UnicodeRules {
  bool compatible = true;  ///< NFKC (full width, ligatures, superscripts are plain), else NFC
  bool lower_case = true;  ///< full case folding; the i of Turkish, dotted or not, is i
  UnicodeMarks marks = UnicodeMarks::blanks;
};

/// Gives spellings of a word that mean the same the same bytes: normal form, case, no soft hyphens,
/// joiners or other characters that are not seen. ASCII and bytes that are no UTF-8 stay. One
/// object for each thread.
class UnicodeFolding {
 public:
  struct Pictograph {
    std::array<unsigned char, 12> bytes{};  ///< the character in UTF-8, and room behind it
    std::size_t size = 0;
  };

  explicit UnicodeFolding(const UnicodeRules& rules);

  /// Valid until the next call, as is pictographs().
  std::string_view fold(std::string_view text);
  /// Emoji and the like in the last text, which are no blanks to their writers.
  const std::vector<Pictograph>& pictographs() const { return pictographs_; }

 private:
  /// Result for a character that depends on none beside it.
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
  std::vector<std::unique_ptr<Page>> pages_;  ///< of the Basic Multilingual Plane, made when met
  Folded beyond_;                             ///< of the last character beyond it
  std::vector<unsigned char> out_;
  std::size_t size_ = 0;  ///< bytes of out_ in use
  std::vector<std::int32_t> characters_;
  std::vector<Pictograph> pictographs_;
};

}  // namespace frugal::sparse
