# One static library per folder, and the check that every source file of a folder is named.

# orr_add_library(SOURCES file... [LINK target...])
# Called from FOLDER/CMakeLists.txt; makes orr_FOLDER. LINK names the folders below it (orr_core)
# and outside libraries (orr_dep_yaml).
function(orr_add_library)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;LINK")
    get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
    orr_check_listed(${arg_SOURCES})
    if(NOT arg_SOURCES)
        return()
    endif()
    add_library(orr_${folder} STATIC ${arg_SOURCES})
    target_link_libraries(orr_${folder} PRIVATE orr_compile_options)
    foreach(target IN LISTS arg_LINK)
        if(TARGET ${target})
            target_link_libraries(orr_${folder} PUBLIC ${target})
        endif()
    endforeach()
    set_property(GLOBAL APPEND PROPERTY ORRERY_LIBRARIES orr_${folder})
    set_property(GLOBAL APPEND PROPERTY ORRERY_LINK ${arg_LINK})
endfunction()

# orr_add_complete_library(NAME): all folders in one archive, liborrery.a
function(orr_add_complete_library name)
    get_property(libraries GLOBAL PROPERTY ORRERY_LIBRARIES)
    get_property(links GLOBAL PROPERTY ORRERY_LINK)
    list(REMOVE_DUPLICATES links)
    set(objects "")
    foreach(library IN LISTS libraries)
        list(APPEND objects $<TARGET_OBJECTS:${library}>)
    endforeach()
    add_library(${name} STATIC ${objects})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME orrery LINKER_LANGUAGE C)
    target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}/include")
    target_link_libraries(${name} PUBLIC m)
    foreach(target IN LISTS links)
        if(target MATCHES "^orr_dep_")
            target_link_libraries(${name} PUBLIC ${target})
        endif()
    endforeach()
    # Headers made during the build must exist before anything that uses the library is compiled.
    add_dependencies(${name} ${libraries})
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
