# Layers whose products may be in bf16 once more with the emulated AMX tiles of the tests of the kernels.
if(TARGET kernels_emulated_amx)
  add_executable(unit_nn_emulated_amx ${CMAKE_CURRENT_LIST_DIR}/weights_test.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/split_weights_test.cpp ${CMAKE_CURRENT_LIST_DIR}/dense_layer_test.cpp
                 ${PROJECT_SOURCE_DIR}/tests/libcore/kernels/amx_emulation/pretend.cpp
                 $<TARGET_OBJECTS:kernels_emulated_amx>)
  target_compile_options(unit_nn_emulated_amx PRIVATE -Wno-conversion -Wno-shadow)
  target_link_libraries(unit_nn_emulated_amx PRIVATE test_main core_nn)
  add_test(NAME unit.nn.emulated-amx COMMAND unit_nn_emulated_amx)
endif()
