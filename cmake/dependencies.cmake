# Third-party packages, each used behind one folder (ARCHITECTURE.md says which). Debian 12 has them all.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(CLI11 REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd>=1.5)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(expat REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
if(NOT TARGET yaml-cpp::yaml-cpp)  # yaml-cpp before 0.8 has no namespaced target
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
