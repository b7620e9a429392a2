# The benchmark of the kernels; ctest only sees that every case runs.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench/kernels/*.cpp)
list(FILTER sources EXCLUDE REGEX eigen_product)
add_executable(bench_kernels ${sources})
target_link_libraries(bench_kernels PRIVATE core_kernels)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(isa v3 v4)
    add_library(bench_eigen_${isa} OBJECT ${PROJECT_SOURCE_DIR}/tests/bench/kernels/eigen_product.cpp)
    target_compile_options(bench_eigen_${isa} PRIVATE -O3 -march=x86-64-${isa} -w)
    target_compile_definitions(bench_eigen_${isa} PRIVATE Eigen=Eigen_${isa} NDEBUG
                               FRUGAL_RIVAL=eigen_${isa})
    target_include_directories(bench_eigen_${isa} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(bench_eigen_${isa} PRIVATE Eigen3::Eigen)
    target_sources(bench_kernels PRIVATE $<TARGET_OBJECTS:bench_eigen_${isa}>)
  endforeach()
endif()
add_test(NAME bench.kernels COMMAND bench_kernels --quick)
set_tests_properties(bench.kernels PROPERTIES LABELS bench)

# The tests of the kernels once more with emulated AMX tiles: the same objects win over those of the library.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(folder ${PROJECT_SOURCE_DIR}/tests/libcore/kernels)
  add_library(kernels_emulated_amx OBJECT ${PROJECT_SOURCE_DIR}/libcore/kernels/bodies/table.cpp)
  target_compile_options(kernels_emulated_amx PRIVATE -O2 -ffp-contract=fast -fno-math-errno -Wno-conversion
                         -include ${folder}/amx_emulation/tiles.h)
  target_compile_definitions(kernels_emulated_amx PRIVATE FRUGAL_ISA=amx)
  target_include_directories(kernels_emulated_amx PRIVATE ${PROJECT_SOURCE_DIR})
  add_executable(unit_kernels_emulated_amx ${folder}/gemm_test.cpp ${folder}/dispatch_test.cpp
                 ${folder}/amx_emulation/pretend.cpp $<TARGET_OBJECTS:kernels_emulated_amx>)
  target_compile_options(unit_kernels_emulated_amx PRIVATE -Wno-conversion -Wno-shadow)
  target_link_libraries(unit_kernels_emulated_amx PRIVATE test_main core_kernels)
  add_test(NAME unit.kernels.emulated-amx COMMAND unit_kernels_emulated_amx)
endif()
