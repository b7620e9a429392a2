# With FRUGAL_UNITY the files of a target are compiled in groups, which takes half the time or less. So a name at a
# file's left margin, also in an unnamed namespace, stands once in its namespace: the compiler refuses a second one.
# A file that must stay alone gets SKIP_UNITY_BUILD_INCLUSION. FRUGAL_UNITY=tests: the tests alone.
function(compile_together target)
  if(FRUGAL_UNITY AND (NOT FRUGAL_UNITY STREQUAL "tests" OR CMAKE_CURRENT_SOURCE_DIR STREQUAL "${PROJECT_SOURCE_DIR}/tests"))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()
