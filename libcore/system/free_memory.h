#pragma once

namespace frugal {

/// Returns freed memory to the system; the C library would keep it for later allocations. Call it
/// where much was freed and little of it will be needed again.
void return_free_memory();

}  // namespace frugal
