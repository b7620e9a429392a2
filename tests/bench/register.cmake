# Adds figures of benchmark scripts to HTML reports.
add_executable(bench_report bench/report/main.cpp)
target_include_directories(bench_report PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(bench_report PRIVATE core_metrics nlohmann_json::nlohmann_json)

# The script for machines with a GPU, on the plug-in whose kernels run here: it must not rot until there is one.
add_test(NAME bench.gpu COMMAND sh -c "${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh pack ${CMAKE_BINARY_DIR} gpu-pack > gpu-pack.log 2>&1 && ${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh check gpu-pack gpu-out")
set_tests_properties(bench.gpu PROPERTIES LABELS bench ENVIRONMENT FRUGAL_PLUGIN_DIR=${CMAKE_BINARY_DIR}/host_cuda)
