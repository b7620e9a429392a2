#include "libcore/streams/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libcore/base/error.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

constexpr std::uint64_t kFewBytes = 1 << 16;

}  // namespace

RegularFile::RegularFile(const std::string& path)
    : path_(path), descriptor_(open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  find_size();
}

RegularFile::RegularFile(int descriptor, const std::string& path)
    : path_(path), descriptor_(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) {
  find_size();
}

RegularFile::~RegularFile() { close(descriptor_); }

void RegularFile::find_size() {
  if (descriptor_ < 0) fail(ExitStatus::cannot_open, path_, ": cannot open: ", errno_text(errno));
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    fail(ExitStatus::bad_input, path_,
         ": found a folder, pipe or device, expected a regular file; formats of numpy are read "
         "from files only");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void RegularFile::read_at(std::uint64_t offset, void* to, std::uint64_t count) const {
  if (read_all_at(descriptor_, offset, to, static_cast<std::size_t>(count))) return;
  if (errno == 0) {
    fail(ExitStatus::io_error, path_,
         ": the file became shorter while it was read; run the command ", "again");
  }
  fail(ExitStatus::io_error, path_, ": cannot read: ", errno_text(errno));
}

std::optional<std::uint64_t> size_of_input(const std::string& path) {
  struct stat status = {};
  const bool known = (path == "-" ? fstat(0, &status) : stat(path.c_str(), &status)) == 0;
  if (!known || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

bool has_few_records(const std::string& path) {
  return size_of_input(path).value_or(0) <= kFewBytes;
}

}  // namespace frugal
