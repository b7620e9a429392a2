# Adds figures of benchmark scripts to HTML reports.
add_executable(bench_report bench/report/main.cpp)
target_include_directories(bench_report PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(bench_report PRIVATE core_report nlohmann_json::nlohmann_json)

# What each operation of a device takes of its floor.
add_executable(device_floors bench/device/floors.cpp)
target_include_directories(device_floors PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(device_floors PRIVATE core_device core_embedding core_kernels)
target_compile_definitions(device_floors PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda")

# The script for machines with a GPU, on the plug-in whose kernels run here.
add_test(NAME bench.gpu COMMAND ${CMAKE_CURRENT_LIST_DIR}/device/gpu_test.sh ${CMAKE_BINARY_DIR})
