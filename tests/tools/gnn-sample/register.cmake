if(TARGET gnn-sample)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.gnn-sample.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:gnn-sample>)
  set_property(TEST tools.gnn-sample.kill-resume PROPERTY LABELS slow)
  set_property(TEST tools.gnn-sample.kill-resume PROPERTY RUN_SERIAL TRUE)  # kills after times it has measured
endif()
