#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcore/base/error.h"

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

/// Refusing an input is fine, as bad or for one reason more; any other exception or status ends the
/// run.
template <class Body>
void reading(ExitStatus also_fine, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    require(error.status() == ExitStatus::bad_input || error.status() == also_fine,
            "an input is refused with a status that says why");
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "an error is one line");
  }
}

}  // namespace frugal
