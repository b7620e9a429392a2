add_executable(sample_report libcore/metrics/sample_report.cpp)
target_compile_options(sample_report PRIVATE -Wno-conversion -Wno-shadow -Wno-missing-field-initializers)
target_link_libraries(sample_report PRIVATE core_metrics)
