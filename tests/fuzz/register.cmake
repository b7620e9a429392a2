# fuzz_target(NAME libraries...): NAME_fuzz.cpp is replayed over corpus/NAME by ctest with any compiler. With
# clang and -DFRUGAL_FUZZ=ON fuzz_NAME is also a libFuzzer program:
#   build/bin/fuzz_NAME -max_total_time=60 tests/fuzz/corpus/NAME
option(FRUGAL_FUZZ "Build the libFuzzer programs (clang)" OFF)

function(fuzz_target name)
  set(folder ${PROJECT_SOURCE_DIR}/tests/fuzz)
  add_executable(replay_${name} ${folder}/${name}_fuzz.cpp ${folder}/replay.cpp)
  target_include_directories(replay_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(replay_${name} PRIVATE ${ARGN})
  add_test(NAME fuzz.${name} COMMAND replay_${name} ${folder}/corpus/${name})
  if(FRUGAL_FUZZ)
    add_executable(fuzz_${name} ${folder}/${name}_fuzz.cpp)
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${name} PRIVATE ${ARGN})
  endif()
endfunction()

# Coverage guides the fuzzer only where the libraries are instrumented too.
if(FRUGAL_FUZZ)
  target_compile_options(core_io PRIVATE -fsanitize=fuzzer-no-link)
  target_compile_options(sparse-train_lib PRIVATE -fsanitize=fuzzer-no-link)
  target_compile_options(robe-compress_lib PRIVATE -fsanitize=fuzzer-no-link)
  target_compile_options(gnn-sample_lib PRIVATE -fsanitize=fuzzer-no-link)
  target_compile_options(tgn-train_lib PRIVATE -fsanitize=fuzzer-no-link)
endif()

fuzz_target(tensor_file core_io PkgConfig::zstd)
fuzz_target(text_reader sparse-train_lib)
fuzz_target(click_reader robe-compress_lib)
fuzz_target(graph_reader gnn-sample_lib)
fuzz_target(event_reader tgn-train_lib)
