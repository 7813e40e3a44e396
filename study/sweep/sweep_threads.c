/* Points on threads of this process; see sweep_ranks.h. */
#include <pthread.h>

#include "core/arena.h"
#include "orrery/study.h"
#include "study/sweep/sweep_ranks.h"

struct team {
    const struct orr_sweep_work *work;
    const volatile sig_atomic_t *stop;
    pthread_mutex_t lock; /* guards the following fields and `keep` */
    enum orr_status status;
    struct orr_diag *diag;
};

static void keep(struct team *team, const char *line)
{
    (void)pthread_mutex_lock(&team->lock);
    if (team->status == ORR_OK) {
        team->status = line != NULL ? team->work->keep(team->work->context, line, team->diag)
                                    : orr_diag_no_memory(team->diag, "a point of a sweep");
    }
    (void)pthread_mutex_unlock(&team->lock);
}

static bool is_running(struct team *team)
{
    (void)pthread_mutex_lock(&team->lock);
    const bool on = team->status == ORR_OK;
    (void)pthread_mutex_unlock(&team->lock);
    return on;
}

static void run_point(void *context, unsigned index)
{
    struct team *team = context;
    if ((team->stop == NULL || *team->stop == 0) && is_running(team)) {
        char *line = orr_sweep_run(team->work->sweep, team->work->todo[index]);
        keep(team, line);
        orr_heap_free(line);
    }
}

static enum orr_status run(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work,
                           struct orr_diag *diag)
{
    struct team team = {.work = work, .stop = ranks->stop, .diag = diag};
    (void)pthread_mutex_init(&team.lock, NULL);
    orrery_parallel(work->threads, (unsigned)work->count, run_point, &team);
    (void)pthread_mutex_destroy(&team.lock);
    return team.status;
}

struct orr_sweep_ranks orr_sweep_ranks_threads(const volatile sig_atomic_t *stop)
{
    static const struct orr_sweep_ranks_ops threads = {.name = "threads",
                                                       .summary = "threads of this process",
                                                       .share = orr_sweep_no_share,
                                                       .run = run};
    return (struct orr_sweep_ranks){.ops = &threads, .count = 1, .local = 1, .stop = stop};
}
