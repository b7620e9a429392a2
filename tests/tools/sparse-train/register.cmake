if(TARGET sparse-train)
  # The text benchmark on 200 lines: it must not rot between the machines that have fastText.
  add_test(NAME bench.text
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/text_bench_test.py $<TARGET_FILE:sparse-train>)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.sparse-train.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:sparse-train>)
  set_property(TEST tools.sparse-train.kill-resume PROPERTY LABELS slow)
  set_property(TEST tools.sparse-train.kill-resume PROPERTY RUN_SERIAL TRUE)  # kills after times it has measured
  # Data of Amazon-670K's shape and others for the benchmarks.
  add_executable(bench_generate_xmc ${PROJECT_SOURCE_DIR}/tests/bench/sparse-train/generate_xmc.cpp)
  target_include_directories(bench_generate_xmc PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(bench_generate_xmc PRIVATE -Wno-conversion)
  target_link_libraries(bench_generate_xmc PRIVATE core_system core_threading)
  # How many of the best labels hash tables and signatures find.
  add_executable(bench_retrieval ${PROJECT_SOURCE_DIR}/tests/bench/sparse-train/retrieval.cpp)
  target_include_directories(bench_retrieval PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bench_retrieval PRIVATE sparse-train_lib)
  # The XMC benchmark on 600 generated points, its grading, and a rival that is not installed.
  add_test(NAME bench.xmc
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/xmc_bench_test.py $<TARGET_FILE:sparse-train>
                   $<TARGET_FILE:bench_generate_xmc>)
  # The benchmarks of sparse outputs on the same small data.
  add_test(NAME bench.sparse-outputs
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/sparse_outputs_bench_test.py $<TARGET_FILE:sparse-train>
                   $<TARGET_FILE:bench_generate_xmc> $<TARGET_FILE:bench_retrieval>)
endif()

# Training and answers on a device: the plug-in whose CUDA kernels run on this CPU stands for one.
add_dependencies(unit_sparse-train host_cuda)
target_compile_definitions(unit_sparse-train PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda")
