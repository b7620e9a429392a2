#include "libcore/cli/build_info.h"

#include <frugal_git_commit.h>

namespace frugal {

BuildInfo build_info() {
  return {.version = FRUGAL_VERSION,
          .git = FRUGAL_GIT_COMMIT,
          .compiler = FRUGAL_COMPILER,
          .flags = FRUGAL_FLAGS,
          .build_type = FRUGAL_BUILD_TYPE,
          .libraries = {{"OpenMP", FRUGAL_OPENMP},
                        {"CLI11", FRUGAL_CLI11},
                        {"Eigen", FRUGAL_EIGEN},
                        {"nlohmann-json", FRUGAL_JSON},
                        {"utf8proc", FRUGAL_UTF8PROC},
                        {"expat", FRUGAL_EXPAT},
                        {"METIS", FRUGAL_METIS},
                        {"xxhash", FRUGAL_XXHASH},
                        {"yaml-cpp", FRUGAL_YAML_CPP},
                        {"zlib", FRUGAL_ZLIB},
                        {"zstd", FRUGAL_ZSTD}}};
}

}  // namespace frugal
