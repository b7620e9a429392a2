#pragma once
#include <string>

namespace frugal {

/// Whether two paths name one regular file, by any of its names. The file need not exist yet.
bool same_file(const std::string& a, const std::string& b);
/// Whether no file has that name. False if this cannot be found out: reading the file then gives
/// the reason.
bool is_missing(const std::string& path);

}  // namespace frugal
