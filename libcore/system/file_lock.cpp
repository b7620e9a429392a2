#include "libcore/system/file_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

namespace fs = std::filesystem;

/// Beside the file itself, whatever link leads to it.
std::string lock_name(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))) return "";
  fs::path target = fs::weakly_canonical(path, ignored);
  if (target.empty()) target = path;
  return target.replace_filename("." + target.filename().string() + ".lock").string();
}

/// "process 123 on node7", as the holder wrote it.
std::string holder_of(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  return size <= 0 ? "another process" : printable({text.data(), static_cast<std::size_t>(size)});
}

void write_holder(int descriptor) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string text = "process " + std::to_string(getpid()) + " on " + host.data();
  // Only words for another process's message: a lock without them is as good.
  if (ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
  }
}

}  // namespace

FileLock::FileLock(const std::string& path, IfHeld if_held) : name_(lock_name(path)) {
  if (name_.empty()) return;
  while (!take(path, if_held)) {
    close(descriptor_);
  }
  if (!name_.empty()) write_holder(descriptor_);
}

FileLock::~FileLock() {
  if (!name_.empty()) unlink(name_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

/// Whether the lock is had, or cannot be had here; not, where its file went with the holder before.
bool FileLock::take(const std::string& path, IfHeld if_held) {
  descriptor_ = open_file(name_, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail(ExitStatus::cannot_create, path, ": cannot create its lock ", name_, ": ",
         errno_text(errno));
  }
  const int wait = if_held == IfHeld::wait ? 0 : LOCK_NB;
  if (restarted([&] { return flock(descriptor_, LOCK_EX | wait); }) == 0) return is_current();
  const int error = errno;
  const std::string holder = holder_of(descriptor_);
  if (error != EWOULDBLOCK) {
    log_verbose(path, ": written without a lock: ", errno_text(error));
    unlink(name_.c_str());
    name_.clear();
    return true;
  }
  close(descriptor_);
  fail(ExitStatus::cannot_create, path, ": ", holder,
       " writes it, expected a file that no other run uses");
}

/// Whether the file that is locked still has its name.
bool FileLock::is_current() const {
  struct stat mine {
  }, named{};
  return fstat(descriptor_, &mine) == 0 && stat(name_.c_str(), &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

}  // namespace frugal
