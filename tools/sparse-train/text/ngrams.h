#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tables/unicode_folding.h"
#include "tools/sparse-train/data/feature_options.h"
#include "tools/sparse-train/data/table_folding.h"

namespace frugal::sparse {

/// Value of --char-ngrams "A:B": lengths in characters.
struct CharNgrams {
  std::size_t shortest = 0;
  std::size_t longest = 0;  ///< 0 = none
};
/// Parses "" (none), "3:6" or "4". Fails (usage) on anything else.
CharNgrams parse_char_ngrams(std::string_view text);

/// Most words in an n-gram.
inline constexpr std::size_t kMaxNgrams = 5;

/// Converts texts to hashes of word n-grams and of character n-grams inside words: each distinct
/// feature of an example once, in the order of first occurrence, with its number of occurrences.
/// Each thread needs its own object.
class NgramHasher {
 public:
  /// Uses tokenizer, word_ngrams, char_ngrams, lower_case, normal_form and fold_utf8. Fails (usage)
  /// on unknown values.
  explicit NgramHasher(const FeatureOptions& options);

  /// Starts a new example; the spans below become invalid.
  void clear();
  /// Adds the n-grams of a text. N-grams do not span two texts.
  void add(std::string_view text);
  /// Adds a feature that is not an n-gram.
  void add_feature(std::uint64_t hash, std::string_view name = {});

  std::span<const std::uint64_t> hashes() const { return {hashes_.data(), size_}; }
  std::span<const std::uint32_t> counts() const { return {counts_.data(), size_}; }

  /// From now on, names() returns the name of each feature: "new york", "chars:<ne".
  void keep_names() { keeps_names_ = true; }
  bool keeps_names() const { return keeps_names_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Slot {
    std::uint32_t tag;     ///< highest bits of the hash
    std::uint32_t number;  ///< position + first_number_; below first_number_: the slot is free
  };

  bool classify(std::string_view text);
  void add_words(std::string_view text);
  void add_pictographs();
  void begin_text();
  void add_marks(std::string_view gap);
  void add_word(std::uint64_t hash, std::string_view word);
  void add_word_ngrams(std::uint64_t hash);
  void add_word_names(std::string_view word);
  void add_char_ngrams(std::string_view word);
  bool add_ngram(std::uint64_t hash);
  void free_slots();
  void grow();

  std::size_t max_ngrams_;
  CharNgrams chars_;
  bool has_start_;        ///< a text begins with a virtual word, which is not a feature by itself
  bool has_marks_;        ///< punctuation marks are words
  bool splits_at_marks_;  ///< words are of letters, digits, _ and bytes beyond ASCII
  bool lower_case_;
  std::optional<UnicodeFolding> folding_;   ///< folding of characters beyond ASCII
  std::optional<TableFolding> tables_;      ///< alternative for models of earlier versions
  std::array<unsigned char, 256> lower_{};  ///< byte of a word as hashed, or 0: not part of a word
  std::array<bool, 256> is_mark_{};
  // The present text: its bytes as hashed, and a bit for each byte that is part of a word.
  std::vector<unsigned char> lowered_;
  std::vector<std::uint64_t> in_word_;

  std::array<std::uint64_t, kMaxNgrams>
      open_{};  ///< hashes of the n-grams that end at the last word
  std::size_t num_open_ = 0;
  std::vector<unsigned char> padded_;       ///< "<word>" and padding
  std::vector<std::uint32_t> char_begins_;  ///< beginnings of its characters, and its end
  std::vector<std::uint64_t> hashes_;       ///< the first size_ are in use
  std::vector<std::uint32_t> counts_;
  std::size_t size_ = 0;
  /// A power of two. An example uses the first mask_ + 1 of them, at least twice its features:
  /// short examples stay in the fastest cache after a long one.
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::uint32_t first_number_ = 1;
  bool keeps_names_ = false;
  std::vector<std::string> names_;
  std::array<std::string, kMaxNgrams> open_names_;
};

}  // namespace frugal::sparse
