# What ctest runs first: builds all, where no test is built yet or building them was interrupted. A tree
# with tests is left as it is: whoever builds single ones runs them without building the others.
#
#   cmake -DBUILD=build/release -P cmake/build_tests.cmake
set(unfinished "${BUILD}/tests/unfinished")
file(GLOB programs LIST_DIRECTORIES false "${BUILD}/tests/test_*")
if(programs AND NOT EXISTS "${unfinished}")
    return()
endif()
file(TOUCH "${unfinished}")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${BUILD}" --target all RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "the tests cannot be built: cmake --build ${BUILD} --target all")
endif()
file(REMOVE "${unfinished}")
