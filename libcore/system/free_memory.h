#pragma once

namespace frugal {

/// Gives the memory of objects that are gone back to the system, which the C library else keeps for
/// the next ones: to be called where much was freed and little of it will be asked for again.
void return_free_memory();

}  // namespace frugal
