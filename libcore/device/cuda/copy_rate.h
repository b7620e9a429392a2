#pragma once
namespace frugal::cuda {

/// Bytes a second that a copy within the device's memory reads and writes: measured once a process,
/// with a few MiB of the device's memory. 0: it could not be measured.
double copy_rate(int device);

}  // namespace frugal::cuda
