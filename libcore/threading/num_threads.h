#pragma once

namespace frugal {

/// Number of threads that parallel loops use; set once by run_tool() (libraries' default: all
/// usable).
void set_num_threads(int n);
int num_threads();

}  // namespace frugal
