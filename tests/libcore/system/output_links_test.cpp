#include "libcore/system/output_links.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "libcore/base/error.h"
#include "scratch_folder.h"

using namespace frugal;

namespace {

constexpr uid_t kOther = 65534;

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::cannot_create);
    return error.what();
  }
  return "";
}

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a path is followed to the end of its links, a file there or not") {
  const ScratchFolder folder;
  folder.put("data/a", "");
  std::filesystem::create_symlink("data/a", folder.file("link"));
  std::filesystem::create_symlink(folder.file("link"), folder.file("chain"));
  std::filesystem::create_symlink("data/none", folder.file("new"));
  CHECK(follow_links(folder.file("chain")) == folder.file("data/a"));
  CHECK(follow_links(folder.file("new")) == folder.file("data/none"));
  CHECK(follow_links(folder.file("none")) == folder.file("none"));
  CHECK(follow_links("none") == "none");
  std::filesystem::create_symlink("loop", folder.file("loop"));
  CHECK(has_text(refusal_of([&] { follow_links(folder.file("loop")); }), "Too many levels"));
  CHECK(has_text(refusal_of([&] { follow_links(folder.file("data/a/b")); }), "Not a directory"));
}

TEST_CASE("an open file has its name, an open pipe none") {
  const ScratchFolder folder;
  folder.put("a", "");
  const int file = open(folder.file("a").c_str(), O_RDONLY);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(follow_links("/dev/fd/" + std::to_string(file)) == folder.file("a"));
  const std::string pipe = "/dev/fd/" + std::to_string(ends[1]);
  CHECK(follow_links(pipe) == pipe);
  const int opened = open_stream(pipe, follow_links(pipe));
  CHECK(write(opened, "x", 1) == 1);
  std::filesystem::remove(folder.file("a"));
  const std::string nameless = "/dev/fd/" + std::to_string(file);
  CHECK(follow_links(nameless) == nameless);
  for (const int descriptor : {file, ends[0], ends[1], opened}) close(descriptor);
}

TEST_CASE("what became a file since it was a pipe is no stream") {
  const ScratchFolder folder;
  folder.put("a", "content");
  std::filesystem::create_symlink("a", folder.file("link"));
  CHECK(has_text(refusal_of([&] { open_stream("it", folder.file("a")); }), "became a file"));
  CHECK(has_text(refusal_of([&] { open_stream("it", folder.file("link")); }), "Too many levels"));
  CHECK(folder.get("a") == "content");
}

TEST_CASE("a file in place goes on at its end, or begins anew") {
  const ScratchFolder folder;
  std::filesystem::create_symlink("log", folder.file("link"));
  const auto written = [&](bool truncate) {
    const int descriptor = open_in_place(folder.file("link"), truncate);
    CHECK(write(descriptor, "line\n", 5) == 5);
    close(descriptor);
    return folder.get("log");
  };
  CHECK(written(false) == "line\n");
  CHECK(written(false) == "line\nline\n");
  CHECK(written(true) == "line\n");
  close(open_in_place("/dev/null", true));
}

TEST_CASE("a file with a second name is written in place only where nobody else makes names") {
  const ScratchFolder folder;
  folder.put("a", "content");
  std::filesystem::create_hard_link(folder.file("a"), folder.file("log"));
  REQUIRE(chmod(folder.path().c_str(), 0777) == 0);
  CHECK(has_text(refusal_of([&] { open_in_place(folder.file("log"), true); }), "has 2 names"));
  CHECK(folder.get("a") == "content");
  REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
  close(open_in_place(folder.file("log"), true));
  CHECK(folder.get("a").empty());
}

// Only root can give a link to another user.
TEST_CASE("a link that another user placed is not followed" * doctest::skip(geteuid() != 0)) {
  const ScratchFolder folder;
  folder.put("a", "content");
  std::filesystem::create_symlink("a", folder.file("theirs"));
  std::filesystem::create_symlink("theirs", folder.file("ours"));
  REQUIRE(lchown(folder.file("theirs").c_str(), kOther, kOther) == 0);
  for (const char* name : {"theirs", "ours"}) {
    const std::string path = folder.file(name);
    CHECK(refusal_of([&] { follow_links(path); }) ==
          path + ": cannot create: " + folder.file("theirs") +
              " is a link to a that another user (65534) placed; name the file it leads to");
    CHECK(!refusal_of([&] { open_in_place(path, true); }).empty());
  }
  CHECK(folder.get("a") == "content");
}
