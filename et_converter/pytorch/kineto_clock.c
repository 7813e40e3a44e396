/* Clock of a Kineto profile; see kineto.h. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/pytorch/json_scan.h"
#include "et_converter/pytorch/kineto.h"
#include "workload/gpu/comm_kernel.h"

struct end {
    int64_t start_ns, end_ns;
};

struct reader {
    struct orr_arena *arena;
    struct kt_clock *clock;
    struct end *end;
    size_t capacity;
    int64_t base_ns;
};

static enum orr_status add_end(struct reader *reader, struct js_value event, int64_t start_ns,
                               struct orr_diag *diag)
{
    int64_t duration = 0;
    const char *name = orr_js_text(orr_js_member(event, "name"));
    if (name == NULL || !orr_kernel_is_nccl(name)) {
        return ORR_OK;
    }
    struct end *grown = orr_arena_grow(reader->arena, reader->end, &reader->capacity,
                                       (size_t)reader->clock->ends + 1, sizeof *grown);
    if (grown == NULL) {
        return orr_diag_no_memory(diag, "a Kineto profile");
    }
    (void)orr_kineto_read_ns(orr_js_member(event, "dur"), &duration);
    reader->end = grown;
    grown[reader->clock->ends++] = (struct end){start_ns, start_ns + duration};
    return ORR_OK;
}

static enum orr_status read_item(void *user, const char *name, uint64_t index,
                                 struct js_value value, struct orr_diag *diag)
{
    (void)index;
    struct reader *reader = user;
    const char *category = orr_js_text(orr_js_member(value, "cat"));
    int64_t start_ns;
    if (strcmp(name, "traceEvents") != 0 || category == NULL ||
        !orr_kineto_read_ns(orr_js_member(value, "ts"), &start_ns)) {
        return ORR_OK;
    }
    if (strcmp(category, "kernel") == 0) {
        return add_end(reader, value, start_ns, diag);
    }
    const bool on_cpu = strcmp(category, "cpu_op") == 0 || strcmp(category, "user_annotation") == 0;
    if (on_cpu && start_ns < reader->clock->origin_ns) {
        reader->clock->origin_ns = start_ns;
    }
    return ORR_OK;
}

static enum orr_status read_member(void *user, const char *name, struct js_value value,
                                   struct orr_diag *diag)
{
    (void)diag;
    struct reader *reader = user;
    if (strcmp(name, "baseTimeNanoseconds") == 0) {
        (void)orr_js_integer(value, &reader->base_ns);
    } else if (strcmp(name, "distributedInfo") == 0) {
        (void)orr_js_integer(orr_js_member(value, "rank"), &reader->clock->place.rank);
        (void)orr_js_integer(orr_js_member(value, "world_size"), &reader->clock->place.world);
    }
    return ORR_OK;
}

int64_t orr_kineto_absolute_ns(int64_t ns, int64_t base_ns)
{
    const int64_t in_1973 = INT64_C(100000000000000000);
    return ns < in_1973 && ns > -in_1973 ? ns + base_ns : ns;
}

static int compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

enum orr_status orr_kineto_clock_read(struct orr_arena *arena, const struct js_source *source,
                                      struct kt_clock *out, struct orr_diag *diag)
{
    *out = (struct kt_clock){.origin_ns = INT64_MAX, .place = {-1, -1}};
    struct reader reader = {.arena = arena, .clock = out};
    struct js_visitor visitor = {.member = read_member, .item = read_item, .user = &reader};
    const enum orr_status status = orr_js_read(source, &visitor, diag);
    if (status != ORR_OK) {
        return status;
    }
    out->origin_ns = orr_kineto_absolute_ns(out->origin_ns, reader.base_ns);
    if (out->ends > 1) {
        qsort(reader.end, out->ends, sizeof *reader.end, compare_ends);
    }
    out->end_ns = orr_arena_array(arena, (size_t)out->ends + 1, sizeof *out->end_ns);
    for (uint32_t i = 0; out->end_ns != NULL && i < out->ends; i++) {
        out->end_ns[i] = orr_kineto_absolute_ns(reader.end[i].end_ns, reader.base_ns);
    }
    return out->end_ns != NULL ? ORR_OK : orr_diag_no_memory(diag, "a Kineto profile");
}
