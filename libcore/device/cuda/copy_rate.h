#pragma once
#include <cstddef>
#include <cstdint>

namespace frugal::cuda {

/// Bytes per second that a copy within the device's memory reads and writes. Measured once per
/// process, with a few MiB of device memory. 0 if it could not be measured.
double copy_rate(int device);

/// Implements frugal_device_table::transfer() on the current device.
void transfer_rounds(int device, bool back, std::size_t bytes, std::uint32_t times);

}  // namespace frugal::cuda
