add_executable(sample_report libcore/report/sample_report.cpp)
target_compile_options(sample_report PRIVATE -Wno-conversion -Wno-shadow -Wno-missing-field-initializers)
target_link_libraries(sample_report PRIVATE core_report)

find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME report.structure COMMAND ${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/report_structure_test.py
           $<TARGET_FILE:sample_report>)
  add_test(NAME report.browser COMMAND ${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/report_browser_test.py
           $<TARGET_FILE:sample_report>)
  set_tests_properties(report.browser PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
