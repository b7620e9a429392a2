#include "libcore/tables/json_rows.h"

#include <doctest/doctest.h>

#include "libcore/tables/json_head.h"
#include "libcore/tables/table_rows.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

/// The rows of a text as "line:field|field ".
std::string json_rows_of(const TableForm& form, std::string_view text) {
  TableRows rows(form, "t");
  rows.start(text);
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

TableForm json_form_of(std::vector<std::string> names, bool allows_lists = false,
                       const std::vector<std::size_t>& used = {}) {
  auto columns = std::make_shared<JsonColumns>(std::move(names), allows_lists);
  if (!used.empty()) columns->read_only(used);
  return json_form(std::move(columns));
}

std::string json_problem(const TableForm& form, const std::string& text) {
  return error_of([&] {
    TableRows rows(form, "t");
    TextPiece piece;
    piece.memory.assign(text.begin(), text.end());
    piece.size = text.size();
    for_each_row(rows, piece, [] {});
  });
}

std::string json_head_text(std::string_view text) {
  std::string out;
  for (const TableRow& row : json_head(text, "t").rows) out += csv_text(std::span(&row, 1));
  return out;
}

}  // namespace

TEST_CASE("an object is a row, whose names are columns in any order") {
  const TableForm form = json_form_of({"a", "b"});
  CHECK(
      json_rows_of(
          form, "{\"a\":1,\"b\":\"x\"}\n{\"b\":2,\"c\":[],\"a\":null}\r\n\n  \n {} \n{\"b\":3}") ==
      "1:1|x 2:|2 5:| 6:|3 ");
  CHECK(json_rows_of(form, "{\"a\":1,\"a\":2}\n") == "1:2| ");
  CHECK(json_rows_of(form, "{\"a\":\"\",\"b\":\" \"}\n") == "1:|  ");
}

TEST_CASE("rows that are no objects have their line and what was expected") {
  const TableForm form = json_form_of({"a"});
  CHECK(json_problem(form, "{}\n[1]\n") == "65 t:2: found '[1]', expected a JSON object a line");
  CHECK(json_problem(form, "{}\n# a\n") == "65 t:2: found '# a', expected a JSON object a line");
  CHECK(json_problem(form, "{}\n\n{\"a\":x}\n").starts_with("65 t:3: column 6: not valid JSON"));
}

TEST_CASE("nested values are errors where they are read") {
  const std::string text = "{\"a\":1,\"b\":{\"c\":2}}\n{\"a\":[1,2]}\n";
  CHECK(json_problem(json_form_of({"a", "b"}), text) ==
        "65 t:1: 'b' is an object or a list of such, expected a text, a number, true, false or "
        "null: give its parts names of their own, or ignore the column (--columns)");
  CHECK(json_problem(json_form_of({"a", "b"}, false, {0}), text)
            .starts_with("65 t:2: 'a' is a list, "));
  CHECK(json_rows_of(json_form_of({"a", "b"}, true, {0}), text) ==
        "1:1| 2:1\x1f"
        "2| ");
}

TEST_CASE("the first objects name the columns in the order of first occurrence") {
  CHECK(json_head_text("{\"b\":1,\"a\":\"x,\\\"y\"}\n[1]\n{\"c\":null,\"a\":{\"d\":1}}\n{\"a\":") ==
        "b,a,c\n1,\"x,\"\"y\",\n,{...},\n");
  CHECK(json_head_text("{}\n{}\n") == "");
  CHECK(json_head_text("label,text\n") == "");
  CHECK(json_head("\n{}\n{\"a\":1}\n", "t").line == 2);
}

TEST_CASE("short objects beside one of many names fill no memory") {
  std::string text = "{";
  for (int i = 0; i < 60'000; ++i) text += "\"" + std::to_string(i) + "\":1,";
  text.back() = '}';
  for (int i = 0; i < 999; ++i) text += "\n{}";
  const TableHead head = json_head(text, "t");
  CHECK(head.rows.size() == 1 + (1U << 20) / 60'000);
  CHECK(head.first().size() == 60'000);
  std::string wide = "{";
  for (int i = 0; i < 70'000; ++i) wide += "\"" + std::to_string(i) + "\":1,";
  wide.back() = '}';
  CHECK(error_of([&] { json_head(wide, "t"); }).starts_with("65 t"));
}

TEST_CASE("a reader's objects may begin behind its first piece") {
  const TextFile file(std::string(100, '\n') + "{\"a\":\"" + std::string(5000, 'x') + "\"}\n");
  PieceReader reader(file.path(), 64);
  CHECK(json_head(reader).first() == TableRow{"a"});
  const TextFile none("1\n2\n");
  PieceReader other(none.path(), 64);
  CHECK(error_of([&] { json_head(other); }) ==
        "65 " + none.path() +
            ": begins with '1', expected a JSON object a line, whose names are columns");
}
