# Tools as ranks of MPI, where the plug-in is built; without mpirun the tests are skipped.
foreach(tool gnn-sample robe-compress sparse-train tgn-train)
  if(TARGET frugal_mpi AND TARGET ${tool})
    string(REPLACE - _ script ${tool})
    add_test(NAME ranks.${tool} COMMAND ${CMAKE_CURRENT_LIST_DIR}/${script}.sh $<TARGET_FILE_DIR:${tool}>
             $<TARGET_FILE_DIR:frugal_mpi>)
    set_tests_properties(ranks.${tool} PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
  endif()
endforeach()
# What ends one of several ranks.
if(TARGET frugal_mpi AND TARGET gnn-sample AND TARGET robe-compress)
  add_test(NAME ranks.faults COMMAND ${CMAKE_CURRENT_LIST_DIR}/faults.sh $<TARGET_FILE_DIR:gnn-sample>
           $<TARGET_FILE_DIR:frugal_mpi>)
  set_tests_properties(ranks.faults PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
endif()
# Ranks in different states, and exchanges that do not belong together.
if(TARGET frugal_mpi AND TARGET gnn-sample AND TARGET robe-compress AND TARGET tgn-train)
  add_executable(rank_exchanges ${CMAKE_CURRENT_LIST_DIR}/exchanges.cpp)
  target_link_libraries(rank_exchanges PRIVATE core_parallel)
  add_test(NAME ranks.states COMMAND ${CMAKE_CURRENT_LIST_DIR}/states.sh $<TARGET_FILE_DIR:gnn-sample>
           $<TARGET_FILE_DIR:frugal_mpi>)
  set_tests_properties(ranks.states PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
endif()
# The same on a SLURM of two nodes.
if(TARGET frugal_mpi AND TARGET gnn-sample)
  add_test(NAME ranks.slurm COMMAND ${CMAKE_CURRENT_LIST_DIR}/slurm.sh $<TARGET_FILE_DIR:gnn-sample>
           $<TARGET_FILE_DIR:frugal_mpi>)
  set_tests_properties(ranks.slurm PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
endif()
