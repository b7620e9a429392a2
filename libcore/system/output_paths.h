#pragma once
#include <string>

namespace frugal {

/// Whether two paths, by any of their names, are one regular file, there or yet to be made.
bool same_file(const std::string& a, const std::string& b);

}  // namespace frugal
