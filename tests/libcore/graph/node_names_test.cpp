#include "libcore/graph/node_names.h"

#include <doctest/doctest.h>

#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"

using namespace frugal;

namespace {

std::string bytes_of(std::uint64_t first, std::uint64_t second) {
  std::string bytes(16, '\0');
  std::memcpy(bytes.data(), &first, 8);
  std::memcpy(bytes.data() + 8, &second, 8);
  return bytes;
}

}  // namespace

TEST_CASE("nodes are numbered by first appearance") {
  NodeNames names;
  CHECK(names.number("b") == 0);
  CHECK(names.number("a") == 1);
  CHECK(names.number("b") == 0);
  CHECK(names.size() == 2);
  CHECK(names.name(1) == "a");
  CHECK(names.find("a") == NodeId{1});
  CHECK(!names.find("c"));
}

// XXH3 of 16 bytes with halves a and b, and constants p and q of its secret, is a function of
// 16 + swap(a ^ p) + (b ^ q) + fold((a ^ p) * (b ^ q)), so that halves (p, q ^ h) and
// (p ^ swap(h), q) have one hash.
TEST_CASE("two names of one hash are refused, not taken for one node") {
  const std::uint64_t p = 0x1f67b3b7a4a44072 ^ 0x78e5c0cc4ee679cb;
  const std::uint64_t q = 0x2172ffcc7dd05a82 ^ 0x8e2443f7744608b8;
  const std::uint64_t half = 0x0123456789abcdef;
  const std::string first = bytes_of(p, q ^ half),
                    second = bytes_of(p ^ __builtin_bswap64(half), q);
  REQUIRE(first != second);
  REQUIRE(hash_bytes(first) == hash_bytes(second));
  NodeNames names;
  names.number(first);
  CHECK_THROWS_AS(names.number(second), Error);
}
