# What `cmake --install` puts where: command, libraries, headers, pkg-config and CMake package files,
# manual pages, shell completions, inputs and documents.
include(CMakePackageConfigHelpers)

# ---- libraries, for pkg-config and find_package ----

# The first command of README.md builds the command alone; what else is installed is built here.
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\"
    --target liborrery liborrery_shared orrery_manual OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)")

set_target_properties(liborrery PROPERTIES EXPORT_NAME orrery_static)
set_target_properties(liborrery_shared PROPERTIES EXPORT_NAME orrery)
install(TARGETS orrery COMPONENT command)
install(TARGETS liborrery liborrery_shared EXPORT OrreryTargets
    ARCHIVE COMPONENT dev
    LIBRARY COMPONENT library NAMELINK_COMPONENT dev
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/orrery TYPE INCLUDE COMPONENT dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(orr_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Orrery")
install(EXPORT OrreryTargets NAMESPACE Orrery:: DESTINATION "${orr_package_dir}" COMPONENT dev)
file(WRITE "${CMAKE_BINARY_DIR}/OrreryConfig.cmake"
    "# Orrery::orrery is the shared library, Orrery::orrery_static the other.\n"
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/OrreryTargets.cmake\")\n")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/OrreryConfig.cmake"
    "${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake" DESTINATION "${orr_package_dir}" COMPONENT dev)

# The prefix follows the file, so that an installed tree can be moved.
set(orr_pc_prefix "${CMAKE_INSTALL_PREFIX}")
set(orr_pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
set(orr_pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    file(RELATIVE_PATH orr_pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
    string(REGEX REPLACE "/$" "" orr_pc_up "${orr_pc_up}")
    set(orr_pc_prefix "\${pcfiledir}/${orr_pc_up}")
    set(orr_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(orr_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
get_property(orr_links GLOBAL PROPERTY ORRERY_LINK)
list(REMOVE_DUPLICATES orr_links)
set(orr_pc_libraries "")
foreach(target IN LISTS orr_links)
    if(target MATCHES "^orr_dep_")
        get_target_property(library ${target} ORRERY_LIBRARY_NAME)
        list(APPEND orr_pc_libraries " -l${library}")
    endif()
endforeach()
list(REMOVE_DUPLICATES orr_pc_libraries) # dl, of those that are loaded late
list(JOIN orr_pc_libraries "" orr_pc_private)
configure_file(cmake/orrery.pc.in "${CMAKE_BINARY_DIR}/orrery.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/orrery.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# ---- the Python package, where Debian's interpreter looks; it finds the library by its own prefix ----

find_program(ORRERY_PYTHON python3)
if(ORRERY_PYTHON)
    install(CODE "execute_process(COMMAND \"${ORRERY_PYTHON}\" \"${CMAKE_SOURCE_DIR}/python/generate_abi.py\"
        OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)" COMPONENT python)
endif()
install(DIRECTORY python/orrery DESTINATION lib/python3/dist-packages COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# ---- inputs: share/orrery, in the build tree as well, where bin/orrery finds it ----

set(orr_share "${CMAKE_INSTALL_DATADIR}/orrery")
install(DIRECTORY inputs/ DESTINATION "${orr_share}" COMPONENT library)
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/inputs" "${CMAKE_BINARY_DIR}/share/orrery" SYMBOLIC)

# As in the tree, so that the links of README.md hold.
install(DIRECTORY docs TYPE DOC COMPONENT doc FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN man EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE TYPE DOC COMPONENT doc)
install(DIRECTORY examples TYPE DOC COMPONENT doc USE_SOURCE_PERMISSIONS)
file(CREATE_LINK "../../orrery" "${CMAKE_BINARY_DIR}/inputs" SYMBOLIC) # where examples look
install(FILES "${CMAKE_BINARY_DIR}/inputs" TYPE DOC COMPONENT doc)

# ---- manual pages and completions, made by the command from its own --help ----

if(CMAKE_CROSSCOMPILING)
    return()
endif()
set(orr_made "${CMAKE_BINARY_DIR}/made")
file(GLOB orr_man_parts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/docs/man/*.roff")
add_custom_command(OUTPUT "${orr_made}/stamp"
    COMMAND sh "${CMAKE_SOURCE_DIR}/cmake/make_man.sh" $<TARGET_FILE:orrery>
        "${CMAKE_SOURCE_DIR}/docs/man" "${orr_made}"
    COMMAND $<TARGET_FILE:orrery> completion bash > "${orr_made}/bash"
    COMMAND $<TARGET_FILE:orrery> completion zsh > "${orr_made}/zsh"
    COMMAND $<TARGET_FILE:orrery> completion fish > "${orr_made}/fish"
    COMMAND "${CMAKE_COMMAND}" -E touch "${orr_made}/stamp"
    DEPENDS orrery cmake/make_man.sh ${orr_man_parts}
    COMMENT "Manual pages and shell completions"
    VERBATIM)
add_custom_target(orrery_manual ALL DEPENDS "${orr_made}/stamp")

install(DIRECTORY "${orr_made}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT command)
install(FILES "${orr_made}/bash" RENAME orrery
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT command)
install(FILES "${orr_made}/zsh" RENAME _orrery
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT command)
install(FILES "${orr_made}/fish" RENAME orrery.fish
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT command)
