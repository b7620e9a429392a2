#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::sparse {

// Values of FeatureOptions that leave the choice to a search through the data; min_count: 0. They
// are made definite (with_default_ngrams(), text_search.h) before a Featurizer sees them.
inline constexpr int kNgramsByData = -1;
inline constexpr std::string_view kCharsByData = "auto";
/// Default of --min-count without a search: n-grams of a single example only cost time.
inline constexpr int kDefaultMinCount = 2;

/// How inputs become features; stored in the model, so that predict needs nothing else.
struct FeatureOptions {
  std::string format = "auto";  ///< a name of example_formats(), or auto
  std::string columns;          ///< CSV/TSV: types of the columns, see parse_columns(); or
  std::string text_columns;  ///< CSV/TSV: names or 1-based numbers, comma-separated; "" = all but
                             ///< the label's
  std::string label_column;  ///< CSV/TSV: name or number; "" = the first
  std::string label_separator;     ///< splits the label field into several labels; "" = one label
  std::string header = "auto";     ///< CSV/TSV first line names the columns: auto, yes, no
  std::string separator = "auto";  ///< CSV/TSV between columns: auto, tab or a character
  std::string label_prefix = "__label__";  ///< fastText format
  /// How a text falls into words: words = runs of letters, digits, '_' and bytes from 0x80 on;
  /// punctuation = these, and every other mark is a word of its own; spaces = what stands between
  /// white space (as fastText does).
  std::string tokenizer = "words";
  int word_ngrams = 2;  ///< 0..5: all n-grams up to this length
  /// With word_ngrams > 1, the start of a text counts as a word: its first words are features of
  /// their own. On WordNet's glosses ("cause to ...", "the act of ...") 77.8 % right instead
  /// of 74.0.
  bool text_start = false;
  std::string char_ngrams;  ///< "3:6": n-grams of these numbers of characters inside words
  bool lower_case = true;   ///< upper and lower case are one
  /// Which spellings of characters are one (UnicodeFolding): nfkc or nfc; "" in models of earlier
  /// versions, which have fold_utf8: tables, or bytes from 0x80 on are letters.
  std::string normal_form = "nfkc";
  bool fold_utf8 = true;
  std::string encoding = "utf-8";     ///< what text must be; bytes = anything
  int min_count = 1;                  ///< n-grams in fewer training examples are dropped
  std::uint32_t max_features = 0;     ///< keep the n-grams in the most examples; 0 = all
  std::vector<std::string> for_text;  ///< names of options that were given and go with text
  /// Value of a feature that occurs tf times (text) or has the value tf (XMC, svmlight) in an
  /// example: none = 1 (text) or tf; count = tf; log = ln(1 + tf); tfidf = ln(1 + tf) * idf, each
  /// example scaled to length 1, idf = 1 + ln((1 + examples) / (1 + examples that have the
  /// feature)).
  /// auto = tfidf for text (on 20 Newsgroups 84 % of the test set right instead of 77 %), none for
  /// features that come with values.
  std::string weighting = "none";
  /// Bits of the hash of an n-gram, which is its feature: see Featurizer::shorten_hashes().
  int hash_bits = 64;
  /// Weights of examples in training: none; balanced = all labels weigh alike; a column of the
  /// table; or a file of labels and their weights (example_weights.h). Not stored.
  std::string weights = "none";
  std::uint64_t skip_bad = 0;  ///< bad lines to pass over before giving up
  /// Bytes of examples in memory, the rest goes to a file; nothing = half of what is left. Not
  /// stored.
  std::optional<std::uint64_t> max_memory;
  std::string cache_dir;  ///< folder of that file; "" = temporary_folder(). Not stored.
  bool quiet = false;     ///< no warnings of what looks wrong in the data. Not stored.
};

}  // namespace frugal::sparse
