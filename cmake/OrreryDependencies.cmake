# Finds what Orrery needs from the system. Everything that is missing is reported at once, with
# the Debian packages that have it.

set(orr_missing_names "")
set(orr_missing_packages "")

function(orr_note_missing what package)
    set(orr_missing_names "${orr_missing_names}\n  ${what} (Debian package ${package})" PARENT_SCOPE)
    set(orr_missing_packages ${orr_missing_packages} ${package} PARENT_SCOPE)
endfunction()

# orr_find_library(NAME header library package [include suffixes...]) makes the target orr_dep_NAME.
macro(orr_find_library name header library package)
    find_path(ORRERY_${name}_INCLUDE_DIR ${header} PATH_SUFFIXES ${ARGN})
    find_library(ORRERY_${name}_LIBRARY ${library})
    mark_as_advanced(ORRERY_${name}_INCLUDE_DIR ORRERY_${name}_LIBRARY)
    if(ORRERY_${name}_INCLUDE_DIR AND ORRERY_${name}_LIBRARY)
        add_library(orr_dep_${name} INTERFACE)
        target_include_directories(orr_dep_${name} SYSTEM INTERFACE "${ORRERY_${name}_INCLUDE_DIR}")
        target_link_libraries(orr_dep_${name} INTERFACE "${ORRERY_${name}_LIBRARY}")
        set_target_properties(orr_dep_${name} PROPERTIES ORRERY_LIBRARY_NAME ${library})
    else()
        orr_note_missing("${header} and lib${library}" ${package})
    endif()
endmacro()

orr_find_library(yaml yaml.h yaml libyaml-dev)
orr_find_library(jansson jansson.h jansson libjansson-dev)
orr_find_library(protobuf_c protobuf-c/protobuf-c.h protobuf-c libprotobuf-c-dev)
orr_find_library(zlib zlib.h z zlib1g-dev)
orr_find_library(igraph igraph.h igraph libigraph-dev igraph)
orr_find_library(cgraph cgraph.h cgraph libgraphviz-dev graphviz)
orr_find_library(gvc gvc.h gvc libgraphviz-dev graphviz)
orr_find_library(glpk glpk.h glpk libglpk-dev)
orr_find_library(cminpack cminpack.h cminpack libcminpack-dev cminpack-1)

# orr_load_late(NAME VARIABLE): the library is loaded when it is first used, not linked; VARIABLE gets
# what it is loaded by.
function(orr_load_late name variable)
    if(NOT TARGET orr_dep_${name})
        return()
    endif()
    file(REAL_PATH "${ORRERY_${name}_LIBRARY}" file)
    get_filename_component(file_name "${file}" NAME)
    string(REGEX MATCH "^lib${name}\\.so\\.[0-9]+" soname "${file_name}")
    if(NOT soname)
        set(soname "${file}")
    endif()
    set_target_properties(orr_dep_${name} PROPERTIES
        INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}" ORRERY_LIBRARY_NAME dl)
    set(${variable} "${soname}" PARENT_SCOPE)
endfunction()
orr_load_late(igraph ORRERY_IGRAPH_SONAME) # network/routing/igraph_calls.h
orr_load_late(glpk ORRERY_GLPK_SONAME)     # network/lp/lp_glpk.c
if(ORRERY_TESTS)
    orr_find_library(cmocka cmocka.h cmocka libcmocka-dev)
endif()

find_program(ORRERY_PROTOC_C protoc-c)
mark_as_advanced(ORRERY_PROTOC_C)
if(NOT ORRERY_PROTOC_C)
    orr_note_missing("protoc-c" protobuf-c-compiler)
endif()

if(orr_missing_packages)
    list(REMOVE_DUPLICATES orr_missing_packages)
    list(JOIN orr_missing_packages " " orr_missing_line)
    message(FATAL_ERROR "Orrery needs what this machine does not have:${orr_missing_names}\n"
        "Install everything that is missing with\n"
        "  apt-get install -y --no-install-recommends ${orr_missing_line}\n"
        "or run cmake/install-deps.sh")
endif()

# Optional: MPI spreads a sweep over machines. Only the command is linked with it.
if(NOT ORRERY_MPI STREQUAL "OFF")
    find_package(MPI QUIET COMPONENTS C)
    if(MPI_C_FOUND)
        add_library(orr_dep_mpi INTERFACE)
        target_include_directories(orr_dep_mpi SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
        target_link_libraries(orr_dep_mpi INTERFACE ${MPI_C_LIBRARIES})
    elseif(ORRERY_MPI STREQUAL "ON")
        message(FATAL_ERROR "ORRERY_MPI is ON, but there is no MPI (Debian packages libopenmpi-dev "
            "and openmpi-bin)")
    endif()
endif()
