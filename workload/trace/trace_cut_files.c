/* Cuts every file of a set; see trace_cut_files.h. */
#include "workload/trace/trace_cut_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/trace/et/et.h"

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static bool ends_in_gz(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

void orr_cut_files_find(struct orr_cut_files *files)
{
    files->ranks = is_file(files->in) ? 0 : orr_et_set_size(files->in);
}

const char *orr_cut_input(struct orr_arena *arena, const struct orr_cut_files *files, uint32_t rank)
{
    if (files->ranks == 0) {
        return files->in;
    }
    const char *plain = orr_arena_printf(arena, "%s.%" PRIu32 ".et", files->in, rank);
    return plain == NULL || is_file(plain) ? plain : orr_arena_printf(arena, "%s.gz", plain);
}

static const char *output_of(struct orr_arena *arena, const struct orr_cut_files *files,
                             uint32_t rank)
{
    return files->ranks == 0 ? files->out
                             : orr_arena_printf(arena, "%s.%" PRIu32 ".et%s", files->out, rank,
                                                files->cut.gzip ? ".gz" : "");
}

static void add(struct orr_cut_sum *sum, const struct orr_trace *trace,
                const struct orr_cut_result *result)
{
    sum->nodes += result->nodes;
    sum->of += trace->nodes;
    sum->edges += result->edges;
    sum->dropped += result->dropped;
    sum->dropping += result->dropping;
    sum->group_nodes += result->group_nodes;
}

static enum orr_status cut_rank(const struct orr_cut_files *files, uint32_t rank,
                                struct orr_cut_sum *sum, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    const char *in = arena != NULL ? orr_cut_input(arena, files, rank) : NULL;
    const char *out = arena != NULL ? output_of(arena, files, rank) : NULL;
    const struct orr_trace *trace;
    struct orr_cut cut = files->cut;
    struct orr_cut_result result;
    enum orr_status status =
        in != NULL && out != NULL ? ORR_OK : orr_diag_no_memory(diag, "a trace");
    cut.gzip = cut.gzip || (out != NULL && ends_in_gz(out));
    if (status == ORR_OK) {
        status = orr_et_read_file(arena, in, &trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_trace_cut(trace, &cut, out, &result, diag);
    }
    if (status == ORR_OK) {
        add(sum, trace, &result);
    }
    orr_arena_destroy(arena);
    return status;
}

/* Copies PREFIX.groups.json of a set unchanged. */
static enum orr_status copy_groups(struct orr_arena *arena, const struct orr_cut_files *files,
                                   bool *copied, struct orr_diag *diag)
{
    const char *from = orr_arena_printf(arena, "%s.groups.json", files->in);
    const char *to = orr_arena_printf(arena, "%s.groups.json", files->out);
    if (from == NULL || to == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    if (!is_file(from)) {
        return ORR_OK;
    }
    char buffer[4096];
    errno = 0;
    FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wb") : NULL;
    bool ok = in != NULL && out != NULL;
    for (size_t count = 1; ok && count != 0;) {
        count = fread(buffer, 1, sizeof buffer, in);
        ok = ferror(in) == 0 && fwrite(buffer, 1, count, out) == count;
    }
    ok = (in == NULL || fclose(in) == 0) && ok;
    ok = (out == NULL || fclose(out) == 0) && ok;
    const struct orr_location location = orr_location_file(to);
    *copied = ok;
    return ok ? ORR_OK
              : orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be copied from %s: %s", from,
                              strerror(errno));
}

enum orr_status orr_trace_cut_files(const struct orr_cut_files *files, struct orr_cut_sum *sum,
                                    struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status =
        arena != NULL ? ORR_OK : orr_diag_no_memory(diag, "communicator groups");
    *sum = (struct orr_cut_sum){.nodes = 0};
    for (uint32_t rank = 0; rank < (files->ranks != 0 ? files->ranks : 1) && status == ORR_OK;
         rank++) {
        status = cut_rank(files, rank, sum, diag);
    }
    if (status == ORR_OK && files->ranks != 0) {
        status = copy_groups(arena, files, &sum->groups, diag);
    }
    orr_arena_destroy(arena);
    return status;
}
