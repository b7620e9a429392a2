#include "libcore/system/restarted_calls.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

TEST_CASE("a call that is interrupted is made again, one that fails is not") {
  int calls = 0;
  CHECK(restarted([&] {
          errno = ++calls < 3 ? EINTR : 0;
          return calls < 3 ? -1 : 7;
        }) == 7);
  CHECK(calls == 3);
  CHECK(restarted([&] {
          ++calls;
          errno = EIO;
          return -1;
        }) == -1);
  CHECK(calls == 4);
}

TEST_CASE("all bytes are written to a pipe that takes some at a time") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string text(1 << 20, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    char block[5000];
    for (ssize_t n = 0; (n = read(ends[0], block, sizeof block)) > 0;) received += std::size_t(n);
  });
  CHECK(write_all(ends[1], text.data(), text.size()));
  close(ends[1]);
  reader.join();
  close(ends[0]);
  CHECK(received == text.size());
  CHECK_FALSE(write_all(ends[1], "x", 1));
  CHECK(errno == EBADF);
}

TEST_CASE("the end of a file is told from an error") {
  const ScratchFolder folder;
  folder.put("file", "abcdef");
  const int file = open_file(folder.file("file"), O_RDONLY);
  REQUIRE(file >= 0);
  char bytes[4] = {};
  CHECK(read_all_at(file, 2, bytes, 4));
  CHECK(std::string(bytes, 4) == "cdef");
  CHECK_FALSE(read_all_at(file, 3, bytes, 4));
  CHECK(errno == 0);
  close(file);
  CHECK_FALSE(read_all_at(file, 0, bytes, 4));
  CHECK(errno == EBADF);
}
