#include "tools/sparse-train/data/column_types.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tools/sparse-train/text/featurizer.h"
#include "tools/sparse-train/text/record_featurizer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Names = std::vector<std::string>;

std::string columns_error(const std::string& columns) {
  return error_of([&] { parse_columns(columns); });
}

bool says(const std::string& error, const std::string& part) {
  return error.find(part) != std::string::npos;
}

constexpr const char* kCars =
    "title,make,price,sold,topic\n"
    "Red van,vw;mb,10,2024-02-29,a|b\n"
    "blue VAN,vw,30,2024-03-01T13:05:00Z,b\n"
    "red,,,,a\n";

Names feature_names_of(const Featurizer& featurizer, std::string_view record) {
  RecordFeaturizer records(featurizer);
  records.keep_names();
  Dataset data;
  records.add(record, data);
  return records.names();
}

FeatureOptions cars() {
  FeatureOptions options;
  options.columns = "title:text,make:category(;),price:number,sold:date,topic:label(|)";
  return options;
}

}  // namespace

TEST_CASE("declarations that mean nothing are refused with the part that is wrong") {
  CHECK(says(columns_error("a"), "'a' has no type, expected NAME:TYPE"));
  CHECK(says(columns_error("a:text(;)"), "cannot be split"));
  CHECK(says(columns_error("a:text,b:label,c:label"), "'c' is a second column of type label"));
  CHECK(says(columns_error("b:label,c:ignore"), "no column has features"));
}

TEST_CASE("one declaration stands for all columns that have none") {
  const TextFile file("topic,a,b,c\nx,1,2,word\n", ".csv");
  FeatureOptions options;
  options.columns = "*:category,c:text";
  Featurizer featurizer(options);
  featurizer.fit(file.path());
  CHECK(feature_names_of(featurizer, "x,1,2,word") == Names{"word", "a=1", "b=2"});
}

TEST_CASE("each type of column has its features, and each feature its name") {
  const TextFile file(kCars, ".csv");
  Featurizer featurizer(cars());
  const Dataset data = featurizer.fit(file.path());
  REQUIRE(data.size() == 3);
  CHECK(featurizer.label_names() == Names{"a", "b"});
  const auto names = feature_names_of(featurizer, "Red van,vw;mb,10,2024-02-29,a|b");
  CHECK(names == Names{"red", "van", "red van", "make=vw", "make=mb", "price there",
                       "sold weekday=Thu", "sold month=2", "sold year=2024", "sold day=29"});
  Dataset again;
  RecordFeaturizer(featurizer).add("Red van,vw;mb,10,2024-02-29,a|b", again);
  CHECK(again.features_of(0).size() == names.size());
  // The same features as in training, there with the numbers behind.
  CHECK(data.features_of(0).size() == names.size());
  CHECK(feature_names_of(featurizer, "red,,,,a") == Names{"red", "price missing"});
  featurizer.learn_names(file.path());
  std::size_t known = 0;
  for (const std::string& name : featurizer.feature_names()) known += name.empty() ? 0 : 1;
  CHECK(known == featurizer.num_features());
}

TEST_CASE("numbers alone are features with values") {
  const TextFile file("n,topic\n1,a\n2,b\nNA,b\n", ".csv");
  FeatureOptions options;
  options.columns = "n:number,topic:label";
  options.weighting = "tfidf";
  const Dataset data = Featurizer(options).fit(file.path());
  CHECK(data.values.size() == data.features.size());
  CHECK(data.values[data.values.size() - 1] == doctest::Approx(1));
}

TEST_CASE("midnight of a Monday has its features, a date without a time no hour") {
  const TextFile file("sold,topic\n2024-02-26T00:30,a\n2024-02-27,b\n", ".csv");
  FeatureOptions options;
  options.columns = "sold:date,topic:label";
  Featurizer featurizer(options);
  featurizer.fit(file.path());
  CHECK(feature_names_of(featurizer, "2024-02-26T00:30,a") ==
        Names{"sold weekday=Mon", "sold month=2", "sold year=2024", "sold day=26", "sold hour=0"});
  CHECK(feature_names_of(featurizer, "2024-02-27,a").size() == 4);
}

TEST_CASE("all features get their names, however often others come and what is dropped") {
  const TextFile file("x,a b\ny,a rare b\nx,a b\ny,c a\nx,c\n", ".csv");
  FeatureOptions options;
  options.word_ngrams = 1;
  options.min_count = 2;
  Featurizer featurizer(options);
  featurizer.fit(file.path());
  featurizer.learn_names(file.path());
  CHECK(featurizer.feature_names() == Names{"a", "b", "c"});
}

TEST_CASE("a featurizer of columns survives its document") {
  const TextFile file(kCars, ".csv");
  Featurizer featurizer(cars());
  const Dataset data = featurizer.fit(file.path());
  featurizer.learn_names(file.path());
  Document document;
  featurizer.save(document);
  const Featurizer loaded(document);
  const Dataset again = loaded.read(file.path());
  CHECK(loaded.feature_names() == featurizer.feature_names());
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::vector<std::uint32_t> a(data.features_of(i).begin(), data.features_of(i).end());
    std::vector<std::uint32_t> b(again.features_of(i).begin(), again.features_of(i).end());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    CHECK(a == b);
  }
}

TEST_CASE("fields that are not of their column's type are bad lines") {
  FeatureOptions options = cars();
  const auto error = [&](const std::string& line) {
    const TextFile file("title,make,price,sold,topic\na,b,1,,x\n" + line, ".csv");
    return error_of([&] { Featurizer(options).fit(file.path()); });
  };
  CHECK(
      says(error("a,b,cheap,,x\n"), ":3: column 'price': found 'cheap', expected a finite number"));
  CHECK(says(error("a,b,inf,,x\n"), ":3: column 'price': found 'inf'"));
  CHECK(says(error("a,b,1,2023-02-29,x\n"),
             ":3: column 'sold': found '2023-02-29', expected a date"));
  CHECK(says(error("a,b,1,x\n"), ":3: found 4 columns, expected 5"));
  options.columns = "titel:text,topic:label";
  CHECK(says(error(""), "no column 'titel'"));
  CHECK(says(error(""), "did you mean 'title'?"));
  options.columns = "title:text,1:category,topic:label";
  CHECK(says(error(""), "column '1' is column 'title' again"));
}
