/* Values of options, stored where their rows say; see option_store.h. */
#include "cli/option_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/page_output.h"
#include "core/span.h"

static int store_word(const char *command, const struct orr_option *row, const char *value,
                      void *member)
{
    const char *words[16];
    char text[128];
    size_t count = 0;
    (void)snprintf(text, sizeof text, "%s", row->argument);
    for (char *word = text; word != NULL && count < 16;) {
        words[count++] = word;
        word = strchr(word, '|');
        if (word != NULL) {
            *word++ = '\0';
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(words[i], value) == 0) {
            if (row->store.bytes == sizeof(bool)) {
                *(bool *)member = i != 0;
            } else {
                memcpy(member, &i, sizeof i);
            }
            return 0;
        }
    }
    return orr_reject_name(command, row->name, value, words, count);
}

static int store_number(const char *command, const struct orr_option *row, const char *value,
                        void *member)
{
    int64_t number = 0;
    char expected[96];
    if (orr_parse_integer(value, &number) && number >= row->store.min && number <= row->store.max) {
        if (row->store.bytes == sizeof number) {
            memcpy(member, &number, sizeof number);
        } else {
            const uint32_t small = (uint32_t)number;
            memcpy(member, &small, sizeof small);
        }
        return 0;
    }
    const int used =
        snprintf(expected, sizeof expected, "a whole number from %" PRId64, row->store.min);
    if (row->store.max == INT64_MAX) {
        (void)snprintf(expected + used, sizeof expected - (size_t)used, " on");
    } else {
        (void)snprintf(expected + used, sizeof expected - (size_t)used, " to %" PRId64,
                       row->store.max);
    }
    return orr_reject_value(command, row->name, expected, value, "");
}

static int store_real(const char *command, const struct orr_option *row, const char *value,
                      void *member)
{
    double number = 0;
    if (!orr_parse_number(value, &number) || !(number >= 0)) {
        return orr_reject_value(command, row->name, "a number of at least 0", value, "");
    }
    memcpy(member, &number, sizeof number);
    return 0;
}

/* The row's `min` is the unit of a number without one, `max` whether it may be 0. */
static int store_span(const char *command, const struct orr_option *row, const char *value,
                      void *member)
{
    double seconds = 0;
    if (!orr_parse_span(value, (double)row->store.min, &seconds) ||
        (seconds == 0 && row->store.max == 0)) {
        return orr_reject_value(command, row->name,
                                row->store.max != 0
                                    ? "a time up to 1000000 y, such as \"30 s\" or \"5 min\""
                                    : "a time above 0 and up to 1000000 y, such as \"30 s\", "
                                      "\"5 min\", \"300000 h\" or \"30 y\"",
                                value, "");
    }
    memcpy(member, &seconds, sizeof seconds);
    return 0;
}

static int store_quantity(const char *command, const struct orr_option *row, const char *value,
                          void *member)
{
    switch (row->store.kind) {
    case ORR_STORE_TIME:
        return orr_parse_time(value, member)
                   ? 0
                   : orr_reject_quantity(command, row->name, ORR_QUANTITY_TIME, value);
    case ORR_STORE_BANDWIDTH:
        return orr_parse_bandwidth(value, member)
                   ? 0
                   : orr_reject_quantity(command, row->name, ORR_QUANTITY_BANDWIDTH, value);
    default:
        return orr_parse_bytes(value, member)
                   ? 0
                   : orr_reject_quantity(command, row->name, ORR_QUANTITY_BYTES, value);
    }
}

/* Rejects a --json that names a trace, say: what was a switch stood before the inputs. */
static int check_json(const char *command, const char *value)
{
    static const char *const others[] = {".et",  ".gz",   ".yml", ".yaml",
                                         ".dot", ".fbuf", ".otg", ".csv"};
    const char *end = strrchr(value, '.');
    for (size_t i = 0; end != NULL && i < sizeof others / sizeof *others; i++) {
        if (strcasecmp(end, others[i]) == 0) {
            return orr_reject_value(command, "json", "a file of JSON, or - for standard output",
                                    value, "");
        }
    }
    return 0;
}

static int store_text(const char *command, const struct orr_option *row, const char *value,
                      void *member)
{
    struct orr_texts *list = member;
    if (row->store.kind != ORR_STORE_LIST) {
        *(const char **)member = value;
        if ((row->role & ORR_DASH) != 0) {
            return check_json(command, value);
        }
        return row->store.kind == ORR_STORE_PAGE ? orr_check_page(command, row->name, value) : 0;
    }
    if (list->count == ORR_MAX_TEXTS) {
        orr_print_message("orrery %s: too many --%s options\n", command, row->name);
        return ORR_EXIT_USAGE;
    }
    list->text[list->count++] = value;
    return 0;
}

int orr_store_value(const char *command, const struct orr_option *row, const char *value,
                    char *base)
{
    void *member = base + row->store.at;
    const unsigned one = 1;
    switch (row->store.kind) {
    case ORR_STORE_NONE:
        return 0;
    case ORR_STORE_TEXT:
    case ORR_STORE_LIST:
    case ORR_STORE_PAGE:
        return store_text(command, row, value, member);
    case ORR_STORE_TRUE:
        if (row->store.bytes == sizeof(bool)) {
            *(bool *)member = true;
        } else {
            memcpy(member, &one, sizeof one);
        }
        return 0;
    case ORR_STORE_NUMBER:
        return store_number(command, row, value, member);
    case ORR_STORE_REAL:
        return store_real(command, row, value, member);
    case ORR_STORE_SPAN:
        return store_span(command, row, value, member);
    case ORR_STORE_WORD:
        return store_word(command, row, value, member);
    case ORR_STORE_CALL:
        return row->store.call(base, value);
    case ORR_STORE_WARN:
        orr_print_message(
            "orrery %s: warning: --%s is ignored: it has no effect in the reference either\n",
            command, row->name);
        return 0;
    default:
        return store_quantity(command, row, value, member);
    }
}
