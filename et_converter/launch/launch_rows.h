/* Arguments read by name into a struct of values: a table of rows for each framework. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_ROWS_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_ROWS_H

#include "et_converter/launch/launch_build.h"
#include "et_converter/launch/launch_words.h"

enum launch_kind {
    LAUNCH_NUMBER, /* uint64_t, at most 2^30 */
    LAUNCH_REST,   /* the same; -1, "what is left", is 0 as if it were not there */
    LAUNCH_NODES,  /* the same; of a launcher, whose words for "as many as there are" say nothing */
    LAUNCH_FLAG,   /* uint64_t, 0 or 1 */
    LAUNCH_TEXT    /* const char * */
};

struct launch_row {
    const char *name; /* last part of the argument's path */
    enum launch_kind kind;
    size_t at;                /* of the member */
    const char *const *words; /* those that a text can be, ended by NULL; NULL: all */
    size_t given;             /* of a uint64_t that is counted up if it is there; 0: none */
};

struct launch_table {
    const struct launch_row *row;
    size_t rows;
    /* Beginnings of names that say nothing of size or speed, ended by NULL. */
    const char *const *without_effect;
    /* Names that exist and are not read, near enough to those of rows to be taken for a slip of
     * them; ended by NULL. NULL: none. */
    const char *const *others;
};

/* Reads an argument into the values; notes whether it is understood, with a warning that names the
 * nearest name if it is not. Errors: a value of another kind. */
void orr_launch_read_row(struct launch_build *build, const struct launch_table *table,
                         const struct launch_argument *argument, void *values);

/* The place of a word among words ended by NULL, without regard to case; 0 if it is none. */
unsigned orr_launch_word(const char *word, const char *const *words);

/* Whether a text says yes: everything but False, false, 0, no, off, none. A flag without a value is
 * true. */
bool orr_launch_is_true(const char *value);

/* Records the error "NAME: MESSAGE" of the file being read. */
enum orr_status orr_launch_fail(struct launch_build *build, const char *name, const char *format,
                                ...) ORR_PRINTF(3, 4);

#endif
