if(TARGET robe-compress)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.robe-compress.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:robe-compress>)
  set_property(TEST tools.robe-compress.kill-resume PROPERTY LABELS slow)
  set_property(TEST tools.robe-compress.kill-resume PROPERTY RUN_SERIAL TRUE)  # kills after times it has measured
  # The benchmark scripts on tiny data: they must not rot between the machines that have the rivals.
  add_test(NAME bench.clicks
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/click_bench_test.py $<TARGET_FILE:robe-compress>)
  set_property(TEST bench.clicks PROPERTY LABELS bench)
  if(NOT FRUGAL_SANITIZE)
    # Look-ups a second; ctest only sees that every case runs.
    add_executable(bench_lookups ${PROJECT_SOURCE_DIR}/tests/bench/robe-compress/lookup_bench.cpp)
    target_link_libraries(bench_lookups PRIVATE robe-compress_lib)
    add_test(NAME bench.lookups
             COMMAND bench_lookups --gib 0.01 --dims 16,40 --arrays 1 --storages f32,int4 --seconds 0.02 --samples 256)
    set_tests_properties(bench.lookups PROPERTIES LABELS bench)
  endif()
endif()

add_dependencies(unit_robe-compress host_cuda)
target_compile_definitions(unit_robe-compress PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda")
