# The benchmark of the kernels; ctest only sees that every case runs.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench/kernels/*.cpp)
list(FILTER sources EXCLUDE REGEX eigen_product)
add_executable(bench_kernels ${sources})
target_link_libraries(bench_kernels PRIVATE core_kernels)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(isa v3 v4)
    add_library(bench_eigen_${isa} OBJECT ${PROJECT_SOURCE_DIR}/tests/bench/kernels/eigen_product.cpp)
    target_compile_options(bench_eigen_${isa} PRIVATE -O3 -march=x86-64-${isa} -Wno-conversion
                           -Wno-shadow -Wno-maybe-uninitialized)
    target_compile_definitions(bench_eigen_${isa} PRIVATE Eigen=Eigen_${isa} NDEBUG
                               FRUGAL_RIVAL=eigen_${isa})
    target_include_directories(bench_eigen_${isa} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(bench_eigen_${isa} PRIVATE Eigen3::Eigen)
    target_sources(bench_kernels PRIVATE $<TARGET_OBJECTS:bench_eigen_${isa}>)
  endforeach()
endif()
add_test(NAME bench.kernels COMMAND bench_kernels --quick)
set_tests_properties(bench.kernels PROPERTIES LABELS bench)
