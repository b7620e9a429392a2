#pragma once
#include <sys/types.h>

#include <string>

namespace frugal {

/// open(2), begun anew where a signal interrupts it, as it may on network and user-space file
/// systems. Returns the descriptor, or -1 with errno.
int open_file(const std::string& path, int flags, mode_t mode = 0);

}  // namespace frugal
