#include "libcore/system/mapped_memory.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "libcore/base/error.h"
#include "tests/libcore/system/scratch_folder.h"

using namespace frugal;

namespace {

constexpr std::size_t kSize = std::size_t{1} << 20;

/// Runs body in a child process whose messages go to a file of the folder; returns the wait status.
template <class Body>
int in_child(const ScratchFolder& folder, const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int messages = open(folder.file("messages").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(messages, STDERR_FILENO);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int sum_of(const MappedMemory& memory) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < memory.size(); i += 4096)
    sum += std::to_integer<unsigned>(memory.data()[i]);
  return sum == 0 ? 0 : 1;
}

}  // namespace

TEST_CASE("a mapped file that was shortened ends the process with its name and status 74") {
  const ScratchFolder folder;
  folder.put("whole", std::string(kSize, '\0'));
  folder.put("cut\x1b", std::string(kSize, '\0'));
  const std::string cut = folder.file("cut\x1b");
  const int status = in_child(folder, [&] {
    const MappedMemory whole(folder.file("whole"));
    const MappedMemory memory(cut);
    if (sum_of(memory) != 0 || truncate(cut.c_str(), 4096) != 0) return 1;
    if (sum_of(whole) != 0) return 2;
    return 3 + sum_of(memory);
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 74);
  const std::string messages = folder.get("messages");
  CHECK(messages.find("unit_system: " + folder.file("cut\\x1b") +
                      ": a part of it cannot be read any more") == 0);
  CHECK(messages.find('\n') == messages.size() - 1);
}

TEST_CASE("a shortened file is explained once, however many threads read it") {
  for (int repetition = 0; repetition < 20; ++repetition) {
    const ScratchFolder folder;
    folder.put("cut", std::string(kSize, '\0'));
    const std::string cut = folder.file("cut");
    const int status = in_child(folder, [&] {
      const MappedMemory memory(cut);
      if (truncate(cut.c_str(), 4096) != 0) return 1;
      std::atomic<int> ready{0}, total{0};
      const auto read = [&] {
        ++ready;
        while (ready < 4) {
        }
        total += sum_of(memory);
      };
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) threads.emplace_back(read);
      for (std::thread& thread : threads) thread.join();
      return 2;
    });
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 74);
    const std::string messages = folder.get("messages");
    CHECK(std::count(messages.begin(), messages.end(), '\n') == 1);
  }
}

TEST_CASE("a bus error elsewhere, or in what is no longer mapped, is still one") {
  const ScratchFolder folder;
  folder.put("a", std::string(kSize, '\0'));
  const int status = in_child(folder, [&] {
    signal(SIGBUS, SIG_DFL);
    { const MappedMemory gone(folder.file("a")); }
    raise(SIGBUS);
    return 0;
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGBUS);
  CHECK(folder.get("messages").empty());
}

TEST_CASE("a file that cannot be mapped is named") {
  const std::string path = "/sys/devices/system/cpu/online";  // a regular file by its mode
  if (access(path.c_str(), R_OK) != 0) return;
  try {
    const MappedMemory memory(path);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unavailable);
    CHECK(std::string(error.what()).find(path + ": cannot map 4.0 KiB into memory") == 0);
  }
}
