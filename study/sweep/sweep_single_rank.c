/* A single rank: points on worker processes; see sweep_ranks.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <unistd.h>

#include "core/arena.h"
#include "study/sweep/sweep_pool.h"
#include "study/sweep/sweep_ranks.h"

enum orr_status orr_sweep_run_local(const struct orr_sweep_work *work, struct orr_diag *diag)
{
    const unsigned threads = work->threads < work->count ? work->threads : (unsigned)work->count;
    if (work->count == 0) {
        return ORR_OK;
    }
    struct orr_sweep_pool *pool = orr_sweep_pool_create(work->sweep, threads);
    bool failed = pool == NULL || !orr_sweep_pool_push(pool, work->todo, work->count);
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < work->count && status == ORR_OK && !failed; i++) {
        char *line = orr_sweep_pool_take(pool, -1, &failed);
        status = line != NULL ? work->keep(work->context, line, diag) : ORR_OK;
        orr_heap_free(line);
    }
    if (failed) {
        status = orr_diag_fail(diag, ORR_ERR_MEMORY, NULL, "out of memory");
    }
    orr_sweep_pool_destroy(pool);
    return status;
}

void orr_sweep_no_share(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash)
{
    (void)ranks;
    (void)status;
    (void)hash;
}

static enum orr_status run_single(const struct orr_sweep_ranks *ranks,
                                  const struct orr_sweep_work *work, struct orr_diag *diag)
{
    (void)ranks;
    return orr_sweep_run_local(work, diag);
}

struct orr_sweep_ranks orr_sweep_ranks_single(void)
{
    static const struct orr_sweep_ranks_ops single = {
        .name = "alone", .summary = "this process", .share = orr_sweep_no_share, .run = run_single};
    return (struct orr_sweep_ranks){.ops = &single, .count = 1, .local = 1};
}

unsigned orr_sweep_default_threads(const struct orr_sweep_ranks *ranks)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t mine;
    unsigned count = online > 0 ? (unsigned)online : 1;
    bool bound = false;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) > 0) {
        bound = (unsigned)CPU_COUNT(&mine) < count;
        count = (unsigned)CPU_COUNT(&mine);
    }
    count = bound ? count : count / ranks->local;
    return count > 0 ? count : 1;
}
