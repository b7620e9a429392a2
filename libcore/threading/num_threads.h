#pragma once

namespace frugal {

/// Number of threads of parallel loops. run_tool() sets it once; the default is choose_threads().
void set_num_threads(int n);
int num_threads();

}  // namespace frugal
