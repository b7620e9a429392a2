#include "libcore/system/mapped_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

MappedMemory::MappedMemory(int descriptor, std::size_t size, bool writable, const std::string& name)
    : size_(size), writable_(writable) {
  map(descriptor, name);
}

MappedMemory::MappedMemory(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(ExitStatus::cannot_open, path, ": cannot open: ", errno_text(errno));
  struct stat status = {};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  try {
    if (!regular) fail(ExitStatus::bad_input, path, ": is not a regular file");
    size_ = static_cast<std::size_t>(status.st_size);
    map(descriptor, path);
  } catch (...) {
    close(descriptor);
    throw;
  }
  close(descriptor);
}

MappedMemory::~MappedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

void MappedMemory::expect_random_reads(std::size_t begin, std::size_t size) const {
  advise(begin, size, MADV_RANDOM);
}

void MappedMemory::prefetch(std::size_t begin, std::size_t size) const {
  advise(begin, size, MADV_WILLNEED);
}

void MappedMemory::advise(std::size_t begin, std::size_t size, int advice) const {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t first = begin / page * page;
  if (size != 0) madvise(data_ + first, begin + size - first, advice);
}

void MappedMemory::map(int descriptor, const std::string& name) {
  if (size_ == 0) return;
  const int protection = PROT_READ | (writable_ ? PROT_WRITE : 0);
  void* const memory = mmap(nullptr, size_, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    fail(ExitStatus::unavailable, name, ": cannot map ", format_bytes(size_),
         " into memory: ", errno_text(errno));
  }
  data_ = static_cast<std::byte*>(memory);
}

}  // namespace frugal
