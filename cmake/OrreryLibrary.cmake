# One static library per folder, and the check that every source file of a folder is named.

# orr_add_library(SOURCES file... [CLI file...] [LINK target...])
# Called from FOLDER/CMakeLists.txt; makes orr_FOLDER. LINK names the folders below it (orr_core)
# and outside libraries (orr_dep_yaml). With link-time optimization there are its objects for that too,
# orr_FOLDER_lto; what is wrong with a source is said where the others are made. The folders orr_seldom,
# where a run spends next to nothing, are compiled once, and fast. CLI names the sources of a wing that are part of
# the command.
function(orr_add_library)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;CLI;LINK")
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    orr_check_listed(${arg_SOURCES} ${arg_CLI})
    list(TRANSFORM arg_CLI PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    set_property(GLOBAL APPEND PROPERTY ORRERY_WING_COMMANDS ${arg_CLI})
    if(NOT arg_SOURCES)
        return()
    endif()
    set(seldom OFF)
    if(folder IN_LIST orr_seldom)
        set(seldom ON)
    endif()
    if(orr_lto)
        add_library(orr_${folder}_lto OBJECT ${arg_SOURCES})
        target_link_libraries(orr_${folder}_lto PRIVATE orr_compile_options)
        target_include_directories(orr_${folder}_lto PRIVATE
            $<TARGET_PROPERTY:orr_${folder},INCLUDE_DIRECTORIES>)
        foreach(target IN LISTS arg_LINK)
            if(TARGET ${target}_lto)
                add_dependencies(orr_${folder}_lto ${target}_lto)
            endif()
        endforeach()
    endif()
    if(orr_lto AND seldom)
        target_compile_options(orr_${folder}_lto PRIVATE -O1)
        add_library(orr_${folder} STATIC $<TARGET_OBJECTS:orr_${folder}_lto>)
        set_target_properties(orr_${folder} PROPERTIES LINKER_LANGUAGE C)
    else()
        add_library(orr_${folder} STATIC ${arg_SOURCES})
    endif()
    if(orr_lto AND NOT seldom)
        set_target_properties(orr_${folder}_lto PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
        target_compile_options(orr_${folder}_lto PRIVATE -w)
    endif()
    target_link_libraries(orr_${folder} PRIVATE orr_compile_options)
    foreach(target IN LISTS arg_LINK)
        if(TARGET ${target})
            target_link_libraries(orr_${folder} PUBLIC ${target})
        endif()
    endforeach()
    set_property(GLOBAL APPEND PROPERTY ORRERY_LIBRARIES orr_${folder})
    set_property(GLOBAL APPEND PROPERTY ORRERY_LINK ${arg_LINK})
endfunction()

# orr_add_complete_library(NAME STATIC|SHARED OUTPUT): all folders in one library, libOUTPUT.a or .so.
# Only the functions that include/orrery declares with ORRERY_API are visible in the shared one. All but
# orr_all take the objects for link-time optimization, if there are any.
function(orr_add_complete_library name kind output)
    get_property(libraries GLOBAL PROPERTY ORRERY_LIBRARIES)
    set(objects "")
    set(parts "")
    foreach(library IN LISTS libraries)
        string(REPLACE "orr_" "" folder "${library}")
        if(TARGET ${library}_lto AND (folder IN_LIST orr_seldom OR NOT name STREQUAL "orr_all"))
            string(APPEND library "_lto")
        endif()
        list(APPEND parts ${library})
        list(APPEND objects $<TARGET_OBJECTS:${library}>)
    endforeach()
    add_library(${name} ${kind} ${objects})
    orr_finish_library(${name} ${kind} ${output})
    if(orr_lto AND NOT name STREQUAL "orr_all")
        set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
    endif()
    # Headers made during the build must exist before anything that uses the library is compiled.
    add_dependencies(${name} ${parts})
endfunction()

# orr_add_installed_library(NAME OF OUTPUT): the static library OF as one object whose internal symbols
# are local, as libOUTPUT.a: what programs outside link, and may name their own functions beside.
function(orr_add_installed_library name of output)
    set(object "${CMAKE_BINARY_DIR}/lib${output}.o")
    add_custom_command(OUTPUT "${object}"
        COMMAND "${CMAKE_LINKER}" -r -o "${object}" --whole-archive "$<TARGET_FILE:${of}>"
        COMMAND "${CMAKE_OBJCOPY}" --wildcard --localize-hidden --remove-section=.gnu.lto_* "${object}"
        DEPENDS ${of}
        COMMENT "Making internal symbols of lib${output}.a local"
        VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_library(${name} STATIC "${object}")
    orr_finish_library(${name} STATIC ${output})
endfunction()

# What complete libraries have in common: names, and the outside libraries that go with them.
function(orr_finish_library name kind output)
    get_property(links GLOBAL PROPERTY ORRERY_LINK)
    list(REMOVE_DUPLICATES links)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${output} LINKER_LANGUAGE C)
    target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>")
    set(scope PUBLIC)
    if(kind STREQUAL "SHARED")
        set(scope PRIVATE)
        # Before 1.0 a minor version may break the interface, so it is part of the name.
        set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION}
            SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
        target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:orr_compile_options>)
    endif()
    target_link_libraries(${name} ${scope} m pthread)
    foreach(target IN LISTS links)
        if(target MATCHES "^orr_dep_")
            get_target_property(library ${target} ORRERY_LIBRARY_NAME)
            target_link_libraries(${name}
                ${scope} $<BUILD_INTERFACE:${target}> $<INSTALL_INTERFACE:${library}>)
        endif()
    endforeach()
endfunction()

# orr_check_listed(file...): remembers every .c file at or below the current folder that is not
# in the list, and every file in the list that does not exist.
function(orr_check_listed)
    file(GLOB_RECURSE found RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
        "${CMAKE_CURRENT_SOURCE_DIR}/*.c")
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    foreach(file IN LISTS found)
        if(NOT file IN_LIST ARGN)
            set_property(GLOBAL APPEND PROPERTY ORRERY_UNLISTED "${folder}/${file}")
        endif()
    endforeach()
endfunction()

# orr_report_unlisted(): one message that names them all.
function(orr_report_unlisted)
    get_property(unlisted GLOBAL PROPERTY ORRERY_UNLISTED)
    if(NOT unlisted)
        return()
    endif()
    list(JOIN unlisted "\n  " lines)
    set(severity FATAL_ERROR)
    if(ORRERY_ALLOW_UNLISTED)
        set(severity WARNING)
    endif()
    message(${severity} "These source files exist but no CMakeLists.txt names them, so they would "
        "not be built:\n  ${lines}\nAdd each to the CMakeLists.txt of its folder "
        "(or configure with -DORRERY_ALLOW_UNLISTED=ON while moving files about).")
endfunction()
