# Compiler flags that every target of the project gets: warnings, hardening, baseline ISA, sanitizers.
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wmissing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # GCC bug 105329: false alarms for "text" + std::string
endif()
if(FRUGAL_UNITY)
  add_compile_options(-Wno-shadow)  # about files that others include, as is the next
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)
  endif()
endif()
if(FRUGAL_WERROR)
  add_compile_options(-Werror)
endif()

# Two builds in different folders give the same bytes.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)

# The baseline runs on every x86-64-v2 machine; faster kernels are chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-march=x86-64-v2)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  add_compile_options(-march=armv8-a)
endif()

# Hardening. _FORTIFY_SOURCE needs optimisation and upsets the sanitizers.
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong)
add_link_options(-Wl,-z,relro -Wl,-z,now)
if(FRUGAL_SANITIZE)
  # Reports name functions. With 1 they name lines, too, for a fifth of the compilation.
  set(FRUGAL_SANITIZE_LINES 0 CACHE STRING "Level of debug information of a sanitized build")
  add_compile_options(-fsanitize=${FRUGAL_SANITIZE} -fno-omit-frame-pointer -g${FRUGAL_SANITIZE_LINES} -O1)
  add_link_options(-fsanitize=${FRUGAL_SANITIZE})
  if(FRUGAL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # At every access, they double a file's compilation (48 s, 21 s without): the address sanitizer sees null
      # pointers, too, and the fuzzed build, with clang, has all three.
      add_compile_options(-fno-sanitize=null,alignment,vptr)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # false alarms in what sanitizers leave of the optimiser
  endif()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_compile_options(-UNDEBUG)  # our own, too
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
else()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# For code that nobody waits for: the templates of JSON and of the tests take most of a build at full optimisation.
function(cold_code target)
  if(NOT FRUGAL_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  elseif(FRUGAL_SANITIZE MATCHES "undefined")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)  # a fifth of their compilation
  endif()
  cold_when_sanitized(${target})
endfunction()

# For code on which the sanitized tests spend less time than its optimisation takes. Fuzzing runs it for hours.
function(cold_when_sanitized)
  foreach(target IN LISTS ARGN)
    if(FRUGAL_SANITIZE AND NOT FRUGAL_FUZZ AND TARGET ${target})
      target_compile_options(${target} PRIVATE -O0)
    endif()
  endforeach()
endfunction()
