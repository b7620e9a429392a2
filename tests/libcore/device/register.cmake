# The plug-in for CUDA compiled for the host: its kernels run on this CPU (libcore/device/cuda/host_cuda.h).
get_property(sources GLOBAL PROPERTY FRUGAL_CUDA_SOURCES)
add_library(host_cuda MODULE ${sources})
compile_together(host_cuda)
target_include_directories(host_cuda PRIVATE ${PROJECT_SOURCE_DIR})
get_property(exports GLOBAL PROPERTY FRUGAL_CUDA_EXPORTS)
target_link_options(host_cuda PRIVATE ${exports})
target_compile_definitions(host_cuda PRIVATE FRUGAL_CUDA_TOOLKIT="none, for tests" FRUGAL_CUDA_NEEDS="nothing")
target_compile_options(host_cuda PRIVATE -Wno-unused-function -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(host_cuda PRIVATE -march=x86-64-v3)  # whose fused multiply-add is an instruction
endif()
set_target_properties(host_cuda PROPERTIES OUTPUT_NAME frugal_cuda CXX_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host_cuda)
add_dependencies(unit_device host_cuda)
set_source_files_properties(libcore/device/host_cuda_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_link_libraries(unit_device PRIVATE core_kernels core_embedding)
set(same_bits 0)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT FRUGAL_SANITIZE)
  set(same_bits 1)
endif()
target_compile_definitions(unit_device PRIVATE HOST_CUDA="${CMAKE_BINARY_DIR}/host_cuda" SAME_FUSED_BITS=${same_bits})

# A library of products that the plug-in for tests can load, and where NVIDIA's header is, whether our declarations are its.
add_library(fake_cublaslt MODULE libcore/device/fake_cublaslt.cpp)
target_include_directories(fake_cublaslt PRIVATE ${PROJECT_SOURCE_DIR})
foreach(test unit_device unit_gnn-sample unit_robe-compress unit_sparse-train unit_tgn-train)
  add_dependencies(${test} fake_cublaslt)
  target_compile_definitions(${test} PRIVATE FAKE_CUBLASLT="$<TARGET_FILE:fake_cublaslt>")
endforeach()
get_property(cuda_include GLOBAL PROPERTY FRUGAL_CUDA_INCLUDE)
find_file(FRUGAL_CUBLASLT_HEADER cublasLt.h PATHS ${cuda_include} NO_DEFAULT_PATH)
if(FRUGAL_CUBLASLT_HEADER)
  add_library(cublaslt_abi_check OBJECT libcore/device/cublaslt_abi_check.cpp)
  target_include_directories(cublaslt_abi_check PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(cublaslt_abi_check SYSTEM PRIVATE ${cuda_include})
endif()

# The fake plug-in, sound and with one fault each, every copy in a folder of its own.
foreach(fault none abi size score entry hole short)
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

# What nvcc makes: one symbol, no library of CUDA needed to load it, and words where there is no driver.
if(TARGET frugal_cuda)
  add_test(NAME device.cuda_plugin COMMAND ${CMAKE_CURRENT_LIST_DIR}/cuda_plugin_test.sh $<TARGET_FILE:frugal_cuda>
           $<TARGET_FILE:hw-probe>)
endif()
