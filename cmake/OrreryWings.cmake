# Wings: folders above the planner that hold what one paper alone needs. A wing is known by the option ORRERY_WINGS
# and by its own files; it joins the lists of the folders below it. A list that wings may join includes, where their
# entries belong, "wings/NAME.def", which is made here: it includes WING/lists/NAME.def of each wing that is built, in
# the order of ORRERY_WINGS. A build without a wing lacks its entries, and nothing else.

# The lists that wings may join: NAME of the header that includes "wings/NAME.def".
set(orr_wing_lists circuits converters fabrics page_kinds plan_actions plan_keys plan_kinds topo_views)

# orr_make_wing_lists(): writes all "wings/NAME.def", empty ones too.
function(orr_make_wing_lists)
    foreach(wing IN LISTS ORRERY_WINGS)
        if(NOT EXISTS "${CMAKE_SOURCE_DIR}/${wing}/CMakeLists.txt")
            message(FATAL_ERROR "ORRERY_WINGS: there is no wing ${wing}")
        endif()
        file(GLOB lists RELATIVE "${CMAKE_SOURCE_DIR}/${wing}/lists" CONFIGURE_DEPENDS
            "${CMAKE_SOURCE_DIR}/${wing}/lists/*.def")
        foreach(list IN LISTS lists)
            string(REGEX REPLACE "\\.def$" "" name "${list}")
            if(NOT name IN_LIST orr_wing_lists)
                message(FATAL_ERROR "${wing}/lists/${list}: wings join no list of this name (cmake/OrreryWings.cmake)")
            endif()
            string(APPEND lines_of_${name} "#include \"${wing}/lists/${list}\"\n")
        endforeach()
    endforeach()
    foreach(name IN LISTS orr_wing_lists)
        file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/wing_lists/wings/${name}.def" CONTENT "${lines_of_${name}}" @ONLY)
    endforeach()
endfunction()

# orr_if_wings(VARIABLE wing...): whether all these wings are built
function(orr_if_wings variable)
    set(${variable} ON PARENT_SCOPE)
    foreach(wing IN LISTS ARGN)
        if(NOT wing IN_LIST ORRERY_WINGS)
            set(${variable} OFF PARENT_SCOPE)
        endif()
    endforeach()
endfunction()
