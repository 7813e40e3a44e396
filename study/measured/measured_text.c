/* Reader of the output of nccl-tests and rccl-tests: several runs in one log, among other lines, or
 * an excerpt: without the # of comments, or rows alone. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "study/measured/nccl_columns.h"
#include "study/measured/nccl_line.h"
#include "study/measured/nccl_run.h"

struct text_reader {
    struct orr_measured_build *build;
    struct nccl_run run;
    struct nccl_columns columns;
    struct nccl_line line;
    bool listing; /* in the list of devices */
};

static enum orr_status fail_word(const struct text_reader *reader, size_t word, const char *what,
                                 const char *text)
{
    return orr_measured_fail(reader->build, reader->line.number,
                             orr_nccl_column(&reader->line, word), "%s, got \"%s\"", what, text);
}

/* ---- the header ---- */

static enum orr_status read_header(struct text_reader *reader, size_t first)
{
    return orr_nccl_columns_of(&reader->line, first, &reader->columns)
               ? ORR_OK
               : orr_measured_fail(reader->build, reader->line.number,
                                   orr_nccl_column(&reader->line, first),
                                   "expected the columns size, count, type, ..., and once or twice "
                                   "time, algbw, busbw, ...");
}

/* ---- rows ---- */

static bool is_number(const struct nccl_line *line, size_t word)
{
    char text[NCCL_WORD_BYTES];
    struct measured_number number;
    return orr_measured_number(orr_nccl_word(line, word, text), &number);
}

/* Index of the first time among the results, and the number of words of the results. */
static size_t find_results(const struct text_reader *reader, size_t first, size_t *count)
{
    const struct nccl_columns *columns = &reader->columns;
    size_t at = first + 2 + columns->texts;
    at -= columns->redop && is_number(&reader->line, first + 3) ? 1 : 0;
    const size_t words = orr_nccl_row_words(&reader->line, columns);
    *count = words > at ? words - at : 0;
    return at;
}

static enum orr_status read_number(const struct text_reader *reader, size_t word, const char *what,
                                   struct measured_number *out)
{
    char text[NCCL_WORD_BYTES];
    (void)orr_nccl_word(&reader->line, word, text);
    return orr_measured_number(text, out) ? ORR_OK : fail_word(reader, word, what, text);
}

static enum orr_status read_results(struct text_reader *reader, size_t at,
                                    struct nccl_result *result)
{
    char text[NCCL_WORD_BYTES];
    const struct nccl_columns *columns = &reader->columns;
    static const char what[] = "time: expected microseconds above 0";
    struct measured_number time = {0, 0};
    enum orr_status status = read_number(reader, at, what, &time);
    result->time_us = time.value;
    if (status == ORR_OK && !(time.value > 0)) {
        status = fail_word(reader, at, what, orr_nccl_word(&reader->line, at, text));
    }
    if (status == ORR_OK) {
        status = read_number(reader, at + columns->algbw, "algbw: expected GB/s", &result->algbw);
    }
    if (status == ORR_OK) {
        status = read_number(reader, at + columns->busbw, "busbw: expected GB/s", &result->busbw);
    }
    return status;
}

static enum orr_status check_wrong(const struct text_reader *reader, size_t first, size_t at,
                                   size_t count)
{
    char text[NCCL_WORD_BYTES], type[NCCL_WORD_BYTES];
    const struct nccl_columns *columns = &reader->columns;
    enum orr_status status = ORR_OK;
    for (size_t half = 0; half < count && columns->wrong != SIZE_MAX && status == ORR_OK;
         half += columns->per_half) {
        const size_t word = at + half + columns->wrong;
        const struct nccl_wrong wrong = {.text = orr_nccl_word(&reader->line, word, text),
                                         .type = orr_nccl_word(&reader->line, first + 2, type),
                                         .is_error = columns->error,
                                         .line = reader->line.number,
                                         .column = orr_nccl_column(&reader->line, word)};
        status = orr_nccl_check_wrong(reader->build, &wrong);
    }
    return status;
}

/* True if the word resembles a number, valid or not. */
static bool looks_like_number(const struct nccl_line *line, size_t word)
{
    char text[NCCL_WORD_BYTES];
    (void)orr_nccl_word(line, word, text);
    return strchr("0123456789+-.", text[0]) != NULL || strcmp(text, "nan") == 0 ||
           strcmp(text, "inf") == 0;
}

static bool has_numbers(const struct text_reader *reader, size_t at)
{
    return looks_like_number(&reader->line, at) &&
           looks_like_number(&reader->line, at + reader->columns.algbw) &&
           looks_like_number(&reader->line, at + reader->columns.busbw);
}

/* True if the row is complete: both halves, or one; a single half in a line that the end of the
 * file may have truncated counts only if the first half is blank. */
static bool is_complete(const struct text_reader *reader, size_t at, size_t count)
{
    enum { BLANKS = 24 };
    const struct nccl_columns *columns = &reader->columns;
    if (count < columns->per_half || !has_numbers(reader, at)) {
        return false;
    }
    if (count == columns->halves * columns->per_half) {
        return true;
    }
    const struct nccl_word *word = reader->line.word;
    const bool blank = at > 0 && at < reader->line.words &&
                       word[at].at - (word[at - 1].at + word[at - 1].length) >= BLANKS;
    return count == columns->per_half && (reader->line.ended || blank);
}

static enum orr_status drop_row(const struct text_reader *reader, size_t first)
{
    const struct orr_location location = orr_measured_location(
        reader->build, reader->line.number, orr_nccl_column(&reader->line, first));
    orr_diag_warn(reader->build->diag, &location,
                  reader->line.ended
                      ? "the row is not whole, and left out"
                      : "the file is cut off: its last row is not whole, and left out");
    return ORR_OK;
}

static enum orr_status add_row(struct text_reader *reader, size_t first, size_t at, size_t count)
{
    char type[NCCL_WORD_BYTES];
    struct nccl_result result = {.line = reader->line.number,
                                 .column = orr_nccl_column(&reader->line, first)};
    (void)orr_nccl_digits(&reader->line, first, &result.bytes);
    (void)orr_nccl_digits(&reader->line, first + 1, &result.count);
    result.type_bytes = orr_nccl_type_bytes(orr_nccl_word(&reader->line, first + 2, type));
    enum orr_status status = check_wrong(reader, first, at, count);
    if (status == ORR_OK) {
        status = read_results(reader, at, &result);
    }
    if (status == ORR_OK && reader->columns.cpu) {
        status = orr_nccl_note_cpu(reader->build, result.line);
    }
    return status == ORR_OK ? orr_nccl_add_result(reader->build, &reader->run, &result) : status;
}

static enum orr_status read_row(struct text_reader *reader, size_t first)
{
    char type[NCCL_WORD_BYTES];
    size_t count;
    uint64_t bytes = 0;
    const bool known = orr_nccl_type_bytes(orr_nccl_word(&reader->line, first + 2, type)) > 0;
    if (known && !reader->columns.known) {
        (void)orr_nccl_columns_by_row(&reader->line, first, &reader->columns);
    }
    if (!reader->columns.known) {
        return known ? orr_measured_fail(reader->build, reader->line.number,
                                         orr_nccl_column(&reader->line, first),
                                         "expected the line with the names of the columns (# size "
                                         "count type ...) before the first row")
                     : ORR_OK;
    }
    (void)orr_nccl_digits(&reader->line, first, &bytes);
    if (bytes == 0) {
        return orr_nccl_note_empty(reader->build, reader->line.number);
    }
    const size_t at = find_results(reader, first, &count);
    if (is_complete(reader, at, count)) {
        return add_row(reader, first, at, count);
    }
    return known ? drop_row(reader, first) : ORR_OK;
}

/* ---- runs ---- */

/* Ends the current run if another begins, and records the line as its beginning. */
static enum orr_status begin_run(struct text_reader *reader, bool other, size_t first)
{
    struct nccl_run *run = &reader->run;
    const bool fresh = run->results == 0 && run->members == 0 && run->threads == 0;
    const enum orr_status status = other ? orr_nccl_run_end(reader->build, run) : ORR_OK;
    if (other || (fresh && run->name == NULL)) {
        run->line = reader->line.number;
        run->column = orr_nccl_column(&reader->line, first);
    }
    return status;
}

static enum orr_status read_starting(struct text_reader *reader, size_t first)
{
    char name[NCCL_WORD_BYTES];
    const enum orr_status status = begin_run(reader, true, first);
    const char *slash = strrchr(orr_nccl_word(&reader->line, first + 3, name), '/');
    reader->run.name = orr_arena_strdup(reader->build->arena, slash != NULL ? slash + 1 : name);
    return status == ORR_OK && reader->run.name == NULL ? orr_measured_no_memory(reader->build)
                                                        : status;
}

static enum orr_status read_settings(struct text_reader *reader, size_t first)
{
    struct nccl_run *run = &reader->run;
    const enum orr_status status =
        begin_run(reader, run->results > 0 || run->members > 0 || run->threads > 0, first);
    (void)orr_nccl_settings(&reader->line, first, &run->threads, &run->gpus);
    run->closed = false;
    run->sizes = orr_nccl_sizes(&reader->line, first);
    return status;
}

static enum orr_status read_device(struct text_reader *reader, size_t first)
{
    char host[NCCL_WORD_BYTES];
    struct nccl_device device;
    ORR_ASSERT(orr_nccl_device(&reader->line, first, &device));
    enum orr_status status = begin_run(reader, reader->run.results > 0, first);
    const struct nccl_member member = {
        .rank = device.rank, .group = device.group, .pid = device.pid};
    if (status == ORR_OK) {
        status = orr_nccl_check_device(reader->build, &reader->line, &device);
    }
    if (status == ORR_OK) {
        (void)orr_nccl_word(&reader->line, device.host, host);
        status = orr_nccl_add_member(reader->build, &reader->run, member, host);
    }
    reader->run.cut = reader->run.cut || orr_nccl_is_cut(&reader->line);
    reader->listing = true;
    return status;
}

static enum orr_status read_line(struct text_reader *reader)
{
    size_t first;
    struct nccl_run *run = &reader->run;
    enum orr_status status = ORR_OK;
    switch (orr_nccl_kind(&reader->line, &first)) {
    case NCCL_STARTING:
        return read_starting(reader, first);
    case NCCL_SETTINGS:
        return read_settings(reader, first);
    case NCCL_DEVICES:
        reader->listing = true;
        return begin_run(reader, run->results > 0 || run->members > 0, first);
    case NCCL_DEVICE:
        return read_device(reader, first);
    case NCCL_CUT:
        run->cut = run->cut || reader->listing;
        return ORR_OK;
    case NCCL_HEADER:
        reader->listing = false;
        status = begin_run(reader, run->results > 0, first);
        return status == ORR_OK ? read_header(reader, first) : status;
    case NCCL_ROW:
        return read_row(reader, first);
    case NCCL_BOUNDS:
        reader->run.closed = true;
        return orr_nccl_check_bounds(reader->build, &reader->line, first);
    case NCCL_END:
        reader->run.closed = true;
        return ORR_OK;
    case NCCL_OTHER:
        break;
    }
    return ORR_OK;
}

enum orr_status orr_measured_read_text(struct orr_measured_build *build)
{
    struct text_reader *reader = orr_arena_alloc(build->arena, sizeof *reader);
    if (reader == NULL) {
        return orr_measured_no_memory(build);
    }
    reader->build = build;
    orr_nccl_run_init(&reader->run, build->arena);
    enum orr_status status = ORR_OK;
    for (size_t at = 0;
         status == ORR_OK && orr_nccl_next_line(build->data, build->bytes, &at, &reader->line);) {
        status = read_line(reader);
    }
    if (status == ORR_OK) {
        orr_nccl_warn_of_cut(build, &reader->run);
    }
    return status == ORR_OK ? orr_nccl_run_end(build, &reader->run) : status;
}
