#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/graph/csr.h"

using namespace frugal;

namespace {

std::string csr_error(std::vector<EdgeId> offsets, std::vector<NodeId> neighbors,
                      std::uint64_t sources, bool sorted = true) {
  try {
    check_csr({offsets, neighbors}, sources, sorted, "g");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "none";
}

std::string times_error(std::vector<double> times) {
  const std::vector<EdgeId> offsets = {0, 2, 3};
  const std::vector<NodeId> neighbors = {0, 1, 0};
  try {
    check_times({offsets, neighbors}, times, "g");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a graph from a file is checked before anything trusts it") {
  CHECK(csr_error({0, 2, 2, 3}, {0, 2, 1}, 3) == "none");
  CHECK(csr_error({0}, {}, 0) == "none");
  CHECK(csr_error({}, {}, 0) == "g: offsets begin with nothing, expected 0");
  CHECK(csr_error({1, 2}, {0, 0}, 1) == "g: offsets begin with 1, expected 0");
  CHECK(csr_error({0, 3, 2, 3}, {0, 1, 2}, 3) ==
        "g: row 1 goes from offset 3 to 2, expected at most 2^32 - 1 edges of the 3");
  CHECK(csr_error({0, ~EdgeId{0}, 3}, {0, 1, 2}, 3) ==
        "g: row 0 goes from offset 0 to 18446744073709551615, expected at most 2^32 - 1 edges of "
        "the 3");
  CHECK(csr_error({0, 2}, {0, 1, 2}, 3) == "g: offsets end at 2, but there are 3 neighbors");
  CHECK(csr_error({0, 1, 3}, {0, 1, 7}, 3) ==
        "g: row 1 has neighbor 7, but there are 3 nodes, counted from 0");
  CHECK(csr_error({0, 3}, {0, 2, 1}, 3) ==
        "g: row 0 has neighbor 1 behind 2, expected ascending numbers");
  CHECK(csr_error({0, 3}, {0, 2, 1}, 3, false) == "none");
}

TEST_CASE("times that fall in a row, or are none, are refused") {
  CHECK(times_error({1, 2, 0}) == "none");
  CHECK(times_error({1, 2}) == "g: has 2 times of 3 edges");
  CHECK(times_error({2, 1, 0}) == "g: row 0 has time 1 behind 2, expected ascending numbers");
  CHECK(times_error({1, 2, std::nan("")}).substr(0, 18) == "g: row 1 has time ");
}
