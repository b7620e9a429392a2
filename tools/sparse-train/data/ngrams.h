#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/sparse-train/data/featurizer.h"

namespace frugal {

/// Turns texts into hashes of word n-grams: each distinct n-gram of an example once, in the order
/// of first occurrence, with the number of its occurrences. One object for each thread.
class NgramHasher {
 public:
  /// Uses tokenizer, word_ngrams and lower_case; fails (usage) on values that do not exist.
  explicit NgramHasher(const FeatureOptions& options);

  /// Starts a new example; the spans below become invalid.
  void clear();
  /// Adds the n-grams of a text; n-grams do not reach from one text into the next.
  void add(std::string_view text);

  std::span<const std::uint64_t> hashes() const { return {hashes_.data(), size_}; }
  std::span<const std::uint32_t> counts() const { return {counts_.data(), size_}; }

 private:
  static constexpr std::size_t kMaxNgrams = 5;
  struct Slot {
    std::uint64_t hash;
    std::uint32_t example;  ///< the slot is free unless this is the current example
    std::uint32_t position;
  };

  void classify(std::string_view text);
  void add_marks(std::string_view gap);
  void add_word(std::uint64_t hash);
  void add_ngram(std::uint64_t hash);
  void grow();

  std::size_t max_ngrams_;
  bool has_marks_;                        ///< punctuation marks are words
  std::array<unsigned char, 256> lower_;  ///< byte of a word as hashed, or 0: not part of a word
  std::array<bool, 256> is_mark_;
  // Of the text at hand: its bytes as hashed, and a bit for each that is part of a word.
  std::vector<unsigned char> lowered_;
  std::vector<std::uint64_t> in_word_;

  std::array<std::uint64_t, kMaxNgrams>
      open_{};  ///< hashes of the n-grams that end at the last word
  std::size_t num_open_ = 0;
  std::vector<std::uint64_t> hashes_;  ///< the first size_ are in use
  std::vector<std::uint32_t> counts_;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;  ///< twice as many as hashes_ has room for
  std::uint32_t example_ = 1;
};

}  // namespace frugal
