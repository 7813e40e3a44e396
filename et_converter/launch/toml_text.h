/* For toml_read.c: where it is in the text, quoted texts, errors. */
#ifndef ORR_ET_CONVERTER_LAUNCH_TOML_TEXT_H
#define ORR_ET_CONVERTER_LAUNCH_TOML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/diag.h"

struct orr_arena;
struct launch_arguments;

struct toml {
    const char *name, *text, *at;
    struct orr_arena *arena;
    struct launch_arguments *arguments;
    struct orr_diag *diag;
    const char **table; /* [tables] names, as they came */
    size_t tables, table_capacity;
    bool no_memory;
};

/* A text that grows; ends with a zero byte as soon as something was pushed. */
struct toml_text {
    char *text;
    size_t length, capacity;
};

void orr_toml_push(struct toml *toml, struct toml_text *out, char letter);
void orr_toml_push_text(struct toml *toml, struct toml_text *out, const char *text);

/* Reads a text in quotes of any kind behind what `out` holds; false after an error. */
bool orr_toml_quoted(struct toml *toml, struct toml_text *out);

/* Skip blanks; a comment; blanks, comments and line ends. */
void orr_toml_skip_blanks(struct toml *toml);
void orr_toml_skip_comment(struct toml *toml);
void orr_toml_skip_lines(struct toml *toml);

/* Record an error at the place where the text is, and return false. */
bool orr_toml_fail(struct toml *toml, const char *format, ...) ORR_PRINTF(2, 3);
bool orr_toml_expected(struct toml *toml, const char *what); /* "expected WHAT, got FOUND" */
bool orr_toml_no_memory(struct toml *toml);

#endif
