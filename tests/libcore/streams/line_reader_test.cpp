#include "libcore/streams/line_reader.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <filesystem>
#include <vector>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

std::vector<std::string> all_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

std::string zstd_of(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

/// Lines of all kinds of lengths around the size of a block.
std::string long_text() {
  std::string text;
  for (const std::size_t n : {0u, 1u, 70000u, 1048575u, 1048576u, 1048577u, 3000000u, 5u}) {
    text += std::string(n, static_cast<char>('a' + n % 26)) + "\n";
  }
  return text;
}

/// Lines that stay larger than what is read at a time when they are compressed.
std::string wild_text() {
  std::string text;
  const Rng rng(1, 1);
  for (std::size_t i = 0; i < std::size_t{3} << 20; ++i) {
    text += i % 100 == 99 ? '\n' : static_cast<char>('A' + rng.at(i) % 58);
  }
  return text + "\n";
}

}  // namespace

TEST_CASE("lines come without their ends, the last one with or without a line end") {
  using Lines = std::vector<std::string>;
  CHECK(all_lines(TextFile("").path()).empty());
  CHECK(all_lines(TextFile("\n").path()) == Lines{""});
  CHECK(all_lines(TextFile("a\nb").path()) == Lines{"a", "b"});
  CHECK(all_lines(TextFile("a\r\n\r\nb\r\n").path()) == Lines{"a", "", "b"});
  CHECK(all_lines(TextFile("a\rb\n").path()) == Lines{"a\rb"});
  CHECK(all_lines(TextFile(std::string("a\0b\n\xff\xfe\n", 7)).path()) ==
        Lines{std::string("a\0b", 3), "\xff\xfe"});
}

TEST_CASE("a file that becomes shorter while it is read is an error, not an end") {
  for (const bool packed : {false, true}) {
    const std::string text = wild_text(), part = packed ? zstd_of(text) : text;
    const TextFile file(part + part);
    LineReader reader(file.path());
    std::string_view line;
    CHECK(reader.next(line));
    // Where a line or a frame ends nothing else tells that more is missing.
    std::filesystem::resize_file(file.path(), part.size());
    const std::string error = error_of([&] {
      while (reader.next(line)) {
      }
    });
    CHECK(error.starts_with("74 " + file.path() + ": ends at byte " + std::to_string(part.size())));
  }
}

TEST_CASE("plain files, zstd files, concatenated frames and pipes give the same lines") {
  const std::string text = long_text();
  const auto expected = all_lines(TextFile(text).path());
  CHECK(expected.size() == 8);
  CHECK(all_lines(TextFile(zstd_of(text), ".zst").path()) == expected);
  const std::string skippable("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
  CHECK(all_lines(TextFile(skippable + zstd_of(text.substr(0, 99999)) + zstd_of("") +
                           zstd_of(text.substr(99999)))
                      .path()) == expected);
  {
    const PipedStdin input(text);
    CHECK(all_lines("-") == expected);
  }
  const PipedStdin input(zstd_of(text));
  CHECK(all_lines("-") == expected);
}

TEST_CASE("a line from a pipe is there before the pipe ends") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  REQUIRE(write(ends[1], "P\n", 2) == 2);  // also how a skippable frame could begin
  LineReader reader("-");
  std::string_view line;
  REQUIRE(reader.next(line));
  CHECK(line == "P");
  CHECK(reader.place() == "stdin:1");
  close(ends[1]);
  CHECK(!reader.next(line));
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(ends[0]);
}

TEST_CASE("places count lines") {
  const TextFile file(zstd_of("one\r\ntwo\n\nfour"));
  LineReader reader(file.path());
  std::string_view line;
  while (reader.next(line)) continue;
  CHECK(reader.line_number() == 4);
  CHECK(reader.place() == file.path() + ":4");
}

TEST_CASE("every truncation of a zstd file is noticed") {
  const std::string packed = zstd_of(long_text());
  for (std::size_t size = 4; size < packed.size(); size += 1 + packed.size() / 200) {
    const TextFile file(packed.substr(0, size), ".zst");
    CHECK(error_of([&] { all_lines(file.path()); }) ==
          "65 " + file.path() + ": zstd data ends inside a frame at byte " + std::to_string(size) +
              ", expected more: the file is truncated");
  }
}

TEST_CASE("damaged zstd data and other compressions are named") {
  std::string packed = zstd_of(long_text());
  packed[8] = static_cast<char>(packed[8] ^ 0xff);
  const TextFile damaged(packed);
  CHECK(error_of([&] {
          all_lines(damaged.path());
        }).starts_with("65 " + damaged.path() + ": damaged zstd data near byte "));
  const TextFile garbage(zstd_of("abc") + "garbage");
  CHECK(error_of([&] {
          all_lines(garbage.path());
        }).starts_with("65 " + garbage.path() + ": damaged zstd data"));
  const TextFile gzip("\x1f\x8b\x08 and so on");
  CHECK(error_of([&] { all_lines(gzip.path()); }) ==
        "65 " + gzip.path() + ": damaged gzip data near byte 4: unknown header flags set");
  const TextFile xz(
      std::string("\xfd"
                  "7zXZ\0 and so on",
                  15));
  CHECK(error_of([&] { all_lines(xz.path()); }).find("is compressed with xz") != std::string::npos);
}

TEST_CASE("what cannot be opened says so") {
  CHECK(error_of([] { LineReader("/does/not/exist"); }) ==
        "66 /does/not/exist: cannot open: No such file or directory");
  CHECK(error_of([] { LineReader("/tmp"); }) == "66 /tmp: is a directory, expected a file");
}

TEST_CASE("a line longer than the limit is refused, wherever its end is") {
  for (const char* end : {"", "\n", "\nx\n"}) {
    const TextFile file("short\n" + std::string(3000, 'x') + end);
    CHECK(error_of([&] {
            LineReader reader(file.path(), 2048);
            for (std::string_view line; reader.next(line);) {
            }
          }) == "65 " + file.path() + ":2: line is longer than 2.0 KiB: is this a text file?");
  }
}
