#pragma once
#include <cstdint>

namespace frugal::sparse {

/// When hash tables are built anew: the t-th time, t = 1, 2, ..., at step sum_{i < t} first *
/// growth^i (SLIDE, Chen et al., MLSys 2020, section 4.2, with growth = e^lambda): often while the
/// weights move fast, ever more rarely later. growth 1 is a fixed period.
struct RebuildSchedule {
  std::uint64_t first = 50;  ///< steps; 0 = never
  double growth = 1;         ///< at least 1

  struct Position {
    std::uint64_t rebuilds = 0;  ///< up to this step, this one included
    std::uint64_t last = 0;      ///< step of the last of them; 0 where there was none
  };
  Position at(std::uint64_t step) const;
};

}  // namespace frugal::sparse
