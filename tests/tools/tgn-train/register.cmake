# The networks in plain double that unit_tgn-train compares with.
if(TARGET unit_tgn-train)
  target_sources(unit_tgn-train PRIVATE ${CMAKE_CURRENT_LIST_DIR}/plain_tgn.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/memory/plain_stream.cpp)
  add_dependencies(unit_tgn-train host_cuda)
  target_compile_definitions(unit_tgn-train PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda")
endif()
if(TARGET tgn-train)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.tgn-train.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:tgn-train>)
  set_property(TEST tools.tgn-train.kill-resume PROPERTY LABELS slow)
  set_property(TEST tools.tgn-train.kill-resume PROPERTY RUN_SERIAL TRUE)  # kills after times it has measured
endif()
