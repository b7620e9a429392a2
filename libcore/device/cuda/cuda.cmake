# libfrugal_cuda.so, one source for two compilers: nvcc makes the plug-in of it where there is one (FRUGAL_CUDA), the
# host's compiler the one of the tests (tests/libcore/device), whose kernels run on the CPU.
set(FRUGAL_CUDA auto CACHE STRING "Build the plug-in for CUDA: auto (where nvcc is found), on or off")
set_property(CACHE FRUGAL_CUDA PROPERTY STRINGS auto on off)
file(GLOB FRUGAL_CUDA_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp ${CMAKE_CURRENT_LIST_DIR}/engines/*.cpp
     ${CMAKE_CURRENT_LIST_DIR}/engines/*/*.cpp)
set_property(GLOBAL PROPERTY FRUGAL_CUDA_SOURCES ${FRUGAL_CUDA_SOURCES})
set(FRUGAL_CUDA_EXPORTS -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/plugin.map)  # one symbol
set_property(GLOBAL PROPERTY FRUGAL_CUDA_EXPORTS ${FRUGAL_CUDA_EXPORTS})

if(FRUGAL_CUDA STREQUAL "auto" AND FRUGAL_SANITIZE)
  set(wanted off)  # the tests' plug-in has the same code under the sanitizers
else()
  set(wanted ${FRUGAL_CUDA})
endif()
if(NOT wanted STREQUAL "off")
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
endif()
if(wanted STREQUAL "off" OR NOT CMAKE_CUDA_COMPILER)
  if(FRUGAL_CUDA STREQUAL "on")
    message(FATAL_ERROR "FRUGAL_CUDA=on: no nvcc found; Debian's is in nvidia-cuda-toolkit (non-free), or set CMAKE_CUDA_COMPILER")
  endif()
  return()
endif()

# Machine code for what the toolkit knows of these, and PTX of the newest for later GPUs. 13.0 has dropped sm_70.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80)  # until the toolkit's version is known
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
enable_language(CUDA)
set_property(GLOBAL PROPERTY FRUGAL_CUDA_INCLUDE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
  set(architectures 70-real 75-real 80-real 86-real 89-real 90)
  set(driver "driver 520 or later")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(driver "driver 525 or later")
  endif()
else()
  set(architectures 75-real 80-real 86-real 89-real 90-real 100-real 120)
  set(driver "driver 570 or later")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    set(driver "driver 580 or later")
  endif()
endif()
if(FRUGAL_CUDA_ARCHITECTURES)
  set(architectures ${FRUGAL_CUDA_ARCHITECTURES})
endif()

# One file of all that has kernels of ours: each is compiled once, however many files use it. CUB's sort stands apart: our
# kernels keep everything in registers, it does not on every generation.
set(ours ${FRUGAL_CUDA_SOURCES})
list(FILTER ours EXCLUDE REGEX sort_pages)
list(TRANSFORM ours REPLACE "^.+$" "#include \"\\0\"\n" OUTPUT_VARIABLE includes)
list(JOIN includes "" includes)
set(all_of_ours ${CMAKE_CURRENT_BINARY_DIR}/frugal_cuda.cu)
file(CONFIGURE OUTPUT ${all_of_ours} CONTENT "${includes}")
set(apart ${CMAKE_CURRENT_LIST_DIR}/sort_pages.cpp)
set_source_files_properties(${apart} PROPERTIES LANGUAGE CUDA)
set_source_files_properties(${all_of_ours} PROPERTIES COMPILE_OPTIONS -Xptxas=-warn-spills,-warn-lmem-usage,-Werror)
add_library(frugal_cuda MODULE ${all_of_ours} ${apart})
target_include_directories(frugal_cuda PRIVATE ${PROJECT_SOURCE_DIR})
target_link_options(frugal_cuda PRIVATE ${FRUGAL_CUDA_EXPORTS})
# Generations of GPUs are compiled side by side. Names of files in /tmp hold the number of the process: builds are to have
# the same bytes.
set(temporaries --threads=0 $<$<VERSION_GREATER_EQUAL:${CMAKE_CUDA_COMPILER_VERSION},12>:--objdir-as-tempdir>)
target_compile_definitions(frugal_cuda PRIVATE FRUGAL_CUDA_TOOLKIT="CUDA ${CMAKE_CUDA_COMPILER_VERSION}"
                           FRUGAL_CUDA_NEEDS="${driver}")
# Products and sums are fused only where the source says so: results are then the CPU's. The other compiler's flags do
# not count. Out of the way of tests, whose tools shall find no plug-in but the one that they name.
set_target_properties(frugal_cuda PROPERTIES CUDA_ARCHITECTURES "${architectures}" CUDA_RUNTIME_LIBRARY Static
                      COMPILE_OPTIONS "-fmad=false;-Xcompiler=-Wall,-Wextra;${temporaries}"
                      CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)

# Installed where it was built: nvcc takes minutes, which the target tools does not.
install(TARGETS frugal_cuda LIBRARY DESTINATION lib/frugal COMPONENT cuda OPTIONAL)
