#include "tools/robe-compress/columns/click_schema.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"
#include "tools/robe-compress/columns/click_shapes.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

std::string names(const std::vector<ClickColumn>& columns) {
  std::string text;
  for (const ClickColumn& c : columns) text += (text.empty() ? "" : " ") + c.name;
  return text;
}

ClickSchema schema_of(std::string_view head, const ClickOptions& options = {}) {
  return make_schema(options, "f", head);
}

std::string head_refusal(std::string_view head, const ClickOptions& options) {
  return error_of([&] { schema_of(head, options); });
}

/// A line of Criteo's format with that many columns.
std::string criteo(int columns) {
  std::string line = "1";
  for (int i = 1; i < columns; ++i) line += i < 14 ? "\t3" : "\t68fd1e64";
  return line + "\n";
}

}  // namespace

TEST_CASE("formats are told by the first line") {
  CHECK(schema_of(criteo(40)).format == "criteo");
  CHECK(schema_of("1 7:1 9:1\n").format == "libfm");
  CHECK(schema_of("a,label\nx,1\n").format == "csv");
  CHECK(schema_of("a\tlabel\nx\t1\n").format == "tsv");
  CHECK(schema_of(criteo(38)).format == "tsv");
  const std::string avazu = "1,0,14102100,1005,0,1,f,2,e,7,0,a,dd,44,1,2,15706,320,50,1722,0,35,-1";
  CHECK(schema_of(avazu + ",79\n").format == "avazu");
  CHECK(schema_of(avazu + "\n").format == "csv");
  CHECK(head_refusal("one\n", {}) ==
        "65 f:1: cannot tell the format from the name or the first line 'one', expected --format "
        "with one of criteo, avazu, libfm, jsonl, tsv, csv");
  CHECK(head_refusal("1::2::3\n4::5::6\n", {})
            .starts_with("65 f: is a table with '::' between its fields, expected a table"));
  CHECK(head_refusal("", {}) == "65 f: is empty, expected samples");
  CHECK(head_refusal(criteo(38), {.format = "criteo"}) ==
        "65 f:1: found 38 columns, expected 40 (format criteo)");
}

TEST_CASE("presets know their columns") {
  const ClickSchema kaggle = schema_of(criteo(40));
  CHECK(kaggle.numbers.size() == 13);
  CHECK(kaggle.categories.size() == 26);
  CHECK(kaggle.categories[25].name == "C26");
  CHECK(!kaggle.scale_numbers);
  CHECK(kaggle.hex_ids);
  const std::string avazu =
      "1,0,14102100,1005,0,1,f,2,e,7,0,a,d,4,1,2,15706,320,50,1722,0,35,-1,79";
  const ClickSchema schema = schema_of(avazu);
  CHECK(schema.label.name == "click");
  CHECK(schema.categories.size() == 23);
  CHECK(names(schema.categories).starts_with("hour hour.weekday C1 banner_pos"));
  CHECK(schema.ignored == std::vector<std::string>{"id"});
}

TEST_CASE("columns are declared by name or number, the others follow a rule") {
  const std::string text = "id,user,price,click,age\n1,u1,2.5,0,30\n2,u2,3,1,31\n";
  const ClickSchema automatic = schema_of(text);
  CHECK(automatic.has_header);
  CHECK(automatic.label.name == "click");
  CHECK(names(automatic.numbers) == "price");
  CHECK(names(automatic.categories) == "user age");
  const ClickSchema declared = schema_of(text, {.columns = "age:number,2:category,*:ignore"});
  CHECK(names(declared.numbers) == "age");
  CHECK(names(declared.categories) == "user");
  CHECK(declared.ignored == std::vector<std::string>{"id", "price"});
  const ClickSchema plain = schema_of("1,a,b\n0,c,d\n");
  CHECK(!plain.has_header);
  CHECK(plain.label.index == 0);
  CHECK(names(plain.categories) == "2 3");
  CHECK(schema_of("1,a,b\n0,c,d\n", {.label_column = "3"}).label.index == 2);
  CHECK(schema_of("a,r\nx,5\n", {.positive = "r>3"}).label.name == "r");
}

TEST_CASE("whole numbers are categories however they are written, numbers between them are not") {
  const auto whole = [](const std::string& values) {
    const ClickSchema schema = schema_of("click,a,b\n" + values);
    return !schema.categories.empty() && schema.categories[0].name == "a" &&
           schema.categories[0].is_whole;
  };
  CHECK(whole("1,7,x\n0,12,y\n"));
  CHECK(whole("1,7.0,x\n0,12.0,y\n"));
  CHECK(whole("1,007,x\n0, 12,y\n"));
  CHECK(whole("1,7,x\n0,null,y\n1,-,y\n"));
  CHECK(!whole("1,07,x\n0,7,y\n"));  // told apart by their owner
  CHECK(!whole("1,7,x\n0,seven,y\n"));
  CHECK(!whole("1,,x\n0,NA,y\n"));
  CHECK(names(schema_of("click,a,b\n1,7.5,x\n0,None,y\n").numbers) == "a");
  CHECK(names(schema_of("click,a,b\n1,7,x\n0,8,y\n", {.with_fractions = {"a"}}).numbers) == "a");
  CHECK(!schema_of("click,a,b\n1,7,x\n", {.columns = "a:category"}).categories[0].look);
  CHECK(schema_of("click,a,b\n1,7,x\n", {.columns = "a:category"}).categories[0].is_whole);
}

TEST_CASE("numbers too large for floats are taken from the first") {
  const ClickOptions declared{.columns = "t:number,small:number"};
  const ClickSchema schema =
      schema_of("click,t,small\n1,1341392400,3.5\n0,1341392401,-2\n", declared);
  CHECK(schema.numbers[0].offset == 1341392400);
  CHECK(schema.numbers[1].offset == 0);
}

TEST_CASE("separators are those that all lines agree on, or that are asked for") {
  CHECK(names(schema_of("click;a;b\n1;x,y;z\n0;x;z\n").categories) == "a b");
  CHECK(names(schema_of("click|a|b\n1|x|z\n0|x|z\n").categories) == "a b");
  CHECK(
      names(schema_of("click;a,b\n1;x,z\n", {.separator = ",", .label_column = "1"}).categories) ==
      "b");
  CHECK(schema_of("click\ta\n1\tx\n", {.separator = "tab"}).format == "tsv");
  CHECK(head_refusal("click,a\n1,x\n", {.separator = "::"}) ==
        "2 --separator is '::', expected ',', ';', '|', tab or auto");
}

TEST_CASE("JSON Lines are the same table as CSV") {
  const std::string csv = "click,id,user,price\n1,7,ann,0.50\n0,8,bob,\n";
  const std::string json =
      "{\"click\": 1, \"id\": 7, \"user\": \"ann\", \"price\": 0.50}\n"
      "{\"price\": null, \"user\": \"bob\", \"id\": 8, \"click\": 0}\n";
  const ClickSchema of_csv = schema_of(csv), of_json = schema_of(json);
  CHECK(of_json.format == of_csv.format);
  CHECK(of_json.has_header);
  CHECK(of_json.label.name == "click");
  CHECK(names(of_json.numbers) == names(of_csv.numbers));
  CHECK(names(of_json.categories) == names(of_csv.categories));
  CHECK(of_json.ignored == of_csv.ignored);
  CHECK(head_refusal(json, {.header = "yes"}) ==
        "2 f: is JSON Lines, whose objects name the columns: leave out --header");
  CHECK(head_refusal(json, {.format = "csv"}).starts_with("65 f: is JSON Lines, expected a table"));
  CHECK(head_refusal("a,b\n", {.format = "jsonl"}) ==
        "65 f: begins with 'a,b', expected a JSON object a line, whose names are columns");
}

TEST_CASE("a label is found by its name, else by its two classes") {
  CHECK(schema_of("a,Is Click\n1,0\n2,1\n").label.name == "Is Click");
  CHECK(schema_of("category,bought\nx,0\ny,1\n").label.name == "bought");
  CHECK(schema_of("rating,new\n4,0\n5,1\n").label.name == "rating");
  CHECK(schema_of("outcome,new,a\n1,0,x\n0,1,y\n").label.name == "outcome");
  CHECK(schema_of("x,4,1\ny,5,0\n").label.index == 2);
  CHECK(schema_of("x,4,1\ny,5,0\n", {.positive = "x"}).label.index == 0);
  CHECK(head_refusal("bought,new\n1,0\n0,1\n", {}).find("which column is the label?") !=
        std::string::npos);
}

TEST_CASE("an index without a name, as pandas writes it, is no data") {
  const ClickSchema schema = schema_of(",click,a\n0,1,x\n1,0,y\n");
  CHECK(schema.has_header);
  CHECK(schema.label.name == "click");
  CHECK(names(schema.categories) == "a");
  CHECK(schema.ignored == std::vector<std::string>{"Unnamed: 0"});
  // Of two levels, and written again by pandas.
  CHECK(schema_of(",,click,a\nu,0,1,x\n").ignored ==
        std::vector<std::string>{"Unnamed: 0", "Unnamed: 1"});
  CHECK(schema_of("Unnamed: 0,click,a\n0,1,x\n").ignored == std::vector<std::string>{"Unnamed: 0"});
  CHECK(names(schema_of(",click,a\n0,1,x\n", {.columns = "1:category"}).categories) ==
        "Unnamed: 0 a");
  // Missing values are no names.
  CHECK(!schema_of(",a,b\n,c,d\n", {.label_column = "3"}).has_header);
  CHECK(!schema_of("x,,b\ny,c,d\n").has_header);
  CHECK(!schema_of(",,\n1,c,d\n").has_header);
}

TEST_CASE("numbers alone are enough") {
  const ClickSchema schema = schema_of("click,x,y\n1,0.5,2.5\n0,1.5,3\n");
  CHECK(names(schema.numbers) == "x y");
  CHECK(schema.categories.empty());
}

TEST_CASE("declarations that make no sense are refused with what there is") {
  const std::string text = "u,i,good\na,b,1\n";
  CHECK(head_refusal(text, {}) ==
        "2 f: which column is the label? expected --label-column with u, i, good");
  CHECK(head_refusal(text, {.columns = "good:label,x:category"}) ==
        "2 f:1: no column 'x', expected u, i, good or a number from 1 to 3");
  CHECK(head_refusal(text, {.columns = "good:label,u:kategory"}).find("did you mean 'category'?") !=
        std::string::npos);
  CHECK(head_refusal(text, {.columns = "good:label,u:log,u:number"}).find("declared twice") !=
        std::string::npos);
  CHECK(head_refusal(text, {.columns = "good:label,u:label"})
            .find("'u' is a second column of type label") != std::string::npos);
  CHECK(head_refusal(text, {.columns = "good:label", .label_column = "u"}) ==
        "2 the label is column 'u' and column 'good', expected one (--label-column, --positive, "
        "--columns)");
  CHECK(
      head_refusal(text, {.columns = "good:label,*:ignore"}).find("no column is a category or a") !=
      std::string::npos);
  CHECK(head_refusal("u,u,click\na,b,1\n", {}) ==
        "65 f:1: the header has the column 'u' twice, expected each name once");
  CHECK(head_refusal("\xff,click\na,1\n", {}) ==
        "65 f:1: the header has a column '\\xff', expected names in UTF-8 (or --header no)");
  CHECK(head_refusal(text, {.columns = "good:label", .ids = "number", .rows = "1,2,3"}) ==
        "2 --rows has 3 numbers, expected one for each of 2 categories of f");
}

TEST_CASE("rows of tables are numbers or a published shape") {
  CHECK(parse_rows("100, 20,5", "--rows") == std::vector<std::uint64_t>{100, 20, 5});
  std::uint64_t sum = 0, kaggle = 0;
  for (const std::uint64_t rows : parse_rows("terabyte", "--rows")) sum += rows;
  for (const std::uint64_t rows : parse_rows("kaggle", "--rows")) kaggle += rows;
  CHECK(sum == 187767399);
  CHECK(kaggle == 33762577);
  CHECK(parse_rows("kaggle/100", "--rows")[2] == 101312);
  CHECK(parse_rows("kaggle/100", "--rows")[25] == 20000);
  CHECK(parse_rows("kaggle/100", "--rows")[0] == 1460);
  for (const char* wrong : {"0", "4294967296", "1,,2", "kagle", "kaggle/0", "kaggle/x"}) {
    CHECK(error_of([&] { parse_rows(wrong, "--rows"); }).starts_with("2 --rows: "));
  }
}

TEST_CASE("options that no data could satisfy are refused") {
  const auto wrong = [](const ClickOptions& options) {
    return error_of([&] { check_click_options(options); });
  };
  CHECK(wrong({}) == "no error");
  CHECK(wrong({.ids = "counts"}) == "2 --ids is 'counts', expected count, hash, number");
  CHECK(wrong({.format = "cvs"}).find("did you mean 'csv'?") != std::string::npos);
  CHECK(wrong({.min_count = 0}).starts_with("2 --min-count"));
  CHECK(wrong({.hash_rows = 0}).starts_with("2 --hash-rows"));
  CHECK(wrong({.max_rows = std::uint64_t{1} << 32}).starts_with("2 --max-rows"));
}
