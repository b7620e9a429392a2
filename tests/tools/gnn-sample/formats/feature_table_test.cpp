#include "tools/gnn-sample/formats/feature_table.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/hash.h"
#include "tests/tools/gnn-sample/data/input_samples.h"
#include "tools/gnn-sample/data/row_encoder.h"
#include "tools/gnn-sample/formats/node_features.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

using Strings = std::vector<std::string>;

FeatureTableOptions declared(const std::string& columns) {
  FeatureTableOptions options;
  options.declared = kFeatureTypes.parse(columns);
  options.buckets = 8;
  return options;
}

NodeData read(const TextFile& file, const FeatureTableOptions& table = declared("x:ignore"),
              RowNodes* rows = nullptr) {
  FeatureOptions options;
  options.table = table;
  options.table.lenient = true;
  NodeData data;
  read_features(file.path(), options, data, {}, rows);
  return data;
}

NodeData read(std::string_view text, const FeatureTableOptions& table = declared("x:ignore")) {
  return read(TextFile(text), table);
}

std::vector<float> row_of(const NodeData& data, std::size_t row) {
  const Tensor dense = to_dense(data.sparse, "features");
  const auto values = dense.as<float>();
  const auto* const begin = values.data() + row * data.sparse.dim;
  return {begin, begin + data.sparse.dim};
}

std::string read_error(std::string_view text, const FeatureTableOptions& table) {
  const TextFile file(text);
  std::string error = error_of([&] { read(file, table); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

constexpr char kPeople[] =
    "age,city,born,bio\n"
    "30,Oslo,2020-01-01,cats and cats\n"
    ",Rome,2020-01-03,dogs\n"
    "34,Oslo,,Cats!\n"
    "32,Rome,2020-01-02,\n";

}  // namespace

TEST_CASE("columns of numbers, dates, recurring values and texts become features of their types") {
  const NodeData data = read(kPeople);
  CHECK(data.columns.summaries() ==
        Strings{"age:number", "city:category(2)", "born:date", "bio:words(8)"});
  REQUIRE(data.sparse.dim == 2 + 2 + 2 + 8);
  const auto deviation = static_cast<float>(std::sqrt(8.0 / 3));
  const std::vector<float> first = row_of(data, 0), second = row_of(data, 1);
  CHECK(first[0] == doctest::Approx(-2 / deviation));
  CHECK(std::vector<float>(first.begin() + 1, first.begin() + 4) == std::vector<float>{0, 1, 0});
  const double day = 1 / std::sqrt(2.0 / 3);
  CHECK(first[4] == doctest::Approx(-day));
  CHECK(second[4] == doctest::Approx(day));
  CHECK(std::vector<float>(second.begin(), second.begin() + 4) == std::vector<float>{0, 1, 0, 1});
  const std::vector<float> third = row_of(data, 2), fourth = row_of(data, 3);
  CHECK(third[0] == doctest::Approx(2 / deviation));
  CHECK(third[5] == 1);  // no date
  CHECK(fourth[0] == 0);
}

TEST_CASE("words are hashed in lower case, by log(1 + count), to a length of 1") {
  const NodeData data = read("bio,n\ncats and cats,1\nCATS!,2\nx,3\n", declared("bio:words"));
  const auto bucket = [](std::string_view word) {
    return hash_to_range(hash_bytes(word), std::uint64_t{8});
  };
  REQUIRE(bucket("cats") != bucket("and"));
  std::vector<double> expected(8);
  expected[bucket("cats")] = std::log(3.0);
  expected[bucket("and")] = std::log(2.0);
  const double length = std::hypot(std::log(3.0), std::log(2.0));
  const std::vector<float> first = row_of(data, 0), second = row_of(data, 1);
  for (std::size_t i = 0; i < 8; ++i) CHECK(first[i] == doctest::Approx(expected[i] / length));
  CHECK(second[bucket("cats")] == doctest::Approx(1));
}

TEST_CASE("a field may have several categories") {
  const NodeData data =
      read("tags,n\nb;a,1\n,2\nc; a;a,3\n", declared("tags:category(;),n:ignore"));
  CHECK(data.columns.columns.front().values == Strings{"a", "b", "c"});
  CHECK(row_of(data, 0) == std::vector<float>{1, 1, 0});
  CHECK(row_of(data, 1) == std::vector<float>{0, 0, 0});
  CHECK(row_of(data, 2) == std::vector<float>{1, 0, 1});
}

TEST_CASE("numbers alone stay as they are; a declared type scales them") {
  const NodeData plain = read("a,b\n1,10\n3,20\n");
  CHECK(plain.columns.are_raw());
  CHECK(plain.features.as<float>()[1] == 10);
  const NodeData typed = read("a,b\n1,10\n3,20\n", declared("*:number"));
  CHECK(row_of(typed, 0) == std::vector<float>{-1, -1});
  CHECK(row_of(typed, 1) == std::vector<float>{1, 1});
  const NodeData constant = read("a,b\n5,\n5,\n", declared("*:number"));
  CHECK(row_of(constant, 0) == std::vector<float>{0, 0, 1});
}

TEST_CASE("columns of labels and splits are no features") {
  const std::string_view table = "a,label,part,split\n1,0,train,9\n2,1,test,8\n";
  FeatureTableOptions by_name;
  by_name.label_column = "label";
  by_name.split_column = "part";
  CHECK(read(table, by_name).features.shape == Shape{2, 2});
  FeatureTableOptions by_number = by_name;
  by_number.label_column = "2";
  by_number.has_labels = true;
  by_number.has_split = true;
  CHECK(read(table, by_number).features.shape == Shape{2, 2});
  FeatureTableOptions as_usual;
  as_usual.has_labels = true;
  as_usual.has_split = true;
  CHECK(read("a,label,b,split\n1,0,7,0\n2,1,8,2\n", as_usual).features.shape == Shape{2, 2});
  CHECK(read("a,label,b,split\n1,0,7,0\n2,1,8,2\n", {}).features.shape == Shape{2, 4});
  FeatureTableOptions ignored = declared("label:ignore,split:ignore");
  const NodeData data = read("a,label,b,split\n1,0,7,0\n2,1,8,2\n", ignored);
  CHECK(data.features.shape == Shape{2, 2});
  CHECK(data.features.as<float>()[1] == 7);
}

TEST_CASE("other nodes get the features of the first table, by the names of its columns") {
  const NodeData data = read(kPeople);
  FeatureTableOptions like = declared("x:ignore");
  like.like = FeatureColumns::parse(data.columns.text(), "GRAPH");
  CHECK(like.like->columns == data.columns.columns);
  const NodeData again = read(kPeople, like);
  CHECK(again.sparse.values == data.sparse.values);
  CHECK(again.sparse.columns == data.sparse.columns);
  const NodeData others = read("bio,born,city,extra,age\ncats,2020-01-02,Paris,7,\n", like);
  REQUIRE(others.sparse.dim == data.sparse.dim);
  const std::vector<float> row = row_of(others, 0);
  CHECK(std::vector<float>(row.begin(), row.begin() + 6) == std::vector<float>{0, 1, 0, 0, 0, 0});
  CHECK(read_error("age,city,bio\n1,Oslo,x\n", like)
            .starts_with("65 FILE: has no column 'born'; the model needs "));
  CHECK(read_error("age,city,born,bio\nold,Oslo,,x\n", like) ==
        "65 FILE:2: column 'age' has 'old', expected a number or a missing value");
}

TEST_CASE("fields that are not of a declared type, and columns that do not exist, are refused") {
  CHECK(read_error("a,b\n1,x\n2,y\n", declared("b:number")) ==
        "65 FILE:2: column 'b' has 'x', expected a number or a missing value");
  CHECK(read_error("a,b\n1,2020-02-02\n2,soon\n", declared("b:date")) ==
        "65 FILE:3: column 'b' has 'soon', expected a date or a missing value");
  CHECK(read_error("a,b\n,\nNA,\n", declared("a:category,b:category")) ==
        "65 FILE: has no features, expected 1 to 16777216");
  std::string many = "a,b\n";
  for (int i = 0; i < 262200; ++i) many += std::to_string(i) + ",1\n";
  CHECK(read_error(many, declared("a:category"))
            .starts_with("65 FILE: column 'a' has more than 65536 values"));
}

TEST_CASE("a table of many pieces has the same features as a table of one") {
  std::string row = "7,Oslo,2020-01-01,one two three\n8,Rome,,two\n", text = "age,city,born,bio\n";
  for (int i = 0; i < 30000; ++i) text += row;
  const NodeData data = read(text);
  REQUIRE(data.sparse.rows() == 60000);
  const std::vector<float> first = row_of(data, 0), second = row_of(data, 1);
  CHECK(row_of(data, 59998) == first);
  CHECK(row_of(data, 59999) == second);
  CHECK(first[0] == -1);
  CHECK(second[0] == 1);
}

TEST_CASE("texts that look like the nodes' names are refused as features") {
  const std::string text = "name,n\na,10\nb,20\nc,30\nd,40\ne,50\n";
  NodeNames names;
  for (const char* name : {"a", "b", "c", "d", "e"}) names.number(name);
  const TextFile file(text);
  IdColumn how;
  how.names = &names;
  RowNodes rows(how, file.path());
  CHECK(error_of([&] {
          read(file, declared("x:ignore"), &rows);
        }).starts_with("2 " + file.path() + ": column 'name', which is different in all rows,"));
}

TEST_CASE("what describes features is checked") {
  const auto parse = [](const std::string& text) {
    return error_of([&] { FeatureColumns::parse(text, "PLACE"); });
  };
  CHECK(parse("[]") == "no error");
  for (const std::string text :
       {"{}", "7", R"([{"name":"a"}])", R"([{"name":"a","type":"sort"}])",
        R"([{"name":"a","type":"words","buckets":0}])",
        R"([{"name":"a","type":"words","buckets":-1}])",
        R"([{"name":"a","type":"words","buckets":9999999}])",
        R"([{"name":"a","type":"number","mean":0,"deviation":0,"marks_missing":true}])",
        R"([{"name":"a","type":"number","mean":1e999,"deviation":1,"marks_missing":true}])",
        R"([{"name":"a","type":"category","separator":"","values":["b","a"]}])",
        R"([{"name":"a","type":"category","separator":"","values":["a","a"]}])",
        R"([{"name":"a","type":"category","separator":"","values":[1]}])"}) {
    CAPTURE(text);
    CHECK(parse(text).starts_with("65 PLACE"));
  }
}

TEST_CASE("a first row that has no value of the rows below names the columns") {
  std::string table = "shape,color\n";
  for (int i = 0; i < 12; ++i) table += i % 2 == 0 ? "round,red\n" : "square,blue\n";
  const NodeData data = read(table);
  CHECK(data.sparse.rows() == 12);
  CHECK(data.columns.summaries() == Strings{"shape:category(2)", "color:category(2)"});
  std::string one = "color\n";
  for (int i = 0; i < 12; ++i) one += i % 2 == 0 ? "red\n" : "blue\n";
  CHECK(read(one).sparse.rows() == 12);
  std::string none;
  for (int i = 0; i < 12; ++i) none += i % 2 == 0 ? "round,red\n" : "square,blue\n";
  CHECK(read(none).sparse.rows() == 12);
  FeatureTableOptions labelled;
  labelled.label_column = "shape";
  CHECK(read("shape,color\nround,red\nflat,red\n", labelled).columns.summaries() ==
        Strings{"color:category(1)"});
}

TEST_CASE("tabs separate texts, and semicolons numbers with a comma") {
  const NodeData tabs = read("name\tcity\tage\nAnn Lee\tOslo\t3\nBo\t\t5\n");
  CHECK(tabs.sparse.rows() == 2);
  CHECK(tabs.columns.summaries() == Strings{"name:words(8)", "city:words(8)", "age:number"});
  CHECK(read("1 2\t3\n4 5\t6\n").features.shape == Shape{2, 3});
  const NodeData commas = read("a;c\n0,5;red\n1,5;red\n");
  CHECK(commas.columns.summaries() == Strings{"a:number", "c:category(1)"});
  CHECK(row_of(commas, 0) == std::vector<float>{-1, 1});
}

TEST_CASE("rows that begin with # are rows, and a field may have a line end in quotes") {
  const NodeData data = read("color,n\n#ff0000,1\nred,2\n#00ff00,3\n");
  CHECK(data.sparse.rows() == 3);
  const NodeData lines = read("bio,n\n\"two\nlines\",1\n\"\",3\n", declared("bio:words"));
  CHECK(lines.sparse.rows() == 2);
}

TEST_CASE("texts that are not UTF-8 and numbers that F32 does not hold are refused") {
  CHECK(read_error("town,n\nOslo,1\nMalm\xe5,2\n", {}) ==
        "65 FILE:3: column 'town' has 'Malm\\xe5', expected UTF-8 (iconv -t UTF-8 makes it)");
  CHECK(read_error("a,c\n1e300,x\n2,x\n", {}) ==
        "65 FILE: column 'a' has 1 number beyond those that F32 holds; expected at most 3e38, or "
        "--columns a:ignore");
  CHECK(read_error("a,c\n1e300,x\n2,x\n", declared("a:number"))
            .starts_with("65 FILE:2: column 'a' has '1e300', expected a number"));
  CHECK(read("a,c\n1e300,x\n2,x\n", declared("a:ignore")).sparse.rows() == 2);
}

TEST_CASE("distinct whole numbers are a feature unless they number the rows") {
  std::string people = "count,c\n", numbered = "place,c\n";
  for (int i = 0; i < 8; ++i) {
    people += std::to_string(100 + 17 * i) + ",x\n";
    numbered += std::to_string(7 - i) + ",x\n";
  }
  const auto error = [](const std::string& text) {
    const TextFile file(text);
    RowNodes rows({}, file.path());
    return error_of([&] { read(file, {}, &rows); });
  };
  CHECK(error(people) == "no error");
  CHECK(error(numbered).find("column 'place', which numbers the rows,") != std::string::npos);
}

TEST_CASE("types go with tables alone") {
  CHECK(read_error("0 1:2\n1 3:4\n", declared("a:words"))
            .starts_with("2 --features-like, and --columns with a type of features, go with"));
}
