# The fake plug-in, sound and with one fault each, every copy in a folder of its own.
foreach(fault none abi size score entry hole)
  string(TOUPPER ${fault} upper)
  add_library(fake_plugin_${fault} MODULE libcore/device/fake_plugin/fake_plugin.cpp)
  target_include_directories(fake_plugin_${fault} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(fake_plugin_${fault} PRIVATE FAULT_${upper})
  target_compile_options(fake_plugin_${fault} PRIVATE -Wno-unused-function -Wno-unused-const-variable -Wno-unused-variable)
  set_target_properties(fake_plugin_${fault} PROPERTIES OUTPUT_NAME frugal_cuda
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fake_plugins/${fault})
  add_dependencies(unit_device fake_plugin_${fault})
endforeach()
target_compile_definitions(unit_device PRIVATE FAKE_PLUGINS="${CMAKE_BINARY_DIR}/fake_plugins")
