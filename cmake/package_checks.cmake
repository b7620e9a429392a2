# Run by cpack on the files that it is about to pack. A package without a file is a plug-in that was not built. Folders are
# everybody's to read, whatever the umask, and with SOURCE_DATE_EPOCH set all files get that time: equal contents give equal
# packages.
file(GLOB packages LIST_DIRECTORIES true ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
foreach(package IN LISTS packages)
  file(GLOB_RECURSE files ${package}/*)
  if(IS_DIRECTORY ${package} AND NOT files)
    message(FATAL_ERROR "nothing to pack in ${package}: build all targets first")
  endif()
endforeach()
execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -type d -exec chmod 755 {} + COMMAND_ERROR_IS_FATAL ANY)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
