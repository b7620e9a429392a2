#include "libcore/system/output_paths.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

TEST_CASE("one file has many names, also before it is made") {
  const ScratchFolder folder;
  folder.put("a", "x");
  folder.put("b", "x");
  std::filesystem::create_hard_link(folder.file("a"), folder.file("hard"));
  std::filesystem::create_symlink("a", folder.file("soft"));
  for (const char* name : {"a", "./a", "hard", "soft"}) {
    CHECK(same_file(folder.file("a"), folder.file(name)));
  }
  CHECK(!same_file(folder.file("a"), folder.file("b")));
  CHECK(!same_file(folder.file("a"), folder.file("none")));
  CHECK(same_file(folder.file("none"), folder.file("./none")));
  CHECK(!same_file(folder.file("none"), folder.file("other")));
  std::filesystem::create_symlink("none", folder.file("to none"));
  CHECK(same_file(folder.file("to none"), folder.file("none")));
  CHECK(!same_file(folder.file("to none"), folder.file("other")));
  CHECK(same_file("no such file", "./no such file"));
  CHECK(!same_file("-", "-"));
  CHECK(!same_file("/dev/null", "/dev/null"));
  CHECK(!same_file("", ""));
}

TEST_CASE("a file is missing only where that is sure") {
  const ScratchFolder folder;
  folder.put("a", "");
  std::filesystem::create_symlink("nothing", folder.file("dangling"));
  std::filesystem::create_symlink("loop", folder.file("loop"));
  CHECK(is_missing(folder.file("none")));
  CHECK(is_missing(folder.file("dangling")));
  CHECK(is_missing(folder.file("a/below")));
  CHECK(!is_missing(folder.file("a")));
  CHECK(!is_missing(folder.path()));
  CHECK(!is_missing(folder.file("loop")));  // nobody can tell
}
