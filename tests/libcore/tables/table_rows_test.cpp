#include "libcore/tables/table_rows.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;

namespace {

/// The rows of a text as "line:field|field ".
std::string rows_of(const TableForm& form, std::string_view text, std::uint64_t first_line = 1) {
  TableRows rows(form, "t");
  rows.start(text, first_line);
  std::string out;
  while (rows.next()) {
    out += std::to_string(rows.line());
    for (std::size_t c = 0; c < rows.fields().size(); ++c) {
      (out += c == 0 ? ":" : "|") += rows.fields()[c];
    }
    out += " ";
  }
  return out;
}

TableForm records(DelimitedStyle style, std::size_t num_columns, bool has_header = false) {
  return {.style = style, .header_line = has_header ? 1U : 0U, .num_columns = num_columns};
}

TableForm lines(char separator, std::size_t num_columns) {
  return {.style = {separator, separator != ' '}, .lines = true, .num_columns = num_columns};
}

std::string problem(const TableForm& form, const std::string& text) {
  return error_of([&] {
    TableRows rows(form, "t");
    TextPiece piece;
    piece.memory.assign(text.begin(), text.end());
    piece.size = text.size();
    for_each_row(rows, piece, [] {});
  });
}

}  // namespace

TEST_CASE("rows of CSV go on behind a line end in quotes, and know their lines") {
  const auto csv = records(DelimitedStyle::csv(), 2);
  CHECK(rows_of(csv, "a,b\r\n\n\"c\nd\",\"e\"\"f\"\n\r\n g,\nh,i") ==
        "1:a|b 3:c\nd|e\"f 6: g| 7:h|i ");
  CHECK(rows_of(records(DelimitedStyle::csv(), 2, true), "\"na\nme\",b\n1,2\n") == "3:1|2 ");
  CHECK(rows_of(records(DelimitedStyle::csv(), 2, true), "1,2\n", 9) == "9:1|2 ");
  CHECK(rows_of(records(DelimitedStyle::tsv(), 2), "\"a\tb\"\n") == "1:\"a|b\" ");
  CHECK(rows_of(records(DelimitedStyle::lines(), 1), "a,\"b\n#c\n") == "1:a,\"b 2:#c ");
}

TEST_CASE("lines lose comments, empty lines and blanks around fields") {
  CHECK(rows_of(lines(',', 2), "# a\n 1 ,\t2\r\n  \n% b\n3,4") == "2:1|2 5:3|4 ");
  CHECK(rows_of(lines(' ', 3), "1  2\t3 \n") == "1:1|2|3 ");
  CHECK(rows_of(lines(',', 2), "#N/A,2\n#NA,2\n") == "1:#N/A|2 ");
  CHECK(rows_of(lines('\t', 2), "\"a\tb\"\t c\n") == "1:a\tb| c ");
  TableForm form = lines(' ', 0);
  form.header_line = 2;
  form.num_columns = 1;
  CHECK(rows_of(form, "x\ny\nz\n") == "3:z ");
  CHECK(rows_of(form, "y\nz\n", 2) == "3:z ");
  form.style = DelimitedStyle::lines();
  form.empty_rows = true;
  CHECK(rows_of(form, "x\ny\na b\n\nc\n") == "3:a b 4: 5:c ");
}

TEST_CASE("a row of another shape is an error with its place") {
  TableForm form = records(DelimitedStyle::csv(), 2);
  CHECK(problem(form, "1,2\n\n1\n") == "65 t:3: found 1 column, expected 2");
  form.model_line = 1;
  CHECK(problem(form, "1,2\n1,2,3\n") == "65 t:2: found 3 columns, expected 2 as in line 1");
  CHECK(problem(form, "1,2\n\"1\"x,2\n")
            .starts_with("65 t:2: column 1 goes on behind its closing quote with 'x'"));
  CHECK(problem(lines(';', 2), "1;2\n# c\n\"1;2\n") ==
        "65 t:3: a quote is opened here and never closed");
  CHECK(
      problem(form, std::string(kMostColumns + 9, ',')).starts_with("65 t:1: found 65537 columns"));
}

TEST_CASE("a row may be passed, counted, begun with and taken from elsewhere") {
  TableRows rows(records(DelimitedStyle::csv(), 2), "t");
  TextPiece piece;
  const std::string text = "a,b\n\n\"c\nd\",e\nf,g\n";
  piece.memory.assign(text.begin(), text.end());
  piece.size = text.size();
  piece.first_line = 10;
  rows.start(piece);
  std::size_t offset = 0;
  for (int i = 0; i < 2; ++i) CHECK(rows.pass());
  offset = rows.offset();
  CHECK(rows.place() == "t:12");
  CHECK(rows.pass());
  CHECK(!rows.pass());
  CHECK(rows.num_empty() == 1);
  rows.start_at(piece, offset);
  CHECK(rows.next());
  CHECK(rows.place() == "t:12");
  CHECK(rows.fields()[0] == "c\nd");
  rows.take("x,\"y\"\r\n");
  rows.split();
  CHECK(rows.row() == "x,\"y\"");
  CHECK(rows.fields()[1] == "y");
}
