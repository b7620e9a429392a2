#pragma once
#include <string>

namespace frugal {

/// Whether two paths, by any of their names, are one regular file, there or yet to be made.
bool same_file(const std::string& a, const std::string& b);
/// Whether nothing has that name. Where nobody can tell, something has: it is read, for the reason.
bool is_missing(const std::string& path);

}  // namespace frugal
