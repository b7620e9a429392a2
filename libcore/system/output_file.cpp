#include "libcore/system/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/output_links.h"
#include "libcore/system/restarted_calls.h"
#include "libcore/system/signals.h"
#include "libcore/system/unfinished_files.h"

namespace frugal {
namespace {

std::atomic<bool> equal_files_stay{false};

/// Reports a failed rename or link as io_error if the disk is full or broken, else as
/// cannot_create.
[[noreturn]] void fail_to_finish(const std::string& path, int error) {
  const bool disk = error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG;
  fail(disk ? ExitStatus::io_error : ExitStatus::cannot_create, path,
       ": cannot finish: ", errno_text(error));
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

[[noreturn]] void fail_to_create(const std::string& path, const std::string& reason) {
  fail(ExitStatus::cannot_create, path, ": cannot create: ", reason);
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// ".NAME.tmp.HOST." cut so that a process number and a counter still fit into a file name.
std::string temporary_prefix(const std::string& target) {
  constexpr std::size_t kDigits = 24;
  const std::string suffix = ".tmp." + host_name() + ".";
  const std::size_t room = NAME_MAX - std::min<std::size_t>(NAME_MAX, suffix.size() + kDigits + 1);
  std::string prefix(".");
  prefix.append(name_of(target), 0, room).append(suffix);
  return prefix;
}

std::string next_temporary_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return folder_of(target) + "/" + temporary_prefix(target) + std::to_string(getpid()) + "." +
         std::to_string(counter.fetch_add(1));
}

/// True for "PID.COUNTER" of a process of this host that is gone.
bool left_by_dead_process(std::string_view suffix) {
  const auto parts = split(suffix, '.');
  if (parts.size() != 2 || !parse_number<std::uint32_t>(parts[1])) return false;
  const auto pid = parse_number<int>(parts[0]);
  return pid && *pid > 0 && kill(*pid, 0) != 0 && errno == ESRCH;
}

/// A process killed between making a named temporary and renaming it leaves the temporary behind.
void remove_stale_temporaries(const std::string& target) {
  const std::string folder = folder_of(target);
  const std::string prefix = temporary_prefix(target);
  DIR* listing = opendir(folder.c_str());
  if (listing == nullptr) return;
  while (const dirent* entry = readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name.substr(0, prefix.size()) != prefix) continue;
    if (left_by_dead_process(name.substr(prefix.size()))) {
      unlinkat(dirfd(listing), entry->d_name, 0);
    }
  }
  closedir(listing);
}

std::optional<struct stat> stat_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

/// Status of the regular file at the path, without following a link: target_ may have changed since
/// it was found.
std::optional<struct stat> stat_of_file(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return info;
}

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Opens an unnamed file in the folder. Returns nothing if the file system or the kernel does not
/// support it, or if /proc, which is needed to name it later, is missing.
std::optional<int> open_unnamed(const std::string& folder) {
#ifdef O_TMPFILE
  if (access("/proc/self/fd", X_OK) == 0) {
    const int descriptor = open_file(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
  }
#endif
  return std::nullopt;
}

/// Makes the new name durable sooner. Some file systems refuse it, which is no error of the output.
void sync_folder(const std::string& folder) {
  const int descriptor = open_file(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// Permission bits that a new file takes over from the file it replaces. Excludes set-user-ID,
/// set-group-ID and sticky: they were granted to the old content, and another owner may write the
/// new one.
constexpr mode_t kPermissions = 0777;

constexpr int kPipeBytes = 1 << 20;  // limit for ordinary users

/// Enlarges a pipe's buffer: at 64 KiB a mini-batch would wake reader and writer hundreds of times.
/// If the user's share of pipe memory is used up, the pipe stays as it is.
void widen_pipe(int descriptor) {
#ifdef F_SETPIPE_SZ
  const int bytes = fcntl(descriptor, F_GETPIPE_SZ);
  if (bytes > 0 && bytes < kPipeBytes) fcntl(descriptor, F_SETPIPE_SZ, kPipeBytes);
#endif
}

bool same_bytes(int a, int b, std::size_t size) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<char> left, right;
  for (std::size_t offset = 0; offset < size; offset += kBlock) {
    left.resize(std::min(kBlock, size - offset));
    right.resize(left.size());
    if (!read_all_at(a, offset, left.data(), left.size()) ||
        !read_all_at(b, offset, right.data(), right.size()) || left != right) {
      return false;
    }
  }
  return true;
}

/// A complete file under a temporary name.
struct HeldOutput {
  std::string temporary, target, path;
};
bool holds_outputs = false;
std::vector<HeldOutput> held_outputs;

/// Gives a temporary its name. linkat() cannot replace a file, rename() can.
void publish_output(const HeldOutput& output) {
  if (rename(output.temporary.c_str(), output.target.c_str()) != 0) {
    fail_to_finish(output.path, errno);
  }
  forget_unfinished(output.temporary);
  sync_folder(folder_of(output.target));
}

}  // namespace

OutputFile::OutputFile(std::string path, const Options& options)
    : path_(std::move(path)), options_(options) {
  ignore_file_size_signal();
  if (path_.empty()) fail(ExitStatus::usage, "the name of an output is empty");
  if (is_standard_output(path_)) {
    stream_ = true;
    descriptor_ = STDOUT_FILENO;
  } else {
    target_ = follow_links(path_);
    const auto existing = stat_of(target_);
    if (!existing && errno != ENOENT) fail_to_create(path_, errno_text(errno));  // maybe a device
    if (existing && S_ISDIR(existing->st_mode)) fail_to_create(path_, errno_text(EISDIR));
    if (existing && !S_ISREG(existing->st_mode)) {
      stream_ = true;
      descriptor_ = open_stream(path_, target_);
    } else {
      if (existing && access(target_.c_str(), W_OK) != 0) fail_to_create(path_, errno_text(errno));
      open_temporary();
    }
  }
  if (stream_ && options_.binary && isatty(descriptor_) == 1) {
    if (descriptor_ != STDOUT_FILENO) close(descriptor_);
    fail(ExitStatus::usage,
         "refusing to write binary data to a terminal; name a file with -o FILE "
         "or use a pipe");
  }
  if (stream_ && options_.binary) widen_pipe(descriptor_);
}

void OutputFile::open_temporary() {
  remove_stale_temporaries(target_);
  if (const auto unnamed = open_unnamed(folder_of(target_))) {
    descriptor_ = *unnamed;
  } else {
    temporary_name_ = next_temporary_name(target_);
    remember_unfinished(temporary_name_);
    descriptor_ = open_file(temporary_name_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      forget_unfinished(temporary_name_);
      temporary_name_.clear();
      fail_to_create(path_, errno_text(errno));
    }
  }
  if (const auto existing = stat_of_file(target_)) {
    // Only root may give a file away; for others the owner is the same or changes, as in every
    // rename.
    if (fchown(descriptor_, existing->st_uid, existing->st_gid) != 0) errno = 0;
    fchmod(descriptor_, existing->st_mode & kPermissions);
  }
}

OutputFile::~OutputFile() {
  if (!committed_) discard_temporary();
}

void OutputFile::discard_temporary() {
  if (!temporary_name_.empty()) {
    unlink(temporary_name_.c_str());
    forget_unfinished(temporary_name_);
  }
  temporary_name_.clear();
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::write(const void* data, std::size_t size) {
  if (!stream_ || options_.binary || isatty(descriptor_) != 1) return write_bytes(data, size);
  const std::string shown = terminal_text({static_cast<const char*>(data), size});
  write_bytes(shown.data(), shown.size());
}

void OutputFile::write_bytes(const void* data, std::size_t size) {
  // A pipe wakes its reader when a call ends or the pipe is full: less at once is read meanwhile.
  const std::size_t most = stream_ ? kPipeBytes / 4 : std::numeric_limits<std::size_t>::max();
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(descriptor_, bytes, std::min(size, most));
    if (n >= 0) {
      bytes += n;
      size -= static_cast<std::size_t>(n);
      bytes_written_ += static_cast<std::uint64_t>(n);
    } else if (errno == EAGAIN) {  // somebody made the pipe non-blocking
      pollfd ready{descriptor_, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      fail(ExitStatus::io_error, path_, ": cannot write after ", bytes_written_,
           " bytes: ", errno_text(errno));
    }
  }
}

void OutputFile::give_temporary_a_name() {
  const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
  while (true) {
    std::string name = next_temporary_name(target_);
    remember_unfinished(name);
    if (linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_name_ = std::move(name);
      return;
    }
    forget_unfinished(name);
    if (errno != EEXIST) fail_to_finish(path_, errno);
  }
}

bool OutputFile::same_as_target() const {
  const auto existing = stat_of_file(target_);
  if (!existing || static_cast<std::uint64_t>(existing->st_size) != bytes_written_) return false;
  const int old = open_file(target_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (old < 0) return false;
  const bool same = same_bytes(old, descriptor_, bytes_written_);
  close(old);
  return same;
}

void leave_equal_files(bool leave) { equal_files_stay = leave; }
bool leaves_equal_files() { return equal_files_stay; }

void OutputFile::commit() {
  if (stream_) {
    committed_ = true;
    if (descriptor_ != STDOUT_FILENO && close(descriptor_) != 0) {
      fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
    }
    descriptor_ = -1;
    return;
  }
  if (leaves_equal_files() && same_as_target()) return discard_temporary();
  // EINVAL: the file system cannot sync, which is no failure to write.
  if (fsync(descriptor_) != 0 && errno != EINVAL) {
    fail(ExitStatus::io_error, path_, ": cannot write: ", errno_text(errno));
  }
  if (temporary_name_.empty()) give_temporary_a_name();
  const HeldOutput output{temporary_name_, target_, path_};
  if (!holds_outputs) publish_output(output);
  if (holds_outputs) held_outputs.push_back(output);
  committed_ = true;
  temporary_name_.clear();
  close(descriptor_);
  descriptor_ = -1;
}

HeldOutputs::HeldOutputs() { holds_outputs = true; }

HeldOutputs::~HeldOutputs() {
  holds_outputs = false;
  for (const HeldOutput& output : held_outputs) {
    unlink(output.temporary.c_str());
    forget_unfinished(output.temporary);
  }
  held_outputs.clear();
}

void HeldOutputs::publish() {
  while (!held_outputs.empty()) {
    publish_output(held_outputs.front());
    held_outputs.erase(held_outputs.begin());
  }
}

void check_output(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool special =
      path != "-" && exists(status) && !is_regular_file(status) && !is_directory(status);
  if (path.empty() || special) return;
  const OutputFile probe(path);
}

void write_file(const std::string& path, const std::string& content) {
  OutputFile file(path, {.binary = false});
  file.write(content.data(), content.size());
  file.commit();
}

}  // namespace frugal
