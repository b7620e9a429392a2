set(rules ${PROJECT_SOURCE_DIR}/tests/rules)
add_test(NAME rules.layers COMMAND ${rules}/layers.sh ${CMAKE_BINARY_DIR}/layers.txt ${PROJECT_SOURCE_DIR})
add_test(NAME rules.tool-layers
         COMMAND ${rules}/tool_layers.sh ${CMAKE_BINARY_DIR}/tool_layers.txt ${PROJECT_SOURCE_DIR})
add_test(NAME rules.documents COMMAND ${rules}/documents.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/man)
add_test(NAME rules.words COMMAND ${rules}/words.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/man)
add_test(NAME rules.house COMMAND ${rules}/house.py --check ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/man)
add_test(NAME rules.results-picture
         COMMAND ${PROJECT_SOURCE_DIR}/tests/bench/results_picture.py --check ${PROJECT_SOURCE_DIR}/man/results.svg)
add_test(NAME rules.format COMMAND ${rules}/format.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(rules.format PROPERTIES SKIP_RETURN_CODE 77)
if(NOT FRUGAL_SANITIZE)
  add_test(NAME rules.tidy COMMAND ${rules}/tidy.sh --since HEAD~3 ${CMAKE_BINARY_DIR})
  set_tests_properties(rules.tidy PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2)
endif()
add_test(NAME rules.fail-when-broken COMMAND ${rules}/rules_test.sh ${CMAKE_CXX_COMPILER})

# Sanitizers and unoptimised builds add symbols of their own.
get_property(isas GLOBAL PROPERTY FRUGAL_KERNEL_ISAS)
if(isas AND NOT FRUGAL_SANITIZE)
  set(objects)
  foreach(isa IN LISTS isas)
    list(APPEND objects $<TARGET_OBJECTS:kernels_${isa}>)
  endforeach()
  add_test(NAME rules.no-weak-symbols
           COMMAND ${rules}/no_weak_symbols.sh ${objects})
endif()
