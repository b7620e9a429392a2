#include "libcore/io/formats.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;

TEST_CASE("the first line tells distinctive formats, whatever the file's name is") {
  const auto name = [](const char* path, const char* head) {
    return detect_text_format(path, head).name;
  };
  CHECK(name("train.txt", "12571 9825 1930\n0,2 1:1\n") == "xmc");
  CHECK(name("train.csv", "12571 9825 1930\r\n0,2 1:1\n") == "xmc");
  CHECK(name("stdin", "+1 3:0.5 7:1\n") == "svmlight");
  CHECK(name("stdin", "0 3:0.5\n") == "svmlight");
  CHECK(name("cooking.train.zst", "__label__sauce How much\n") == "fasttext");
}

TEST_CASE("the suffix decides next, then what the first line looks like") {
  const auto name = [](const char* path, const char* head) {
    return detect_text_format(path, head).name;
  };
  CHECK(name("a.csv", "label\ttext\n") == "csv");
  CHECK(name("a.csv.zst", "1,word\n") == "csv");
  CHECK(name("a.tsv", "1,2\tthe text\n") == "tsv");
  CHECK(name("stdin", "1\tthe text, with a comma\n") == "tsv");
  CHECK(name("stdin", "\"1\",\"a\ttab\"\n") == "csv");
  CHECK(name("stdin", "1,the text at 10:30\n") == "csv");
}

TEST_CASE("what cannot be told or does not exist lists the formats") {
  CHECK(error_of([] { detect_text_format("a.txt", "hello world\n"); }) ==
        "65 a.txt: cannot tell the format from the name or the first line 'hello world', expected "
        "--format with one of xmc, svmlight, fasttext, csv, tsv");
  CHECK(
      error_of([] { text_format("cvs"); }) ==
      "2 format 'cvs' is not known, expected auto, xmc, svmlight, fasttext, csv, tsv; did you mean "
      "'csv'?");
}

TEST_CASE("every format is found by its name") {
  CHECK(text_formats().size() == 5);
  for (const TextFormat& format : text_formats()) CHECK(&text_format(format.name) == &format);
}
