#pragma once
#include <string>

namespace frugal {

/// Requests the tile registers from the kernel and multiplies one pair of tiles. Returns "" if the
/// product is right, else what went wrong. Call it only where CPUID and XCR0 show AMX. Both steps
/// are tried in a forked child first: a seccomp filter may kill a process for arch_prctl, a faulty
/// virtual machine for the product.
std::string why_amx_fails();

}  // namespace frugal
