#include "libcore/system/open_file.h"

#include <fcntl.h>

#include <cerrno>

namespace frugal {

int open_file(const std::string& path, int flags, mode_t mode) {
  for (;;) {
    const int descriptor = open(path.c_str(), flags, mode);
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

}  // namespace frugal
