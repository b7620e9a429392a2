#include "tools/robe-compress/data/click_parser.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/hash.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

struct Parsed {
  ParsedPiece piece;
  ClickLayout layout;
};

/// All samples of a text of that schema.
Parsed parse_as(const ClickSchema& schema, const std::string& text,
                const ClickOptions& options = {}, SampleSpan span = {}) {
  Parsed parsed;
  parsed.layout = find_layout(schema, options, "f", text, Labels::required);
  TextPiece piece;
  piece.memory.assign(text.begin(), text.end());
  piece.size = text.size();
  const std::string name = "f";
  ClickParser(parsed.layout, name).parse(piece, span, parsed.piece);
  return parsed;
}

/// All samples of a text whose own head the schema is made from.
Parsed parse(const std::string& text, const ClickOptions& options = {}, SampleSpan span = {}) {
  return parse_as(make_schema(options, "f", text), text, options, span);
}

std::string line_refusal(const std::string& text, const ClickOptions& options = {}) {
  return error_of([&] { parse(text, options); });
}

/// A sample of Criteo's format: `number` is the first integer, `category` the last category.
std::string criteo(const std::string& label, const std::string& number,
                   const std::string& category) {
  std::string line = label + "\t" + number;
  for (int i = 0; i < 12; ++i) line += "\t";
  for (int i = 0; i < 25; ++i) line += "\tab";
  return line + "\t" + category + "\n";
}

}  // namespace

TEST_CASE("a file of Criteo's format may have got a header of all its names, in any order") {
  const ClickSchema schema = make_schema({}, "f", criteo("1", "9", "f"));
  std::string names = "label", moved = "C26\tlabel";
  for (int i = 1; i < 14; ++i)
    names += "\tI" + std::to_string(i), moved += "\tI" + std::to_string(i);
  for (int i = 1; i < 27; ++i) names += "\tC" + std::to_string(i);
  for (int i = 1; i < 26; ++i) moved += "\tC" + std::to_string(i);
  const std::string line = criteo("1", "9", "1F");
  for (const std::string& text :
       {line, names + "\n" + line, moved + "\n1F\t" + line.substr(0, line.rfind('\t')) + "\n"}) {
    const Parsed parsed = parse_as(schema, text);
    REQUIRE(parsed.piece.size == 1);
    CHECK(parsed.piece.numbers[0] == std::log(10.0F));
    CHECK(parsed.piece.keys == parse_as(schema, line).piece.keys);
  }
}

TEST_CASE("numbers of Criteo are log(1 + x), below 0 or missing they are 0 or wait for the scale") {
  const auto [piece, layout] =
      parse(criteo("1", "9", "f") + criteo("0", "-3", "") + criteo("0", "1234567890", "e"));
  REQUIRE(piece.size == 3);
  CHECK(piece.labels == std::vector<float>{1, 0, 0});
  CHECK(piece.numbers[0] == std::log(10.0F));
  CHECK(piece.numbers[13] == 0);
  CHECK(piece.numbers[26] == doctest::Approx(std::log(1234567891.0)));
  CHECK(std::isnan(piece.numbers[1]));
  CHECK(piece.keys[25] == hash_bytes("f"));
  CHECK(piece.keys[26 + 25] == hash_bytes(""));
}

TEST_CASE("hashed categories keep the rows that models were trained with") {
  // XXH3 (xxhash 0.8 for Python) with the field's number from 1 as seed, times rows / 2^64.
  const auto [piece, layout] = parse("1,68fd1e64,68fd1e64,caf\xc3\xa9\n0,,x,y\n",
                                     {.format = "csv", .ids = "hash", .hash_rows = 1000000});
  REQUIRE(piece.size == 2);
  CHECK(piece.keys[0] == 339931);
  CHECK(piece.keys[1] == 763414);
  CHECK(piece.keys[2] == 712612);
  CHECK(piece.keys[3] == 303797);  // nothing, in the first field
}

TEST_CASE("a record with other columns is refused with its line") {
  const std::string good = criteo("1", "9", "f");
  std::string cut = good.substr(0, good.rfind('\t'));
  cut = cut.substr(0, cut.rfind('\t')) + "\n";
  CHECK(line_refusal(good + good + cut) == "65 f:3: found 38 columns, expected 40");
  CHECK(line_refusal(good + "\n\r\n" + cut) == "65 f:4: found 38 columns, expected 40");
  CHECK(line_refusal("1 2:1 3:1\n0 4:1\n") == "65 f:2: found 2 columns, expected 3");
  CHECK(
      line_refusal("1 2:1 3:1\n0 4:1 5:0.5\n") ==
      "65 f:2: found '5:0.5', expected id:1 (a pair stands for a category; numbers go into columns "
      "of a csv)");
  CHECK(
      line_refusal("a,click\n\"x\",1\n\"y\"z,0\n").starts_with("65 f:3: column 1 goes on behind"));
}

TEST_CASE("values that are no labels, numbers, times or rows are refused with column and line") {
  CHECK(line_refusal(criteo("1", "9", "f") + criteo("", "9", "f")) ==
        "65 f:2: column 'label' is '', expected a label 0 or 1, or -1 or 1 (--positive says what "
        "else is a click)");
  const ClickOptions number{.columns = "p:number"};
  CHECK(line_refusal("click,a,p\n1,x,1.5\n0,y,many\n", number) ==
        "65 f:3: column 'p' is 'many', expected a number or nothing (--columns declares it a "
        "category)");
  CHECK(line_refusal("click,a,p\n1,x,1.5\n0,y,inf\n", number)
            .starts_with("65 f:3: column 'p' is 'inf'"));
  const ClickOptions hours{.columns = "t:hour"};
  for (const char* wrong : {"2014-13-21", "2014-10-21 25:00", "x"}) {
    CHECK(line_refusal("click,t\n1,14102100\n0," + std::string(wrong) + "\n", hours) ==
          "65 f:3: column 't' is '" + std::string(wrong) +
              "', expected a date or time like 2014-10-21 00:00, 14102100 or 1413849600");
  }
  const ClickOptions rows{.ids = "number"};
  CHECK(line_refusal(criteo("1", "9", "f") + criteo("1", "9", "123456789abcdef01"), rows) ==
        "65 f:2: column 'C26' is '123456789abcdef01', expected a row in at most 16 hexadecimal "
        "digits (--ids number)");
  for (const char* wrong : {"1g", "1G", "1@", "1`", "1:", "1/", "-1"}) {
    CHECK(line_refusal(criteo("1", "9", "f") + criteo("1", "9", wrong), rows)
              .find("hexadecimal digits") != std::string::npos);
  }
  CHECK(line_refusal("click,a\n1,18446744073709551616\n", rows).find("a row below 2^64") !=
        std::string::npos);
  CHECK(
      line_refusal("click,a\n1,4294967295\n", rows).find("is row 4294967295, expected one below") !=
      std::string::npos);
  CHECK(line_refusal("click,a\n1,-1\n", rows).find("a row below 2^64") != std::string::npos);
}

TEST_CASE("hours and weekdays are those of the clock on the wall, however a time is written") {
  const ClickOptions parts{.columns = "t:hour,t:weekday"};
  const auto keys = [&](const std::string& time) {
    return parse("click,t\n1," + time + "\n", parts).piece.keys;
  };
  const std::vector<std::uint64_t> tuesday_at_one{hash_bytes("01"), hash_bytes("02")};
  for (const char* time : {"14102101", "2014102101", "2014-10-21 01:59:59",
                           "2014-10-21T01:00+05:00", "1413853200", "1413853200000"}) {
    CHECK(keys(time) == tuesday_at_one);
  }
  CHECK(keys("20141021") == std::vector<std::uint64_t>{hash_bytes(""), hash_bytes("02")});
  CHECK(keys("NaT") == std::vector<std::uint64_t>{hash_bytes(""), hash_bytes("")});
}

TEST_CASE("lines of libfm, svmlight and libffm have ids between any blanks") {
  const auto plain = parse("1 7:1 9:1\n", {}).piece.keys;
  for (const char* line : {"1\t7:1\t9:1 \n", "1 7:1.0 9:1.000\n", "1 qid:3 7:1 9:1\n",
                           "1 7:1 9:1 # row 3:1\n", "1 0:7:1 1:9:1\n", "1 3:7:1 2:9:1\n"}) {
    CHECK(parse(line, {.format = "libfm"}).piece.keys == plain);
    CHECK(parse(line, {}).piece.keys == plain);
  }
}

TEST_CASE("pairs of libffm go into the columns of their fields, wherever they stand") {
  const auto [piece, layout] = parse("1 4:7:1 0:9:1\n0 0:9:1 4:7:1\n");
  REQUIRE(piece.size == 2);
  CHECK(layout.schema.categories[0].name == "4");
  CHECK(layout.schema.categories[1].name == "0");
  const auto plain = parse("1 7:1 9:1\n").piece.keys;
  CHECK(std::vector(piece.keys.begin(), piece.keys.begin() + 2) == plain);
  CHECK(std::vector(piece.keys.begin() + 2, piece.keys.end()) == plain);
}

TEST_CASE("models of version 1.0.0 read the pairs of libffm by their place") {
  ClickSchema schema = make_schema({}, "f", "1 4:7:1 0:9:1\n");
  schema.by_field = false;
  CHECK(parse_as(schema, "1 0:9:1 4:7:1\n").piece.keys == parse("1 9:1 7:1\n").piece.keys);
}

TEST_CASE("lines with other fields, or with one twice, are refused") {
  const std::string first = "1 4:7:1 0:9:1\n";
  CHECK(line_refusal(first + "1 4:7:1 4:9:1\n") ==
        "65 f:2: found the field '4' twice, expected each field once in a line");
  CHECK(
      line_refusal(first + "1 4:7:1 1:9:1\n") ==
      "65 f:2: found the field '1', expected one of the fields of the training data's first line");
  CHECK(line_refusal(first + "1 4:7:1 9:1\n") == "65 f:2: found '9:1', expected field:id:1");
  CHECK(line_refusal("1 4:7:1 4:9:1\n") ==
        "65 f:1: found the field '4' twice, expected each field once in a line");
  CHECK(line_refusal("1 4:7:1 9:1\n") ==
        "65 f:1: found '4:7:1' and '9:1', expected id:1 in all pairs, or field:id:1 in all");
}

TEST_CASE("True and TRUE are true in categories, but not for models of version 1.0.0") {
  const std::string text = "click,c\n1,True\n0,TRUE\n1,true\n0,False\n";
  const auto keys = parse(text).piece.keys;
  CHECK(keys == std::vector<std::uint64_t>{hash_bytes("true"), hash_bytes("true"),
                                           hash_bytes("true"), hash_bytes("false")});
  ClickSchema schema = make_schema({}, "f", text);
  schema.categories[0].joins_booleans = false;
  CHECK(parse_as(schema, text).piece.keys ==
        std::vector<std::uint64_t>{hash_bytes("True"), hash_bytes("TRUE"), hash_bytes("true"),
                                   hash_bytes("False")});
}

TEST_CASE("missing numbers have several names") {
  const auto [piece, layout] = parse(
      "click,a,p\n1,x,1.5\n0,y,\n0,y,nan\n0,y,NA\n0,y, NaN \n1,z,+2e1\n", {.columns = "p:number"});
  REQUIRE(piece.size == 6);
  for (int i = 1; i < 5; ++i) CHECK(std::isnan(piece.numbers[i]));
  CHECK(piece.numbers[5] == 20);
}

TEST_CASE("rows are decimal, hexadecimal in Criteo, folded on demand, nothing is row 0") {
  ClickOptions rows{.ids = "number"};
  CHECK(parse(criteo("1", "9", "1F"), rows).piece.keys[25] == 31);
  CHECK(parse(criteo("1", "9", "0af9AF"), rows).piece.keys[25] == 0xaf9af);
  CHECK(parse(criteo("1", "9", ""), rows).piece.keys[25] == 0);
  CHECK(parse("click,a\n1,31\n", rows).piece.keys[0] == 31);
  rows.max_rows = 10;
  CHECK(parse("click,a\n1,18446744073709551615\n", rows).piece.keys[0] == 5);
}

TEST_CASE("hashed rows lie in their tables and depend on the field") {
  const ClickOptions hash{.ids = "hash", .hash_rows = 1000};
  const auto [piece, layout] = parse("click,a,b\n1,x,x\n0,y,x\n", hash);
  for (const std::uint64_t key : piece.keys) CHECK(key < 1000);
  CHECK(piece.keys[0] != piece.keys[1]);
  CHECK(piece.keys[1] == piece.keys[3]);
}

TEST_CASE("times become hour and weekday") {
  const ClickOptions options{.columns = "t:hour,t:weekday", .ids = "number"};
  const auto [piece, layout] = parse("click,t\n1,14102107\n0,2014102623\n", options);
  CHECK(piece.keys == std::vector<std::uint64_t>{7, 2, 23, 0});  // a Tuesday, a Sunday
}

TEST_CASE("samples are chosen by number and by day, in quotes too") {
  const std::string text = "click,day,a\n1,1,\"x\ny\"\n\n0,2,y\n1,3,z\n0,10,z\n";
  CHECK(parse(text, {}, {1, 3}).piece.labels == std::vector<float>{0, 1});
  CHECK(parse(text, {.days = "day=2..3"}).piece.labels == std::vector<float>{0, 1});
  CHECK(parse(text, {.days = "day=3.."}).piece.labels == std::vector<float>{1, 0});
  CHECK(parse(text, {.days = "day=..1"}).piece.size == 1);
  CHECK(line_refusal(text, {.days = "dye=2..3"}).find("no column 'dye'") != std::string::npos);
  CHECK(line_refusal(text, {.days = "2..3"}).starts_with("2 --days is '2..3'"));
  TextPiece piece;
  piece.memory.assign(text.begin(), text.end());
  piece.size = text.size();
  CHECK(count_samples(parse(text).layout, piece) == 4);
}

TEST_CASE("bytes that are no text are categories like others") {
  const std::string zero("click,a\n1,x\0y\n0,\xff\xfe\n", 19);
  const auto [piece, layout] = parse(zero);
  CHECK(piece.size == 2);
  CHECK(piece.keys[0] == hash_bytes(std::string_view("x\0y", 3)));
}
