#include "libcore/system/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tests/libcore/system/scratch_folder.h"
#include "tests/support/left_equal_files.h"

using namespace frugal;
using Names = std::vector<std::string>;

namespace {

unsigned mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

std::pair<ExitStatus, std::string> status_and_error(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {ExitStatus::ok, ""};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Writes 8 MiB of one letter over `path`, again and again, until killed.
[[noreturn]] void write_forever(const std::string& path) {
  const std::string block(1 << 16, 'n');
  while (true) {
    OutputFile file(path);
    for (int i = 0; i < 128; ++i) file.write(block.data(), block.size());
    file.commit();
  }
}

}  // namespace

TEST_CASE("a file appears at commit and not before") {
  const ScratchFolder folder;
  OutputFile file(folder.file("a"));
  file.write("hello", 5);
  CHECK(folder.get("a").empty());
  CHECK(file.bytes_written() == 5);
  CHECK_FALSE(file.is_stream());
  file.commit();
  CHECK(folder.names() == Names{"a"});
  CHECK(folder.get("a") == "hello");
}

TEST_CASE("without commit the old file stays and nothing else is left") {
  const ScratchFolder folder;
  folder.put("a", "old");
  {
    OutputFile file(folder.file("a"));
    file.write("new", 3);
  }
  CHECK(folder.get("a") == "old");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a new file obeys the umask, an old one keeps its mode") {
  const ScratchFolder folder;
  const mode_t old_mask = umask(027);
  write_file(folder.file("a"), "x");
  CHECK(mode_of(folder.file("a")) == 0640);
  chmod(folder.file("a").c_str(), 0751);
  write_file(folder.file("a"), "y");
  CHECK(mode_of(folder.file("a")) == 0751);
  umask(old_mask);
}

TEST_CASE("an output does not inherit the privileges of the file that it replaces") {
  const ScratchFolder folder;
  folder.put("a", "old");
  REQUIRE(chmod(folder.file("a").c_str(), 07755) == 0);
  REQUIRE(mode_of(folder.file("a")) == 07755);
  write_file(folder.file("a"), "new");
  CHECK(mode_of(folder.file("a")) == 0755);
}

TEST_CASE("symbolic links are followed, also those to files that are not there yet") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.file("data"));
  REQUIRE(symlink("data/a", folder.file("link").c_str()) == 0);
  REQUIRE(symlink("link", folder.file("chain").c_str()) == 0);
  for (const char* content : {"first", "second"}) {
    write_file(folder.file("chain"), content);
    CHECK(folder.get("data/a") == content);
    CHECK(std::filesystem::is_symlink(folder.file("chain")));
    CHECK(std::filesystem::is_symlink(folder.file("link")));
  }
  REQUIRE(symlink("loop", folder.file("loop").c_str()) == 0);
  CHECK(status_and_error([&] { write_file(folder.file("loop"), ""); }).first ==
        ExitStatus::cannot_create);
}

TEST_CASE("held outputs get their names together, or none") {
  const ScratchFolder folder;
  write_file(folder.file("old"), "before");
  {
    const HeldOutputs held;
    write_file(folder.file("old"), "after");
    write_file(folder.file("new"), "1");
    CHECK(folder.get("old") == "before");
  }
  CHECK(folder.get("old") == "before");
  CHECK(!std::filesystem::exists(folder.file("new")));
  {
    HeldOutputs held;
    write_file(folder.file("old"), "after");
    write_file(folder.file("new"), "1");
    held.publish();
  }
  CHECK(folder.get("old") == "after");
  CHECK(folder.get("new") == "1");
  write_file(folder.file("next"), "2");
  CHECK(folder.get("next") == "2");
  const auto files = std::filesystem::directory_iterator(folder.file(""));
  CHECK(std::distance(begin(files), end(files)) == 3);
}

TEST_CASE("an equal file is left untouched if asked, and a different one is replaced") {
  const ScratchFolder folder;
  const LeftEqualFiles left;
  const std::string long_text(3 << 20, 'x');
  const auto write_again = [&](const std::string& content) {
    OutputFile file(folder.file("a"), {.binary = true});
    file.write(content.data(), content.size());
    file.commit();
    struct stat info {};
    REQUIRE(stat(folder.file("a").c_str(), &info) == 0);
    return info.st_ino;
  };
  const ino_t first = write_again(long_text);
  CHECK(write_again(long_text) == first);
  std::string other = long_text;
  other.back() = 'y';
  CHECK(write_again(other) != first);
  CHECK(folder.get("a") == other);
  CHECK(write_again("") > 0);
  CHECK(folder.get("a").empty());
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("what cannot be created fails with 73 and names the path") {
  const ScratchFolder folder;
  const auto missing = status_and_error([&] { OutputFile file(folder.file("no/such")); });
  CHECK(missing.first == ExitStatus::cannot_create);
  CHECK(contains(missing.second, folder.file("no/such") + ": cannot create: No such file"));
  CHECK(status_and_error([&] { OutputFile file(folder.path()); }).first ==
        ExitStatus::cannot_create);
  folder.put("a", "");
  CHECK(status_and_error([&] { OutputFile file(folder.file("a/b")); }).first ==
        ExitStatus::cannot_create);
  CHECK(status_and_error([&] { OutputFile file(""); }).first == ExitStatus::usage);
}

TEST_CASE("a full device fails with 74") {
  OutputFile file("/dev/full");
  CHECK(file.is_stream());
  const auto error = status_and_error([&] { file.write("x", 1); });
  CHECK(error.first == ExitStatus::io_error);
  CHECK(error.second == "/dev/full: cannot write after 0 bytes: No space left on device");
}

TEST_CASE("a file-size limit fails with 74, keeps the old file and leaves nothing behind") {
  const ScratchFolder folder;
  folder.put("a", "old");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string block(1 << 16, 'x');
    const auto error = status_and_error([&] {
      OutputFile file(folder.file("a"));
      for (int i = 0; i < 4; ++i) file.write(block.data(), block.size());
      file.commit();
    });
    _exit(contains(error.second, "after 100000 bytes: File too large")
              ? static_cast<int>(error.first)
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 74);
  CHECK(folder.get("a") == "old");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a full file system fails with 74, keeps the old file and leaves nothing behind") {
  const ScratchFolder folder;
  if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    MESSAGE("skipped: no tmpfs can be mounted here");
    return;
  }
  folder.put("a", "old");
  const auto error =
      status_and_error([&] { write_file(folder.file("a"), std::string(1 << 20, 'x')); });
  const std::string content = folder.get("a");
  const Names names = folder.names();
  umount(folder.path().c_str());
  CHECK(error.first == ExitStatus::io_error);
  CHECK(contains(error.second, "No space left on device"));
  CHECK(content == "old");
  CHECK(names == Names{"a"});
}

TEST_CASE("pipes are written directly") {
  const ScratchFolder folder;
  REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  const int reader = open(folder.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile file(folder.file("pipe"));
  CHECK(file.is_stream());
  file.write("hello", 5);
  char got[8] = "";
  CHECK(read(reader, got, sizeof got) == 5);
  CHECK(std::string(got) == "hello");
  file.commit();
  CHECK(read(reader, got, sizeof got) == 0);  // the writer has closed it
  close(reader);
}

TEST_CASE("a pipe without a name is written through its descriptor's") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  OutputFile file("/dev/fd/" + std::to_string(ends[1]));
  file.write("abc", 3);
  file.commit();
  char buffer[8];
  CHECK(read(ends[0], buffer, sizeof buffer) == 3);
  close(ends[0]);
  close(ends[1]);
}

#ifdef F_SETPIPE_SZ
TEST_CASE("pipes for binary data are widened where the system allows it") {
  int plain[2], ends[2];
  REQUIRE(pipe(plain) == 0);
  REQUIRE(pipe(ends) == 0);
  const bool allowed = fcntl(plain[1], F_SETPIPE_SZ, 1 << 20) > 0;
  const int before = fcntl(ends[1], F_GETPIPE_SZ);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  { OutputFile text(path, {.binary = false}); }
  CHECK(fcntl(ends[1], F_GETPIPE_SZ) == before);
  { OutputFile data(path); }
  CHECK(fcntl(ends[1], F_GETPIPE_SZ) == (allowed ? 1 << 20 : before));
  for (const int end : {plain[0], plain[1], ends[0], ends[1]}) close(end);
}
#endif

TEST_CASE("'-' is standard output, a non-blocking pipe included") {
  constexpr std::size_t kBig = std::size_t{4} << 20;  // more than any pipe holds
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
    const std::string big(kBig, 'x');
    OutputFile file("-");
    file.write(big.data(), big.size());
    file.commit();
    _exit(0);
  }
  close(ends[1]);
  std::size_t total = 0;
  char block[4096];
  for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;)
    total += static_cast<std::size_t>(n);
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(total == kBig);
}

TEST_CASE("text for a terminal is escaped, the same text for a pipe is not") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(master >= 0);
  REQUIRE((grantpt(master) == 0 && unlockpt(master) == 0));
  const std::string terminal = ptsname(master);
  const int slave = open(terminal.c_str(), O_RDWR | O_NOCTTY);
  {
    OutputFile file(terminal, {.binary = false});
    file.write("a\x1b[31m\xe2\x80\xae!\tx\n", 13);
    file.commit();
  }
  char shown[100] = "";
  const ssize_t size = read(master, shown, sizeof shown - 1);
  CHECK(std::string(shown, static_cast<std::size_t>(std::max<ssize_t>(size, 0))) ==
        "a\\x1b[31m\\u202e!\tx\r\n");
  close(slave);
  close(master);
}

TEST_CASE("binary data is refused by a terminal with status 2, text is not") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    MESSAGE("skipped: no pseudo-terminal here");
    return;
  }
  const std::string terminal = ptsname(master);
  const auto error = status_and_error([&] { OutputFile file(terminal); });
  CHECK(error.first == ExitStatus::usage);
  CHECK(contains(error.second, "terminal"));
  CHECK(status_and_error([&] { OutputFile file(terminal, {.binary = false}); }).first ==
        ExitStatus::ok);
  close(master);
}

TEST_CASE("killed at any moment: the file is old or new and whole, and nothing stays behind") {
  const ScratchFolder folder;
  const std::string path = folder.file("a");
  folder.put("a", "old");
  Rng rng(7);
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const pid_t child = fork();
    if (child == 0) write_forever(path);
    usleep(static_cast<useconds_t>(rng.below(20000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string content = folder.get("a");
    const bool whole_new =
        content.size() == 128u << 16 && content.find_first_not_of('n') == std::string::npos;
    CHECK((content == "old" || whole_new));
    if (kill_number % 5 == 0) folder.put("a", "old");
  }
  // A kill between linkat and rename leaves a name behind: the next output removes it.
  { OutputFile next(path); }
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("temporaries of dead processes are removed, others are left alone") {
  const ScratchFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const auto temporary = [&](const std::string& on, pid_t pid) {
    return ".a.tmp." + on + "." + std::to_string(pid) + ".0";
  };
  folder.put(temporary(host, child), "stale");
  const std::string alive = temporary(host, getppid());
  const std::string elsewhere = temporary("some-other-host", child);
  const std::string similar = ".a.tmp." + std::string(host) + ".notes";
  for (const std::string& name : {alive, elsewhere, similar}) folder.put(name, "keep");
  write_file(folder.file("a"), "x");
  CHECK_FALSE(std::filesystem::exists(folder.file(temporary(host, child))));
  for (const std::string& name : {alive, elsewhere, similar}) CHECK(folder.get(name) == "keep");
}

TEST_CASE("without /proc a named temporary does the same service") {
  const ScratchFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    if (chroot(folder.path().c_str()) != 0) _exit(77);
    { OutputFile("/a").write("lost", 4); }
    write_file("/b", "kept");
    OutputFile("/c").write("killed", 6);
    OutputFile unfinished("/c");
    _exit(0);  // as if killed: no destructor runs
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) {
    MESSAGE("skipped: chroot is not allowed here");
    return;
  }
  CHECK(status == 0);
  CHECK(folder.get("b") == "kept");
  CHECK(folder.names().size() == 2);  // b and the temporary of the unfinished c
  write_file(folder.file("c"), "again");
  CHECK(folder.names().size() == 2);
  CHECK(folder.get("c") == "again");
}

TEST_CASE(
    "a signal that ends the process removes named temporaries, those of finished files stay") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    const ScratchFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      const rlimit no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      signal(number, SIG_DFL);
      if (chroot(folder.path().c_str()) != 0) _exit(77);
      write_file("/whole", "whole");
      OutputFile first("/a"), second("/b");
      first.write("lost", 4);
      if (std::filesystem::exists("/a")) _exit(1);
      raise(number);
      _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
      MESSAGE("skipped: chroot is not allowed here");
      return;
    }
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(folder.names() == Names{"whole"});
  }
}

TEST_CASE("a name of the greatest length still works") {
  const ScratchFolder folder;
  const std::string name(255, 'x');
  write_file(folder.file(name), "long");
  CHECK(folder.get(name) == "long");
  CHECK(folder.names() == Names{name});
}
