# libfrugal_mpi.so, by the site's MPI: FRUGAL_MPI=auto (where CMake finds one), on or off. The tools are not linked to it.
set(FRUGAL_MPI auto CACHE STRING "Build the plug-in for MPI: auto (where MPI is found), on or off")
set_property(CACHE FRUGAL_MPI PROPERTY STRINGS auto on off)
if(FRUGAL_MPI STREQUAL "off")
  return()
endif()
find_package(MPI COMPONENTS CXX QUIET)
if(NOT MPI_CXX_FOUND)
  if(FRUGAL_MPI STREQUAL "on")
    message(FATAL_ERROR "FRUGAL_MPI=on: no MPI found; Debian's is libopenmpi-dev, or set MPI_CXX_COMPILER to your mpicxx")
  endif()
  return()
endif()

add_library(frugal_mpi MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi_plugin.cpp ${CMAKE_CURRENT_LIST_DIR}/roll_call.cpp)
target_include_directories(frugal_mpi PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(frugal_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # the C interface alone
target_link_libraries(frugal_mpi PRIVATE MPI::MPI_CXX)
set_target_properties(frugal_mpi PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)
install(TARGETS frugal_mpi LIBRARY DESTINATION lib/frugal COMPONENT mpi)
