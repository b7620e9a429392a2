#include "tools/sparse-train/text/short_hashes.h"

#include <algorithm>
#include <bit>

#include "libcore/base/error.h"

namespace frugal::sparse {
namespace {

constexpr int kSpareBits = 8;
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;

/// Newton's iteration doubles the number of right bits, of which an odd number has three.
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}
constexpr std::uint64_t kGather = inverse_of(kSpread);
static_assert(kSpread * kGather == 1);

}  // namespace

int short_hash_bits(std::size_t count) {
  return std::min(kWholeHash, static_cast<int>(std::bit_width(count)) + kSpareBits);
}

std::uint64_t short_hash(std::uint64_t hash, int bits) {
  return bits == kWholeHash ? hash : (hash >> (kWholeHash - bits)) * kSpread;
}

std::vector<std::uint8_t> pack_hashes(std::span<const std::uint64_t> hashes, int bits) {
  const auto width = static_cast<std::size_t>(bits);
  std::vector<std::uint8_t> bytes((hashes.size() * width + 7) / 8);
  std::size_t at = 0;
  for (const std::uint64_t hash : hashes) {
    const std::uint64_t value = hash * kGather;
    for (std::size_t i = 0; i < width; ++i, ++at) {
      bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | (value >> i & 1) << at % 8);
    }
  }
  return bytes;
}

std::vector<std::uint64_t> unpack_hashes(std::span<const std::uint8_t> bytes, std::size_t count,
                                         int bits) {
  const auto width = static_cast<std::size_t>(bits);
  if (bits < 1 || bits >= kWholeHash || bytes.size() != (count * width + 7) / 8) {
    fail(ExitStatus::bad_input, "model: has ", bytes.size(), " bytes of hashes, expected ", count,
         " hashes of ", bits, " bits, fewer than ", kWholeHash);
  }
  std::vector<std::uint64_t> hashes(count);
  std::size_t at = 0;
  for (std::uint64_t& hash : hashes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i, ++at) {
      value |= static_cast<std::uint64_t>(bytes[at / 8] >> at % 8 & 1) << i;
    }
    hash = value * kSpread;
  }
  return hashes;
}

}  // namespace frugal::sparse
