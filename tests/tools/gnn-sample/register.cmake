if(TARGET gnn-sample)
  # Killed and resumed runs against undisturbed ones.
  add_test(NAME tools.gnn-sample.kill-resume
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/kill_resume.py $<TARGET_FILE:gnn-sample>)
  set_property(TEST tools.gnn-sample.kill-resume PROPERTY LABELS slow)
  set_property(TEST tools.gnn-sample.kill-resume PROPERTY RUN_SERIAL TRUE)  # kills after times it has measured
endif()

# Training on a device: the plug-in whose CUDA kernels run on this CPU stands for one.
if(TARGET unit_gnn-sample)
  add_dependencies(unit_gnn-sample host_cuda)
  target_compile_definitions(unit_gnn-sample PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda")
endif()
