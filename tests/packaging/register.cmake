# Runs cpack, so it wants everything built; only where Debian's tools are. What takes roots of Debian or whole builds:
# tests/run.sh --long.
find_program(DPKG_DEB dpkg-deb)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_DEB AND DPKG_SHLIBDEPS AND NOT FRUGAL_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  get_property(tools GLOBAL PROPERTY FRUGAL_TOOLS)
  add_test(NAME packages COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packaging/package_test.sh ${CMAKE_BINARY_DIR} ${tools})
  set_tests_properties(packages PROPERTIES TIMEOUT 300)
  add_test(NAME packages.module COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packaging/module_test.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(packages.module PROPERTIES SKIP_RETURN_CODE 77)
endif()
