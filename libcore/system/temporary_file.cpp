#include "libcore/system/temporary_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/system/restarted_calls.h"
#include "libcore/system/signals.h"

namespace frugal {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

int open_without_name(const std::string& folder) {
  const int descriptor = open_file(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string path = folder + "/frugal-XXXXXX";  // file systems without O_TMPFILE
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) {
    fail(ExitStatus::cannot_create, folder,
         ": cannot create a temporary file: ", errno_text(errno));
  }
  unlink(path.c_str());
  return named;
}

}  // namespace

std::string temporary_folder() {
  const char* const folder = secure_getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

bool is_in_memory(const std::string& folder) {
  struct statfs system {};
  if (statfs(folder.c_str(), &system) != 0) return false;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

TemporaryFile::TemporaryFile(std::string folder)
    : folder_(std::move(folder)), descriptor_(open_without_name(folder_)) {}

std::unique_ptr<TemporaryFile> TemporaryFile::at(const std::string& path) {
  const int descriptor = open_file(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    fail(ExitStatus::cannot_create, path, ": cannot create a temporary file: ", errno_text(errno));
  }
  unlink(path.c_str());
  return std::unique_ptr<TemporaryFile>(new TemporaryFile(path, descriptor));
}

TemporaryFile::~TemporaryFile() { close(descriptor_); }

void TemporaryFile::reserve(std::uint64_t size) {
  assert(size_ == 0);
  if (size == 0) return;
  ignore_file_size_signal();
  // Not posix_fallocate(): where the file system cannot, that writes to every block.
  const int done =
      restarted([&] { return fallocate(descriptor_, 0, 0, static_cast<off_t>(size)); });
  if (done != 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) {
    fail(ExitStatus::unavailable, folder_, ": this file system cannot reserve room for ",
         format_bytes(size), ", expected one that can, as ext4, xfs, btrfs and tmpfs");
  }
  if (done != 0) {
    fail(ExitStatus::io_error, folder_, ": cannot reserve ", format_bytes(size),
         " for a temporary file: ", errno_text(errno));
  }
  size_ = size;
}

void TemporaryFile::write(const void* data, std::size_t size) {
  size_ += size;
  if (buffer_.size() + size > kBuffer) flush();
  if (size >= kBuffer) return write_out(data, size);
  const auto* bytes = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), bytes, bytes + size);
}

void TemporaryFile::flush() {
  write_out(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void TemporaryFile::write_out(const void* data, std::size_t size) {
  if (!write_all(descriptor_, data, size)) {
    fail(ExitStatus::io_error, folder_, ": cannot write a temporary file: ", errno_text(errno));
  }
}

void TemporaryFile::read(std::uint64_t offset, void* to, std::size_t size) {
  if (!buffer_.empty()) flush();
  if (read_all_at(descriptor_, offset, to, size)) return;
  fail(ExitStatus::io_error, folder_, ": cannot read a temporary file: ", errno_text(errno));
}

void TemporaryFile::write_at(std::uint64_t offset, const void* data, std::size_t size) {
  if (write_all_at(descriptor_, offset, data, size)) return;
  fail(ExitStatus::io_error, folder_, ": cannot write a temporary file: ", errno_text(errno));
}

std::shared_ptr<MappedMemory> TemporaryFile::map() {
  flush();
  return std::make_shared<MappedMemory>(descriptor_, static_cast<std::size_t>(size_), true,
                                        folder_);
}

}  // namespace frugal
