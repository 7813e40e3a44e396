/* The traces of a job: one file per rank, or one for all. Files with the same bytes are parsed once
 * and shared, so that 4096 equal ranks cost one trace. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "workload/et/et.h"
#include "workload/et/et_stream.h"

struct known {
    size_t bytes;
    struct et_hash hash;
    const struct orr_trace *trace;
};

struct set {
    struct orr_arena *arena;
    struct orr_diag *diag;
    struct known *known;
    size_t capacity, count;
};

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* PREFIX.RANK.et, or the same with .gz; NULL when there is neither (or no memory). */
static const char *path_of(struct set *set, const char *prefix, uint32_t rank)
{
    const char *plain = orr_arena_printf(set->arena, "%s.%u.et", prefix, rank);
    if (plain == NULL || is_file(plain)) {
        return plain;
    }
    const char *zipped = orr_arena_printf(set->arena, "%s.%u.et.gz", prefix, rank);
    return zipped != NULL && is_file(zipped) ? zipped : NULL;
}

/* "0-4,6-7": the ranks that have files, as far as fits. */
static void list_found(struct set *set, const char *prefix, uint32_t npus, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t rank = 0; rank < npus && used + 32 < bytes; rank++) {
        if (path_of(set, prefix, rank) == NULL) {
            continue;
        }
        uint32_t last = rank;
        while (last + 1 < npus && path_of(set, prefix, last + 1) != NULL) {
            last++;
        }
        used += (size_t)snprintf(text + used, bytes - used, last > rank ? "%s%u-%u" : "%s%u",
                                 used != 0 ? "," : "", rank, last);
        rank = last;
    }
}

static enum orr_status missing(struct set *set, const char *prefix, uint32_t rank, uint32_t npus)
{
    char found[256];
    list_found(set, prefix, npus, found, sizeof found);
    const struct orr_place place = orr_place_file(prefix);
    if (found[0] == '\0') {
        return orr_diag_fail(set->diag, ORR_ERR_INPUT, &place,
                             "no traces: there is no file %s.0.et or %s.0.et.gz, and no file of "
                             "the name itself; traces are named PREFIX.RANK.et",
                             prefix, prefix);
    }
    return orr_diag_fail(set->diag, ORR_ERR_INPUT, &place,
                         "rank %u has no trace: there is no file %s.%u.et or %s.%u.et.gz; the "
                         "platform has %u NPUs, found are the ranks %s",
                         rank, prefix, rank, prefix, rank, npus, found);
}

static const struct orr_trace *find(const struct set *set, size_t bytes, struct et_hash hash)
{
    for (size_t i = set->count; i-- > 0;) {
        const struct known *known = &set->known[i];
        if (known->bytes == bytes && known->hash.low == hash.low && known->hash.high == hash.high) {
            return known->trace;
        }
    }
    return NULL;
}

static enum orr_status remember(struct set *set, size_t bytes, struct et_hash hash,
                                const struct orr_trace *trace)
{
    struct known *grown =
        orr_arena_grow(set->arena, set->known, &set->capacity, set->count + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(set->diag, "traces");
    }
    set->known = grown;
    grown[set->count++] = (struct known){.bytes = bytes, .hash = hash, .trace = trace};
    return ORR_OK;
}

static enum orr_status parse(struct set *set, const char *path, struct et_bytes raw,
                             const struct orr_trace **out)
{
    struct et_bytes bytes;
    enum orr_status status = et_inflate(path, raw, &bytes, set->diag);
    if (status != ORR_OK) {
        return status;
    }
    status = orr_et_read_memory(set->arena, bytes.data, bytes.count, path, out, set->diag);
    orr_heap_free(bytes.data);
    return status;
}

static enum orr_status load(struct set *set, const char *path, const struct orr_trace **out)
{
    struct et_bytes raw;
    enum orr_status status = et_read_raw(path, &raw, set->diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct et_hash hash = et_hash_bytes(&raw);
    const size_t bytes = raw.count;
    *out = find(set, bytes, hash);
    if (*out != NULL) {
        orr_heap_free(raw.data);
        return ORR_OK;
    }
    status = parse(set, path, raw, out);
    return status == ORR_OK ? remember(set, bytes, hash, *out) : status;
}

static enum orr_status load_one_for_all(struct set *set, const char *path, uint32_t npus,
                                        const struct orr_trace **by_rank)
{
    const enum orr_status status = load(set, path, &by_rank[0]);
    for (uint32_t rank = 1; rank < npus; rank++) {
        by_rank[rank] = by_rank[0];
    }
    return status;
}

enum orr_status orr_et_load_set(struct orr_arena *arena, const char *prefix, uint32_t npus,
                                const struct orr_trace **by_rank, struct orr_diag *diag)
{
    struct set set = {.arena = arena, .diag = diag};
    if (is_file(prefix)) {
        return load_one_for_all(&set, prefix, npus, by_rank);
    }
    for (uint32_t rank = 0; rank < npus; rank++) {
        const char *path = path_of(&set, prefix, rank);
        if (path == NULL) {
            return missing(&set, prefix, rank, npus);
        }
        const enum orr_status status = load(&set, path, &by_rank[rank]);
        if (status != ORR_OK) {
            return status;
        }
    }
    return ORR_OK;
}
