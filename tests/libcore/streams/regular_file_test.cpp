#include "libcore/streams/regular_file.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/text_file.h"

using namespace frugal;

TEST_CASE(
    "a file that becomes shorter while it is read is an error of reading, not of its content") {
  const TextFile file("0123456789", ".bin");
  const RegularFile open(file.path());
  char bytes[4] = {};
  open.read_at(6, bytes, 4);
  CHECK(std::string(bytes, 4) == "6789");
  std::filesystem::resize_file(file.path(), 8);
  CHECK(error_of([&] { open.read_at(6, bytes, 4); }) ==
        "74 " + file.path() + ": the file became shorter while it was read; run the command again");
}

TEST_CASE("an input has few records if it is small, or gives them one by one") {
  const TextFile small("one\n"), large(std::string(100000, 'x'));
  CHECK(size_of_input(small.path()) == 4);
  CHECK(has_few_records(small.path()));
  CHECK(size_of_input(large.path()) == 100000);
  CHECK(!has_few_records(large.path()));
  CHECK(!size_of_input(small.path() + ".missing"));
  const PipedStdin pipe(std::string(100000, 'x'));
  CHECK(!size_of_input("-"));
  CHECK(has_few_records("-"));
  char byte = 0;
  while (read(0, &byte, 1) == 1) continue;
}
