# What of the tests has no meaning, or no way to run, where an emulator runs the programs: ctest leaves it out, and
# tests/run.sh names it with its reason.
#   not_emulated(REASON NAME...): regular expressions of tests
function(not_emulated reason)
  get_property(all DIRECTORY PROPERTY TESTS)
  foreach(name IN LISTS ARGN)
    set(found ${all})
    list(FILTER found INCLUDE REGEX "^${name}$")
    foreach(test IN LISTS found)
      set_property(TEST ${test} PROPERTY DISABLED TRUE)
      set_property(GLOBAL APPEND_STRING PROPERTY FRUGAL_NOT_EMULATED "${test}: ${reason}\n")
    endforeach()
  endforeach()
endfunction()

not_emulated("reads the source, the same on every machine" "rules\\.[^n].*")  # but no-weak-symbols
not_emulated("its kills come after times that it measures" "tools\\..*\\.kill-resume")
not_emulated("packages of Debian are made of installed libraries" "packages.*")
not_emulated("no MPI is unpacked for another machine" "ranks\\..*")

file(GLOB cases RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/cli/cases CONFIGURE_DEPENDS cli/cases/*/*.sh)
foreach(case IN LISTS cases)
  file(STRINGS cli/cases/${case} reason REGEX "^# Not emulated: ")
  if(reason)
    string(REPLACE "# Not emulated: " "cli ${case}: " reason "${reason}")
    set_property(GLOBAL APPEND_STRING PROPERTY FRUGAL_NOT_EMULATED "${reason}\n")
  endif()
endforeach()

get_property(list GLOBAL PROPERTY FRUGAL_NOT_EMULATED)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/not_emulated CONTENT "${list}")

# SVE code is made for vectors of any length: the shortest and the longest, too.
foreach(bytes 16 256)
  add_test(NAME unit.kernels.sve${bytes} COMMAND unit_kernels)
  set_property(TEST unit.kernels.sve${bytes} PROPERTY ENVIRONMENT QEMU_CPU=max,sve-default-vector-length=${bytes})
endforeach()
