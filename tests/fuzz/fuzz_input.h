#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// What fuzz targets share.
namespace frugal {

/// A file in memory that is rewritten for each input.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", 0)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  void set(const void* data, std::size_t size) {
    const bool good = ftruncate(descriptor_, 0) == 0 &&
                      pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size);
    if (!good) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// Ends the run, which the fuzzer reports, where a promise is broken.
inline void require(bool promise, const char* what) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace frugal
