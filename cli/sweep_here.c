/* Points on the threads of this process; see sweep_ranks.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/sweep_pool.h"
#include "cli/sweep_ranks.h"
#include "cli/terminal.h"

bool orr_sweep_is_rank(void)
{
    /* Open MPI, MPICH and Intel MPI, and starters by PMIx such as Slurm's. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

int orr_sweep_run_here(const struct orr_sweep_work *work)
{
    const unsigned threads = work->threads < work->count ? work->threads : (unsigned)work->count;
    struct orr_sweep_pool *pool =
        work->count != 0 ? orr_sweep_pool_create(work->sweep, threads) : NULL;
    bool failed = work->count != 0 && pool == NULL;
    int status = failed ? 1 : 0;
    if (pool != NULL) {
        failed = !orr_sweep_pool_push(pool, work->todo, work->count);
    }
    for (size_t i = 0; i < work->count && status == 0 && !failed; i++) {
        char *line = orr_sweep_pool_take(pool, -1, &failed);
        status = line != NULL ? work->keep(work->context, line) : 0;
        orr_heap_free(line);
    }
    if (failed && pool != NULL) {
        orr_say("orrery sweep: out of memory\n");
        status = 1;
    }
    orr_sweep_pool_destroy(pool);
    return status;
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
