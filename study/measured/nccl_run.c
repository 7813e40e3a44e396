/* A run of nccl-tests; see nccl_run.h. */
#include "study/measured/nccl_run.h"

#include <stdio.h>
#include <string.h>

void orr_nccl_run_init(struct nccl_run *run, struct orr_arena *arena)
{
    *run = (struct nccl_run){.line = 1, .column = 1};
    orr_strings_init(&run->hosts, arena);
}

enum orr_status orr_nccl_add_member(struct orr_measured_build *build, struct nccl_run *run,
                                    struct nccl_member member, const char *host)
{
    struct nccl_member *grown = orr_arena_grow(build->arena, run->member, &run->member_capacity,
                                               run->members + 1, sizeof *grown);
    member.host = orr_strings_add(&run->hosts, host, strlen(host));
    if (grown == NULL || member.host == UINT32_MAX) {
        return orr_measured_no_memory(build);
    }
    run->member = grown;
    grown[run->members++] = member;
    return ORR_OK;
}

enum orr_status orr_nccl_add_result(struct orr_measured_build *build, struct nccl_run *run,
                                    const struct nccl_result *result)
{
    struct nccl_result *grown = orr_arena_grow(build->arena, run->result, &run->result_capacity,
                                               run->results + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_measured_no_memory(build);
    }
    run->result = grown;
    grown[run->results++] = *result;
    return ORR_OK;
}

enum orr_status orr_nccl_note_empty(struct orr_measured_build *build, uint32_t line)
{
    return orr_measured_add_note(build, "of 0 bytes left out", line);
}

enum orr_status orr_nccl_note_cpu(struct orr_measured_build *build, uint32_t line)
{
    return orr_measured_add_note(
        build, "with CPU times (-C), which may end before the collective does", line);
}

/* ---- the end of a run ---- */

/* The name of a run's collective; NULL: not known. */
static const char *name_of(const struct orr_measured_build *build, const struct nccl_run *run)
{
    const char *given = build->inputs->collective;
    return run->name != NULL ? run->name
           : given != NULL   ? given
                             : orr_measured_name_in(build->path);
}

static enum orr_status skip_all(struct orr_measured_build *build, const struct nccl_run *run,
                                const char *name)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < run->results && status == ORR_OK; i++) {
        status = orr_measured_skip_name(build, name, run->result[i].line);
    }
    return status;
}

static enum orr_status add_all(struct orr_measured_build *build, const struct nccl_run *run,
                               enum coll_kind kind)
{
    struct nccl_size size;
    enum orr_status status = orr_nccl_size(build, run, kind, &size);
    for (size_t i = 0; i < run->results && status == ORR_OK; i++) {
        const struct nccl_result *result = &run->result[i];
        const struct orr_measured_row row = {.kind = kind,
                                             .npus = size.npus,
                                             .npus_per_node = size.npus_per_node,
                                             .bytes = result->bytes,
                                             .time_us = result->time_us,
                                             .line = result->line,
                                             .column = result->column};
        status = orr_measured_add(build, &row);
    }
    return status;
}

static enum orr_status make_rows(struct orr_measured_build *build, const struct nccl_run *run)
{
    const char *name = name_of(build, run);
    if (name == NULL) {
        return orr_measured_fail(build, run->line, run->column,
                                 "the measured collective is not known: expected "
                                 "\"# Collective test starting: all_reduce_perf\", or one of its "
                                 "names in that of the file, as in all_reduce.txt; or set it "
                                 "(--collective)");
    }
    enum coll_kind kind = COLL_ALL_REDUCE;
    return orr_measured_name(name, &kind) == ORR_MEASURED_KNOWN ? add_all(build, run, kind)
                                                                : skip_all(build, run, name);
}

enum orr_status orr_nccl_run_end(struct orr_measured_build *build, struct nccl_run *run)
{
    const enum orr_status status = run->results > 0 ? make_rows(build, run) : ORR_OK;
    orr_strings_init(&run->hosts, build->arena);
    run->members = run->results = 0;
    run->threads = run->gpus = 0;
    run->cut = run->closed = false;
    run->sizes = (struct nccl_sizes){0};
    run->name = NULL;
    return status;
}
