#include "libcore/system/output_paths.h"

#include <filesystem>
#include <system_error>

namespace frugal {

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code ignored;
  if (!std::filesystem::exists(a, ignored) && !std::filesystem::exists(b, ignored)) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(a, ignored), ignored) ==
           std::filesystem::weakly_canonical(std::filesystem::absolute(b, ignored), ignored);
  }
  return std::filesystem::is_regular_file(a, ignored) && std::filesystem::equivalent(a, b, ignored);
}

}  // namespace frugal
