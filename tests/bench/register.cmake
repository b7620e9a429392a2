# Adds figures of benchmark scripts to HTML reports.
add_executable(bench_report bench/report/main.cpp)
target_include_directories(bench_report PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(bench_report PRIVATE core_metrics nlohmann_json::nlohmann_json)
