#include "tools/sparse-train/text/featurizer.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <cmath>

#include "libcore/base/log.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/text/number_features.h"
#include "tools/sparse-train/text/record_featurizer.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

using Ids = std::vector<std::uint32_t>;
using Values = std::vector<float>;

FeatureOptions words(int word_ngrams) {
  FeatureOptions options;
  options.word_ngrams = word_ngrams;
  return options;
}

Ids features(const Dataset& data, std::size_t i) {
  return {data.features_of(i).begin(), data.features_of(i).end()};
}
Ids labels(const Dataset& data, std::size_t i) {
  return {data.labels_of(i).begin(), data.labels_of(i).end()};
}

bool equal(const Dataset& a, const Dataset& b) {
  return a.feature_begin == b.feature_begin && a.features == b.features && a.values == b.values &&
         a.label_begin == b.label_begin && a.labels == b.labels &&
         a.num_features == b.num_features && a.num_labels == b.num_labels;
}

Dataset fit(const std::string& text, const FeatureOptions& options, const std::string& suffix) {
  const TextFile file(text, suffix);
  return Featurizer(options).fit(file.path());
}

/// What fit() says about the text, with the file's name replaced by FILE.
std::string fit_error(const std::string& text, const FeatureOptions& options = {},
                      const std::string& suffix = ".csv") {
  const TextFile file(text, suffix);
  std::string error = error_of([&] { Featurizer(options).fit(file.path()); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

/// About 1.5 MB: several pieces, quotes, lines inside of quotes, repeated words.
std::string long_csv() {
  Rng rng(7, 0);
  std::string text;
  for (int i = 0; i < 6000; ++i) {
    text += "\"" + std::to_string(rng.below(5)) + "\",\"";
    for (auto n = rng.below(80); n > 0; --n) {
      text += "w" + std::to_string(rng.below(1 + rng.below(20000)));
      text += rng.below(50) == 0 ? "\n" : rng.below(30) == 0 ? " \"\"q\"\" " : " ";
    }
    text += rng.below(2) ? "\"\r\n" : "\"\n";
  }
  return text;
}

std::string zstd_of(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

Document saved(const Featurizer& featurizer) {
  Document model;
  featurizer.save(model);
  return model;
}

}  // namespace

TEST_CASE("a small CSV becomes the features one would count by hand") {
  const Dataset data = fit("pos,a b a\nneg,b c\npos,\"c, b\"\n", words(1), ".csv");
  REQUIRE(data.size() == 3);
  CHECK(data.num_features == 3);  // b is in 3 examples, c in 2, a in 1
  CHECK(features(data, 0) == Ids{2, 0});
  CHECK(features(data, 1) == Ids{0, 1});
  CHECK(features(data, 2) == Ids{1, 0});
  CHECK(labels(data, 0) == Ids{1});  // names in order: neg, pos
  CHECK(labels(data, 1) == Ids{0});
  CHECK(data.values.empty());
}

TEST_CASE("labels are ordered by value where all are numbers, else by bytes") {
  const auto names = [](const std::string& text) {
    const TextFile file(text, ".csv");
    Featurizer featurizer(words(1));
    featurizer.fit(file.path());
    return featurizer.label_names();
  };
  CHECK(names("10,a\n9,b\n-1,c\n9,d\n") == std::vector<std::string>{"-1", "9", "10"});
  CHECK(names("10,a\n9,b\nx,c\n") == std::vector<std::string>{"10", "9", "x"});
}

TEST_CASE("fastText lines, CSV and TSV of the same content give the same dataset") {
  const Dataset expected = fit("x,a b c\ny,b d\n", words(2), ".csv");
  CHECK(equal(fit("x\ta b c\ny\tb d\n", words(2), ".tsv"), expected));
  CHECK(equal(fit("__label__x a b c\n__label__y b d\n", words(2), ".txt"), expected));
  CHECK(equal(fit("a b c __label__x\r\nb d\t__label__y", words(2), ".ft"), expected));
}

TEST_CASE("columns are chosen by name or number, labels split where asked") {
  FeatureOptions options = words(1);
  options.text_columns = "body,title";
  options.label_column = "tags";
  options.label_separator = ";";
  const Dataset data = fit("id,title,tags,body\n1,a,x;y,b\n2,c,y,a\n3,a,,b\n", options, ".csv");
  REQUIRE(data.size() == 3);
  CHECK(data.num_features == 3);
  CHECK(features(data, 0) == Ids{1, 0});  // body first: b, then a
  CHECK(labels(data, 0) == Ids{0, 1});
  CHECK(labels(data, 1) == Ids{1});
  CHECK(labels(data, 2).empty());
  options.header = "yes";
  options.text_columns = "4,2";
  options.label_column = "3";
  CHECK(equal(fit("id,title,tags,body\n1,a,x;y,b\n2,c,y,a\n3,a,,b\n", options, ".csv"), data));
}

TEST_CASE("a header is recognised by usual names and its label column used") {
  const Dataset data = fit("text,label\na b,x\nc,y\n", words(1), ".csv");
  CHECK(data.size() == 2);
  CHECK(data.num_labels == 2);
  CHECK(data.num_features == 3);
}

TEST_CASE("results do not depend on the number of threads") {
  for (const char* weighting : {"none", "tfidf"}) {
    FeatureOptions options = words(2);
    options.weighting = weighting;
    const TextFile file(long_csv(), ".csv");
    set_num_threads(1);
    Featurizer one(options);
    const Dataset expected = one.fit(file.path());
    CHECK(expected.size() == 6000);
    for (const int threads : {2, 3, 8}) {
      set_num_threads(threads);
      Featurizer other(options);
      CHECK(equal(other.fit(file.path()), expected));
      CHECK(equal(one.read(file.path()), expected));
    }
  }
  set_num_threads(2);
}

TEST_CASE("plain file, zstd file and pipe give the same features") {
  const std::string text = long_csv();
  const Dataset expected = fit(text, words(2), ".csv");
  CHECK(equal(fit(zstd_of(text), words(2), ".csv.zst"), expected));
  const PipedStdin input(text);
  CHECK(equal(Featurizer(words(2)).fit("-"), expected));
}

TEST_CASE("what fit() gave, read() and a RecordFeaturizer give again, also after saving") {
  for (const char* weighting : {"none", "count", "log", "tfidf"}) {
    FeatureOptions options = words(2);
    options.weighting = weighting;
    options.min_count = 2;
    const std::string text = "x,a b a c\ny,\"b, a\"\nx,\nz,d\ny,a b\n";
    const TextFile file(text, ".csv");
    Featurizer featurizer(options);
    const Dataset data = featurizer.fit(file.path());
    CHECK(equal(featurizer.read(file.path()), data));
    const Featurizer loaded(saved(featurizer));
    CHECK(loaded.label_names() == featurizer.label_names());
    CHECK(loaded.num_features() == featurizer.num_features());
    CHECK(equal(loaded.read(file.path()), data));
    Dataset lines;
    RecordFeaturizer records(loaded);
    CHECK(error_of([&] { records.add("x,\"a b c", lines); }).starts_with("65 "));
    for (const char* line : {"x,a b a c", "y,\"b, a\"", "x,", "z,d", "y,a b"})
      records.add(line, lines);
    CHECK(equal(lines, data));
  }
}

TEST_CASE("counts of any size are exact") {
  std::string text = "x,";
  for (int i = 0; i < 1000; ++i) text += "a ";
  for (int i = 0; i < 256; ++i) text += "b ";
  for (int i = 0; i < 255; ++i) text += "c ";
  text += "d\ny,d c c\n";
  FeatureOptions options = words(1);
  options.weighting = "count";
  const Dataset data = fit(text, options, ".csv");
  std::vector<float> counts(data.values.begin(), data.values.end());
  CHECK(counts == Values{1000, 256, 255, 1, 1, 2});
}

TEST_CASE("weights follow their formulas") {
  const std::string text = "x,a a a b\ny,b c\n";
  FeatureOptions options = words(1);
  options.weighting = "count";
  CHECK(fit(text, options, ".csv").values == Values{3, 1, 1, 1});
  options.weighting = "log";
  CHECK(fit(text, options, ".csv").values[0] == doctest::Approx(std::log(4.0)));
  options.weighting = "tfidf";
  const Dataset data = fit(text, options, ".csv");
  const double a = std::log(4.0) * (1 + std::log(3.0 / 2)), b = std::log(2.0) * 1;
  CHECK(data.values[0] == doctest::Approx(a / std::sqrt(a * a + b * b)));
  CHECK(data.values[1] == doctest::Approx(b / std::sqrt(a * a + b * b)));
}

TEST_CASE("rare n-grams are dropped by count and by number") {
  FeatureOptions options = words(1);
  options.min_count = 2;
  const std::string text = "x,a b\ny,b c c\nx,a d\nx,b\n";
  CHECK(fit(text, options, ".csv").num_features == 2);
  CHECK(features(fit(text, options, ".csv"), 1) == Ids{0});
  options.min_count = 1;
  options.max_features = 1;
  CHECK(fit(text, options, ".csv").num_features == 1);
  CHECK(features(fit(text, options, ".csv"), 2).empty());
}

TEST_CASE("unseen words are dropped, unseen labels are named behind the known ones") {
  const TextFile train("x,a b\ny,c\n", ".csv"), test("z,a q\nx,q\n", ".csv");
  Featurizer featurizer(words(2));
  featurizer.fit(train.path());
  const Dataset data = featurizer.read(test.path());
  REQUIRE(data.size() == 2);
  CHECK(labels(data, 0) == Ids{data.num_labels});
  CHECK(data.unknown_labels == std::vector<std::string>{"z"});
  CHECK(features(data, 0).size() == 1);
  CHECK(labels(data, 1) == Ids{0});
  CHECK(features(data, 1).empty());
}

TEST_CASE("lines to predict may lack the label, be empty, or be plain text") {
  const TextFile train("\"1\",\"a\",\"b c\"\n\"2\",\"d\",\"e\"\n", ".csv");
  Featurizer featurizer(words(1));
  featurizer.fit(train.path());
  Dataset with, without;
  RecordFeaturizer(featurizer).add("\"2\",\"a\",\"c, e\"", with);
  RecordFeaturizer(featurizer).add("a,\"c, e\"", without);
  CHECK(with.features == without.features);
  CHECK(with.features.size() == 3);
  CHECK(without.labels.empty());
  RecordFeaturizer(featurizer).add("", without);
  CHECK(without.size() == 2);
  CHECK(features(without, 1).empty());
  FeatureOptions input;
  input.format = "text";
  featurizer.set_input(input);
  RecordFeaturizer(featurizer, featurizer.layout_of("f", "")).add("a, \"c, e", without);
  CHECK(features(without, 2) == features(with, 0));
  input.format = "cvs";
  CHECK(error_of([&] { featurizer.set_input(input); }).starts_with("2 format 'cvs' is not known"));
}

TEST_CASE("an input to predict may have a header and its label, or not") {
  const TextFile csv("label,text\nx,a\ny,b\n", ".csv"), xmc("1 3 2\n0 1:1\n");
  Featurizer named(words(1)), sparse(words(1));
  named.fit(csv.path());
  CHECK(named.layout_of("f", "text\na\n").has_header);
  CHECK(named.layout_of("f", "text\na\n").label_column == kNoColumn);
  CHECK(!named.layout_of("f", "x,a\n").has_header);
  CHECK(error_of([&] { named.layout_of("f", "label,title\nx,a\n"); }) ==
        "65 f:1: has no column 'text', which the model was trained with; it has label, title");
  sparse.fit(xmc.path());
  CHECK(sparse.layout_of("f", "5 3 2\n").has_header);
  CHECK(!sparse.layout_of("f", "1,0 1:1\n").has_header);
}

TEST_CASE("the first row to predict tells whether all have a label") {
  const TextFile csv("a,b c\nb,d\n", ".csv");
  Featurizer featurizer(words(1));
  featurizer.fit(csv.path());
  set_log(LogLevel::quiet, "test");
  const auto added = [&](const std::string& head, const std::string& record) {
    Dataset data;
    return error_of(
        [&] { RecordFeaturizer(featurizer, featurizer.layout_of("f", head)).add(record, data); });
  };
  CHECK(added("d\n", "a b") == "no error");
  CHECK(added("d\n", "") == "no error");
  CHECK(added("a,d\n", "a,b") == "no error");
  const std::string advice = " (--format text: each line is one text)";
  CHECK(added("d\n", "a,b") == "65 found 2 columns, expected 1" + advice);
  CHECK(added("a,d\n", "b") == "65 found 1 column, expected 2" + advice);
  set_log(LogLevel::normal, "test");
}

TEST_CASE("blank lines above a header are no rows, neither in training nor later") {
  const TextFile csv("\n\r\nlabel,text\nx,a\ny,b\n", ".csv");
  Featurizer featurizer(words(1));
  CHECK(featurizer.fit(csv.path()).size() == 2);
  const InputLayout layout = featurizer.layout_of("f", "\n\nlabel,text\nx,a\n");
  CHECK(layout.has_header);
  CHECK(layout.form().header_line == 3);
}

TEST_CASE("columns of one name are told apart by their numbers alone") {
  const std::string text = "label,text,text\nx,a,c\ny,b,d\nx,a,c\n";
  CHECK(fit_error(text) ==
        "65 FILE:1: the header has the column 'text' twice, expected it once, or its number");
  CHECK(fit_error("label,label,text\nx,a,c\ny,b,d\nx,a,c\n").find("'label' twice") !=
        std::string::npos);
  FeatureOptions options = words(1);
  options.columns = "1:label,3:text";
  const TextFile csv(text, ".csv");
  Featurizer featurizer(options);
  CHECK(featurizer.fit(csv.path()).num_features == 2);
  CHECK(featurizer.layout_of("f", "text,text,label\na,c,x\n").columns[0].index == 1);
  CHECK(error_of([&] { featurizer.layout_of("f", "label,text\nx,a\n"); }) ==
        "65 f:1: the header has the column 'text' 1 time, expected 2");
  // A spreadsheet may leave columns without names.
  const TextFile spam("v1,v2,,\nham,a b,,f\nspam,c d,,\nham,e,g,\n", ".csv");
  FeatureOptions named = words(1);
  named.header = "yes";
  Featurizer unnamed(named);
  CHECK(unnamed.fit(spam.path()).num_features == 7);
  CHECK(unnamed.layout_of("f", "v1,v2,,\nham,a,,\n").columns.back().index == 3);
}

TEST_CASE("XMC keeps its ids; unknown features are dropped, unknown labels named") {
  const TextFile train("2 5 3\n0,2 1:0.5 4:2\n 0:1\n"), test("2 9 7\n1,6 0:1 8:1\n2\n");
  Featurizer featurizer(words(2));
  const Dataset data = featurizer.fit(train.path());
  CHECK(data.num_features == 5);
  CHECK(data.num_labels == 3);
  CHECK(features(data, 0) == Ids{1, 4});
  CHECK(data.values == Values{0.5f, 2, 1});
  CHECK(labels(data, 0) == Ids{0, 2});
  CHECK(labels(data, 1).empty());
  CHECK(featurizer.label_names() == std::vector<std::string>{"0", "1", "2"});
  const Featurizer loaded(saved(featurizer));
  const Dataset other = loaded.read(test.path());
  CHECK(labels(other, 0) == Ids{1, 3});
  CHECK(other.unknown_labels == std::vector<std::string>{"6"});
  CHECK(features(other, 0) == Ids{0});
  Dataset lines;
  RecordFeaturizer(loaded).add("1,6 0:1 8:1", lines);
  CHECK(labels(lines, 0) == Ids{1, 3});
}

TEST_CASE("plain svmlight names its labels and finds its own size") {
  const Dataset data = fit("+1 1:0.5 7:2\n-1 3:1\n", words(1), ".txt");
  CHECK(data.num_features == 8);
  CHECK(data.num_labels == 2);
  CHECK(labels(data, 0) == Ids{1});  // names in order: -1, +1
  CHECK(data.values == Values{0.5f, 2, 1});
}

TEST_CASE("hostile lines are survived") {
  std::string huge(10 << 20, 'a');
  for (std::size_t i = 5; i < huge.size(); i += 6) huge[i] = ' ';
  FeatureOptions options = words(2);
  options.encoding = "bytes";
  const Dataset data = fit(
      "x," + huge + "\n\n\r\ny,b\xff\xfe" + std::string("\0", 1) + "c\r\nx," + huge.substr(0, 5),
      options, ".csv");
  REQUIRE(data.size() == 3);
  CHECK(features(data, 0).size() == 4);  // "aaaaa", its cut end "aaaa", and two bigrams
  CHECK(features(data, 1).size() == 3);
  CHECK(features(data, 2).size() == 1);
}

TEST_CASE("every bad line is named with what was found and expected") {
  CHECK(fit_error("") == "65 FILE: is empty, expected examples");
  CHECK(fit_error(" \n\n") == "65 FILE: is empty, expected examples");
  CHECK(fit_error("label,text\n") == "65 FILE: has no examples to train on");
  CHECK(fit_error("abc\n") ==
        "65 FILE:1: found one column, expected a label and features separated by ',' "
        "(--separator: by something else)");
  CHECK(fit_error("x,a\n\ny,b,c\n") == "65 FILE:3: found 3 columns, expected 2");
  CHECK(fit_error("x,a\n\"b\n\nc\",d\nz\n") == "65 FILE:5: found 1 column, expected 2");
  CHECK(fit_error("x,\"a\"b\n")
            .starts_with("65 FILE:1: column 2 goes on behind its closing quote with 'b'"));
  CHECK(fit_error("x,a\ny,\"b\n") ==
        "65 FILE:2: a quote is opened here and never closed (the file ends in line 2)");
  CHECK(fit_error("2 5 3\n0 1:1\n1 5:1\n") ==
        "65 FILE:3: feature 5 is out of range, expected an id below 5");
  CHECK(fit_error("2 5 3\n3 1:1\n1 2:1\n") ==
        "65 FILE:2: label 3 is out of range, expected an id below 3");
  CHECK(fit_error("2 5 3\n0 1:nan\n1 2:1\n") ==
        "65 FILE:2: found '1:nan', expected a finite value");
  CHECK(fit_error("3 5 3\n0 1:1\n1 2:1\n") ==
        "65 FILE:1: the header says 3 points, expected the 2 that follow (lines without any "
        "character are none)");
  CHECK(fit_error("some words\n", {}, ".txt").starts_with("65 FILE:1: cannot tell the format"));
}

TEST_CASE("options that cannot be are refused") {
  const auto with = [](auto change) {
    FeatureOptions options;
    change(options);
    return fit_error("label,text\nx,a\n", options);
  };
  CHECK(with([](FeatureOptions& o) { o.weighting = "idf"; }) ==
        "2 --weighting is 'idf', expected none, count, log or tfidf");
  CHECK(with([](FeatureOptions& o) { o.min_count = 0; }) ==
        "2 --min-count is 0, expected at least 1");
  CHECK(with([](FeatureOptions& o) { o.label_prefix = ""; }) ==
        "2 --label-prefix is empty, expected a text like __label__");
  CHECK(with([](FeatureOptions& o) { o.header = "maybe"; }) ==
        "2 --header is 'maybe', expected auto, yes or no");
  CHECK(with([](FeatureOptions& o) { o.text_columns = "txt"; }) ==
        "2 FILE:1: no column 'txt', expected label, text or a number from 1 to 2; did you mean "
        "'text'?");
  CHECK(with([](FeatureOptions& o) { o.format = "text"; }) ==
        "2 --format text has no labels, expected a format of labelled examples");
  CHECK(with([](FeatureOptions& o) { o.format = "xmc"; }) ==
        "65 FILE:1: found 'label,text', expected the header 'points features labels'");
  FeatureOptions log = words(1);
  log.weighting = "log";
  CHECK(fit_error("1 5 3\n0 1:-1\n", log) ==
        "65 FILE: example 1 has the value -1, expected none below 0 with --weighting log");
}

TEST_CASE("bad lines can be skipped up to a number, the first one beyond it is named") {
  const std::string text = "x,a\nbad\ny,b\nbad\nx,c\n";
  FeatureOptions options = words(1);
  options.skip_bad = 2;
  set_log(LogLevel::quiet, "test");
  CHECK(fit(text, options, ".csv").size() == 3);
  set_log(LogLevel::normal, "test");
  options.skip_bad = 1;
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    CHECK(fit_error(text, options) ==
          "65 FILE:4: found 1 column, expected 2; skipped 1 bad line before it");
    CHECK(fit_error(long_csv() + "bad\nbad\nbad\n" + long_csv(), options)
              .find(": found 1 column, expected 2; skipped 1 bad line before it") !=
          std::string::npos);
  }
  set_num_threads(2);
}

TEST_CASE("a bad record counts as many lines as it has") {
  const std::string text = "a,\"x\nb,y\nc,z\nd,\"v\ne,w\na,x\n";
  FeatureOptions options = words(1);
  options.skip_bad = 3;
  CHECK(fit_error(text, options).ends_with("; the quoted record ends in line 4"));
  options.skip_bad = 4;
  set_log(LogLevel::quiet, "test");
  CHECK(fit(text, options, ".csv").size() == 2);
  set_log(LogLevel::normal, "test");
  FeatureOptions tabs = words(1);
  tabs.format = "csv";
  tabs.separator = "tab";
  CHECK(fit_error("label\ttext\na\t\"x\" y\nb\tz\n", tabs)
            .ends_with(" (--format tsv: quotes are text)"));
}

TEST_CASE("a model of another kind of input is named") {
  const TextFile csv("x,a\ny,b\n", ".csv"), xmc("1 3 2\n0 1:1\n");
  Featurizer featurizer(words(1));
  featurizer.fit(csv.path());
  FeatureOptions input;
  input.format = "xmc";
  featurizer.set_input(input);
  CHECK(error_of([&] { featurizer.read(xmc.path()); }) ==
        "65 " + xmc.path() +
            ": format xmc has features as ids, but the model was trained on text: expected "
            "fasttext, csv, tsv or jsonl");
  Featurizer sparse(words(1));
  sparse.fit(xmc.path());
  input.format = "csv";
  sparse.set_input(input);
  CHECK(error_of([&] { sparse.read(csv.path()); }) ==
        "65 " + csv.path() +
            ": format csv has text, but the model was trained on features as ids: expected xmc or "
            "svmlight");
}

TEST_CASE("damaged models say what is wrong") {
  const TextFile csv("x,a\ny,b\n", ".csv");
  Featurizer featurizer(words(1));
  featurizer.fit(csv.path());
  const auto problem = [&](const std::function<void(Document&)>& damage) {
    Document model = saved(featurizer);
    damage(model);
    return error_of([&] { Featurizer loaded(model); });
  };
  CHECK(problem([](Document& m) { m.metadata.clear(); }) ==
        "65 model has no metadata 'frugal.features', expected a model written by sparse-train");
  CHECK(
      problem([](Document& m) { m.metadata["frugal.features"] = "{"; }) ==
      "65 model: metadata 'frugal.features': column 1: not valid JSON: syntax error while parsing "
      "object key - unexpected end of input; expected string literal");
  CHECK(problem([](Document& m) {
          m.metadata["frugal.features"] = "{}";
        }).starts_with("65 model: metadata 'frugal.features' is incomplete: "));
  CHECK(problem([](Document& m) { m.metadata["frugal.features"] = "{\"version\":6}"; }) ==
        "65 model: its features have version 6, expected 1 to 5: it was written by a newer "
        "sparse-train");
  for (const char* bits : {"0", "65", "-3"}) {
    CHECK(problem([&](Document& m) {
            m.metadata["frugal.features"].back() = ',';
            m.metadata["frugal.features"] += std::string("\"hash_bits\":") + bits + "}";
          }) ==
          std::string("65 model: its features' hashes have ") + bits + " bits, expected 1 to 64");
  }
  CHECK(problem([](Document& m) { m.tensors.clear(); }).starts_with("65 "));
  CHECK(problem([](Document& m) {
          for (Tensor& tensor : m.tensors) {
            if (tensor.name == "labels.name_ends") tensor.as<std::uint64_t>()[1] = 99;
          }
        }) ==
        "65 model: tensor 'labels.name_ends' has 99 after 1, expected ascending places in 2 bytes");
  CHECK(problem([](Document& m) {
          for (Tensor& tensor : m.tensors) {
            if (tensor.name == "features.hashes") {
              tensor = Tensor::copy_of<std::uint64_t>("features.hashes", {1},
                                                      std::vector<std::uint64_t>{1});
            }
          }
        }) == "65 model: has 1 hashes, expected 2");
}

TEST_CASE(
    "the description of thousands of columns fits into a model, which older programs refuse") {
  std::string text = "label";
  for (int c = 0; c < 6000; ++c) text += ",gene of the number " + std::to_string(c);
  for (int i = 0; i < 4; ++i) {
    text += i % 2 == 0 ? "\na" : "\nb";
    for (int c = 0; c < 6000; ++c) text += "," + std::to_string((i * c) % 7) + ".5";
  }
  const TextFile csv(text + "\n", ".csv");
  FeatureOptions options;
  options.columns = "label:label,*:number";
  Featurizer featurizer(options);
  const Dataset data = featurizer.fit(csv.path());
  const Document model = saved(featurizer);
  const std::string& json = model.metadata.at("frugal.features");
  CHECK(json.size() < 2000);
  CHECK(json.find("\"version\":5") != std::string::npos);
  CHECK(equal(Featurizer(model).read(csv.path()), data));
}

TEST_CASE("models of earlier versions keep the bins of their numbers") {
  std::string text = "label,x\n";
  for (int i = 0; i < 64; ++i) text += (i % 2 == 0 ? "a," : "b,") + std::to_string(i) + "\n";
  const TextFile csv(text, ".csv");
  FeatureOptions options;
  options.columns = "label:label,x:number";
  Featurizer featurizer(options);
  featurizer.fit(csv.path());
  CHECK(featurizer.num_features() == 33);
  Document model = saved(featurizer);
  std::string& json = model.metadata["frugal.features"];
  const auto replace = [&json](const std::string& from, const std::string& to) {
    REQUIRE(json.find(from) != std::string::npos);
    json.replace(json.find(from), from.size(), to);
  };
  replace("\"version\":4", "\"version\":3");
  replace("\"num_features\":33", "\"num_features\":41");
  for (Tensor& tensor : model.tensors) {
    if (tensor.name == "features.steps.0") tensor.name = "features.bins.0";
    if (tensor.name != "features.hashes") continue;
    const auto edges = model.at("features.bins.0").as<double>();
    const NumberFeatures bins("x", NumberFeatures::Kind::bins, {edges.begin(), edges.end()});
    std::vector<std::uint64_t> hashes;
    for (std::size_t f = 0; f < bins.num_features(); ++f) hashes.push_back(bins.hash(f));
    tensor = Tensor::copy_of<std::uint64_t>("features.hashes", {hashes.size()}, hashes);
  }
  const Featurizer earlier(model);
  const Dataset data = earlier.read(csv.path());
  CHECK(data.features.size() == 128);
  CHECK(data.features_of(63)[0] == 31);
  CHECK(data.features_of(63)[1] == 39);
  CHECK(equal(Featurizer(saved(earlier)).read(csv.path()), data));
}

TEST_CASE("short hashes find what whole ones find, also in a model that is stored and learns on") {
  const TextFile file("__label__a one two three\n__label__b two four\n", ".txt");
  Featurizer whole(words(2)), shortened(words(2));
  whole.fit(file.path());
  shortened.fit(file.path());
  shortened.shorten_hashes();
  Document document;
  shortened.save(document);
  CHECK(document.find("features.hashes") == nullptr);
  CHECK(document.at("features.short_hashes").bytes.size() <= 2 * whole.num_features());
  Featurizer loaded(document);
  CHECK(equal(loaded.read(file.path()), whole.read(file.path())));
  const std::uint32_t before = loaded.num_features();
  const TextFile more("__label__a two five\n", ".txt");
  CHECK(loaded.extend(more.path()).size() == 1);
  CHECK(loaded.num_features() == before + 2);
}
