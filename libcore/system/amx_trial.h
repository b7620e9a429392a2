#pragma once
#include <string>

namespace frugal {

/// Asks the kernel for the tile registers of this process and multiplies one pair of tiles; "" if
/// the product is right, else what went wrong. Call it only where CPUID and XCR0 show AMX. Both
/// steps run in a forked child first: a seccomp filter may kill on arch_prctl, a faulty virtual
/// machine on the product.
std::string why_amx_fails();

}  // namespace frugal
