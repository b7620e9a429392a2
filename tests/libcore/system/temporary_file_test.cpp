#include "libcore/system/temporary_file.h"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

#include "tests/support/text_file.h"

using namespace frugal;

TEST_CASE("a temporary file gives back what was written, also mapped and changed in place") {
  TemporaryFile file(temporary_folder());
  std::vector<int> values(100000);
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t at = 0, n = 1; at < values.size(); at += n, n = n * 3 + 1) {
    n = std::min(n, values.size() - at);
    file.write(&values[at], n * sizeof(int));
  }
  CHECK(file.size() == values.size() * sizeof(int));
  int value = 0;
  file.read(77777 * sizeof(int), &value, sizeof value);
  CHECK(value == 77777);
  const auto map = file.map();
  CHECK(std::memcmp(map->data(), values.data(), map->size()) == 0);
  CHECK(map->is_writable());
  map->data()[0] = std::byte{42};
  file.read(0, &value, 1);
  CHECK(value % 256 == 42);
}

TEST_CASE("an empty temporary file maps to nothing") {
  TemporaryFile file(temporary_folder());
  CHECK(file.map()->size() == 0);
}

TEST_CASE("folders and files that are not there are named") {
  CHECK(error_of([] { TemporaryFile("/no/such/folder"); }).starts_with("73 /no/such/folder: "));
  CHECK(error_of([] { MappedMemory("/no/such/file"); }).starts_with("66 /no/such/file: "));
  CHECK(error_of([] { MappedMemory("/"); }).starts_with("65 /: "));
}

TEST_CASE("a mapped file shows its bytes") {
  const TextFile file("hello");
  const MappedMemory map(file.path());
  CHECK(map.size() == 5);
  CHECK(!map.is_writable());
  CHECK(std::memcmp(map.data(), "hello", 5) == 0);
}
