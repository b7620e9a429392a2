#pragma once
#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace frugal {

/// Repeats a system call that returns -1 and sets errno for as long as a signal interrupts it.
template <class Call>
auto restarted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// open(2), repeated if a signal interrupts it, as on network and user-space file systems. Returns
/// the descriptor, or -1 with errno.
int open_file(const std::string& path, int flags, mode_t mode = 0);

/// write(2), pread(2) and pwrite(2), repeated until all bytes are done. False with errno, which is
/// 0 at the end of the file.
bool write_all(int descriptor, const void* data, std::size_t size);
bool read_all_at(int descriptor, std::uint64_t offset, void* to, std::size_t size);
bool write_all_at(int descriptor, std::uint64_t offset, const void* data, std::size_t size);

}  // namespace frugal
