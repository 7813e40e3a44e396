/* What the command prints, to hold the library's calls against; and files of one test. */
#ifndef ORR_TESTS_UNIT_INPUTS_FIXTURE_H
#define ORR_TESTS_UNIT_INPUTS_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>

/* Makes a folder of its own for the program and goes there; removes it at the end. For cmocka. */
int inputs_set_up(void **state);
int inputs_tear_down(void **state);

/* What `orrery ARGUMENTS` prints on standard output, to be freed; it must end with status 0. */
char *inputs_command(const char *arguments);

/* What a file holds, to be freed. */
char *inputs_file(const char *path);

/* Asserts that the command prints this text, or that two files hold the same. */
void inputs_assert_printed(const char *arguments, const char *text);
void inputs_assert_same_files(const char *one, const char *other);

/* A stream into memory: what was written to it is compared with what the command prints. */
struct inputs_stream {
    char *text;
    size_t bytes;
    FILE *out;
};
struct inputs_stream inputs_open(void);
void inputs_assert_stream(struct inputs_stream *stream, const char *arguments);

#endif
