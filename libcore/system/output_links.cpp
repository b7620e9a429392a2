#include "libcore/system/output_links.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

[[noreturn]] void refuse_output(const std::string& path, const std::string& reason) {
  fail(ExitStatus::cannot_create, path, ": cannot create: ", reason);
}

/// A descriptor that is closed with its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Whether a link leads to an open file: a link of /proc, whose text need not be a path.
bool is_in_proc(int link) {
  struct statfs system {};
  return fstatfs(link, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// Whether the open file behind a link of /proc has a name to be replaced by.
bool has_a_name(const std::string& link) {
  struct stat info {};
  return stat(link.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 0;
}

enum class OpenFiles { by_name, as_they_are };

/// Reads owner and text of each link by one descriptor, so that nobody can exchange it in between.
std::string follow(const std::string& path, OpenFiles open_files) {
  constexpr int kMaxLinks = 40;  // as many as the kernel follows
  std::string at = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    const Descriptor link(open_file(at, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (link.number() < 0 && errno == ENOENT) return at;
    struct stat info {};
    if (link.number() < 0 || fstat(link.number(), &info) != 0) {
      refuse_output(path, errno_text(errno));
    }
    if (!S_ISLNK(info.st_mode)) return at;
    char text[PATH_MAX];
    const ssize_t size = readlinkat(link.number(), "", text, sizeof text);
    if (size < 0) refuse_output(path, errno_text(errno));
    const std::string next(text, static_cast<std::size_t>(size));
    // In a container without root, /dev/stderr has an owner that cannot be told from other users.
    if (info.st_uid != 0 && info.st_uid != geteuid() && !at.starts_with("/dev/std")) {
      refuse_output(path, at + " is a link to " + printable(next) + " that another user (" +
                              std::to_string(info.st_uid) + ") placed; name the file it leads to");
    }
    if (is_in_proc(link.number()) && (open_files == OpenFiles::as_they_are || !has_a_name(at))) {
      return at;
    }
    at = !next.empty() && next.front() == '/' ? next : folder_of(at) + "/" + next;
  }
  refuse_output(path, errno_text(ELOOP));
}

/// Opens the end of a walk, unless it has become a link since. Links of /proc are opened as such.
int open_end(const std::string& end, int flags) {
  const int descriptor = open_file(end, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor >= 0 || errno != ELOOP) return descriptor;
  const Descriptor link(open_file(end, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  const bool in_proc = link.number() >= 0 && is_in_proc(link.number());
  errno = ELOOP;
  return in_proc ? open_file(end, flags | O_CLOEXEC | O_NOCTTY, 0666) : -1;
}

/// Whether users other than this one and root can give names to files in a folder.
bool is_shared(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return true;
  return (info.st_uid != 0 && info.st_uid != geteuid()) ||
         (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string follow_links(const std::string& path) { return follow(path, OpenFiles::by_name); }

int open_stream(const std::string& path, const std::string& target) {
  Descriptor stream(open_end(target, O_WRONLY));
  struct stat info {};
  if (stream.number() < 0 || fstat(stream.number(), &info) != 0) {
    refuse_output(path, errno_text(errno));
  }
  if (S_ISREG(info.st_mode)) refuse_output(path, "it became a file while it was opened");
  return stream.release();
}

int open_in_place(const std::string& path, bool truncate) {
  const std::string end = follow(path, OpenFiles::as_they_are);
  Descriptor file(open_end(end, O_WRONLY | O_CREAT | O_APPEND));
  struct stat info {};
  if (file.number() < 0 || fstat(file.number(), &info) != 0) {
    refuse_output(path, errno_text(errno));
  }
  if (!S_ISREG(info.st_mode)) return file.release();
  if (info.st_nlink > 1 && is_shared(folder_of(end))) {
    refuse_output(path, "the file has " + std::to_string(info.st_nlink) +
                            " names, in a folder that other users may write; remove it or name "
                            "another");
  }
  if (truncate && ftruncate(file.number(), 0) != 0) refuse_output(path, errno_text(errno));
  return file.release();
}

}  // namespace frugal
