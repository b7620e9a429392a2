#include "tools/sparse-train/text/ngrams.h"

#include <doctest/doctest.h>

#include <set>

#include "libcore/base/text.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Hashes = std::vector<std::uint64_t>;

FeatureOptions options_of(const std::string& tokenizer, int word_ngrams, bool lower_case = true) {
  FeatureOptions options;
  options.tokenizer = tokenizer;
  options.word_ngrams = word_ngrams;
  options.lower_case = lower_case;
  return options;
}

Hashes hashes_of(std::string_view text, const FeatureOptions& options) {
  NgramHasher hasher(options);
  hasher.clear();
  hasher.add(text);
  return {hasher.hashes().begin(), hasher.hashes().end()};
}

std::vector<std::string> names_of(const std::string& text, const FeatureOptions& options) {
  NgramHasher hasher(options);
  hasher.keep_names();
  hasher.clear();
  hasher.add(text);
  return hasher.names();
}

std::size_t num_words(std::string_view text, const std::string& tokenizer) {
  NgramHasher hasher(options_of(tokenizer, 1));
  hasher.clear();
  hasher.add(text);
  std::size_t total = 0;
  for (const auto count : hasher.counts()) total += count;
  return total;
}

}  // namespace

TEST_CASE("words are runs of letters, digits, underscores and bytes from 0x80 on") {
  const auto words = options_of("words", 1);
  CHECK(hashes_of("It's a C++ test_case, no. 12!", words) ==
        hashes_of("it s a c test_case no 12", words));
  CHECK(hashes_of("naïve \xff\xfe", words).size() == 2);
  CHECK(hashes_of("", words).empty());
  CHECK(hashes_of(" .,;\t\r\n", words).empty());
  CHECK(hashes_of(std::string("a\0b", 3), words) == hashes_of("a b", words));
}

TEST_CASE("each tokenizer has its own view of punctuation") {
  CHECK(num_words("No, (really)!", "words") == 2);
  CHECK(num_words("No, (really)!", "punctuation") == 6);
  CHECK(num_words("No, (really)!", "spaces") == 2);
  CHECK(hashes_of("a, b", options_of("spaces", 1)) != hashes_of("a b", options_of("spaces", 1)));
  CHECK(hashes_of("a \v\f\r b", options_of("spaces", 1)) ==
        hashes_of("a b", options_of("spaces", 1)));
}

TEST_CASE("upper and lower case are one only if asked") {
  CHECK(hashes_of("ABC Z", options_of("words", 2)) == hashes_of("abc z", options_of("words", 2)));
  CHECK(hashes_of("ABC", options_of("words", 1, false)) !=
        hashes_of("abc", options_of("words", 1, false)));
}

TEST_CASE("n-grams depend on order and length and stand where they end") {
  const auto two = options_of("words", 2);
  const auto one = options_of("words", 1);
  const Hashes ab = hashes_of("a b", two);
  REQUIRE(ab.size() == 3);
  CHECK(ab[0] == hashes_of("a", one)[0]);
  CHECK(ab[1] == hashes_of("b", one)[0]);
  CHECK(ab[2] != hashes_of("b a", two)[2]);
  CHECK(hashes_of("a b c d e f", options_of("words", 5)).size() == 6 + 5 + 4 + 3 + 2);
  NgramHasher hasher(two);
  hasher.clear();
  hasher.add("a");
  hasher.add("b");
  CHECK(hasher.hashes().size() == 2);  // no bigram from one text into the next
}

TEST_CASE("the start of a text is a word of n-grams, and no feature alone") {
  auto options = options_of("words", 2);
  options.text_start = true;
  const Hashes marked = hashes_of("a b", options);
  REQUIRE(marked.size() == 4);  // a, "^ a", b, "a b"
  const Hashes plain = hashes_of("a b", options_of("words", 2));
  CHECK(Hashes{marked[0], marked[2], marked[3]} == plain);
  CHECK(hashes_of("c a b", options)[1] != marked[1]);
  CHECK(hashes_of("", options).empty());
  options.word_ngrams = 1;
  CHECK(hashes_of("a b", options) == hashes_of("a b", options_of("words", 1)));
  options.word_ngrams = 3;
  NgramHasher hasher(options);
  hasher.keep_names();
  hasher.add("a b");
  CHECK(hasher.names() == std::vector<std::string>{"a", "^ a", "b", "a b", "^ a b"});
}

TEST_CASE("an n-gram of an example is listed once, with its count") {
  NgramHasher hasher(options_of("words", 2));
  for (int round = 0; round < 3; ++round) {
    hasher.clear();
    hasher.add("to be or not to be");
    const auto counts = hasher.counts();
    CHECK(std::vector<std::uint32_t>(counts.begin(), counts.end()) ==
          std::vector<std::uint32_t>{2, 2, 2, 1, 1, 1, 1, 1});
  }
}

TEST_CASE("hundreds of thousands of words have distinct hashes with unbiased bits") {
  NgramHasher hasher(options_of("words", 1));
  hasher.clear();
  std::string text;
  const int n = 300000;
  for (int i = 0; i < n; ++i) text += "w" + std::to_string(i) + " ";
  hasher.add(text);
  CHECK(hasher.hashes().size() == n);
  for (int bit = 0; bit < 64; ++bit) {
    int ones = 0;
    for (const std::uint64_t hash : hasher.hashes()) ones += static_cast<int>(hash >> bit & 1);
    CHECK(std::abs(ones - n / 2) < 5 * 274);  // five standard deviations
  }
}

TEST_CASE("words that differ in one byte or in length differ in their hash") {
  std::set<std::uint64_t> seen;
  std::size_t words = 0;
  for (std::size_t size = 1; size < 40; ++size) {
    std::string word(size, 'a');
    for (std::size_t i = 0; i < size; ++i, ++words) {
      std::string other = word;
      other[i] = 'b';
      seen.insert(hashes_of(other, options_of("spaces", 1))[0]);
    }
    seen.insert(hashes_of(word, options_of("spaces", 1))[0]);
    ++words;
  }
  CHECK(seen.size() == words);
}

TEST_CASE("hashes are the same on every machine (computed by the formula in Python)") {
  const Hashes hashes = hashes_of("Frugal machinery", options_of("words", 2));
  CHECK(hashes == Hashes{0x59deff5df482f18du, 0x5ac808515036a9e1u, 0xd8e6dc61b1060a4eu});
}

TEST_CASE("options that do not exist are named") {
  CHECK(error_of([] { NgramHasher(options_of("words", 0)); }) ==
        "2 --word-ngrams is 0, expected --char-ngrams with it");
  CHECK(error_of([] { NgramHasher(options_of("words", 6)); }) ==
        "2 --word-ngrams is 6, expected 0 to 5");
  CHECK(error_of([] { NgramHasher(options_of("word", 1)); }) ==
        "2 --tokenizer is 'word', expected words, punctuation or spaces");
  auto damaged = options_of("words", 1);
  damaged.normal_form = "nfx";
  CHECK(error_of([&] { NgramHasher{damaged}; }) ==
        "2 --normal-form is 'nfx', expected nfc or nfkc");
}

TEST_CASE("character n-grams are those of the word with its ends marked") {
  FeatureOptions options = options_of("words", 0);
  options.char_ngrams = "3:4";
  NgramHasher hasher(options);
  hasher.keep_names();
  hasher.clear();
  hasher.add("Püñ a");
  CHECK(hasher.names() == std::vector<std::string>{"chars:<pü", "chars:<püñ", "chars:püñ",
                                                   "chars:püñ>", "chars:üñ>", "chars:<a>"});
  CHECK(hasher.hashes().size() == hasher.names().size());
  options.word_ngrams = 1;
  CHECK(hashes_of("abc abc", options).size() == 1 + 3 + 2);  // abc; <ab abc bc>; <abc abc>
  CHECK(error_of([&] { parse_char_ngrams("4:3"); }) ==
        "2 --char-ngrams is '4:3', expected two lengths from 1 to 20 like 3:6");
  CHECK(error_of([&] { parse_char_ngrams("x"); }).starts_with("2 --char-ngrams is 'x'"));
  CHECK(parse_char_ngrams("3").longest == 3);
}

TEST_CASE("a mark of any script ends a word and leaves it as it is") {
  const auto words = options_of("words", 2);
  for (const auto& [word, marks] : {std::pair{"你好", "，！？：；（。、"},
                                    {"كتاب", "،؟؛۔"},
                                    {"किताब", "।॥"},
                                    {"בית", "־׃"},
                                    {"λέξη", "·\u037e"},
                                    {"ቃል", "።"},
                                    {"բառ", "։"},
                                    {"word", "…’“×"}}) {
    const std::string_view all = marks;
    for (std::size_t at = 0, size = 0; at < all.size(); at += size) {
      size = utf8_length(all.substr(at));
      const std::string mark(all.substr(at, size));
      CAPTURE(mark);
      CHECK(names_of(word + mark + "x", words) == names_of(std::string(word) + " x", words));
    }
  }
}

TEST_CASE("an emoji is a word of no pair, and a mark where marks are words") {
  using Names = std::vector<std::string>;
  CHECK(names_of("so good\u2764\ufe0f it is", options_of("words", 2)) ==
        Names{"so", "good", "so good", "it", "good it", "is", "it is", "\u2764"});
  CHECK(names_of("good😀。", options_of("punctuation", 1)) == Names{"good", "😀", "。"});
  CHECK(names_of("good😀 a。", options_of("spaces", 1)) == Names{"good😀", "a。"});
  auto chars = options_of("words", 0);
  chars.char_ngrams = "2";
  CHECK(names_of("a👍🏽", chars) == Names{"chars:<a", "chars:a>", "chars:<👍", "chars:👍>"});
}

TEST_CASE("models of earlier versions keep their folding") {
  auto tables = options_of("words", 1), bytes = tables;
  tables.normal_form = bytes.normal_form = "";
  bytes.fold_utf8 = false;
  CHECK(names_of("É，Ș–x", tables) == std::vector<std::string>{"é，Ș", "x"});
  CHECK(names_of("É，Ș–x", bytes) == std::vector<std::string>{"É，Ș–x"});
}

TEST_CASE("names follow the n-grams they stand for") {
  NgramHasher hasher(options_of("punctuation", 2));
  hasher.keep_names();
  hasher.clear();
  hasher.add("New York, new york");
  CHECK(hasher.names() ==
        std::vector<std::string>{"new", "york", "new york", ",", "york ,", ", new"});
  hasher.clear();
  for (const auto& [hash, name] : {std::pair{7U, "a"}, {8U, "b"}, {7U, "a"}, {9U, "c"}}) {
    hasher.add_feature(hash, name);
  }
  CHECK(hasher.names() == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("an example does not depend on the ones before it, however long") {
  const FeatureOptions options = options_of("words", 2);
  std::string text;
  for (int i = 0; i < 9000; ++i) text += "w" + std::to_string(i * 7 % 5000) + " ";
  NgramHasher hasher(options);
  for (const std::size_t size : {60000U, 40U, 9000U, 60000U, 11U}) {
    const std::string part = text.substr(0, size);
    hasher.clear();
    hasher.add(part);
    CHECK(Hashes(hasher.hashes().begin(), hasher.hashes().end()) == hashes_of(part, options));
    const Hashes all(hasher.hashes().begin(), hasher.hashes().end());
    CHECK(std::set<std::uint64_t>(all.begin(), all.end()).size() == all.size());
  }
}
