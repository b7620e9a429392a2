#pragma once
#include "libcore/system/output_file.h"

namespace frugal {

/// Leaves equal output files untouched, as --if-changed does, while it exists.
struct LeftEqualFiles {
  LeftEqualFiles() { leave_equal_files(true); }
  ~LeftEqualFiles() { leave_equal_files(false); }
  LeftEqualFiles(const LeftEqualFiles&) = delete;
  LeftEqualFiles& operator=(const LeftEqualFiles&) = delete;
};

}  // namespace frugal
