/* Reads arguments by name; see launch_rows.h. */
#include "et_converter/launch/launch_rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/arena.h"
#include "core/strings.h"

enum { MAX_NAMES = 256 };

enum orr_status orr_launch_fail(struct launch_build *build, const char *name, const char *format,
                                ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct orr_location place =
        orr_location_file(build->launch->file[build->launch->files - 1].name);
    return orr_diag_fail(build->diag, ORR_ERR_INPUT, &place, "%s: %s", name, message);
}

unsigned orr_launch_word(const char *word, const char *const *words)
{
    unsigned place = 0;
    while (words[place] != NULL && strcasecmp(words[place], word) != 0) {
        place++;
    }
    return words[place] != NULL ? place : 0;
}

bool orr_launch_is_true(const char *value)
{
    static const char *const no[] = {"false", "0", "no", "off", "none", "null", NULL};
    for (size_t i = 0; value != NULL && no[i] != NULL; i++) {
        if (strcasecmp(value, no[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* ---- names ---- */

/* "auto", "???" and the like leave it to something else. */
static bool says_nothing(const char *value)
{
    static const char *const nothing[] = {"None", "null", "~", "auto", "???", ""};
    for (size_t i = 0; value != NULL && i < sizeof nothing / sizeof *nothing; i++) {
        if (strcmp(value, nothing[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_no_effect(const struct launch_table *table, const char *name)
{
    for (size_t i = 0; table->without_effect[i] != NULL; i++) {
        if (strncmp(name, table->without_effect[i], strlen(table->without_effect[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Notes an argument that no row has; a slip of the pen is named. */
static void note_unknown(struct launch_build *build, const struct launch_table *table,
                         const struct launch_argument *argument)
{
    const char *names[MAX_NAMES];
    size_t count = 0;
    if (has_no_effect(table, argument->name) ||
        (argument->value != NULL && says_nothing(argument->value))) {
        orr_launch_note(build, argument->path, true);
        return;
    }
    for (size_t i = 0; i < table->rows && count < MAX_NAMES; i++) {
        names[count++] = table->row[i].name;
    }
    orr_launch_note(build, argument->path, false);
    for (size_t i = 0; table->others != NULL && table->others[i] != NULL; i++) {
        if (strcmp(table->others[i], argument->name) == 0) {
            return;
        }
    }
    const char *nearest = orr_nearest_name(argument->name, names, count);
    if (nearest != NULL) {
        const struct orr_location place =
            orr_location_file(build->launch->file[build->launch->files - 1].name);
        orr_diag_warn(build->diag, &place, "%s is not known; did you mean %s?", argument->path,
                      nearest);
    }
}

/* ---- values ---- */

/* A value that is made when the job runs: of a variable that nothing sets, of a command; or a
 * launcher's words for what it finds. */
static bool is_made_later(const struct launch_row *row, const char *value)
{
    return value != NULL &&
           (strchr(value, '$') != NULL ||
            (row->kind == LAUNCH_NODES && strspn(value, "0123456789") < strlen(value)));
}

static void read_number(struct launch_build *build, const struct launch_row *row,
                        const struct launch_argument *argument, uint64_t *out)
{
    const char *value = argument->value;
    char *end = NULL;
    if (row->kind == LAUNCH_REST && value != NULL && strcmp(value, "-1") == 0) {
        return;
    }
    const unsigned long long number = value != NULL ? strtoull(value, &end, 10) : 0;
    if (value == NULL || !isdigit((unsigned char)*value) || *end != '\0' || number > 1u << 30) {
        (void)orr_launch_fail(build, argument->path, "expected a whole number, got \"%.60s\"",
                              value != NULL ? value : "nothing");
        return;
    }
    *out = number;
}

static void read_text(struct launch_build *build, const struct launch_row *row,
                      const struct launch_argument *argument, const char **out)
{
    const char *const *words = row->words, *value = argument->value;
    char list[256] = "";
    bool found = words == NULL;
    for (size_t i = 0; value != NULL && words != NULL && words[i] != NULL; i++) {
        found = found || strcasecmp(words[i], value) == 0;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
    if (value == NULL || !found) {
        (void)orr_launch_fail(build, argument->path, "expected %s, got \"%.60s\"",
                              words != NULL ? list : "a word", value != NULL ? value : "nothing");
        return;
    }
    *out = value;
}

static void read_value(struct launch_build *build, const struct launch_row *row,
                       const struct launch_argument *argument, char *values)
{
    void *member = values + row->at;
    if (row->kind == LAUNCH_TEXT) {
        read_text(build, row, argument, member);
    } else if (row->kind == LAUNCH_FLAG) {
        *(uint64_t *)member = orr_launch_is_true(argument->value) ? 1 : 0;
    } else {
        read_number(build, row, argument, member);
    }
    if (row->given > 0) {
        *(uint64_t *)(void *)(values + row->given) += 1;
    }
}

/* The argument that said a member, of which several rows may have a name; NULL: out of memory. */
static const struct launch_argument **origin_of(struct launch_build *build,
                                                const struct launch_table *table, size_t at)
{
    if (build->origin.table != table) {
        build->origin.table = table;
        build->origin.argument =
            orr_arena_array(build->arena, table->rows, sizeof *build->origin.argument);
    }
    for (size_t i = 0; build->origin.argument != NULL && i < table->rows; i++) {
        if (table->row[i].at == at) {
            return &build->origin.argument[i];
        }
    }
    return NULL;
}

const char *orr_launch_origin(const struct launch_build *build, const char *name)
{
    const struct launch_table *table = build->origin.table;
    for (size_t i = 0; table != NULL && build->origin.argument != NULL && i < table->rows; i++) {
        if (strcmp(table->row[i].name, name) != 0) {
            continue;
        }
        for (size_t k = 0; k <= i; k++) {
            if (table->row[k].at == table->row[i].at && build->origin.argument[k] != NULL) {
                return build->origin.argument[k]->path;
            }
        }
    }
    return name;
}

/* In a recipe what is said first counts, and what contradicts it is noted; true: it was said. Of a
 * command line the last one counts. */
static bool is_said(struct launch_build *build, const struct launch_table *table,
                    const struct launch_row *row, const struct launch_argument *argument)
{
    const struct launch_argument **origin = origin_of(build, table, row->at);
    const struct launch_argument *first = origin != NULL ? *origin : NULL;
    if (origin == NULL || first == NULL || build->last_counts) {
        if (origin != NULL) {
            *origin = argument;
        }
        return false;
    }
    if (first->value != NULL && argument->value != NULL &&
        strcasecmp(first->value, argument->value) != 0) {
        const char *file = build->launch->file[build->launch->files - 1].name;
        orr_launch_contradict(
            build, &(struct orr_launch_value){row->name, first->value, file, first->path},
            &(struct orr_launch_value){row->name, argument->value, file, argument->path});
    }
    return true;
}

void orr_launch_read_row(struct launch_build *build, const struct launch_table *table,
                         const struct launch_argument *argument, void *values)
{
    const struct launch_row *row = table->row, *end = row + table->rows;
    while (row < end && strcmp(row->name, argument->name) != 0) {
        row++;
    }
    if (row == end) {
        note_unknown(build, table, argument);
        return;
    }
    orr_launch_note(build, argument->path, true);
    if (says_nothing(argument->value) || is_said(build, table, row, argument)) {
        return;
    }
    if (is_made_later(row, argument->value)) {
        const struct orr_location place =
            orr_location_file(build->launch->file[build->launch->files - 1].name);
        orr_diag_warn(build->diag, &place, "%s: \"%s\" is known when it runs only", argument->path,
                      argument->value);
        return;
    }
    read_value(build, row, argument, values);
}
