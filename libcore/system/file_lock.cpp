#include "libcore/system/file_lock.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/output_links.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

namespace fs = std::filesystem;

/// Begins the text of a lock's file: "process 123 on node7".
constexpr std::string_view kHolder = "process ";

/// Beside the file itself, whatever link leads to it.
std::string lock_name(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))) return "";
  const std::string target = follow_links(path);
  return folder_of(target) + "/." + target.substr(target.rfind('/') + 1) + ".lock";
}

/// The text of a lock's file; "" if nobody wrote one.
std::string text_of(int descriptor) {
  std::array<char, 256> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), size <= 0 ? 0 : static_cast<std::size_t>(size)};
}

void write_holder(int descriptor) {
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string text = std::string(kHolder) + std::to_string(getpid()) + " on " + host.data();
  // Only words for another process's message: a lock without them is as good.
  if (ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
  }
}

/// Why an open file cannot be a lock that this program made; "" if it can. In a shared folder
/// another user may have placed a link, or a second name of a file, where the lock would be.
std::string strangeness(int descriptor) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return errno_text(errno);
  if (!S_ISREG(info.st_mode)) return "it is no regular file";
  if (info.st_nlink > 1) return "it has " + std::to_string(info.st_nlink) + " names";
  if (info.st_size > 0 && !text_of(descriptor).starts_with(kHolder)) return "it has other content";
  return "";
}

bool belongs_to_this_user(int descriptor) {
  struct stat info {};
  return fstat(descriptor, &info) == 0 && info.st_uid == geteuid();
}

/// Opens a lock to read where it is another user's: flock(2) needs no more, but on NFS.
int open_there(const std::string& name) {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int descriptor = open_file(name, O_RDWR | kFlags);
  return descriptor >= 0 || errno != EACCES ? descriptor : open_file(name, O_RDONLY | kFlags);
}

}  // namespace

FileLock::FileLock(const std::string& path, IfHeld if_held) : name_(lock_name(path)) {
  if (name_.empty()) return;
  while (!take(path, if_held)) {
    close(descriptor_);
  }
  if (is_own_) write_holder(descriptor_);
}

FileLock::~FileLock() {
  if (is_own_ && is_current()) unlink(name_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

/// Opens the lock's file, or makes it.
void FileLock::open(const std::string& path) {
  const auto refuse = [&](const std::string& reason) {
    if (descriptor_ >= 0) close(descriptor_);
    fail(ExitStatus::cannot_create, path, ": cannot use its lock ", name_, ": ", reason);
  };
  do {
    descriptor_ = open_there(name_);
    is_own_ = false;
    if (descriptor_ >= 0 || errno != ENOENT) break;
    descriptor_ = open_file(name_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    is_own_ = descriptor_ >= 0;
  } while (descriptor_ < 0 && errno == EEXIST);  // another process was faster
  if (descriptor_ < 0 && errno == ELOOP) refuse("it is a symbolic link; remove it");
  if (descriptor_ < 0) refuse(errno_text(errno));
  if (is_own_) return;
  const std::string reason = strangeness(descriptor_);
  if (!reason.empty()) refuse(reason + "; remove it, or name another output");
  is_own_ = belongs_to_this_user(descriptor_);
}

/// Returns true if the lock is held, or if this file system has no locks. False if the file that
/// was locked is no longer the lock's file: the caller tries again.
bool FileLock::take(const std::string& path, IfHeld if_held) {
  open(path);
  const int wait = if_held == IfHeld::wait ? 0 : LOCK_NB;
  if (restarted([&] { return flock(descriptor_, LOCK_EX | wait); }) == 0) return take_over();
  const int error = errno;
  const std::string holder = text_of(descriptor_);
  if (error != EWOULDBLOCK) {
    log_verbose(path, ": written without a lock: ", errno_text(error));
    if (is_own_) unlink(name_.c_str());
    is_own_ = false;
    return true;
  }
  close(descriptor_);
  fail(ExitStatus::cannot_create, path, ": ",
       holder.empty() ? "another process" : printable(holder),
       " writes it, expected a file that no other run uses");
}

/// Whether the file that is locked still has its name. A file that a killed run of another user
/// left is not written: it goes, if this user may remove it, and a new one takes its place.
bool FileLock::take_over() const { return is_current() && (is_own_ || unlink(name_.c_str()) != 0); }

bool FileLock::is_current() const {
  struct stat mine {
  }, named{};
  return fstat(descriptor_, &mine) == 0 && lstat(name_.c_str(), &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

}  // namespace frugal
