# The bodies of the kernels, compiled once per instruction set. Adding one: a row here, its name in SimdLevel
# and in the table list of dispatch.cpp. -ffp-contract: x * y + z is one FMA where the set has it.
set(kernel_flags -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math -fno-exceptions -fno-rtti)

# Under the sanitizers a set takes 4 s at -O0, 17 s at -O1 and 25 s at -O2. The tests of the tools run on one set, the best
# of this machine, and halve their time at -O1, or more; the others are only compared with plain code. There the same
# bodies are checked for undefined behaviour, which takes half as long again to compile.
set(tested_isa v4bf16)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(tested_isa neon)
elseif(EXISTS /proc/cpuinfo)
  file(READ /proc/cpuinfo cpu_flags LIMIT 8192)
  if(NOT cpu_flags MATCHES avx512vl)
    set(tested_isa v3)
  elseif(NOT cpu_flags MATCHES avx512_bf16 OR NOT cpu_flags MATCHES avx512_vpopcntdq)
    set(tested_isa v4)
  endif()
endif()

set_property(GLOBAL PROPERTY FRUGAL_TESTED_ISA ${tested_isa})

function(kernel_isa name)
  if(FRUGAL_SANITIZE AND name STREQUAL tested_isa)
    list(TRANSFORM kernel_flags REPLACE -O3 -O1)
    if(FRUGAL_SANITIZE MATCHES "undefined")
      list(APPEND kernel_flags -fno-sanitize=undefined)
    endif()
  elseif(FRUGAL_SANITIZE)
    list(TRANSFORM kernel_flags REPLACE -O3 -O0)
  endif()
  add_library(kernels_${name} OBJECT kernels/bodies/table.cpp)
  target_compile_options(kernels_${name} PRIVATE ${kernel_flags} ${ARGN})
  target_compile_definitions(kernels_${name} PRIVATE FRUGAL_ISA=${name})
  target_include_directories(kernels_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_sources(core_kernels PRIVATE $<TARGET_OBJECTS:kernels_${name}>)
  set_property(GLOBAL APPEND PROPERTY FRUGAL_KERNEL_ISAS ${name})
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(v4 -march=x86-64-v4 -mprefer-vector-width=512)
  kernel_isa(v2 -march=x86-64-v2)
  kernel_isa(v3 -march=x86-64-v3)
  kernel_isa(v4 ${v4})
  set(v4bf16 ${v4} -mavx512bf16 -mavx512vpopcntdq)
  kernel_isa(v4bf16 ${v4bf16})
  kernel_isa(amx ${v4bf16} -mamx-tile -mamx-bf16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # The bodies are written for vectors of fixed length: SVE code is what the compiler makes of their loops.
  kernel_isa(neon -march=armv8-a)
  kernel_isa(sve -march=armv8.2-a+sve)
else()
  message(FATAL_ERROR "kernels: no instruction set is described for ${CMAKE_SYSTEM_PROCESSOR}")
endif()
