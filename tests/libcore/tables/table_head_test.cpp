#include "libcore/tables/table_head.h"

#include <doctest/doctest.h>

#include "libcore/tables/column_profile.h"
#include "libcore/tables/column_roles.h"
#include "libcore/tables/header_guess.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

TableHead csv(std::string_view text) { return record_head(text, DelimitedStyle::csv(), true); }

/// "yes", "no", with "?" behind it where the rows do not tell.
std::string header(std::string_view text) {
  const HeaderGuess guess = guess_header(csv(text).rows);
  return std::string(guess.is_header ? "yes" : "no") + (guess.is_sure ? "" : "?");
}

TableHead lines(const std::string& text, bool strict_tabs = true) {
  const TextFile file(text);
  PieceReader reader(file.path());
  return line_head(reader, strict_tabs);
}

}  // namespace

TEST_CASE("the separator is the one by which all lines have the same number of fields") {
  CHECK(find_separator("a,b\nc,d\n", false) == ',');
  CHECK(find_separator("a;b\nc;d, e\n", false) == ';');
  CHECK(find_separator("label|text\npos|good, fine\n", false) == '|');
  CHECK(find_separator("a,\"x;y\"\nb,\"z\"\n", false) == ',');
  CHECK(find_separator("1,5;2,5\n3,5;4,5\n", false) == ';');
  CHECK(find_separator("a\tb c\td\n1\t2 3\t4\n", false) == '\t');
  CHECK(find_separator("a b\nc d\n", false) == ' ');
  CHECK(find_separator("a,b\nc,d,e\n", false) == ',');
  CHECK(find_separator("# x;y;z\n1,2\n", true) == ',');
  CHECK(find_separator("", false) == ' ');
}

TEST_CASE("the head of lines leaves out comments, and keeps names in the last of them") {
  const TableHead head = lines("% by hand\n# source, target, time\n\n1, 2, 3\n4, 5, 6\n");
  CHECK(head.separator == ',');
  CHECK(head.line == 4);
  CHECK(head.rows == std::vector<TableRow>{{"1", "2", "3"}, {"4", "5", "6"}});
  CHECK(head.comment_names == TableRow{"source", "target", "time"});
  CHECK(lines("# 1 2\n1 2\n").comment_names.empty());
  CHECK(lines("a\tb c\n").first() == TableRow{"a", "b c"});
  CHECK(lines("a\tb c\n", false).first() == TableRow{"a", "b", "c"});
  CHECK(lines("# nothing\n").empty());
  CHECK(error_of([] { lines(std::string("a\0b\n", 4)); }).find(":1: has a byte 0") !=
        std::string::npos);
}

TEST_CASE("tabs separate where some rows have an empty field between them") {
  const auto separator = [](const char* text) { return lines(text, false).separator; };
  CHECK(lines("1\t\t0.5\n2\t7\t\n3\t\t9\n", false).rows ==
        std::vector<TableRow>{{"1", "", "0.5"}, {"2", "7", ""}, {"3", "", "9"}});
  CHECK(lines("a\tb\r\n1\t\r\n", false).rows == std::vector<TableRow>{{"a", "b"}, {"1", ""}});
  CHECK(lines("\ta\tb\n0\t1\t2\n", false).first() == TableRow{"", "a", "b"});
  CHECK(separator("1\t\t2\n3\t\t4\n") == '\t');
  // Ends of all lines, indents, and columns that tabs align.
  CHECK(separator("1\t2\t\n3\t4\t\n") == ' ');
  CHECK(separator("\t1\t2\n\t3\t4\n") == ' ');
  CHECK(separator("short\t\t1\nmuch_longer\t2\n") == ' ');
}

TEST_CASE("the head of records has quotes, line ends in them, and no comments") {
  CHECK(csv("a,\"b\nc\"\n#d,e\n").rows == std::vector<TableRow>{{"a", "b\nc"}, {"#d", "e"}});
  CHECK(record_head("a,b\nc,", DelimitedStyle::csv(), false).rows.size() == 1);
  CHECK(csv("a,b\nc,d\n").line == 1);
  CHECK(csv("\r\n\na,b\n\nc,d\n").line == 3);
}

TEST_CASE("names over numbers, dates or long texts are a header") {
  CHECK(header("txId1,txId2\n230425980,5530458\n232022460,232438397\n") == "yes");
  CHECK(header("s,t,when\n1,2,2024-01-01\n") == "yes");
  CHECK(header("label,0,1,2\npos,0.5,1,2\nneg,1,1,3\n") == "yes?");
  CHECK(header("a,b\nx,1\ny,NA\n") == "yes");
  CHECK(header("headline,verdict\n\"the cat sat on the mat\",yes\n\"no dog is to be seen\",no\n") ==
        "no?");
  CHECK(
      header("news_text,verdict\n\"the cat sat on the mat\",yes\n\"no dog is to be seen\",no\n") ==
      "yes");
}

TEST_CASE("values are no header, and texts alone are told by usual names") {
  CHECK(header("1,2\n3,4\n") == "no");
  CHECK(header("a,1,5\nb,2,6\n") == "no");
  CHECK(header("2024-01-01,3\n2024-01-02,4\n") == "no");
  CHECK(header("source,target\nann,bob\nbob,cid\n") == "yes");
  CHECK(header("page,liked_page\nx,y\n") == "yes?");
  CHECK(header("ann,bob\nbob,cid\n") == "no?");
  CHECK(header("text,good\ntext,bad\n") == "no?");
  CHECK(header("") == "no?");
}

TEST_CASE("--header says it, else the guess does") {
  const HeaderGuess guess{.is_header = true};
  CHECK(has_header("auto", guess));
  CHECK(has_header("yes", {}));
  CHECK(!has_header("no", guess));
  CHECK(error_of([&] { has_header("maybe", guess); }) ==
        "2 --header is 'maybe', expected auto, yes or no");
}

TEST_CASE("a profile counts what the fields of a column are") {
  const auto head = csv("7,a b,2024-01-01,-\n7.0,c,2024-01-02,null\n1.5,c,NaT,3\n");
  const auto columns = profile_columns(head.rows);
  REQUIRE(columns.size() == 4);
  CHECK(columns[0].numbers == 3);
  CHECK(columns[0].wholes == 2);
  CHECK(columns[0].distinct == 3);
  CHECK(!columns[0].grows);
  CHECK(columns[1].words == 4);
  CHECK(!columns[1].is_numeric());
  CHECK(columns[2].is_dated());
  CHECK(columns[2].grows);
  CHECK(columns[3].filled == 1);
}

TEST_CASE("roles are found by usual names, whatever their case and separators") {
  const std::vector<std::string> header{"Unnamed: 0", "Tag", "User ID", "label", "created_at"};
  CHECK(find_role(ColumnRole::label, header) == 3);
  CHECK(find_role(ColumnRole::source, header) == 2);
  CHECK(find_role(ColumnRole::time, header) == 4);
  CHECK(find_role(ColumnRole::row_id, header) == 0);
  CHECK(!find_role(ColumnRole::destination, header));
  CHECK(is_usual_name("Source"));
  CHECK(!is_usual_name("york"));
}

TEST_CASE("a separator that is given separates, whatever the lines look like") {
  const TextFile file("a, b;c, d\ne, f;g, h\n");
  PieceReader guessed(file.path()), told(file.path()), blanks(file.path());
  CHECK(line_head(guessed, true).separator == ',');
  CHECK(line_head(told, true, ';').first() == TableRow{"a, b", "c, d"});
  CHECK(line_head(blanks, true, ' ').first() == TableRow{"a,", "b;c,", "d"});
  const TextFile tabs("a b\tc\n");
  PieceReader strict(tabs.path());
  CHECK(line_head(strict, false, '\t').first() == TableRow{"a b", "c"});
  CHECK(given_separator("tab") == '\t');
  CHECK(given_separator(";") == ';');
  for (const char* wrong : {"", ";;", "\"", "\n"}) {
    CHECK(error_of([&] { given_separator(wrong); }).find("--separator is") != std::string::npos);
  }
}
