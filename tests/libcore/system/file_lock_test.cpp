#include "libcore/system/file_lock.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "libcore/base/error.h"
#include "scratch_folder.h"

using namespace frugal;

TEST_CASE("who waits for a lock has it alone, by whatever name, and leaves nothing behind") {
  const ScratchFolder folder;
  folder.put("page", "");
  std::filesystem::create_symlink("page", folder.file("link"));
  std::atomic<int> holders{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 20; ++turn) {
        const FileLock lock(folder.file(i % 2 == 0 ? "page" : "link"), FileLock::IfHeld::wait);
        const int now = ++holders;
        if (now > most) most = now;
        std::this_thread::yield();
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
  CHECK(folder.names().size() == 2);
}

TEST_CASE("who does not wait is refused, and streams have no lock") {
  const ScratchFolder folder;
  {
    const FileLock lock(folder.file("state"), FileLock::IfHeld::fail);
    CHECK_THROWS_AS(FileLock(folder.file("state"), FileLock::IfHeld::fail), Error);
    const FileLock other(folder.file("another"), FileLock::IfHeld::fail);
  }
  const FileLock again(folder.file("state"), FileLock::IfHeld::fail);
  const FileLock stream("-", FileLock::IfHeld::fail), same("-", FileLock::IfHeld::fail);
  const FileLock device("/dev/null", FileLock::IfHeld::fail);
  CHECK(folder.names().size() == 1);
  CHECK_THROWS_AS(FileLock(folder.file("nowhere/state"), FileLock::IfHeld::wait), Error);
}

TEST_CASE("what stands in the place of a lock, and is none, is neither used nor written") {
  const ScratchFolder folder;
  const auto refusal = [&](const std::string& name) -> std::string {
    try {
      const FileLock lock(folder.file(name), FileLock::IfHeld::wait);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto refuses = [&](const std::string& name, const std::string& why) {
    return refusal(name).starts_with(folder.file(name) + ": cannot use its lock " +
                                     folder.file("." + name + ".lock") + ": it " + why);
  };
  folder.put("precious", "content");
  std::filesystem::create_symlink("precious", folder.file(".a.lock"));
  std::filesystem::create_hard_link(folder.file("precious"), folder.file(".b.lock"));
  folder.put(".c.lock", "content");
  REQUIRE(mkfifo(folder.file(".d.lock").c_str(), 0600) == 0);
  CHECK(refuses("a", "is a symbolic link; remove it"));
  CHECK(refuses("b", "has 2 names; remove it"));
  CHECK(refuses("c", "has other content; remove it"));
  CHECK(refuses("d", "is no regular file; remove it"));
  CHECK(folder.get("precious") == "content");
  CHECK(folder.get(".c.lock") == "content");
  folder.put(".e.lock", "process 1 on a killed one's machine");
  CHECK(refusal("e").empty());
  CHECK(!std::filesystem::exists(folder.file(".e.lock")));
}
