#include "tools/sparse-train/data/table_style.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

DelimitedStyle style(std::string_view head, const std::string& format = "auto") {
  FeatureOptions options;
  options.format = format;
  return table_style(options, example_formats().by_name(format == "auto" ? "tsv" : format), head);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

InputLayout layout_of(DelimitedStyle style, std::size_t num_columns) {
  InputLayout layout;
  layout.style = style;
  layout.num_columns = num_columns;
  return layout;
}

}  // namespace

TEST_CASE("between tabs, quotes enclose fields if all fields that begin with one end with one") {
  CHECK(style("a\tb\n\"c\"\td\n").quotes);
  CHECK(style("a\tb\n\"c\nd\"\te\n").quotes);
  CHECK(style("a\tb\n\"c\td\"\te\n").quotes);
  CHECK(!style("a\tb\nc\td \"e\"\n").quotes);
  CHECK(!style("a\tb\n\"c\" d\te\n").quotes);
  CHECK(!style("a\tb\n\"c\td\ne\tf\n").quotes);
  CHECK(!style("a\tb\nc\t\"d\n").quotes);
  CHECK(!style("a\tb\n\"c\"\td\n\"c\td\ne\tf\ne\"\tf\n").quotes);
}

TEST_CASE("a quote that the head of a long table leaves open is one if no rows follow it") {
  const std::string rows = "a\tb\n\"c\"\td\n", texts = repeated("some words\n", 40'000);
  CHECK(style(rows + "\"" + texts).quotes);
  CHECK(!style("a\tb\n\"" + texts).quotes);
  CHECK(!style(rows + "\"" + repeated("e\tf\n", 100'000)).quotes);
}

TEST_CASE("--format says whether fields between tabs are quoted") {
  const std::string quoted = "a\tb\n\"c\"\td\n", plain = "a\tb\n\"c\td\ne\tf\n";
  CHECK(!style(quoted, "tsv").quotes);
  FeatureOptions options;
  options.format = "csv";
  options.separator = "tab";
  const ExampleFormat& csv = example_formats().by_name("csv");
  CHECK(table_style(options, csv, plain).quotes);
  CHECK(with_quotes_of({'\t', false}, options, csv).quotes);
  CHECK(!with_quotes_of({'|', false}, options, csv).quotes);
}

TEST_CASE("a quoted field whose lines look like rows is noticed") {
  const InputLayout tabs = layout_of({'\t', true}, 2), commas = layout_of({',', true}, 2);
  CHECK(joined_rows("\"a\tb\nc\"\td\n", tabs) ==
        "a quoted field spans 2 lines that look like rows, which are read as one row (--format "
        "tsv: quotes are text)");
  CHECK(joined_rows("\"a\nb\nc\"\td", tabs).empty());
  CHECK(joined_rows("a\tb", tabs).empty());
  CHECK(joined_rows("\"a\tb\nc\"\td", layout_of({'\t', true}, 3)).empty());
  CHECK(joined_rows("a,\"b" + repeated("\nc,d", 8) + "\"", commas).empty());
  CHECK(joined_rows("a,\"b" + repeated("\nc,d", 9) + "\"", commas) ==
        "a quoted field spans 10 lines that look like rows, which are read as one row");
}

TEST_CASE("a row of another width is told the option that may help") {
  const std::vector<std::string_view> quoted{"\"a"}, plain{"a"};
  CHECK(advice_on_width(layout_of(DelimitedStyle::tsv(), 2), quoted) ==
        " (--format csv --separator tab: quotes enclose fields)");
  CHECK(advice_on_width(layout_of(DelimitedStyle::tsv(), 2), plain).empty());
  CHECK(advice_on_width(layout_of({'\t', true}, 2), quoted).empty());
}

TEST_CASE("a quote between tabs that is never closed names the option that takes it as text") {
  const TextFile file("a\t\"b\nc\td\n");
  const auto read_error = [&](DelimitedStyle style) {
    PieceReader reader(file.path());
    reader.set_style(style);
    TextPiece piece;
    return error_of([&] { next_piece(reader, style, piece); });
  };
  CHECK(read_error({'\t', true}).ends_with("line 2) (--format tsv: quotes are text)"));
  CHECK(read_error(DelimitedStyle::tsv()) == "no error");
}
