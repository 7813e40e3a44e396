# One-line registration of tests. The first label names the folder: LABELS unit = tests/unit/.
#
#   orr_add_test(test_units LABELS unit)            cmocka program, source tests/unit/test_units.c
#   orr_add_script_test(test_command LABELS cli)    script tests/cli/test_command.sh
#   orr_add_fuzz(fuzz_conf)                         harness tests/fuzz/fuzz_conf.c, seeds in
#                                                   tests/fuzz/corpus/fuzz_conf/
#
# All three take SOURCES (further .c files, relative to tests/), ARGS, TIMEOUT (seconds), and WINGS: a test that needs
# wings is there only where they are built.
# A test that exits with 77 is reported as skipped.

# Scripts start Python hundreds of times. That of the system is what they find first: one behind a starter of versions
# (pyenv and the like) takes ten times as long to start.
set(orr_test_programs "${CMAKE_BINARY_DIR}/tests/programs")
file(MAKE_DIRECTORY "${orr_test_programs}")
execute_process(COMMAND /usr/bin/python3 -c "import sys; sys.exit(sys.version_info < (3, 10))"
    RESULT_VARIABLE orr_no_python OUTPUT_QUIET ERROR_QUIET)
if(orr_no_python EQUAL 0)
    file(CREATE_LINK /usr/bin/python3 "${orr_test_programs}/python3" SYMBOLIC)
endif()

function(orr_test_common name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 1200)
    endif()
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        SKIP_RETURN_CODE 77
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        FIXTURES_REQUIRED built
        ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${orr_test_programs}"
        ENVIRONMENT "ORRERY_SHARED=${ORRERY_SHARED};ORRERY_SOURCE_DIR=${CMAKE_SOURCE_DIR};ORRERY_BUILD_DIR=${CMAKE_BINARY_DIR};ORRERY_BIN=$<TARGET_FILE:orrery>")
endfunction()

# The first test builds what the others run, in a tree where only the command is built.
function(orr_add_build_of_tests)
    add_test(NAME build_of_tests COMMAND "${CMAKE_COMMAND}" "-DBUILD=${CMAKE_BINARY_DIR}"
        -P "${CMAKE_SOURCE_DIR}/cmake/build_tests.cmake")
    set_tests_properties(build_of_tests PROPERTIES
        FIXTURES_SETUP built LABELS build TIMEOUT 1800 RUN_SERIAL ON)
endfunction()

# What tests compile: test code runs little and compiles long. It is optimized a little, in sanitizer builds not.
add_library(orr_test_options INTERFACE)
target_link_libraries(orr_test_options INTERFACE orr_all orr_dep_cmocka orr_compile_options)
target_include_directories(orr_test_options SYSTEM INTERFACE "${CMAKE_BINARY_DIR}/generated")
if(ORRERY_SANITIZE AND NOT ORRERY_FUZZ)
    target_compile_options(orr_test_options INTERFACE -O0)
elseif(NOT ORRERY_FUZZ)
    target_compile_options(orr_test_options INTERFACE -O1)
endif()

# orr_test_part(VARIABLE SOURCE): the objects of a source that several tests share, which is compiled once
function(orr_test_part variable source)
    get_filename_component(part ${source} NAME_WE)
    set(part test_part_${part})
    if(NOT TARGET ${part})
        add_library(${part} OBJECT ${source})
        target_link_libraries(${part} PRIVATE orr_test_options)
    endif()
    set(${variable} $<TARGET_OBJECTS:${part}> PARENT_SCOPE)
endfunction()

function(orr_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    list(POP_FRONT arg_SOURCES own)
    add_executable(${name} ${own})
    set_property(GLOBAL APPEND PROPERTY ORRERY_TEST_SOURCES ${own})
    foreach(source IN LISTS arg_SOURCES)
        if(IS_ABSOLUTE "${source}") # of the library, compiled anew
            target_sources(${name} PRIVATE "${source}")
        else()
            orr_test_part(objects ${source})
            target_sources(${name} PRIVATE ${objects})
        endif()
    endforeach()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(${name} PRIVATE orr_test_options)
endfunction()

function(orr_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;SOURCES;ARGS;WINGS")
    list(GET arg_LABELS 0 folder)
    orr_if_wings(built ${arg_WINGS})
    if(NOT built)
        set_property(GLOBAL APPEND PROPERTY ORRERY_TEST_SOURCES ${folder}/${name}.c)
        return()
    endif()
    orr_test_program(${name} SOURCES ${folder}/${name}.c ${arg_SOURCES})
    add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
    orr_test_common(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

function(orr_add_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;ARGS;WINGS")
    list(GET arg_LABELS 0 folder)
    orr_if_wings(built ${arg_WINGS})
    if(NOT built)
        set_property(GLOBAL APPEND PROPERTY ORRERY_TEST_SOURCES ${folder}/${name}.sh)
        return()
    endif()
    set(script "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}.sh")
    if(NOT EXISTS "${script}")
        message(FATAL_ERROR "orr_add_script_test(${name}): there is no ${script}")
    endif()
    add_test(NAME ${name} COMMAND sh "${script}" ${arg_ARGS})
    orr_test_common(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
    set_property(GLOBAL APPEND PROPERTY ORRERY_TEST_SOURCES ${folder}/${name}.sh)
endfunction()

# With ORRERY_FUZZ the program is a libFuzzer target; without, its seeds are replayed.
function(orr_add_fuzz name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;WINGS")
    orr_if_wings(built ${arg_WINGS})
    if(NOT built)
        set_property(GLOBAL APPEND PROPERTY ORRERY_TEST_SOURCES fuzz/${name}.c)
        return()
    endif()
    set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}")
    if(ORRERY_FUZZ)
        orr_test_program(${name} SOURCES fuzz/${name}.c ${arg_SOURCES})
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        add_test(NAME ${name} COMMAND ${name} -runs=0 "${corpus}")
    else()
        orr_test_program(${name} SOURCES fuzz/${name}.c fuzz/replay_main.c ${arg_SOURCES})
        add_test(NAME ${name} COMMAND ${name} "${corpus}")
    endif()
    orr_test_common(${name} LABELS fuzz TIMEOUT ${arg_TIMEOUT})
endfunction()

# A test file that nobody registered would silently never run.
function(orr_check_tests_listed)
    file(GLOB_RECURSE found RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
        "${CMAKE_CURRENT_SOURCE_DIR}/test_*.c" "${CMAKE_CURRENT_SOURCE_DIR}/test_*.sh"
        "${CMAKE_CURRENT_SOURCE_DIR}/fuzz_*.c")
    get_property(listed GLOBAL PROPERTY ORRERY_TEST_SOURCES)
    foreach(file IN LISTS found)
        if(NOT file IN_LIST listed)
            set_property(GLOBAL APPEND PROPERTY ORRERY_UNLISTED "tests/${file}")
        endif()
    endforeach()
endfunction()
