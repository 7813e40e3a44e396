/* Result lines in files; see sweep_store.h. */
#define _GNU_SOURCE /* memfd_create */
#include "study/sweep/sweep_store.h"

#include "core/arena.h"
#include "study/sweep/sweep_failures.h"
#include "study/sweep/sweep_measures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *name_of(const struct orr_sweep_store *store, const char *ending)
{
    const char *name = orr_arena_printf(store->arena, "%s.%s", store->prefix, ending);
    return name != NULL ? name : "";
}

/* An I/O error of a file. */
static enum orr_status fail(struct orr_sweep_store *store, const char *path, const char *what,
                            struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(path);
    store->trouble = ORR_SWEEP_UNKEPT;
    return orr_diag_fail(diag, ORR_ERR_IO, &location, "%s", what);
}

static enum orr_status cannot_write(struct orr_sweep_store *store, const char *path,
                                    struct orr_diag *diag)
{
    char what[256];
    (void)snprintf(what, sizeof what, "cannot be written: %s", strerror(errno));
    return fail(store, path, what, diag);
}

/* ---- adding ---- */

/* False: no memory. */
static bool record(struct orr_sweep_store *store, struct orr_sweep_result *result, uint64_t offset)
{
    struct orr_sweep_row *row = &store->row[result->point];
    if (result->ok) {
        orr_sweep_measure(store->measures, store->sweep, result);
    }
    *row = (struct orr_sweep_row){.wall_ps = result->wall_ps,
                                  .cost = result->cost,
                                  .offset = offset,
                                  .excluded = result->excluded,
                                  .state = result->ok ? ORR_SWEEP_DONE : ORR_SWEEP_FAILED};
    store->done++;
    store->failed += result->ok ? 0 : 1;
    store->unfit += result->unfit ? 1 : 0;
    store->excluded += result->excluded ? 1 : 0;
    return result->ok || orr_sweep_failures_add(store->failures, store->arena, result->point,
                                                result->error, result->unfit);
}

static void set_mark(const struct orr_sweep_store *store, struct orr_sweep_result *result)
{
    result->marked = store->marked;
    result->pareto = store->row[result->point].pareto;
    result->excluded = store->row[result->point].excluded;
    const size_t measures = orr_sweep_measure_count(store->sweep);
    result->measure = measures != 0 ? &store->measures->value[result->point * measures] : NULL;
}

enum orr_status orr_sweep_store_add(struct orr_sweep_store *store, const char *line,
                                    struct orr_sweep_result *result, struct orr_diag *diag)
{
    ORR_ASSERT(orr_sweep_parse_line(store->sweep, line, store->arena, result));
    ORR_ASSERT(store->row[result->point].state == ORR_SWEEP_OPEN);
    const size_t bytes = strlen(line);
    if (fprintf(store->json, "%s\n", line) < 0 || fflush(store->json) != 0) {
        return cannot_write(store, name_of(store, "jsonl"), diag);
    }
    if (!record(store, result, store->json_bytes)) {
        return orr_diag_no_memory(diag, "the results of a sweep");
    }
    store->json_bytes += bytes + 1;
    if (store->csv == NULL) {
        return ORR_OK; /* in memory */
    }
    orr_sweep_csv_line(store->csv, store->sweep, result);
    return fflush(store->csv) == 0 && ferror(store->csv) == 0
               ? ORR_OK
               : cannot_write(store, name_of(store, "csv"), diag);
}

/* ---- resuming ---- */

struct resume_state {
    struct orr_sweep_store *store;
    FILE *out; /* the kept lines */
    bool retry;
};

/* Keeps one complete line of an earlier run; *known: it is one of the sweep. */
static enum orr_status keep_line(struct resume_state *resume_state, const char *line, bool *known,
                                 struct orr_diag *diag)
{
    struct orr_sweep_store *store = resume_state->store;
    struct orr_sweep_result result;
    *known = orr_sweep_parse_line(store->sweep, line, store->arena, &result) &&
             store->row[result.point].state == ORR_SWEEP_OPEN;
    if (!*known) {
        return ORR_OK;
    }
    if (result.ok || result.unfit || !resume_state->retry) {
        if (!record(store, &result, store->json_bytes)) {
            return orr_diag_no_memory(diag, "the results of a sweep");
        }
        store->json_bytes += orr_sweep_print_line(resume_state->out, line, &result);
        orr_sweep_csv_line(store->csv, store->sweep, &result);
    }
    return ORR_OK;
}

/* Keeps complete lines; the last one may be torn. */
static enum orr_status keep_lines(struct resume_state *resume_state, FILE *in, const char *path,
                                  struct orr_diag *diag)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    enum orr_status status = ORR_OK;
    for (ssize_t got; status == ORR_OK && (got = getline(&line, &capacity, in)) > 0;) {
        number++;
        if (line[got - 1] != '\n') {
            break;
        }
        line[got - 1] = '\0';
        bool known = true;
        status = keep_line(resume_state, line, &known, diag);
        if (!known) {
            resume_state->store->trouble = ORR_SWEEP_DAMAGED;
            status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                   "%s:%zu: not a line that orrery sweep wrote", path, number);
        }
    }
    free(line);
    return status;
}

/* Closes a temporary file and renames it to its target. */
static enum orr_status replace(struct orr_sweep_store *store, FILE *file, const char *from,
                               const char *to, struct orr_diag *diag)
{
    const bool failed = fflush(file) != 0 || ferror(file) != 0 || fsync(fileno(file)) != 0;
    return fclose(file) != 0 || failed || rename(from, to) != 0 ? cannot_write(store, to, diag)
                                                                : ORR_OK;
}

/* Opens PREFIX.ENDING.tmp; NULL: it cannot be created. */
static FILE *open_tmp(struct orr_sweep_store *store, const char *ending, const char **name,
                      struct orr_diag *diag)
{
    *name = orr_arena_printf(store->arena, "%s.%s.tmp", store->prefix, ending);
    FILE *file = *name != NULL ? fopen(*name, "wb") : NULL;
    if (file == NULL) {
        (void)cannot_write(store, *name != NULL ? *name : store->prefix, diag);
    }
    return file;
}

static FILE *open_to_append(struct orr_sweep_store *store, const char *path, struct orr_diag *diag)
{
    FILE *file = fopen(path, "ab");
    if (file == NULL) {
        (void)cannot_write(store, path, diag);
    }
    return file;
}

/* Copies the complete lines of PREFIX.jsonl and regenerates PREFIX.csv, both into temporary files.
 */
static enum orr_status copy_complete_lines(struct resume_state *resume_state, const char *json,
                                           struct orr_diag *diag)
{
    FILE *in = fopen(json, "rb"); /* may not exist yet */
    orr_sweep_csv_head(resume_state->store->csv, resume_state->store->sweep);
    const enum orr_status status = in != NULL ? keep_lines(resume_state, in, json, diag) : ORR_OK;
    if (in != NULL) {
        (void)fclose(in);
    }
    return status;
}

/* Cleans both files and opens them for appending. */
static enum orr_status resume(struct orr_sweep_store *store, bool retry, struct orr_diag *diag)
{
    const char *json = name_of(store, "jsonl"), *csv = name_of(store, "csv");
    const char *json_tmp, *csv_tmp;
    FILE *out = open_tmp(store, "jsonl", &json_tmp, diag);
    store->csv = out != NULL ? open_tmp(store, "csv", &csv_tmp, diag) : NULL;
    struct resume_state resume_state = {.store = store, .out = out, .retry = retry};
    enum orr_status status =
        store->csv != NULL ? copy_complete_lines(&resume_state, json, diag) : ORR_ERR_IO;
    if (status != ORR_OK) {
        if (out != NULL) {
            (void)fclose(out);
        }
        return status;
    }
    status = replace(store, out, json_tmp, json, diag);
    FILE *made = store->csv;
    store->csv = NULL;
    const enum orr_status other = replace(store, made, csv_tmp, csv, diag);
    if (status != ORR_OK || other != ORR_OK) {
        return ORR_ERR_IO;
    }
    store->json = open_to_append(store, json, diag);
    store->csv = store->json != NULL ? open_to_append(store, csv, diag) : NULL;
    return store->csv != NULL ? ORR_OK : ORR_ERR_IO;
}

static enum orr_status begin(struct orr_sweep_store *store, const struct orr_sweep *sweep,
                             struct orr_diag *diag)
{
    *store = (struct orr_sweep_store){.sweep = sweep,
                                      .arena = orr_arena_create(),
                                      .prefix = sweep->output,
                                      .row = orr_heap_calloc(sweep->points, sizeof *store->row),
                                      .lock = -1};
    if (store->arena != NULL) {
        store->failures = orr_arena_alloc(store->arena, sizeof *store->failures);
        store->measures = orr_arena_alloc(store->arena, sizeof *store->measures);
    }
    return store->failures != NULL && store->measures != NULL && store->row != NULL &&
                   orr_sweep_measures_init(store->measures, sweep)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory");
}

enum orr_status orr_sweep_store_open(struct orr_sweep_store *store, const struct orr_sweep *sweep,
                                     bool restart, bool retry, struct orr_diag *diag)
{
    bool begun = false;
    enum orr_status status = begin(store, sweep, diag);
    if (status == ORR_OK) {
        status = orr_sweep_state_open(store, restart, &begun, diag);
    }
    return status == ORR_OK ? resume(store, retry, diag) : status;
}

enum orr_status orr_sweep_store_in_memory(struct orr_sweep_store *store,
                                          const struct orr_sweep *sweep, struct orr_diag *diag)
{
    const enum orr_status status = begin(store, sweep, diag);
    store->prefix = NULL;
    const int lines = status == ORR_OK ? memfd_create("sweep", MFD_CLOEXEC) : -1;
    store->json = lines >= 0 ? fdopen(lines, "w+b") : NULL;
    if (status == ORR_OK && store->json == NULL) {
        if (lines >= 0) {
            (void)close(lines);
        }
        return orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory");
    }
    return status;
}

enum orr_status orr_sweep_store_read(struct orr_sweep_store *store, uint32_t point,
                                     struct orr_sweep_result *result, struct orr_diag *diag)
{
    const struct orr_sweep_row *row = &store->row[point];
    if (row->state == ORR_SWEEP_OPEN) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "point %" PRIu32 " has not run", point);
    }
    if (store->lines == NULL) {
        store->lines = store->prefix == NULL ? store->json : fopen(name_of(store, "jsonl"), "rb");
    }
    if (store->lines == NULL || fseeko(store->lines, (off_t)row->offset, SEEK_SET) != 0) {
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "the lines of results cannot be read");
    }
    const ssize_t got = getline(&store->line, &store->line_capacity, store->lines);
    const bool complete = got > 0 && store->line[got - 1] == '\n';
    if (complete) {
        store->line[got - 1] = '\0';
    }
    if (!complete || !orr_sweep_parse_line(store->sweep, store->line, store->arena, result) ||
        result->point != point) {
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "the lines of results were changed");
    }
    set_mark(store, result);
    return ORR_OK;
}

/* ---- the end ---- */

static enum orr_status sort_lines(struct orr_sweep_store *store, FILE *in, FILE *json, FILE *csv,
                                  struct orr_diag *diag)
{
    char *line = NULL;
    size_t capacity = 0;
    uint64_t written = 0;
    bool ok = true;
    struct orr_arena *arena = orr_arena_create();
    orr_sweep_csv_head(csv, store->sweep);
    for (uint32_t point = 0; ok && point < store->sweep->points && arena != NULL; point++) {
        struct orr_sweep_result result;
        ok = fseeko(in, (off_t)store->row[point].offset, SEEK_SET) == 0;
        const ssize_t got = ok ? getline(&line, &capacity, in) : 0;
        ok = got > 0 && line[got - 1] == '\n';
        if (ok) {
            line[got - 1] = '\0';
            orr_arena_reset(arena);
            ok = orr_sweep_parse_line(store->sweep, line, arena, &result) && result.point == point;
        }
        if (ok) {
            set_mark(store, &result);
            orr_sweep_csv_line(csv, store->sweep, &result);
            store->row[point].offset = written;
            written += orr_sweep_print_line(json, line, &result);
        }
    }
    ok = ok && arena != NULL;
    free(line);
    orr_arena_destroy(arena);
    return ok ? ORR_OK
              : fail(store, name_of(store, "jsonl"), "was changed while the sweep ran", diag);
}

/* Rewrites both files sorted, from the lines of `in`. */
static enum orr_status write_sorted(struct orr_sweep_store *store, FILE *in, struct orr_diag *diag)
{
    const char *json_tmp, *csv_tmp;
    FILE *json = open_tmp(store, "jsonl", &json_tmp, diag);
    FILE *csv = json != NULL ? open_tmp(store, "csv", &csv_tmp, diag) : NULL;
    enum orr_status status = csv != NULL ? sort_lines(store, in, json, csv, diag) : ORR_ERR_IO;
    if (json != NULL && status != ORR_OK) {
        (void)fclose(json);
    }
    if (csv != NULL && status != ORR_OK) {
        (void)fclose(csv);
    }
    if (status == ORR_OK) {
        status = replace(store, json, json_tmp, name_of(store, "jsonl"), diag);
        const enum orr_status other = replace(store, csv, csv_tmp, name_of(store, "csv"), diag);
        status = status == ORR_OK ? other : status;
    }
    return status;
}

enum orr_status orr_sweep_store_finish(struct orr_sweep_store *store, struct orr_diag *diag)
{
    const char *path = name_of(store, "jsonl");
    orr_sweep_failures_sort(store->failures);
    if (store->prefix == NULL) {
        return ORR_OK; /* in memory */
    }
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        char what[256];
        (void)snprintf(what, sizeof what, "cannot be read: %s", strerror(errno));
        return fail(store, path, what, diag);
    }
    const enum orr_status status = write_sorted(store, in, diag);
    (void)fclose(in);
    return status;
}

void orr_sweep_store_close(struct orr_sweep_store *store)
{
    if (store->lines != NULL && store->lines != store->json) {
        (void)fclose(store->lines);
    }
    free(store->line);
    if (store->json != NULL) {
        (void)fclose(store->json);
    }
    if (store->csv != NULL) {
        (void)fclose(store->csv);
    }
    if (store->lock >= 0) {
        (void)close(store->lock);
    }
    orr_sweep_measures_fini(store->measures);
    orr_heap_free(store->row);
    orr_arena_destroy(store->arena);
}
