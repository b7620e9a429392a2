# What of the tests has no meaning, or no way to run, where an emulator runs the programs: ctest leaves it out, and
# tests/run.sh names it with its reason. Included before the tests are added.
function(not_emulated name reason)
  set_property(GLOBAL APPEND_STRING PROPERTY FRUGAL_NOT_EMULATED "${name}: ${reason}\n")
endfunction()

# Of the unit tests, cases by the beginning of their names.
set(EMULATED_FILTER "")
function(leave_out_case name reason)
  not_emulated("${name}..." "${reason}")
  set(EMULATED_FILTER ${EMULATED_FILTER},${name}* PARENT_SCOPE)
endfunction()
leave_out_case("levels agree with the flags" "the emulator shows the flags of this machine")
leave_out_case("hostile containers are refused within" "the second that it measures is a processor's")
leave_out_case("a bus error elsewhere" "the emulator explains the signal, where a processor says nothing")
string(REGEX REPLACE "^," "--test-case-exclude=" EMULATED_FILTER "${EMULATED_FILTER}")

# Cases of the command line say it themselves.
file(GLOB cases RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/cli/cases CONFIGURE_DEPENDS cli/cases/*/*.sh)
foreach(case IN LISTS cases)
  file(STRINGS cli/cases/${case} reason REGEX "^# Not emulated: ")
  if(reason)
    string(REPLACE "# Not emulated: " "" reason "${reason}")
    not_emulated("cli ${case}" "${reason}")
  endif()
endforeach()

# Whole tests, by regular expressions of their names.
function(leave_out_tests pattern reason)
  get_property(tests DIRECTORY PROPERTY TESTS)
  list(FILTER tests INCLUDE REGEX "^${pattern}$")
  foreach(test IN LISTS tests)
    set_property(TEST ${test} PROPERTY DISABLED TRUE)
    not_emulated(${test} "${reason}")
  endforeach()
endfunction()

function(end_of_emulated_tests)
  leave_out_tests("rules\\.[^n].*" "reads the source, the same on every machine")  # but rules.no-weak-symbols
  leave_out_tests("tools\\..*\\.kill-resume" "its kills come after times that it measures")
  leave_out_tests("python\\.paper_tables" "it measures speeds; other tests run the same commands")
  leave_out_tests("python\\.pipelines|cli\\.readme_own_file" "trains for more than half an hour there; other tests run the same commands")
  leave_out_tests("attacks\\.(faults|soak)" "the kernel would see the emulator's calls and memory")
  leave_out_tests("packages.*" "packages of Debian are made of installed libraries")
  not_emulated(ranks.* "no MPI is unpacked for another machine")
  get_property(list GLOBAL PROPERTY FRUGAL_NOT_EMULATED)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/not_emulated CONTENT "${list}")
  # SVE code is made for vectors of any length: the shortest and the longest, too.
  foreach(bytes 16 256)
    add_test(NAME unit.kernels.sve${bytes} COMMAND unit_kernels)
    set_property(TEST unit.kernels.sve${bytes} PROPERTY ENVIRONMENT QEMU_CPU=max,sve-default-vector-length=${bytes})
  endforeach()
endfunction()
cmake_language(DEFER CALL end_of_emulated_tests)
