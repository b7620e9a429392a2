# Throughput against libzstd alone; ctest runs each case once on little data.
add_executable(bench_io ${PROJECT_SOURCE_DIR}/tests/bench/io/zstd_bench.cpp)
target_include_directories(bench_io PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(bench_io PRIVATE -Wno-conversion)
target_link_libraries(bench_io PRIVATE core_tensors PkgConfig::zstd)
add_test(NAME bench.io COMMAND bench_io --megabytes 1 --repeat 1)
