# What changes the code for tests/run.sh --mutants.
add_test(NAME rules.mutants COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mutants/mutate_test.py)
