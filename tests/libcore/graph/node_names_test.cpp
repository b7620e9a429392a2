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

TEST_CASE("whole numbers of any size are written in one form") {
  for (const char* text : {"7", "+7", "007", "7.0", "7.", " 7 ", "+07.000"}) {
    CHECK(whole_number_text(text) == "7");
  }
  for (const char* text : {"0", "-0", "000", "0.0", "+0"}) CHECK(whole_number_text(text) == "0");
  CHECK(whole_number_text("-07.0") == "-7");
  CHECK(whole_number_text("1.2e+06") == "1200000");
  CHECK(!whole_number_text("1.2e+00"));
  CHECK(whole_number_text("018446744073709551617.0") == "18446744073709551617");
  for (const char* text : {"", ".", "+", "-.0", "7.5", "7e1", "+-7", "7 7", "x", "7.0.0", ".0"}) {
    CAPTURE(text);
    CHECK(!whole_number_text(text));
  }
}

TEST_CASE("names that are whole numbers become one where they are equal") {
  NodeNames names;
  for (const char* name : {"10", "7.0", "07", "010", "8"}) names.number(name);
  CHECK(names.merge_whole() == std::vector<NodeId>{0, 1, 1, 0, 2});
  REQUIRE(names.size() == 3);
  CHECK(names.name(1) == "7");
  CHECK(names.find("10") == NodeId{0});
  CHECK(names.merge_whole().empty());
  names.number("x");
  names.number("08");
  CHECK(names.merge_whole().empty());
  CHECK(names.size() == 5);
}
