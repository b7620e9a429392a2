if(TARGET robe-compress)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.robe-compress.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:robe-compress>)
  set_property(TEST tools.robe-compress.kill-resume PROPERTY LABELS slow)
  set_property(TEST tools.robe-compress.kill-resume PROPERTY RUN_SERIAL TRUE)  # kills after times it has measured
endif()
