#include "libcore/tables/svmlight.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

using Ids = std::vector<std::uint32_t>;

SparseLine parsed(std::string_view line, std::uint64_t num_features = 100) {
  SparseLine out;
  parse_sparse_line(line, num_features, out);
  return out;
}

std::string line_problem(std::string_view line) {
  return error_of([&] { parsed(line); });
}

std::string label_problem(std::string_view text) {
  Ids ids;
  return error_of([&] { parse_label_ids(text, 10, ids); });
}

}  // namespace

TEST_CASE("an XMC header is three non-negative numbers") {
  const auto header = parse_xmc_header("12 34 56\r");
  REQUIRE(header);
  CHECK(header->points == 12);
  CHECK(header->features == 34);
  CHECK(header->labels == 56);
  for (const char* line :
       {"", "1 2", "1 2 3 4", "1 2 -3", "1 2 3:4", "a 2 3", "1,2 3 4", "1 99999999999 2"}) {
    CHECK(!parse_xmc_header(line));
  }
}

TEST_CASE("lines of XMC and svmlight are read, in any order of features") {
  SparseLine line = parsed("3,17 0:1 5:0.25 99:-1e-3");
  CHECK(line.labels == "3,17");
  CHECK(line.features == Ids{0, 5, 99});
  CHECK(line.values == std::vector<float>{1, 0.25f, -1e-3f});
  line = parsed("+1 qid:7 9:2 3:1\t4:.5 # a comment 7:7\r");
  CHECK(line.labels == "+1");
  CHECK(line.features == Ids{3, 4, 9});
  CHECK(line.values == std::vector<float>{1, 0.5f, 2});
  CHECK(parsed(" 1:1").labels == "");
  CHECK(parsed("1:1 2:1").labels == "");
  CHECK(parsed("1:1 2:1").features == Ids{1, 2});
  CHECK(parsed("4,5").features.empty());
  CHECK(parsed("4,5 ").labels == "4,5");
  CHECK(parsed("").features.empty());
}

TEST_CASE("values agree with strtof") {
  Rng rng(3, 0);
  for (int i = 0; i < 20000; ++i) {
    std::string text = rng.below(2) ? "-" : "";
    for (auto n = 1 + rng.below(6); n > 0; --n) text += static_cast<char>('0' + rng.below(10));
    if (rng.below(4)) {
      text += '.';
      for (auto n = 1 + rng.below(12); n > 0; --n) text += static_cast<char>('0' + rng.below(10));
    }
    if (rng.below(8) == 0) text += "e-" + std::to_string(rng.below(20));
    const float expected = std::strtof(text.c_str(), nullptr);
    const float got = parsed("0 1:" + text).values[0];
    CHECK_MESSAGE(std::abs(got - expected) <= 6e-8f * std::abs(expected), text);
  }
}

TEST_CASE("values of any number of decimals are right") {
  std::string zeros;
  for (int decimals = 1; decimals <= 20; ++decimals, zeros += '0') {
    for (const char* digits : {"1", "7"}) {
      const std::string text = "0." + zeros + digits;
      const float expected = std::strtof(text.c_str(), nullptr);
      CHECK_MESSAGE(parsed("0 1:" + text).values[0] == doctest::Approx(expected).epsilon(1e-6),
                    text);
      CHECK_MESSAGE(parsed("0 1:" + text).values[0] > 0.99f * expected, text);
    }
  }
}

TEST_CASE("features that cannot be say what was found and expected") {
  CHECK(line_problem("1 100:1") == "65 feature 100 is out of range, expected an id below 100");
  CHECK(line_problem("1 -5:1") == "65 found '-5:1', expected feature:value with a feature id >= 0");
  CHECK(line_problem("1 5") == "65 found '5', expected feature:value with a feature id >= 0");
  CHECK(line_problem("1 99999999999:1") ==
        "65 feature 99999999999 is too large, expected an id of at most 4294967295");
  CHECK(line_problem("1 4294967296:1") ==
        "65 feature 4294967296 is too large, expected an id of at most 4294967295");
  CHECK(line_problem("1 18446744073709551621:1") ==
        "65 feature 18446744073709551621 is too large, expected an id of at most 4294967295");
  CHECK(line_problem("1 4294967295:1") ==
        "65 feature 4294967295 is out of range, expected an id below 100");
  CHECK(line_problem("1 5:") == "65 found '5:', expected a number behind the colon");
  CHECK(line_problem("1 5:1x") == "65 found '5:1x', expected a number behind the colon");
  CHECK(line_problem("1 5:.") == "65 found '5:.', expected a number behind the colon");
  CHECK(line_problem("1 5:nan") == "65 found '5:nan', expected a finite value");
  CHECK(line_problem("1 5:-inf") == "65 found '5:-inf', expected a finite value");
  CHECK(line_problem("1 5:1 5:2") == "65 feature 5 stands twice in the line, expected it once");
  CHECK(line_problem("1 7:1 5:2 7:3") == "65 feature 7 stands twice in the line, expected it once");
}

TEST_CASE("label ids are sorted, merged and checked") {
  Ids ids{99};
  parse_label_ids("7,3,7,0", 10, ids);
  CHECK(ids == Ids{0, 3, 7});
  parse_label_ids("", 10, ids);
  CHECK(ids.empty());
  CHECK(label_problem("3,10") == "65 label 10 is out of range, expected an id below 10");
  CHECK(label_problem("3,99999999999") ==
        "65 label 99999999999 is too large, expected an id of at most 4294967295");
  for (const char* text : {"-1", "a", "1,", ",1", "1,,2", "1.5", "1;2"}) {
    CHECK(label_problem(text) ==
          "65 found '" + std::string(text) + "', expected label ids >= 0 separated by commas");
  }
}
