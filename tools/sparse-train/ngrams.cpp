#include "tools/sparse-train/ngrams.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"

namespace frugal {
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

/// Hash of a word followed by at least 8 zero bytes. The general hash_bytes() takes twice as long
/// for words of five letters; the construction (fold of word and state, length in the seed) is
/// wyhash's.
std::uint64_t hash_word(const unsigned char* bytes, std::size_t size) {
  std::uint64_t state = 0x9e3779b97f4a7c15u ^ size * 0xd6e8feb86659fd93u;
  for (std::size_t i = 0; i < size; i += 8) {
    state = fold(state ^ load_little_endian(bytes + i), 0xa0761d6478bd642fu);
  }
  return fold(state ^ 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u);
}

bool is_letter_or_digit(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// What fastText's dictionary takes for white space, and NUL.
bool is_white_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0; }

}  // namespace

NgramHasher::NgramHasher(const FeatureOptions& options)
    : max_ngrams_(static_cast<std::size_t>(options.word_ngrams)) {
  if (options.word_ngrams < 1 || max_ngrams_ > kMaxNgrams) {
    fail(ExitStatus::usage, "--word-ngrams is ", options.word_ngrams, ", expected 1 to ",
         kMaxNgrams);
  }
  const bool spaces = options.tokenizer == "spaces";
  const bool punctuation = options.tokenizer == "punctuation";
  if (!spaces && !punctuation && options.tokenizer != "words") {
    fail(ExitStatus::usage, "--tokenizer is '", printable(options.tokenizer),
         "', expected words, punctuation or spaces");
  }
  for (int c = 0; c < 256; ++c) {
    const bool in_word =
        spaces ? !is_white_space(c) : is_letter_or_digit(c) || c == '_' || c >= 0x80;
    const bool upper = options.lower_case && c >= 'A' && c <= 'Z';
    const auto byte = static_cast<std::size_t>(c);
    lower_[byte] = static_cast<unsigned char>(in_word ? (upper ? c + 32 : c) : 0);
    is_mark_[byte] = punctuation && !in_word && c > ' ' && c < 0x7f;
  }
  slots_.resize(1024);
}

void NgramHasher::clear() {
  hashes_.clear();
  counts_.clear();
  num_open_ = 0;
  if (++example_ == 0) {
    slots_.assign(slots_.size(), Slot{});
    example_ = 1;
  }
}

void NgramHasher::grow() {
  slots_.assign(2 * slots_.size(), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t n = 0; n < hashes_.size(); ++n) {
    std::size_t i = hashes_[n] & mask;
    while (slots_[i].example == example_) i = (i + 1) & mask;
    slots_[i] = {hashes_[n], example_, static_cast<std::uint32_t>(n)};
  }
}

inline void NgramHasher::add_ngram(std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  for (; slots_[i].example == example_; i = (i + 1) & mask) {
    if (slots_[i].hash == hash) {
      ++counts_[slots_[i].position];
      return;
    }
  }
  slots_[i] = {hash, example_, static_cast<std::uint32_t>(hashes_.size())};
  hashes_.push_back(hash);
  counts_.push_back(1);
  if (hashes_.size() * 2 > slots_.size()) grow();
}

/// open_[n] is the hash of the (n + 1)-gram that ends at the last word: each grows by the new word.
inline void NgramHasher::add_word(std::uint64_t hash) {
  const std::size_t longest = std::min(num_open_ + 1, max_ngrams_);
  for (std::size_t n = longest - 1; n > 0; --n) open_[n] = hash_combine(open_[n - 1], hash);
  open_[0] = hash;
  num_open_ = longest;
  for (std::size_t n = 0; n < longest; ++n) add_ngram(open_[n]);
}

void NgramHasher::add(std::string_view text) {
  num_open_ = 0;
  if (word_.size() < text.size() + 16) word_.resize(text.size() + 16);
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at != end) {
    std::size_t size = 0;
    for (; at != end && lower_[*at] != 0; ++at) word_[size++] = lower_[*at];
    if (size != 0) {
      std::memset(&word_[size], 0, 8);
      add_word(hash_word(word_.data(), size));
    }
    if (at == end) break;
    if (is_mark_[*at]) {
      std::array<unsigned char, 16> mark{*at};
      add_word(hash_word(mark.data(), 1));
    }
    ++at;
  }
}

}  // namespace frugal
