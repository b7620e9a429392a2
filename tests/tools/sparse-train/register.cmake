if(TARGET sparse-train)
  # The text benchmark on 200 lines: it must not rot between the machines that have fastText.
  add_test(NAME bench.text
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/text_bench_test.py $<TARGET_FILE:sparse-train>)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.sparse-train.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:sparse-train>)
endif()
