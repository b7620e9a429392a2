#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/text.h"
#include "tools/sparse-train/data/table_folding.h"
#include "tools/sparse-train/text/number_bins.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

std::string lowered(std::string text) {
  std::vector<unsigned char> bytes(text.begin(), text.end());
  std::vector<std::uint64_t> bits(text.size() / 64 + 1, ~std::uint64_t{0});
  fold_by_tables(bytes, bits, {});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if ((bits[i / 64] >> (i % 64) & 1) == 0) bytes[i] = ' ';
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("numbers are finite or missing, anything else is none") {
  CHECK(*parse_value(" 2.5 ", ',') == 2.5);
  CHECK(*parse_value("+3", ',') == 3);
  for (const char* missing : {"", "  ", "NA", "?", "nan", "\\N", "null", "-", "<NA>"})
    CHECK(std::isnan(*parse_value(missing, ',')));
  for (const char* bad : {"inf", "-inf", "2,5", "x"}) CHECK(!parse_value(bad, ','));
  CHECK(*parse_value("2,5", ';') == 2.5);
}

TEST_CASE("bins hold equally many examples, and say what they hold") {
  std::vector<double> values;
  for (int i = 0; i < 3200; ++i) values.push_back((i * 7) % 3200);
  const auto bins = NumberBins::learn("x", values);
  REQUIRE(bins.edges().size() == 31);
  CHECK(bins.edges()[0] == 100);
  std::vector<int> counts(bins.num_features());
  for (const double value : values) {
    std::vector<std::uint32_t> features;
    bins.append_features(value, features);
    REQUIRE(features.size() == 2);
    for (const auto f : features) ++counts[f];
  }
  for (std::size_t f = 0; f < 32; ++f) CHECK(counts[f] == 100);
  for (std::size_t f = 32; f < 40; ++f) CHECK(counts[f] == 400);
  CHECK(bins.name(0) == "x < 100");
  CHECK(bins.name(1) == "x in [100, 200)");
  CHECK(bins.name(31) == "x >= 3100");
  CHECK(bins.name(33) == "x in [400, 800)");
  CHECK(bins.name(40) == "x missing");
}

TEST_CASE("numbers beyond the digits of a float are told apart") {
  const auto bins = NumberBins::learn("time", {1709211900, 1709211901, 1709211902, 1709211903});
  CHECK(bins.edges() == std::vector<double>{1709211901, 1709211902, 1709211903});
  CHECK(bins.name(1) == "time in [1709211901, 1709211902)");
}

TEST_CASE("few distinct numbers and none at all have few bins") {
  CHECK(NumberBins::learn("x", {0, 1, 0, 1, 1}).edges() == std::vector<double>{1});
  CHECK(NumberBins::learn("x", {5, 5, 5}).num_features() == 3);
  CHECK(NumberBins::learn("x", {}).name(0) == "x there");
}

TEST_CASE("a sample of many numbers keeps their quantiles and memory small") {
  NumberSample sample(2);
  std::vector<double> numbers;
  for (int i = 0; i < 3 << 19; ++i) {
    numbers.push_back(i);
    numbers.push_back(-1);
  }
  sample.add(numbers);
  CHECK(sample.column(0).size() < 1 << 20);
  CHECK(sample.column(0)[1] == 2);
  CHECK(sample.column(1)[5] == -1);
}

TEST_CASE("models of earlier versions fold letters beyond ASCII by tables") {
  CHECK(lowered("ÄÖÜ ßÉ ŁÓŹ") == "äöü ßé łóź");
  CHECK(lowered("ΑΘΉΝΑ МОСКВА Ё Ђ Ž ž Ÿ") == "αθήνα москва ё ђ ž ž ÿ");
  CHECK(lowered("“a” – b…\u00a0c") == "   a        b     c");
  CHECK(lowered("日本、東京") == "日本   東京");
  CHECK(lowered("x\xff\xc3") == "x\xff\xc3");
}

TEST_CASE("the first byte that is no text is found wherever it stands") {
  const std::string text = "plain text, naïve – 日本";
  CHECK(find_non_text(text) == std::string::npos);
  for (std::size_t i = 0; i <= 12; ++i) {
    for (const char bad : {'\0', '\xff', '\x80'}) {
      std::string with = text;
      with.insert(i, 1, bad);
      CHECK(find_non_text(with) == i);
    }
  }
  CHECK(find_non_text("\xe6\x97") == 0);
}
