# A tool for tests of what every tool shares; see demo_tool.cpp.
add_executable(demo-tool cli/demo_tool.cpp)
target_link_libraries(demo-tool PRIVATE core_cli nlohmann_json::nlohmann_json)
cold_code(demo-tool)

get_property(tools GLOBAL PROPERTY FRUGAL_TOOLS)
foreach(tool IN LISTS tools)
  add_test(NAME man.${tool} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/man_page.sh $<TARGET_FILE:${tool}>
           ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/man)
  add_test(NAME help.${tool} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/short_help.sh $<TARGET_FILE:${tool}>
           ${PROJECT_SOURCE_DIR})
  add_test(NAME config.${tool}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/config_round_trip.sh $<TARGET_FILE:${tool}>)
endforeach()

add_test(NAME cli.readme_own_file
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/readme_own_file.sh ${CMAKE_BINARY_DIR}/bin ${PROJECT_SOURCE_DIR})
set_property(TEST cli.readme_own_file PROPERTY LABELS slow)

add_test(NAME cli.result_keys COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/result_keys.py ${CMAKE_BINARY_DIR}/bin)
set_property(TEST cli.result_keys PROPERTY LABELS slow)

set(with_demo ${tools} demo-tool)
list(TRANSFORM with_demo REPLACE "(.+)" "$<TARGET_FILE:\\1>")
foreach(program bash zsh fish man)
  add_test(NAME man.read_by_${program} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/generated_by.sh ${program} ${with_demo})
  set_tests_properties(man.read_by_${program} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
