#include "tools/sparse-train/text/ngrams.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"

namespace frugal::sparse {
namespace {

/// The two halves of a 128-bit product, folded: one multiplication mixes 64 bits with 64 bits.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load_little_endian(const unsigned char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// Hash of a word that has at least 8 readable bytes behind its end. The general hash_bytes() takes
/// twice as long for words of five letters; the construction (fold of word and state, length in the
/// seed) is wyhash's.
std::uint64_t hash_word(const unsigned char* bytes, std::size_t size,
                        std::uint64_t seed = 0x9e3779b97f4a7c15u) {
  std::uint64_t state = seed ^ size * 0xd6e8feb86659fd93u;
  for (; size > 8; size -= 8, bytes += 8) {
    state = fold(state ^ load_little_endian(bytes), 0xa0761d6478bd642fu);
  }
  const std::uint64_t last = load_little_endian(bytes) & (~std::uint64_t{0} >> (64 - 8 * size));
  return fold(fold(state ^ last, 0xa0761d6478bd642fu) ^ 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u);
}

/// Where the run of bits that includes `at` ends: the first position from `at` on whose bit is not
/// `value`.
std::size_t run_end(const std::vector<std::uint64_t>& bits, std::size_t at, bool value) {
  const std::uint64_t flip = value ? ~std::uint64_t{0} : 0;
  std::size_t word = at / 64;
  std::uint64_t rest = (bits[word] ^ flip) >> (at % 64);
  if (rest != 0) return at + static_cast<std::size_t>(std::countr_zero(rest));
  do {
    rest = bits[++word] ^ flip;
  } while (rest == 0);
  return word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
}

bool is_letter_or_digit(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// White space of fastText's dictionary, and NUL.
bool is_white_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0; }

/// Fills out[i] with byte i of 64 in lower case, or 0 where it is not part of a word, and returns a
/// bit for each that is. For words of letters, digits, _ and bytes beyond ASCII; a loop that the
/// compiler makes vector instructions of.
std::uint64_t classify_block(const unsigned char* bytes, bool lower_case, unsigned char* out) {
  const unsigned char to_lower = lower_case ? 32 : 0;
  alignas(64) std::array<unsigned char, 64> is_word{};
  for (std::size_t i = 0; i < 64; ++i) {
    const unsigned char c = bytes[i];
    const auto upper = static_cast<unsigned char>(c - 'A') < 26;
    const auto lower = static_cast<unsigned char>(c - 'a') < 26;
    const auto digit = static_cast<unsigned char>(c - '0') < 10;
    const auto in_word = static_cast<unsigned char>(upper | lower | digit | (c == '_') | (c >> 7));
    const auto folded = static_cast<unsigned char>(c + (upper ? to_lower : 0));
    is_word[i] = in_word;
    out[i] = in_word != 0 ? folded : 0;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    // The product brings the lowest bits of 8 bytes together in the highest byte.
    bits |= load_little_endian(&is_word[8 * i]) * 0x0102040810204080U >> 56 << (8 * i);
  }
  return bits;
}

constexpr std::uint64_t kCharSeed = 0x2d358dccaa6c78a5u;   // "ord" in "word" is not the word "ord"
constexpr std::uint64_t kStartHash = 0x8f58f7d45b2a6c31u;  // of the position before the first word
constexpr std::size_t kMostChars = 20;

constexpr std::size_t kFewestSlots = 4096;
/// Beyond it all slots are cleared: far enough from 2^32 for the features of one example.
constexpr std::uint32_t kMostNumbers = std::uint32_t{1} << 31;

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

bool begins_character(unsigned char byte) { return (byte & 0xC0U) != 0x80; }

}  // namespace

CharNgrams parse_char_ngrams(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const auto shortest = parse_number<std::uint32_t>(text.substr(0, colon));
  const auto longest = colon == std::string_view::npos
                           ? shortest
                           : parse_number<std::uint32_t>(text.substr(colon + 1));
  if (!shortest || !longest || *shortest < 1 || *shortest > *longest || *longest > kMostChars) {
    fail(ExitStatus::usage, "--char-ngrams is '", printable(text),
         "', expected two lengths from 1 to ", kMostChars, " like 3:6");
  }
  return {*shortest, *longest};
}

namespace {

/// Fails (usage) on options of words that mean nothing.
void check_words(const FeatureOptions& options) {
  if (options.word_ngrams < 0 || options.word_ngrams > static_cast<int>(kMaxNgrams)) {
    fail(ExitStatus::usage, "--word-ngrams is ", options.word_ngrams, ", expected 0 to ",
         kMaxNgrams);
  }
  if (options.word_ngrams == 0 && parse_char_ngrams(options.char_ngrams).longest == 0) {
    fail(ExitStatus::usage, "--word-ngrams is 0, expected --char-ngrams with it");
  }
  const std::string& tokenizer = options.tokenizer;
  if (tokenizer != "words" && tokenizer != "punctuation" && tokenizer != "spaces") {
    fail(ExitStatus::usage, "--tokenizer is '", printable(tokenizer),
         "', expected words, punctuation or spaces");
  }
  const std::string& form = options.normal_form;
  if (!form.empty() && form != "nfkc" && form != "nfc") {
    fail(ExitStatus::usage, "--normal-form is '", printable(form), "', expected nfc or nfkc");
  }
}

}  // namespace

NgramHasher::NgramHasher(const FeatureOptions& options)
    : max_ngrams_(static_cast<std::size_t>(options.word_ngrams)),
      chars_(parse_char_ngrams(options.char_ngrams)),
      has_start_(options.text_start && max_ngrams_ > 1),
      has_marks_(options.tokenizer == "punctuation"),
      splits_at_marks_(options.tokenizer != "spaces"),
      lower_case_(options.lower_case) {
  check_words(options);
  const bool is_spaces = options.tokenizer == "spaces";
  const std::string& form = options.normal_form;
  if (!form.empty()) {
    folding_.emplace(UnicodeRules{form == "nfkc", options.lower_case,
                                  is_spaces    ? UnicodeMarks::letters
                                  : has_marks_ ? UnicodeMarks::words
                                               : UnicodeMarks::blanks});
  } else if (options.fold_utf8) {
    tables_ = TableFolding{options.lower_case, !is_spaces};
  }
  for (int c = 0; c < 256; ++c) {
    const bool in_word =
        is_spaces ? !is_white_space(c) : is_letter_or_digit(c) || c == '_' || c >= 0x80;
    const bool upper = options.lower_case && c >= 'A' && c <= 'Z';
    const auto byte = static_cast<std::size_t>(c);
    lower_[byte] = static_cast<unsigned char>(in_word ? (upper ? c + 32 : c) : 0);
    is_mark_[byte] = has_marks_ && !in_word && c > ' ' && c < 0x7f;
  }
  slots_.resize(kFewestSlots);
  hashes_.resize(kFewestSlots / 2);
  counts_.resize(kFewestSlots / 2);
  mask_ = kFewestSlots - 1;
}

void NgramHasher::clear() {
  free_slots();
  size_ = 0;
  mask_ = kFewestSlots - 1;
  num_open_ = 0;
  names_.clear();
}

void NgramHasher::free_slots() {
  first_number_ += static_cast<std::uint32_t>(size_);
  if (first_number_ < kMostNumbers) return;
  slots_.assign(slots_.size(), Slot{});
  first_number_ = 1;
}

/// Doubles the slots that the example may use.
void NgramHasher::grow() {
  free_slots();
  mask_ = 2 * mask_ + 1;
  if (slots_.size() <= mask_) {
    slots_.resize(mask_ + 1);
    hashes_.resize(slots_.size() / 2);
    counts_.resize(slots_.size() / 2);
  }
  for (std::size_t n = 0; n < size_; ++n) {
    std::size_t i = hashes_[n] & mask_;
    while (slots_[i].number >= first_number_) i = (i + 1) & mask_;
    slots_[i] = {tag_of(hashes_[n]), first_number_ + static_cast<std::uint32_t>(n)};
  }
}

/// True if the example did not have it yet.
inline bool NgramHasher::add_ngram(std::uint64_t hash) {
  std::size_t i = hash & mask_;
  for (; slots_[i].number >= first_number_; i = (i + 1) & mask_) {
    const std::size_t position = slots_[i].number - first_number_;
    if (slots_[i].tag == tag_of(hash) && hashes_[position] == hash) {
      ++counts_[position];
      return false;
    }
  }
  slots_[i] = {tag_of(hash), first_number_ + static_cast<std::uint32_t>(size_)};
  hashes_[size_] = hash;
  counts_[size_] = 1;
  if (++size_ > mask_ / 2) grow();
  return true;
}

void NgramHasher::add_feature(std::uint64_t hash, std::string_view name) {
  if (add_ngram(hash) && keeps_names_) names_.emplace_back(name);
}

/// open_[n] is the hash of the (n + 1)-gram that ends at the last word: each grows by the new word.
inline void NgramHasher::add_word_ngrams(std::uint64_t hash) {
  const std::size_t longest = std::min(num_open_ + 1, max_ngrams_);
  for (std::size_t n = longest - 1; n > 0; --n) open_[n] = hash_combine(open_[n - 1], hash);
  open_[0] = hash;
  num_open_ = longest;
  for (std::size_t n = 0; n < longest; ++n) {
    if (add_ngram(open_[n]) && keeps_names_) names_.push_back(open_names_[n]);
  }
}

/// As add_word_ngrams(), for the names. Must be called before it.
void NgramHasher::add_word_names(std::string_view word) {
  for (std::size_t n = std::min(num_open_ + 1, max_ngrams_) - 1; n > 0; --n) {
    open_names_[n] = open_names_[n - 1] + " " + std::string(word);
  }
  open_names_[0] = word;
}

inline void NgramHasher::add_word(std::uint64_t hash, std::string_view word) {
  if (max_ngrams_ > 0) {
    if (keeps_names_) add_word_names(word);
    add_word_ngrams(hash);
  }
  if (chars_.longest > 0) add_char_ngrams(word);
}

/// Adds character n-grams of "<word>", except "<" and ">" alone, as fastText (Bojanowski et al.,
/// TACL 2017, section 3.2).
void NgramHasher::add_char_ngrams(std::string_view word) {
  padded_.assign(1, '<');
  padded_.insert(padded_.end(), word.begin(), word.end());
  padded_.push_back('>');
  const std::size_t size = padded_.size();
  padded_.resize(size + 8);
  char_begins_.clear();
  for (std::uint32_t i = 0; i < size; ++i) {
    if (begins_character(padded_[i]) || i == 0) char_begins_.push_back(i);
  }
  char_begins_.push_back(static_cast<std::uint32_t>(size));
  const std::size_t num_chars = char_begins_.size() - 1;
  for (std::size_t first = 0; first < num_chars; ++first) {
    for (std::size_t n = chars_.shortest; n <= chars_.longest && first + n <= num_chars; ++n) {
      if (n == 1 && (first == 0 || first + 1 == num_chars)) continue;
      const unsigned char* const at = &padded_[char_begins_[first]];
      const std::size_t length = char_begins_[first + n] - char_begins_[first];
      if (add_ngram(hash_word(at, length, kCharSeed)) && keeps_names_) {
        names_.push_back("chars:" + std::string(reinterpret_cast<const char*>(at), length));
      }
    }
  }
}

/// Fills lowered_ and in_word_; whether there is anything beyond ASCII. No branch depends on the
/// text: where words end cannot be predicted, and a loop that stops there costs as much as all the
/// rest.
bool NgramHasher::classify(std::string_view text) {
  const std::size_t num_blocks = text.size() / 64 + 1;
  if (in_word_.size() < num_blocks + 2) {
    in_word_.resize(num_blocks + 2);
    lowered_.resize(64 * (num_blocks + 1));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  unsigned any = 0;
  std::size_t block = 0;
  for (; splits_at_marks_ && 64 * (block + 1) <= text.size(); ++block) {
    unsigned char* const out = &lowered_[64 * block];
    in_word_[block] = classify_block(bytes + 64 * block, lower_case_, out);
    for (std::size_t i = 0; i < 64; ++i) any |= out[i];
  }
  for (; block < num_blocks; ++block) {
    const std::size_t size = std::min<std::size_t>(64, text.size() - 64 * block);
    unsigned char* const out = &lowered_[64 * block];
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = lower_[bytes[64 * block + i]];
      any |= out[i];
      bits |= static_cast<std::uint64_t>(out[i] != 0) << i;
    }
    in_word_[block] = bits;
  }
  // A word may end with the text: then a gap must follow, and a word must end any gap.
  in_word_[num_blocks] = 0;
  in_word_[num_blocks + 1] = ~std::uint64_t{0};
  return any >= 0x80;
}

void NgramHasher::begin_text() {
  num_open_ = has_start_ ? 1 : 0;
  open_[0] = kStartHash;
  if (keeps_names_) open_names_[0] = "^";
}

void NgramHasher::add(std::string_view text) {
  begin_text();
  const bool beyond_ascii = classify(text);
  if (!beyond_ascii || (!folding_ && !tables_)) return add_words(text);
  if (!folding_) {
    fold_by_tables({lowered_.data(), text.size()}, in_word_, *tables_);
    return add_words(text);
  }
  const std::string_view folded = folding_->fold(text);
  classify(folded);
  add_words(folded);
  add_pictographs();
}

/// They stand in no n-gram of words, so that one behind a word changes nothing of it.
void NgramHasher::add_pictographs() {
  for (const UnicodeFolding::Pictograph& p : folding_->pictographs()) {
    const std::string_view name{reinterpret_cast<const char*>(p.bytes.data()), p.size};
    if (max_ngrams_ > 0) add_feature(hash_word(p.bytes.data(), p.size), name);
    if (chars_.longest > 0) add_char_ngrams(name);
  }
}

void NgramHasher::add_words(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(run_end(in_word_, at, false), text.size());
    if (has_marks_) add_marks(text.substr(at, begin - at));
    if (begin == text.size()) break;
    at = run_end(in_word_, begin, true);
    const unsigned char* const word = &lowered_[begin];
    add_word(hash_word(word, at - begin), {reinterpret_cast<const char*>(word), at - begin});
  }
}

void NgramHasher::add_marks(std::string_view gap) {
  for (const char c : gap) {
    const std::array<unsigned char, 8> mark{static_cast<unsigned char>(c)};
    if (is_mark_[mark[0]]) add_word(hash_word(mark.data(), 1), {&c, 1});
  }
}

}  // namespace frugal::sparse
