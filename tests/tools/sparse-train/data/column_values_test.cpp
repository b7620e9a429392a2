#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/text.h"
#include "tools/sparse-train/data/date_features.h"
#include "tools/sparse-train/data/number_bins.h"
#include "tools/sparse-train/data/table_folding.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

std::string date_of(const char* text) {
  const auto d = parse_date(text);
  if (!d) return "no date";
  return std::to_string(d->year) + "-" + std::to_string(d->month) + "-" + std::to_string(d->day) +
         " " + std::to_string(d->weekday) + " " + std::to_string(d->hour);
}

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

TEST_CASE("dates are read in ISO form and as Unix seconds") {
  CHECK(date_of("2024-02-29") == "2024-2-29 3 -1");
  CHECK(date_of(" 1970-01-01T00:00:00Z ") == "1970-1-1 3 0");
  CHECK(date_of("2000-12-31 23:59") == "2000-12-31 6 23");
  CHECK(date_of("2000-12-31T23:59:59.123+01:00") == "2000-12-31 6 23");
  CHECK(date_of("0") == "1970-1-1 3 0");
  CHECK(date_of("-1") == "1969-12-31 2 23");
  CHECK(date_of("1709211900") == "2024-2-29 3 13");
  for (const char* bad :
       {"", "2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", "2024-01-01T25:00", "2024-01-01x",
        "2024-01-01T12:99", "tomorrow", "99999999999999"}) {
    CHECK(date_of(bad) == "no date");
  }
}

TEST_CASE("numbers are finite or missing, anything else is none") {
  CHECK(*parse_value(" 2.5 ") == 2.5F);
  CHECK(*parse_value("+3") == 3);
  for (const char* missing : {"", "  ", "NA", "?", "nan", "\\N"})
    CHECK(std::isnan(*parse_value(missing)));
  for (const char* bad : {"inf", "-inf", "1e99", "2,5", "x"}) CHECK(!parse_value(bad));
}

TEST_CASE("bins hold equally many examples, and say what they hold") {
  std::vector<float> values;
  for (int i = 0; i < 3200; ++i) values.push_back(static_cast<float>((i * 7) % 3200));
  const auto bins = NumberBins::learn("x", values);
  REQUIRE(bins.edges().size() == 31);
  CHECK(bins.edges()[0] == 100);
  std::vector<int> counts(bins.num_features());
  for (const float value : values) {
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

TEST_CASE("few distinct numbers and none at all have few bins") {
  CHECK(NumberBins::learn("x", {0, 1, 0, 1, 1}).edges() == std::vector<float>{1});
  CHECK(NumberBins::learn("x", {5, 5, 5}).num_features() == 3);
  CHECK(NumberBins::learn("x", {}).name(0) == "x there");
}

TEST_CASE("a sample of many numbers keeps their quantiles and memory small") {
  NumberSample sample(2);
  std::vector<float> numbers;
  for (int i = 0; i < 3 << 19; ++i) {
    numbers.push_back(static_cast<float>(i));
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
