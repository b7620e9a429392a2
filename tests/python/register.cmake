# The readers of examples/python, on golden files and on what tensor-file writes.
if(TARGET tensor-file)
  add_test(NAME python.readers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/python/run.sh ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
endif()
if(TARGET robe-compress)
  add_test(NAME python.robe_lookup COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/python/robe_lookup.sh ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
endif()
