/* Output files of a converter; see trace_output.h. */
#include "et_converter/trace_output.h"

#include "core/arena.h"
#include "core/diag.h"
#include "core/whole_file.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

struct group {
    const uint32_t *ranks;
    uint64_t hash;
    uint32_t count;
    const char *name;
};

struct conv_output {
    struct orr_arena *arena; /* groups and the prefix */
    struct orr_arena *paths; /* reset for each path */
    const char *prefix;
    bool gzip;
    bool has_trace; /* at least one was begun */
    struct group *group;
    size_t capacity;
    uint32_t groups;
    uint32_t *slot; /* [slots], index into group plus one; open addressing, at most half full */
    uint32_t slots;
};

enum orr_status orr_convert_output_create(struct conv_output **out, const char *prefix, bool gzip,
                                          struct orr_diag *diag)
{
    struct conv_output *output = orr_heap_calloc(1, sizeof *output);
    *out = output;
    if (output == NULL) {
        return orr_diag_no_memory(diag, "converted traces");
    }
    *output = (struct conv_output){
        .arena = orr_arena_create(), .paths = orr_arena_create(), .gzip = gzip};
    if (output->arena != NULL && output->paths != NULL) {
        output->prefix = orr_arena_strdup(output->arena, prefix);
        output->slot = orr_arena_array(output->arena, FIRST_SLOTS, sizeof *output->slot);
        output->slots = FIRST_SLOTS;
    }
    if (output->prefix == NULL || output->slot == NULL) {
        orr_convert_output_destroy(output);
        *out = NULL;
        return orr_diag_no_memory(diag, "converted traces");
    }
    return ORR_OK;
}

void orr_convert_output_destroy(struct conv_output *output)
{
    if (output != NULL) {
        orr_arena_destroy(output->arena);
        orr_arena_destroy(output->paths);
        orr_heap_free(output);
    }
}

/* ---- traces ---- */

/* Length of the prefix without the ending .et; 0: it has none. */
static size_t stem_of_file(const char *prefix)
{
    const size_t length = strlen(prefix);
    return length > 3 && strcmp(prefix + length - 3, ".et") == 0 ? length - 3 : 0;
}

const char *orr_convert_path_of_rank(struct orr_arena *arena, const char *prefix, bool gzip,
                                     uint32_t rank)
{
    const char *end = gzip ? ".gz" : "";
    return stem_of_file(prefix) > 0
               ? orr_arena_printf(arena, "%s%s", prefix, end)
               : orr_arena_printf(arena, "%s.%" PRIu32 ".et%s", prefix, rank, end);
}

const char *orr_convert_path_of_groups(struct orr_arena *arena, const char *prefix)
{
    const size_t stem = stem_of_file(prefix);
    return orr_arena_printf(arena, "%.*s.groups.json", (int)(stem > 0 ? stem : strlen(prefix)),
                            prefix);
}

static const char *path_of(struct conv_output *output, uint32_t rank)
{
    orr_arena_reset(output->paths);
    return orr_convert_path_of_rank(output->paths, output->prefix, output->gzip, rank);
}

/* A prefix that names a single file takes a single trace. */
static enum orr_status check_one_file(struct conv_output *output, struct orr_diag *diag)
{
    if (output->has_trace && stem_of_file(output->prefix) > 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "-o %s names the file of one rank, but there are several; expected a "
                             "prefix such as %.*s",
                             output->prefix, (int)stem_of_file(output->prefix), output->prefix);
    }
    output->has_trace = true;
    return ORR_OK;
}

static enum orr_status open_ruled(struct conv_output *output, uint32_t rank, const char *rules,
                                  struct orr_et_writer **writer, struct orr_diag *diag)
{
    const struct orr_et_writer_options options = {.gzip = output->gzip, .rules = rules};
    const char *path = path_of(output, rank);
    *writer = NULL;
    if (check_one_file(output, diag) != ORR_OK) {
        return ORR_ERR_INPUT;
    }
    return path != NULL ? orr_et_writer_create(writer, path, &options, diag)
                        : orr_diag_no_memory(diag, "paths");
}

enum orr_status orr_convert_output_open(struct conv_output *output, uint32_t rank,
                                        struct orr_et_writer **writer, struct orr_diag *diag)
{
    return open_ruled(output, rank, "", writer, diag);
}

static enum orr_status write_bytes(const char *path, const void *bytes, size_t count,
                                   struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    struct orr_whole_file whole;
    bool done = orr_whole_file_open(&whole, path);
    if (done) {
        (void)fwrite(bytes, 1, count, whole.file); /* an error is kept in the stream */
        done = orr_whole_file_keep(&whole);
    }
    return done ? ORR_OK
                : orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be written: %s", strerror(errno));
}

static enum orr_status write_ranks(struct conv_output *output, uint32_t first, uint32_t count,
                                   const struct orr_et_writer *ready, struct orr_diag *diag)
{
    size_t bytes;
    const void *data = orr_et_writer_bytes(ready, &bytes);
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < count && status == ORR_OK; i++) {
        const char *path = path_of(output, first + i);
        status = check_one_file(output, diag);
        if (status != ORR_OK) {
            return status;
        }
        status =
            path != NULL ? write_bytes(path, data, bytes, diag) : orr_diag_no_memory(diag, "paths");
    }
    return status;
}

enum orr_status orr_convert_output_trace(struct conv_output *output, uint32_t first, uint32_t count,
                                         const struct orr_trace *trace, struct orr_diag *diag)
{
    const struct orr_et_writer_options options = {.gzip = output->gzip, .rules = trace->rules};
    struct orr_et_writer *writer = NULL;
    enum orr_status status = count == 1 ? open_ruled(output, first, trace->rules, &writer, diag)
                                        : orr_et_writer_create_memory(&writer, &options, diag);
    if (status == ORR_OK) {
        status = orr_et_writer_add_trace(writer, trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_finish(writer, diag);
    }
    if (status == ORR_OK && count != 1) {
        status = write_ranks(output, first, count, writer, diag);
    }
    orr_et_writer_destroy(writer);
    return status;
}

/* ---- groups ---- */

/* FNV-1a over the ranks. */
static uint64_t hash_of(const uint32_t *ranks, uint32_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ ranks[i]) * UINT64_C(1099511628211);
    }
    return hash ^ (hash >> 32);
}

/* The slot of the group, or the free slot for it. */
static uint32_t find_slot(const struct conv_output *output, const uint32_t *ranks, uint32_t count,
                          uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (output->slots - 1);
    for (; output->slot[at] != 0; at = (at + 1) & (output->slots - 1)) {
        const struct group *group = &output->group[output->slot[at] - 1];
        if (group->hash == hash && group->count == count &&
            memcmp(group->ranks, ranks, count * sizeof *ranks) == 0) {
            break;
        }
    }
    return at;
}

static bool double_slots(struct conv_output *output)
{
    uint32_t *slot = orr_arena_array(output->arena, (size_t)output->slots * 2, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    output->slot = slot;
    output->slots *= 2;
    for (uint32_t i = 0; i < output->groups; i++) {
        const struct group *group = &output->group[i];
        slot[find_slot(output, group->ranks, group->count, group->hash)] = i + 1;
    }
    return true;
}

static enum orr_status add_group(struct conv_output *output, const struct group *key,
                                 struct orr_diag *diag)
{
    struct group *grown = orr_arena_grow(output->arena, output->group, &output->capacity,
                                         (size_t)output->groups + 1, sizeof *grown);
    uint32_t *ranks = orr_arena_array(output->arena, key->count, sizeof *ranks);
    char *name = orr_arena_printf(output->arena, "%" PRIu32, output->groups + 1);
    if (grown == NULL || ranks == NULL || name == NULL ||
        ((output->groups + 1) * 2 > output->slots && !double_slots(output))) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    memcpy(ranks, key->ranks, key->count * sizeof *ranks);
    output->group = grown;
    grown[output->groups++] =
        (struct group){.ranks = ranks, .hash = key->hash, .count = key->count, .name = name};
    output->slot[find_slot(output, ranks, key->count, key->hash)] = output->groups;
    return ORR_OK;
}

enum orr_status orr_convert_output_group(struct conv_output *output, const uint32_t *ranks,
                                         uint32_t count, const char **name, struct orr_diag *diag)
{
    const struct group key = {.ranks = ranks, .count = count, .hash = hash_of(ranks, count)};
    uint32_t found = output->slot[find_slot(output, ranks, count, key.hash)];
    enum orr_status status = ORR_OK;
    if (found == 0) {
        status = add_group(output, &key, diag);
        found = output->groups;
    }
    *name = status == ORR_OK ? output->group[found - 1].name : NULL;
    return status;
}

uint32_t orr_convert_output_groups(const struct conv_output *output)
{
    return output->groups;
}

const uint32_t *orr_convert_output_group_ranks(const struct conv_output *output, uint32_t index,
                                               uint32_t *count)
{
    *count = output->group[index].count;
    return output->group[index].ranks;
}

static void write_groups(FILE *file, const struct conv_output *output)
{
    for (uint32_t i = 0; i < output->groups; i++) {
        const struct group *group = &output->group[i];
        (void)fprintf(file, "%s\n  \"%s\": [", i > 0 ? "," : "{", group->name);
        for (uint32_t k = 0; k < group->count; k++) {
            (void)fprintf(file, "%s%" PRIu32, k > 0 ? ", " : "", group->ranks[k]);
        }
        (void)fputc(']', file);
    }
    (void)fputs(output->groups > 0 ? "\n}\n" : "{}\n", file);
}

enum orr_status orr_convert_output_finish(struct conv_output *output, struct orr_diag *diag)
{
    orr_arena_reset(output->paths);
    const char *path = orr_convert_path_of_groups(output->paths, output->prefix);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "paths");
    }
    const struct orr_location place = orr_location_file(path);
    struct orr_whole_file whole;
    bool done = orr_whole_file_open(&whole, path);
    if (done) {
        write_groups(whole.file, output);
        done = orr_whole_file_keep(&whole);
    }
    return done ? ORR_OK
                : orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be written: %s", strerror(errno));
}
