# Short versions of what tests/attacks/run.sh does. Faults and soak are of the release build: the sanitizers put calls of
# their own in between, and their memory is not flat.
set(attacks ${PROJECT_SOURCE_DIR}/tests/attacks)
set(bin ${CMAKE_BINARY_DIR}/bin)
if(TARGET sparse-train AND TARGET robe-compress AND TARGET gnn-sample AND TARGET tgn-train AND TARGET hw-probe)
  add_test(NAME attacks.documents COMMAND ${attacks}/documents.py ${bin})  # 3 s: texts of megabytes, 60 commands
  add_test(NAME attacks.disk-full COMMAND ${attacks}/disk_full.py ${bin})
  # Sanitized programs take ten times as long to start.
  if(FRUGAL_SANITIZE)
    add_test(NAME attacks.lies COMMAND ${attacks}/lies.py ${bin} 60)
  else()
    add_test(NAME attacks.lies COMMAND ${attacks}/lies.py ${bin} 5)
  endif()
  set_tests_properties(attacks.disk-full attacks.lies PROPERTIES LABELS slow)
  if(TARGET unit_device)  # which has the plug-ins
    add_test(NAME attacks.other-user COMMAND ${attacks}/other_user.py ${bin} ${CMAKE_BINARY_DIR}/fake_plugins/none/libfrugal_cuda.so)
    set_tests_properties(attacks.other-user PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
  endif()
  if(NOT FRUGAL_SANITIZE)
    add_test(NAME attacks.faults COMMAND ${attacks}/faults.py ${bin} 4)
    add_test(NAME attacks.soak COMMAND ${attacks}/soak.py ${bin} 3)
    set_tests_properties(attacks.faults PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2)
    set_tests_properties(attacks.faults attacks.soak PROPERTIES LABELS slow)
  endif()
endif()
