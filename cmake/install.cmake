include(cmake/build_info.cmake)
