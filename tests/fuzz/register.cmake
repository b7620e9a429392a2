# fuzz_target(NAME libraries... [SOURCES files...]): NAME_fuzz.cpp is replayed over the seeds of corpus/NAME.seeds by ctest with any
# compiler. With clang and -DFRUGAL_FUZZ=ON fuzz_NAME is also a libFuzzer program, and all of them are fuzz_all:
#   build/bin/fuzz_NAME -max_total_time=60 build/corpus/NAME
option(FRUGAL_FUZZ "Build the libFuzzer programs (clang)" OFF)
add_custom_target(fuzz_all)

function(fuzz_target name)
  cmake_parse_arguments(T "" "" "SOURCES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/tests/fuzz)
  set(corpus ${CMAKE_BINARY_DIR}/corpus/${name})
  add_custom_command(OUTPUT ${corpus}.stamp DEPENDS ${folder}/corpus/${name}.seeds ${folder}/seeds.py VERBATIM
    COMMAND ${folder}/seeds.py unpack ${folder}/corpus/${name}.seeds ${corpus}
    COMMAND ${CMAKE_COMMAND} -E touch ${corpus}.stamp
    COMMENT "Unpacking seeds of ${name}")
  add_custom_target(seeds_${name} DEPENDS ${corpus}.stamp)
  add_executable(replay_${name} ${folder}/${name}_fuzz.cpp ${folder}/replay.cpp ${T_SOURCES})
  target_include_directories(replay_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(replay_${name} PRIVATE ${T_UNPARSED_ARGUMENTS})
  add_dependencies(replay_${name} seeds_${name})
  add_test(NAME fuzz.${name} COMMAND replay_${name} ${corpus})
  if(FRUGAL_FUZZ)
    add_executable(fuzz_${name} ${folder}/${name}_fuzz.cpp ${T_SOURCES})
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${name} PRIVATE ${T_UNPARSED_ARGUMENTS})
    add_dependencies(fuzz_${name} seeds_${name})
    add_dependencies(fuzz_all fuzz_${name})
  endif()
endfunction()

# Coverage guides the fuzzer only where the libraries are instrumented too.
if(FRUGAL_FUZZ)
  foreach(library core_streams core_tensors core_arrays core_tables core_graph core_cli core_options core_metrics core_train core_embedding sparse-train_lib robe-compress_lib
          gnn-sample_lib tgn-train_lib hw-probe_lib)
    target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
  endforeach()
endif()

fuzz_target(tensor_file core_tensors PkgConfig::zstd)
fuzz_target(array_reader core_arrays)
fuzz_target(text_reader sparse-train_lib)
fuzz_target(click_reader robe-compress_lib)
fuzz_target(graph_reader gnn-sample_lib)
fuzz_target(event_reader tgn-train_lib)
fuzz_target(model_reader sparse-train_lib robe-compress_lib gnn-sample_lib tgn-train_lib)
fuzz_target(log_reader core_train core_report)
fuzz_target(list_reader gnn-sample_lib robe-compress_lib)
fuzz_target(table_head core_tables)
set(commands ${PROJECT_SOURCE_DIR}/tools/hw-probe/commands)
fuzz_target(configuration hw-probe_lib core_cli nlohmann_json::nlohmann_json SOURCES ${commands}/catalogue.cpp
            ${commands}/calibration_file.cpp ${commands}/log_file.cpp)
