/* See fold_runs.h. */
#include "tests/property/fold_runs.h"

#include "core/arena.h"
#include "orrery/orrery.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t empty_digest = UINT64_C(0xcbf29ce484222325);

static uint64_t digest_byte(uint64_t hash, int byte)
{
    return (hash ^ (uint64_t)byte) * UINT64_C(0x100000001b3);
}

static uint64_t digest_file(FILE *file)
{
    uint64_t hash = empty_digest;
    rewind(file);
    for (int byte = fgetc(file); byte != EOF; byte = fgetc(file)) {
        hash = digest_byte(hash, byte);
    }
    return hash;
}

static uint64_t digest_number(uint64_t hash, int64_t number)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        hash = digest_byte(hash, (int)((uint64_t)number >> shift & 0xff));
    }
    return hash;
}

/* But for whose the steps are: a fold names those that stand for others. */
static uint64_t digest_path(const struct orrery *handle)
{
    uint64_t hash = empty_digest;
    struct orrery_path_part part;
    assert_true(orrery_path_parts(handle) != 0 || orrery_wall_ps(handle) == 0);
    for (size_t i = 0; i < orrery_path_parts(handle); i++) {
        assert_int_equal(orrery_path_part(handle, i, &part), ORRERY_OK);
        hash = digest_number(digest_number(hash, part.what[0]), part.ps);
    }
    struct orrery_path_step step;
    for (size_t i = 0; i < orrery_path_steps(handle); i++) {
        assert_int_equal(orrery_path_step(handle, i, &step), ORRERY_OK);
        hash = digest_number(hash, step.start_ps);
    }
    return hash;
}

static void take_links(const struct orr_taskgraph_job *job, const struct orrery *handle,
                       struct fold_outcome *out)
{
    const struct orr_network_use use = {.network = &job->network,
                                        .flows = orr_task_graph_flows(handle),
                                        .fold = orr_task_graph_fold(handle),
                                        .duration_ps = orrery_wall_ps(handle),
                                        .servers = orrery_npus(handle)};
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(orr_link_stats_write(file, &use), 0);
    out->links = digest_file(file);
    out->demand = orr_network_bytes(&use).demand;
    out->sent = orr_network_bytes(&use).sent;
    (void)fclose(file);
}

static void take_fold(const struct orrery *handle, struct fold_outcome *out)
{
    struct orrery_fold_digit digit;
    for (unsigned i = 0; orrery_fold_digit(handle, i, &digit); i++) {
        out->folded |= digit.folded;
        (void)snprintf(out->reason, sizeof out->reason, "%s", digit.why != NULL ? digit.why : "");
    }
}

void fold_run(const struct tg_graph *graph, const struct fold_way *way, bool fold,
              struct fold_outcome *out)
{
    struct orr_arena *arena = orr_arena_create();
    struct orrery *handle = orrery_new();
    struct orr_taskgraph_job job;
    struct orr_diag diag;
    const struct orrery_inputs no_platform = {.platform = NULL};
    const struct orr_taskgraph_values values = {
        .graph = graph,
        .fabric = way->fabric,
        .all_reduce = way->all_reduce,
        .rings = way->rings,
        .rings_key = "rings",
        .kind = {.bytes_per_s = 1e9, .latency_ps = way->latency_ps},
        .setup_ps = &way->setup_ps,
        .shares = way->shares};
    orr_diag_init(&diag);
    memset(out, 0, sizeof *out);
    orrery_record(handle, ORRERY_RECORD_PATH);
    orrery_fold(handle, fold);
    assert_int_equal(orr_taskgraph_load(&job, &values, arena, &diag), ORR_OK);
    enum orrery_status status = orr_taskgraph_prepare(&job, &no_platform, handle);
    status = status == ORRERY_OK ? orrery_run(handle) : status;
    if (status != ORRERY_OK) {
        fail_msg("%s", orrery_error(handle));
    }
    take_fold(handle, out);
    out->classes = orrery_fold_classes(handle);
    out->figures = orr_task_graph_metrics(handle);
    out->messages = orrery_messages(handle);
    out->npus = orrery_npus(handle);
    for (uint32_t i = 0; i < out->npus; i++) {
        assert_int_equal(orrery_npu_times(handle, i, &out->times[i]), ORRERY_OK);
    }
    take_links(&job, handle, out);
    out->path = digest_path(handle);
    orrery_free(handle);
    orr_arena_destroy(arena);
}

bool fold_same(const struct fold_outcome *one, const struct fold_outcome *other)
{
    return one->figures.iteration_ps == other->figures.iteration_ps &&
           one->figures.all_reduces == other->figures.all_reduces &&
           one->figures.rounds == other->figures.rounds &&
           one->figures.ring_fallbacks == other->figures.ring_fallbacks &&
           one->figures.compute_max_ps == other->figures.compute_max_ps &&
           one->figures.flows.flows == other->figures.flows.flows &&
           one->messages == other->messages && one->npus == other->npus &&
           memcmp(one->times, other->times, sizeof one->times) == 0 &&
           !(one->demand < other->demand) && !(one->demand > other->demand) &&
           !(one->sent < other->sent) && !(one->sent > other->sent) && one->links == other->links &&
           one->path == other->path;
}

void fold_tell(uint64_t seed, const struct fold_way *way, const char *what,
               const struct fold_outcome *want, const struct fold_outcome *found)
{
    print_message("seed %" PRIu64 ", %s, %s, %s: %s\n", seed, way->fabric, way->all_reduce,
                  way->shares == ORR_SHARES_WINDOWS ? "windows" : "maxmin", what);
    print_message("iteration %" PRId64 " and %" PRId64 ", flows %" PRIu64 " and %" PRIu64
                  ", rounds %" PRIu64 " and %" PRIu64 ", messages %" PRIu64 " and %" PRIu64 "\n",
                  want->figures.iteration_ps, found->figures.iteration_ps,
                  want->figures.flows.flows, found->figures.flows.flows, want->figures.rounds,
                  found->figures.rounds, (uint64_t)want->messages, (uint64_t)found->messages);
    for (uint32_t i = 0; i < want->npus; i++) {
        const struct orrery_times *a = &want->times[i], *b = &found->times[i];
        if (memcmp(a, b, sizeof *a) != 0) {
            print_message("NPU %u: finish %" PRId64 " %" PRId64 ", cpu %" PRId64 " %" PRId64
                          ", communication %" PRId64 " %" PRId64 ", waiting %" PRId64 " %" PRId64
                          ", idle %" PRId64 " %" PRId64 "\n",
                          i, a->finish_ps, b->finish_ps, a->cpu_ps, b->cpu_ps,
                          a->exposed_communication_ps, b->exposed_communication_ps, a->waiting_ps,
                          b->waiting_ps, a->idle_ps, b->idle_ps);
        }
    }
}
