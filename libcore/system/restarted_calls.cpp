#include "libcore/system/restarted_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace frugal {
namespace {

/// call(begin, size): a part of `size` bytes from the byte `begin` on.
template <class Call>
bool do_all(std::size_t size, const Call& call) {
  constexpr std::size_t kLargestCall = std::size_t{1} << 30;  // Linux moves at most 2 GiB a call
  for (std::size_t begin = 0; begin < size;) {
    errno = 0;
    const auto done = restarted([&] { return call(begin, std::min(size - begin, kLargestCall)); });
    if (done <= 0) return false;
    begin += static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

int open_file(const std::string& path, int flags, mode_t mode) {
  return restarted([&] { return open(path.c_str(), flags, mode); });
}

bool write_all(int descriptor, const void* data, std::size_t size) {
  return do_all(size, [&](std::size_t begin, std::size_t n) {
    return write(descriptor, static_cast<const char*>(data) + begin, n);
  });
}

bool read_all_at(int descriptor, std::uint64_t offset, void* to, std::size_t size) {
  return do_all(size, [&](std::size_t begin, std::size_t n) {
    return pread(descriptor, static_cast<char*>(to) + begin, n, static_cast<off_t>(offset + begin));
  });
}

bool write_all_at(int descriptor, std::uint64_t offset, const void* data, std::size_t size) {
  return do_all(size, [&](std::size_t begin, std::size_t n) {
    return pwrite(descriptor, static_cast<const char*>(data) + begin, n,
                  static_cast<off_t>(offset + begin));
  });
}

}  // namespace frugal
