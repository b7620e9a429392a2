# What --version tells. The commit is asked for at each build, not at configure time; the header changes
# only when an answer does, so that nothing is compiled again without need. Included by the top level, and
# run as a script by the build.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(commit "")
  find_program(git git)
  if(git)
    # An unpacked source archive inside somebody else's repository has no commit of its own.
    execute_process(COMMAND ${git} -C ${source} rev-parse --show-toplevel
                    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(REAL_PATH ${source} source)
    if(top STREQUAL source)
      execute_process(COMMAND ${git} -C ${source} describe --always --dirty --abbrev=12 --match "v[0-9]*"
                      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  file(CONFIGURE OUTPUT ${output} CONTENT "#define FRUGAL_GIT_COMMIT \"@commit@\"\n" @ONLY)
  return()
endif()

set(build_info_dir ${CMAKE_BINARY_DIR}/generated)
add_custom_target(build_info
  COMMAND ${CMAKE_COMMAND} -Dsource=${PROJECT_SOURCE_DIR} -Doutput=${build_info_dir}/frugal_git_commit.h
          -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${build_info_dir}/frugal_git_commit.h
  COMMENT "Asking git for the commit" VERBATIM)
add_dependencies(core_cli build_info)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
get_directory_property(flags DIRECTORY ${PROJECT_SOURCE_DIR} COMPILE_OPTIONS)
list(FILTER flags EXCLUDE REGEX "prefix-map")  # names folders of the machine that builds
list(JOIN flags " " flags)
set(flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${flags}")
string(STRIP "${flags}" flags)
string(TOLOWER "${CMAKE_CXX_COMPILER_ID}" compiler)
string(REPLACE "gnu" "gcc" compiler "${compiler}")
set_property(SOURCE ${PROJECT_SOURCE_DIR}/libcore/cli/build_info.cpp TARGET_DIRECTORY core_cli PROPERTY COMPILE_DEFINITIONS
  "FRUGAL_VERSION=\"${PROJECT_VERSION}\"" "FRUGAL_COMPILER=\"${compiler} ${CMAKE_CXX_COMPILER_VERSION}\""
  "FRUGAL_FLAGS=\"${flags}\"" "FRUGAL_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\""
  "FRUGAL_CLI11=\"${CLI11_VERSION}\""
  "FRUGAL_EIGEN=\"${Eigen3_VERSION}\""
  "FRUGAL_YAML_CPP=\"${yaml-cpp_VERSION}\""
  "FRUGAL_JSON=\"${nlohmann_json_VERSION}\""
  "FRUGAL_ZLIB=\"${zlib_VERSION}\"" "FRUGAL_ZSTD=\"${zstd_VERSION}\"" "FRUGAL_UTF8PROC=\"${utf8proc_VERSION}\""
  "FRUGAL_EXPAT=\"${expat_VERSION}\"" "FRUGAL_METIS=\"${METIS_VERSION}\""
  "FRUGAL_XXHASH=\"${xxhash_VERSION}\"" "FRUGAL_OPENMP=\"${OpenMP_CXX_VERSION}\"")
set_property(SOURCE ${PROJECT_SOURCE_DIR}/libcore/cli/build_info.cpp TARGET_DIRECTORY core_cli
             PROPERTY INCLUDE_DIRECTORIES ${build_info_dir})
