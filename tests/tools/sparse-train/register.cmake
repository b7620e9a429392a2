# The text benchmark on 200 lines: it must not rot between the machines that have fastText.
if(TARGET sparse-train)
  add_test(NAME bench.text
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/text_bench_test.py $<TARGET_FILE:sparse-train>)
endif()
