#include "libcore/system/temporary_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

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

TEST_CASE("a folder in memory is told from one on a disk") {
  CHECK_FALSE(is_in_memory("/proc"));
  CHECK_FALSE(is_in_memory("/no/such/folder"));
  if (std::filesystem::exists("/dev/shm")) CHECK(is_in_memory("/dev/shm"));
}

TEST_CASE("an empty temporary file maps to nothing") {
  TemporaryFile file(temporary_folder());
  CHECK(file.map()->size() == 0);
}

TEST_CASE("reserved room is zeros that the disk has already given") {
  constexpr std::size_t kSize = 3000001;
  const std::string path = temporary_folder() + "/frugal-reserved-" + std::to_string(getpid());
  const auto file = TemporaryFile::at(path);
  CHECK(!std::filesystem::exists(path));  // gone with the process, however that ends
  file->reserve(kSize);
  CHECK(file->size() == kSize);
  const auto map = file->map();
  REQUIRE(map->size() == kSize);
  map->prefetch(4097, kSize - 4097);
  CHECK(
      std::all_of(map->data(), map->data() + kSize, [](std::byte b) { return b == std::byte{}; }));
  map->data()[kSize - 1] = std::byte{7};
  std::byte last{};
  file->read(kSize - 1, &last, 1);
  CHECK(last == std::byte{7});
}

TEST_CASE("threads write and read different bytes of a reserved file") {
  constexpr std::size_t kPieces = 8, kBytes = 5000;
  TemporaryFile file(temporary_folder());
  file.reserve(kPieces * kBytes);
  std::vector<std::vector<char>> read(kPieces, std::vector<char>(kBytes));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kPieces; ++i) {
    threads.emplace_back([&file, &read, i] {
      const std::vector<char> piece(kBytes, static_cast<char>(i + 1));
      file.write_at(i * kBytes, piece.data(), kBytes);
      file.read(i * kBytes, read[i].data(), kBytes);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::shared_ptr<MappedMemory> map = file.map();
  REQUIRE(map->size() == kPieces * kBytes);
  for (std::size_t i = 0; i < kPieces; ++i) {
    CHECK(read[i] == std::vector<char>(kBytes, static_cast<char>(i + 1)));
    CHECK(map->data()[i * kBytes + kBytes - 1] == static_cast<std::byte>(i + 1));
  }
}

TEST_CASE("more room than the disk has is refused before anything is written") {
  TemporaryFile file(temporary_folder());
  const std::string error = error_of([&] { file.reserve(std::uint64_t{1} << 55); });
  CHECK(error.starts_with("74 " + temporary_folder() + ": cannot reserve "));
  CHECK(file.size() == 0);
}

TEST_CASE("a temporary file takes nobody's name") {
  const TextFile taken("x");
  const std::string error = error_of([&] { TemporaryFile::at(taken.path()); });
  CHECK(error.starts_with("73 " + taken.path() + ": cannot create a temporary file: "));
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
