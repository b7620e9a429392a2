#pragma once

namespace frugal {

/// While one lives, a warning that was said since it began is not said again: many runs over the
/// same data have the same to say. They do not nest.
class WarningsOnce {
 public:
  WarningsOnce();
  ~WarningsOnce();
  WarningsOnce(const WarningsOnce&) = delete;
  WarningsOnce& operator=(const WarningsOnce&) = delete;
};

}  // namespace frugal
