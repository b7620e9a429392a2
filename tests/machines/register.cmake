if(TARGET hw-probe)
  add_test(NAME machines.hw-probe
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/check.py ${CMAKE_BINARY_DIR}/bin)
endif()
