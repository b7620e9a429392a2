#include <doctest/doctest.h>

#include <vector>

#include "libcore/streams/byte_source.h"
#include "libcore/streams/line_reader.h"
#include "tests/support/text_file.h"

using namespace frugal;

namespace {

// What `gzip -9n` makes of "one\ntwo\n", of nothing and of "three".
const std::string kOneTwo(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x4b\xe5\x2a\x29\xcf\xe7\x02\x00\xe6\x0b\xba"
    "\x12\x08\x00\x00\x00",
    28);
const std::string kNothing(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20);
const std::string kThree(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\xc9\x28\x4a\x4d\x05\x00\xf5\xd8\xc5\x46\x05\x00"
    "\x00\x00",
    25);

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

}  // namespace

TEST_CASE("members of gzip are one text, from files and from pipes, padded or not") {
  using Lines = std::vector<std::string>;
  const std::string text = kOneTwo + kNothing + kThree;
  CHECK(lines_of(TextFile(text, ".gz").path()) == Lines{"one", "two", "three"});
  CHECK(lines_of(TextFile(text + std::string(700, '\0')).path()) == Lines{"one", "two", "three"});
  CHECK(lines_of(TextFile(kNothing).path()).empty());
  const PipedStdin input(text);
  CHECK(lines_of("-") == Lines{"one", "two", "three"});
}

TEST_CASE("every truncation of gzip is noticed, but one between members") {
  const std::string packed = kOneTwo + kThree;
  for (std::size_t size = 2; size < packed.size(); ++size) {
    if (size == kOneTwo.size()) continue;
    const TextFile file(packed.substr(0, size), ".gz");
    CHECK(error_of([&] { lines_of(file.path()); }) ==
          "65 " + file.path() + ": gzip data ends inside a member at byte " + std::to_string(size) +
              ", expected more: the file is truncated");
  }
}

TEST_CASE("flipped bytes of gzip are noticed, but those that say nothing about the text") {
  for (std::size_t i = 2; i < kOneTwo.size(); ++i) {
    const bool about_the_file = i >= 3 && i <= 9;  // flags, time, level, system
    if (about_the_file) continue;
    std::string packed = kOneTwo;
    packed[i] = static_cast<char>(packed[i] ^ 0x01);
    const TextFile file(packed);
    CHECK(error_of([&] { lines_of(file.path()); }).starts_with("65 " + file.path() + ": "));
  }
  const TextFile garbage(kOneTwo + "garbage");
  CHECK(error_of([&] {
          lines_of(garbage.path());
        }).starts_with("65 " + garbage.path() + ": damaged gzip data near byte "));
}
