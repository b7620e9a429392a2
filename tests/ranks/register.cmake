# Tools as ranks of MPI, where the plug-in is built; without mpirun the test is skipped.
if(TARGET frugal_mpi AND TARGET gnn-sample)
  add_test(NAME ranks.gnn-sample COMMAND ${CMAKE_CURRENT_LIST_DIR}/gnn_sample.sh $<TARGET_FILE_DIR:gnn-sample>
           $<TARGET_FILE_DIR:frugal_mpi>)
  set_tests_properties(ranks.gnn-sample PROPERTIES LABELS slow RUN_SERIAL TRUE SKIP_RETURN_CODE 77)
endif()
