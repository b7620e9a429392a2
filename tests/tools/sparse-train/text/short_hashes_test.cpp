#include "tools/sparse-train/text/short_hashes.h"

#include <doctest/doctest.h>

#include <set>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::sparse;

TEST_CASE("short hashes come back from their bits, and differ where those do") {
  Rng rng(1);
  for (const int bits : {1, 7, 8, 29, 63}) {
    std::vector<std::uint64_t> hashes;
    std::set<std::uint64_t> high, distinct;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t hash = rng.next();
      high.insert(hash >> (64 - bits));
      hashes.push_back(short_hash(hash, bits));
      distinct.insert(hashes.back());
    }
    CHECK(distinct.size() == high.size());
    const std::vector<std::uint8_t> bytes = pack_hashes(hashes, bits);
    CHECK(bytes.size() == (1000 * static_cast<std::size_t>(bits) + 7) / 8);
    CHECK(unpack_hashes(bytes, 1000, bits) == hashes);
  }
  CHECK(short_hash(12345, kWholeHash) == 12345);
  CHECK(pack_hashes({}, 20).empty());
}

TEST_CASE("bytes that do not hold the hashes that a model claims are refused") {
  const std::vector<std::uint8_t> bytes(10);
  CHECK(unpack_hashes(bytes, 8, 10).size() == 8);
  CHECK_THROWS_WITH_AS(unpack_hashes(bytes, 9, 10),
                       "model: has 10 bytes of hashes, expected 9 hashes of 10 bits, fewer than 64",
                       Error);
  for (const int bits : {-1, 0, 64, 1000}) CHECK_THROWS_AS(unpack_hashes(bytes, 1, bits), Error);
  CHECK_THROWS_AS(unpack_hashes(bytes, 4294967295U, 63), Error);
}

TEST_CASE("more features have longer hashes, up to whole ones") {
  CHECK(short_hash_bits(1) == 9);
  CHECK(short_hash_bits(1000000) == 28);
  CHECK(short_hash_bits(std::size_t{1} << 60) == kWholeHash);
}
