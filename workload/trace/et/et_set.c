/* Loads the traces of a job; see et.h. Every file is hashed, and parsed only if no earlier file had
 * the same bytes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/et/et.h"
#include "workload/trace/et/et_hash.h"

enum { READ_BYTES = 64 * 1024, FOUND_TEXT_BYTES = 512 };

/* A distinct file; an entry of an open-addressed hash table. */
struct distinct_file {
    struct et_hash hash;
    const struct orr_trace *trace; /* NULL = free slot */
};

struct loader {
    struct orr_arena *arena, *scratch;
    const char *prefix;
    uint32_t npus;
    struct distinct_file *known;
    uint64_t mask;
    unsigned char *buffer;           /* [READ_BYTES] */
    const struct orr_trace *foreign; /* the first that has attributes of another tool; NULL: none */
    uint64_t foreign_count;          /* of the distinct files */
    const struct orr_trace *old;     /* the first with attributes by names of before; NULL: none */
    uint64_t old_count;
};

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* The path of a rank's file in the scratch arena; *exists: whether it exists. */
static const char *path_of(const struct loader *loader, uint32_t rank, bool *exists)
{
    const char *plain = orr_arena_printf(loader->scratch, "%s.%u.et", loader->prefix, rank);
    *exists = plain != NULL && is_file(plain);
    if (*exists || plain == NULL) {
        return plain;
    }
    const char *gzip = orr_arena_printf(loader->scratch, "%s.gz", plain);
    *exists = gzip != NULL && is_file(gzip);
    return gzip;
}

/* ---- a missing rank ---- */

static uint32_t end_of_run(const struct loader *loader, uint32_t rank)
{
    bool exists = true;
    while (exists && rank < loader->npus) {
        (void)path_of(loader, rank, &exists);
        rank += exists ? 1 : 0;
    }
    return rank;
}

/* "0-4,6-7", cut with "..." if it is long; "": none. */
static void list_found(const struct loader *loader, char text[FOUND_TEXT_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t rank = 0; rank < loader->npus; rank++) {
        const uint32_t end = end_of_run(loader, rank);
        if (end == rank) {
            continue;
        }
        if (used > FOUND_TEXT_BYTES - 40) {
            (void)snprintf(text + used, FOUND_TEXT_BYTES - used, ",...");
            return;
        }
        const char *comma = used != 0 ? "," : "";
        used += (size_t)(end - rank == 1
                             ? snprintf(text + used, FOUND_TEXT_BYTES - used, "%s%u", comma, rank)
                             : snprintf(text + used, FOUND_TEXT_BYTES - used, "%s%u-%u", comma,
                                        rank, end - 1));
        rank = end;
    }
}

static enum orr_status fail_missing(const struct loader *loader, uint32_t rank,
                                    struct orr_diag *diag)
{
    char found[FOUND_TEXT_BYTES];
    list_found(loader, found);
    if (found[0] == '\0') {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "rank %u: no file %s.%u.et or %s.%u.et.gz, nor of any other rank, nor "
            "a file %s for all; expected one for each of the %u NPUs of the platform",
            rank, loader->prefix, rank, loader->prefix, rank, loader->prefix, loader->npus);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "rank %u: no file %s.%u.et or %s.%u.et.gz; found ranks %s; expected one "
                         "for each of the %u NPUs of the platform",
                         rank, loader->prefix, rank, loader->prefix, rank, found, loader->npus);
}

/* ---- files ---- */

static enum orr_status fail_io(const char *path, const char *what, struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_IO, &location, "%s: %s", what, strerror(errno));
}

static enum orr_status hash_file(const struct loader *loader, const char *path,
                                 struct et_hash *hash, struct orr_diag *diag)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail_io(path, "cannot open", diag);
    }
    (void)setvbuf(file, NULL, _IONBF, 0);
    *hash = (struct et_hash){0};
    size_t count;
    do {
        count = fread(loader->buffer, 1, READ_BYTES, file);
        orr_et_hash_add(hash, loader->buffer, count);
    } while (count == READ_BYTES);
    const enum orr_status status = ferror(file) ? fail_io(path, "cannot read", diag) : ORR_OK;
    (void)fclose(file);
    orr_et_hash_end(hash);
    return status;
}

/* The slot of the file with this hash, or the free slot for it. */
static struct distinct_file *find_slot(const struct loader *loader, const struct et_hash *hash)
{
    uint64_t slot = hash->low & loader->mask;
    while (loader->known[slot].trace != NULL &&
           !orr_et_hash_equal(&loader->known[slot].hash, hash)) {
        slot = (slot + 1) & loader->mask;
    }
    return &loader->known[slot];
}

static void count_foreign(struct loader *loader, const struct orr_trace *trace)
{
    if (trace != NULL && trace->foreign.count != 0) {
        loader->foreign = loader->foreign != NULL ? loader->foreign : trace;
        loader->foreign_count += trace->foreign.count;
    }
    if (trace != NULL && trace->old.count != 0) {
        loader->old = loader->old != NULL ? loader->old : trace;
        loader->old_count += trace->old.count;
    }
}

static enum orr_status load_rank(struct loader *loader, uint32_t rank, const struct orr_trace **out,
                                 struct orr_diag *diag)
{
    bool exists;
    const char *path = path_of(loader, rank, &exists);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "the traces of a job");
    }
    if (!exists) {
        return fail_missing(loader, rank, diag);
    }
    struct et_hash hash;
    enum orr_status status = hash_file(loader, path, &hash, diag);
    if (status != ORR_OK) {
        return status;
    }
    struct distinct_file *slot = find_slot(loader, &hash);
    if (slot->trace == NULL) {
        status = orr_et_read_quietly(loader->arena, path, &slot->trace, diag);
        slot->hash = hash;
        count_foreign(loader, slot->trace);
    }
    *out = slot->trace;
    return status;
}

static void warn_more(const struct loader *loader, struct orr_diag *diag)
{
    bool exists;
    const char *path = path_of(loader, loader->npus, &exists);
    if (exists) {
        orr_diag_warn(diag, NULL,
                      "%s exists, but the platform has only %u NPUs: the traces of the ranks from "
                      "%u on are not used",
                      path, loader->npus, loader->npus);
    }
}

static enum orr_status load_ranks(struct loader *loader, const struct orr_trace **by_rank,
                                  struct orr_diag *diag)
{
    uint64_t slots = 2;
    while (slots < (uint64_t)loader->npus * 2) {
        slots *= 2;
    }
    loader->mask = slots - 1;
    loader->known = orr_arena_array(loader->scratch, slots, sizeof *loader->known);
    loader->buffer = orr_arena_alloc_raw(loader->scratch, READ_BYTES, 16);
    if (loader->known == NULL || loader->buffer == NULL) {
        return orr_diag_no_memory(diag, "the traces of a job");
    }
    for (uint32_t rank = 0; rank < loader->npus; rank++) {
        const enum orr_status status = load_rank(loader, rank, &by_rank[rank], diag);
        if (status != ORR_OK) {
            return status;
        }
    }
    orr_et_note_foreign(loader->foreign, loader->foreign_count, diag);
    orr_et_note_old(loader->old, loader->old_count, diag);
    warn_more(loader, diag);
    return ORR_OK;
}

enum orr_status orr_et_load_set(struct orr_arena *arena, const char *prefix, uint32_t npus,
                                const struct orr_trace **by_rank, struct orr_diag *diag)
{
    if (is_file(prefix)) {
        const struct orr_trace *trace = NULL;
        const enum orr_status status = orr_et_read_file(arena, prefix, &trace, diag);
        for (uint32_t rank = 0; rank < npus; rank++) {
            by_rank[rank] = trace;
        }
        return status;
    }
    struct loader loader = {
        .arena = arena, .scratch = orr_arena_create(), .prefix = prefix, .npus = npus};
    if (loader.scratch == NULL) {
        return orr_diag_no_memory(diag, "the traces of a job");
    }
    const enum orr_status status = load_ranks(&loader, by_rank, diag);
    orr_arena_destroy(loader.scratch);
    return status;
}

uint32_t orr_et_set_size(const char *prefix)
{
    struct loader loader = {.scratch = orr_arena_create(), .prefix = prefix, .npus = UINT32_MAX};
    bool exists = loader.scratch != NULL;
    uint32_t rank = 0;
    while (exists && rank < loader.npus) {
        orr_arena_reset(loader.scratch);
        (void)path_of(&loader, rank, &exists);
        rank += exists ? 1 : 0;
    }
    orr_arena_destroy(loader.scratch);
    return rank;
}
