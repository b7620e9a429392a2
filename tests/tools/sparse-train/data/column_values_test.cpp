#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/text.h"
#include "tools/sparse-train/data/table_folding.h"
#include "tools/sparse-train/text/number_features.h"

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

TEST_CASE("numbers reach steps that part them into equal groups, and names say which") {
  std::vector<double> values;
  for (int i = 0; i < 3200; ++i) values.push_back((i * 7) % 3200);
  const auto steps = NumberFeatures::learn("x", values, 32);
  REQUIRE(steps.edges().size() == 31);
  CHECK(steps.edges()[0] == 100);
  std::vector<int> counts(steps.num_features());
  for (const double value : values) {
    std::vector<std::uint32_t> features;
    steps.append_features(value, features);
    for (const auto f : features) ++counts[f];
  }
  for (int f = 0; f < 32; ++f) CHECK(counts[static_cast<std::size_t>(f)] == 3200 - 100 * f);
  CHECK(counts[32] == 0);
  std::vector<std::uint32_t> missing;
  steps.append_features(std::nan(""), missing);
  CHECK(missing == std::vector<std::uint32_t>{32});
  CHECK(steps.name(0) == "x there");
  CHECK(steps.name(1) == "x >= 100");
  CHECK(steps.name(31) == "x >= 3100");
  CHECK(steps.name(32) == "x missing");
}

TEST_CASE("numbers fall into the bins that models of earlier versions have") {
  const NumberFeatures bins("x", NumberFeatures::Kind::bins, {100, 200, 300, 400, 500});
  CHECK(bins.num_features() == 9);
  std::vector<std::uint32_t> features;
  for (const double value : {99.0, 100.0, 450.0, 500.0, std::nan("")})
    bins.append_features(value, features);
  CHECK(features == std::vector<std::uint32_t>{0, 6, 1, 6, 4, 7, 5, 7, 8});
  CHECK(bins.name(0) == "x < 100");
  CHECK(bins.name(1) == "x in [100, 200)");
  CHECK(bins.name(5) == "x >= 500");
  CHECK(bins.name(6) == "x < 400");
  CHECK(bins.name(7) == "x >= 400");
  CHECK(bins.name(8) == "x missing");
}

TEST_CASE("numbers beyond the digits of a float are told apart") {
  const auto steps =
      NumberFeatures::learn("time", {1709211900, 1709211901, 1709211902, 1709211903}, 32);
  CHECK(steps.edges() == std::vector<double>{1709211901, 1709211902, 1709211903});
  CHECK(steps.name(1) == "time >= 1709211901");
}

TEST_CASE("few distinct numbers and none at all have few steps") {
  CHECK(NumberFeatures::learn("x", {0, 1, 0, 1, 1}, 32).edges() == std::vector<double>{1});
  CHECK(NumberFeatures::learn("x", {5, 5, 5}, 32).num_features() == 2);
  CHECK(NumberFeatures::learn("x", {}, 32).name(0) == "x there");
  CHECK(NumberFeatures::learn("x", {1, 2, 3, 4}, 2).edges() == std::vector<double>{3});
  std::vector<double> rare(1000);
  rare[3] = 0.5;
  rare[7] = 2;
  CHECK(NumberFeatures::learn("x", rare, 8).edges() == std::vector<double>{0.5, 2});
  CHECK(NumberFeatures::groups_for(256, 7000) == 32U);
  CHECK(NumberFeatures::groups_for(257, 10) == 8);
  CHECK(NumberFeatures::groups_for(10, 1000000) == 16);
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
