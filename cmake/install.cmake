# What `cmake --install` and `cpack` deliver: tools, manual pages, completions, and libcore for
# find_package(frugal) and pkg-config.
include(CMakePackageConfigHelpers)
include(cmake/build_info.cmake)

file(GLOB pages_5 CONFIGURE_DEPENDS man/*.5)
file(GLOB pages_7 CONFIGURE_DEPENDS man/*.7)
install(FILES ${pages_5} DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${pages_7} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packages/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/frugal/modulefiles/frugal RENAME ${PROJECT_VERSION})
# hw-probe finds the catalogue of machines beside its folder, in a build as in an installation.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/frugal)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/configs ${CMAKE_BINARY_DIR}/share/frugal/configs SYMBOLIC)
install(DIRECTORY configs examples/gnn examples/python examples/slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/frugal)

# The build generates the manual pages of tools and commands. Those of the tools are in man/, too: cmake --build BUILD --target man
# copies them there.
add_custom_target(man)
set(pages ${CMAKE_BINARY_DIR}/man)

function(generated_texts tool)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    install(FILES man/${tool}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    return()  # pages of commands and completions come from running the tool
  endif()
  add_custom_command(OUTPUT ${pages}/${tool}.1 DEPENDS ${tool} ${PROJECT_SOURCE_DIR}/cmake/man_pages.sh VERBATIM
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/man_pages.sh $<TARGET_FILE:${tool}> ${pages} ${CMAKE_CROSSCOMPILING_EMULATOR}
    COMMENT "Generating manual pages of ${tool}")
  add_custom_target(pages_${tool} ALL DEPENDS ${pages}/${tool}.1)
  add_dependencies(tools pages_${tool})
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          FILES_MATCHING PATTERN "${tool}.1" PATTERN "${tool}-*.1")
  add_custom_target(man_${tool} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E copy ${pages}/${tool}.1 ${PROJECT_SOURCE_DIR}/man/${tool}.1)
  add_dependencies(man_${tool} pages_${tool})
  add_dependencies(man man_${tool})
  set(folder ${CMAKE_BINARY_DIR}/completions)
  add_custom_command(OUTPUT ${folder}/${tool}.bash ${folder}/${tool}.zsh ${folder}/${tool}.fish DEPENDS ${tool} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND sh -c "for shell in bash zsh fish; do \"$@\" --generate $shell > \"$0.$shell\" || exit; done"
            ${folder}/${tool} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${tool}>
    COMMENT "Generating completions of ${tool}")
  add_custom_target(completions_${tool} ALL DEPENDS ${folder}/${tool}.bash)
  add_dependencies(tools completions_${tool})
  install(FILES ${folder}/${tool}.bash RENAME ${tool}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${folder}/${tool}.zsh RENAME _${tool} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${folder}/${tool}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endfunction()

get_property(tools GLOBAL PROPERTY FRUGAL_TOOLS)
foreach(tool IN LISTS tools)
  generated_texts(${tool})
endforeach()

# libcore. A target of the build names its source folder; an installed one the installed headers.
get_property(layers GLOBAL PROPERTY FRUGAL_LAYERS)
list(FILTER layers INCLUDE REGEX ":")  # "module: what it uses"
set(pkgconfig_libraries "")
foreach(layer IN LISTS layers)
  string(REGEX REPLACE ":.*" "" module ${layer})
  set(target core_${module})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${module} OUTPUT_NAME frugal_${module}
    INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/frugal>")
  install(TARGETS ${target} EXPORT frugal-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND pkgconfig_libraries "-lfrugal_${module} ")  # users before what they use
  endif()
endforeach()
install(DIRECTORY libcore DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/frugal COMPONENT dev FILES_MATCHING PATTERN "*.h")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/frugal)
install(EXPORT frugal-targets NAMESPACE frugal:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/frugal-config.cmake.in ${CMAKE_BINARY_DIR}/frugal-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/frugal-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/frugal-config.cmake ${CMAKE_BINARY_DIR}/frugal-config-version.cmake cmake/FindMETIS.cmake
        DESTINATION ${package_dir} COMPONENT dev)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/frugal.pc.in ${CMAKE_BINARY_DIR}/frugal.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/frugal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Packages: cpack --config BUILD/CPackConfig.cmake. With SOURCE_DATE_EPOCH set, two builds give the same
# bytes.
set(CPACK_PACKAGE_VENDOR "The frugal authors")
set(CPACK_PACKAGE_CONTACT "The frugal authors <frugal@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_GENERATOR TGZ)  # which libraries a .deb needs is asked of installed packages
endif()
set(CPACK_PACKAGE_FILE_NAME frugal-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_checks.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)  # frugal, frugal-dev and one a plug-in: frugal-cuda, frugal-mpi
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME frugal)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "frugal-cuda, frugal-mpi")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME frugal-dev)
set(CPACK_DEBIAN_DEV_DESCRIPTION "libcore of frugal for C++ programs: static libraries, headers, CMake, pkg-config")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "pkg-config, libyaml-cpp-dev, libzstd-dev, zlib1g-dev, libxxhash-dev, libmetis-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_CUDA_DESCRIPTION "CUDA plug-in of frugal: training and serving on NVIDIA GPUs")
set(CPACK_DEBIAN_MPI_DESCRIPTION "MPI plug-in of frugal: training on several machines")
foreach(plugin IN ITEMS cuda mpi)
  string(TOUPPER ${plugin} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME frugal-${plugin})
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "frugal (= ${PROJECT_VERSION})")
endforeach()
include(CPack)
