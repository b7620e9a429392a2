#pragma once
#include <cstddef>
#include <cstdint>

namespace frugal::cuda {

/// Bytes a second that a copy within the device's memory reads and writes: measured once a process,
/// with a few MiB of the device's memory. 0: it could not be measured.
double copy_rate(int device);

/// frugal_device_table::transfer() on the device that is in use.
void transfer_rounds(int device, bool back, std::size_t bytes, std::uint32_t times);

}  // namespace frugal::cuda
