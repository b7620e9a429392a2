# Adds figures of benchmark scripts to HTML reports.
add_executable(bench_report bench/report/main.cpp)
target_include_directories(bench_report PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(bench_report PRIVATE core_metrics nlohmann_json::nlohmann_json)

# What each operation of a device takes of its floor.
add_executable(device_floors bench/device/floors.cpp)
target_include_directories(device_floors PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(device_floors PRIVATE core_device core_embedding core_kernels)
target_compile_definitions(device_floors PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda")

# The script for machines with a GPU, on the plug-in whose kernels run here: it must not rot until there is one.
add_test(NAME bench.gpu COMMAND sh -c "${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh pack ${CMAKE_BINARY_DIR} gpu-pack > gpu-pack.log 2>&1 && CASES=--last=1 ${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh check gpu-pack gpu-out && ROUNDS=1 ${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh floors gpu-pack gpu-out && BATCH=48 POINTS=96 SHAPE='labels=60 features=300 features_per_point=10 test_points=50' ${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh sparse gpu-pack gpu-out && test $(grep -c points/s gpu-out/table) -ge 2 && SCALE=2000 EPOCHS=1 THREADS=2 SETTINGS='--batch-size 64 --hidden 16 --fanouts 4,3 --eval-fanouts 4,3' ${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh gnn gpu-pack gpu-out && test $(grep -c 'gnn.*s an epoch' gpu-out/table) -eq 4 && SCALE=2000 THREADS=2 SECONDS_EACH=0.1 SAMPLING='--batch-size 16 --fanouts 4,3' LADDER='--hidden 8' ${CMAKE_CURRENT_LIST_DIR}/device/gpu.sh sample gpu-pack gpu-out && test $(grep -c 'M edges/s, the device waits' gpu-out/table) -eq 8")
set_tests_properties(bench.gpu PROPERTIES LABELS bench ENVIRONMENT FRUGAL_PLUGIN_DIR=${CMAKE_BINARY_DIR}/host_cuda)
