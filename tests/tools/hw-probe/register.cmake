# A pretended CUDA driver under the names that hw-probe loads.
if(TARGET hw-probe)
  set(driver_folder ${CMAKE_BINARY_DIR}/tests/fake-drivers)
  foreach(library cuda nvidia-ml)
    add_library(fake_${library} SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_cuda.cpp)
    set_target_properties(fake_${library} PROPERTIES OUTPUT_NAME ${library} SUFFIX .so.1
                          LIBRARY_OUTPUT_DIRECTORY ${driver_folder})
  endforeach()
  add_test(NAME tools.hw-probe.fake-driver
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/fake_driver.py $<TARGET_FILE:hw-probe> ${driver_folder})
endif()
