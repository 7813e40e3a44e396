# How every file of ours is compiled: one interface target, orr_compile_options.

add_library(orr_compile_options INTERFACE)
target_include_directories(orr_compile_options INTERFACE
    "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/include" "${CMAKE_BINARY_DIR}/wing_lists")
target_compile_definitions(orr_compile_options INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(orr_compile_options INTERFACE
    # The same bytes of output from every compiler and machine: no fused multiply-add.
    -ffp-contract=off
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    $<$<BOOL:${ORRERY_WERROR}>:-Werror>)

if(ORRERY_SANITIZE)
    set(orr_sanitizer_flags
        -fsanitize=${ORRERY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(orr_compile_options INTERFACE ${orr_sanitizer_flags})
    target_link_options(orr_compile_options INTERFACE ${orr_sanitizer_flags})
endif()

if(ORRERY_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "ORRERY_FUZZ needs clang (Debian package clang): use --preset fuzz")
    endif()
    target_compile_options(orr_compile_options INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(orr_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
