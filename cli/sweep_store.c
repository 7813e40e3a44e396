/* Lines of results in files; see sweep_store.h. */
#include "cli/sweep_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/terminal.h"

static const char *name_of(const struct orr_sweep_store *store, const char *ending)
{
    const char *name = orr_arena_printf(store->arena, "%s.%s", store->prefix, ending);
    return name != NULL ? name : "";
}

static int cannot_write(const char *path)
{
    orr_say("%s: cannot be written: %s\n", path, strerror(errno));
    return 1;
}

/* ---- adding ---- */

static void note(struct orr_sweep_store *store, const struct orr_sweep_result *result,
                 uint64_t offset)
{
    struct orr_sweep_row *row = &store->row[result->point];
    *row = (struct orr_sweep_row){.wall_ps = result->times.finish_ps,
                                  .cost = result->cost,
                                  .offset = offset,
                                  .state = result->ok ? ORR_SWEEP_DONE : ORR_SWEEP_FAILED};
    store->done++;
    store->failed += result->ok ? 0 : 1;
    store->unfit += result->unfit ? 1 : 0;
}

int orr_sweep_store_add(struct orr_sweep_store *store, const char *line,
                        struct orr_sweep_result *result)
{
    ORR_ASSERT(orr_sweep_parse_line(store->sweep, line, store->arena, result));
    ORR_ASSERT(store->row[result->point].state == ORR_SWEEP_OPEN);
    const size_t bytes = strlen(line);
    if (fprintf(store->json, "%s\n", line) < 0 || fflush(store->json) != 0) {
        return cannot_write(name_of(store, "jsonl"));
    }
    note(store, result, store->json_bytes);
    store->json_bytes += bytes + 1;
    orr_sweep_csv_line(store->csv, store->sweep, result);
    return fflush(store->csv) == 0 && ferror(store->csv) == 0 ? 0
                                                              : cannot_write(name_of(store, "csv"));
}

/* ---- resuming ---- */

struct reading {
    struct orr_sweep_store *store;
    FILE *out; /* the lines that stay */
    bool retry;
};

/* One whole line of an earlier run. */
static bool keep_line(struct reading *reading, const char *line)
{
    struct orr_sweep_store *store = reading->store;
    struct orr_sweep_result result;
    if (!orr_sweep_parse_line(store->sweep, line, store->arena, &result) ||
        store->row[result.point].state != ORR_SWEEP_OPEN) {
        return false;
    }
    if (result.ok || result.unfit || !reading->retry) {
        note(store, &result, store->json_bytes);
        store->json_bytes += strlen(line) + 1;
        (void)fprintf(reading->out, "%s\n", line);
        orr_sweep_csv_line(store->csv, store->sweep, &result);
    }
    return true;
}

/* Keeps the lines that are whole; the last one may be torn. */
static int keep_lines(struct reading *reading, FILE *in, const char *path)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    int status = 0;
    for (ssize_t got; status == 0 && (got = getline(&line, &capacity, in)) > 0;) {
        number++;
        if (line[got - 1] != '\n') {
            break;
        }
        line[got - 1] = '\0';
        if (!keep_line(reading, line)) {
            orr_say("%s:%zu: not a line that orrery sweep wrote; --restart begins anew\n", path,
                    number);
            status = ORR_EXIT_USAGE;
        }
    }
    free(line);
    return status;
}

/* Closes a file that was written beside another one and puts it in its place. */
static int replace(FILE *file, const char *from, const char *to)
{
    const bool failed = fflush(file) != 0 || ferror(file) != 0 || fsync(fileno(file)) != 0;
    return fclose(file) != 0 || failed || rename(from, to) != 0 ? cannot_write(to) : 0;
}

/* Writes PREFIX.ENDING.tmp; NULL, said, when it cannot be. */
static FILE *open_beside(const struct orr_sweep_store *store, const char *ending, const char **name)
{
    *name = orr_arena_printf(store->arena, "%s.%s.tmp", store->prefix, ending);
    FILE *file = *name != NULL ? fopen(*name, "wb") : NULL;
    if (file == NULL) {
        (void)cannot_write(*name != NULL ? *name : store->prefix);
    }
    return file;
}

static FILE *open_to_append(const char *path)
{
    FILE *file = fopen(path, "ab");
    if (file == NULL) {
        (void)cannot_write(path);
    }
    return file;
}

/* Copies what is whole of PREFIX.jsonl, makes PREFIX.csv of it, and opens both for more. */
static int resume(struct orr_sweep_store *store, bool retry)
{
    const char *json = name_of(store, "jsonl"), *csv = name_of(store, "csv");
    const char *json_beside, *csv_beside;
    FILE *in = fopen(json, "rb"); /* may not be there yet */
    FILE *out = open_beside(store, "jsonl", &json_beside);
    store->csv = out != NULL ? open_beside(store, "csv", &csv_beside) : NULL;
    struct reading reading = {.store = store, .out = out, .retry = retry};
    int status = store->csv != NULL ? 0 : 1;
    if (status == 0) {
        orr_sweep_csv_head(store->csv, store->sweep);
        status = in != NULL ? keep_lines(&reading, in, json) : 0;
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    if (status != 0) {
        if (out != NULL) {
            (void)fclose(out);
        }
        return status;
    }
    status = replace(out, json_beside, json);
    FILE *made = store->csv;
    store->csv = NULL;
    const int other = replace(made, csv_beside, csv);
    if (status != 0 || other != 0) {
        return 1;
    }
    store->json = open_to_append(json);
    store->csv = store->json != NULL ? open_to_append(csv) : NULL;
    return store->csv != NULL ? 0 : 1;
}

int orr_sweep_store_open(struct orr_sweep_store *store, const struct orr_sweep *sweep, bool restart,
                         bool retry)
{
    bool begun = false;
    *store = (struct orr_sweep_store){.sweep = sweep,
                                      .arena = orr_arena_create(),
                                      .prefix = sweep->output,
                                      .row = orr_heap_calloc(sweep->points, sizeof *store->row),
                                      .lock = -1};
    if (store->arena == NULL || store->row == NULL) {
        orr_say("orrery sweep: out of memory\n");
        return 1;
    }
    const int status = orr_sweep_state_open(store, restart, &begun);
    return status == 0 ? resume(store, retry) : status;
}

/* ---- the end ---- */

static int sort_lines(struct orr_sweep_store *store, FILE *in, FILE *json, FILE *csv)
{
    char *line = NULL;
    size_t capacity = 0;
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
            (void)fprintf(json, "%s\n", line);
            orr_sweep_csv_line(csv, store->sweep, &result);
        }
    }
    ok = ok && arena != NULL;
    free(line);
    orr_arena_destroy(arena);
    if (!ok) {
        orr_say("%s: was changed while the sweep ran\n", name_of(store, "jsonl"));
    }
    return ok ? 0 : 1;
}

int orr_sweep_store_finish(struct orr_sweep_store *store)
{
    const char *path = name_of(store, "jsonl"), *json_beside, *csv_beside;
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        orr_say("%s: cannot be read: %s\n", path, strerror(errno));
        return 1;
    }
    FILE *json = open_beside(store, "jsonl", &json_beside);
    FILE *csv = json != NULL ? open_beside(store, "csv", &csv_beside) : NULL;
    int status = csv != NULL ? sort_lines(store, in, json, csv) : 1;
    (void)fclose(in);
    if (json != NULL && status != 0) {
        (void)fclose(json);
    }
    if (csv != NULL && status != 0) {
        (void)fclose(csv);
    }
    if (status == 0) {
        status = replace(json, json_beside, path);
        const int other = replace(csv, csv_beside, name_of(store, "csv"));
        status = status == 0 ? other : status;
    }
    return status;
}

void orr_sweep_store_close(struct orr_sweep_store *store)
{
    if (store->json != NULL) {
        (void)fclose(store->json);
    }
    if (store->csv != NULL) {
        (void)fclose(store->csv);
    }
    if (store->lock >= 0) {
        (void)close(store->lock);
    }
    orr_heap_free(store->row);
    orr_arena_destroy(store->arena);
}
