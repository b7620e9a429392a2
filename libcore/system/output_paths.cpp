#include "libcore/system/output_paths.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace frugal {
namespace {

/// Where writing to `path` writes: links are followed, those to nothing too.
std::filesystem::path written_path(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code ignored;
  if (!std::filesystem::exists(a, ignored) && !std::filesystem::exists(b, ignored)) {
    return written_path(a) == written_path(b);
  }
  return std::filesystem::is_regular_file(a, ignored) && std::filesystem::equivalent(a, b, ignored);
}

bool is_missing(const std::string& path) {
  return access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace frugal
