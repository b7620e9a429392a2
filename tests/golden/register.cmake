# Every result of every tool, equal to the bit: some 380 cases with one thread and with two, 45 s of CPU in all. Builds by
# another compiler, without optimisation or with sanitizers round differently, and skip it.
if(TARGET sparse-train AND TARGET robe-compress AND TARGET gnn-sample AND TARGET tgn-train AND TARGET tensor-file)
  add_test(NAME golden.results COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/golden/results.py ${CMAKE_BINARY_DIR}/bin --check)
  set_tests_properties(golden.results PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 COST 100 LABELS slow)
endif()
