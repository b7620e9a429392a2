# The readers of examples/python and examples/gnn, on golden files and on what the tools write. Packages that they need
# beside Python are looked for in build/python, too, where tests/run.sh puts them.
function(python_test name tool script)
  if(NOT TARGET ${tool})
    return()
  endif()
  add_test(NAME python.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/python/${script} ${CMAKE_BINARY_DIR}/bin
           ${PROJECT_SOURCE_DIR})
  set_tests_properties(python.${name} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT_MODIFICATION
                       PYTHONPATH=path_list_append:${PROJECT_SOURCE_DIR}/build/python)
endfunction()
python_test(readers tensor-file run.sh)
python_test(read_tensor_file tensor-file read_tensor_file.sh)
python_test(robe_lookup robe-compress robe_lookup.sh)
python_test(array_page robe-compress array_page.sh)
python_test(minibatches gnn-sample minibatches.sh)
python_test(minibatch_arrays gnn-sample minibatch_arrays.sh)
python_test(hetero_data gnn-sample hetero_data.sh)
python_test(graphcore_tgn tgn-train graphcore_tgn.sh)
python_test(pipelines hw-probe pipelines.sh)
python_test(paper_tables hw-probe paper_tables.sh)
python_test(which_hardware hw-probe which_hardware.sh)
python_test(pipelines_pytorch robe-compress pipelines_pytorch.sh)
python_test(graphcore_sage gnn-sample graphcore_sage.sh)
