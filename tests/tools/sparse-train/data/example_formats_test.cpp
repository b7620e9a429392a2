#include "tools/sparse-train/data/example_formats.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal::sparse;

namespace {

std::string_view name(const char* path, const char* head) {
  return example_formats().detect({path, head}).name;
}

}  // namespace

TEST_CASE("the first line tells distinctive formats, whatever the file's name is") {
  CHECK(name("train.txt", "12571 9825 1930\n0,2 1:1\n") == "xmc");
  CHECK(name("train.csv", "12571 9825 1930\r\n0,2 1:1\n") == "xmc");
  CHECK(name("stdin", "+1 3:0.5 7:1\n") == "svmlight");
  CHECK(name("stdin", "0 3:0.5\n") == "svmlight");
  CHECK(name("cooking.train.zst", "__label__sauce How much\n") == "fasttext");
}

TEST_CASE("the suffix decides next, then what the first line looks like") {
  CHECK(name("a.csv", "label\ttext\n") == "csv");
  CHECK(name("a.csv.zst", "1,word\n") == "csv");
  CHECK(name("a.tsv", "1,2\tthe text\n") == "tsv");
  CHECK(name("stdin", "1\tthe text, with a comma\n") == "tsv");
  CHECK(name("stdin", "\"1\",\"a\ttab\"\n") == "csv");
  CHECK(name("stdin", "1,the text at 10:30\n") == "csv");
}

TEST_CASE("what cannot be told or does not exist lists the formats") {
  CHECK(error_of([] { name("a.txt", "hello world\n"); }) ==
        "65 a.txt:1: cannot tell the format from the name or the first line 'hello world', "
        "expected --format with one of xmc, svmlight, fasttext, csv, tsv, jsonl");
  CHECK(error_of([] { example_formats().by_name("cvs"); }) ==
        "2 format 'cvs' is not known, expected auto, xmc, svmlight, fasttext, csv, tsv, jsonl, "
        "tensors, "
        "text; did you mean 'csv'?");
}

TEST_CASE("rows of a format say what it has") {
  CHECK(format_names(has_columns, "and") == "csv, tsv and jsonl");
  CHECK(format_names(has_text, "or") == "fasttext, csv, tsv or jsonl");
  CHECK(unlabelled_text().name == "text");
}
