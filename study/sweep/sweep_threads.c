/* Points on threads of this process; see sweep_ranks.h. */
#include <pthread.h>

#include "orrery/study.h"
#include "study/sweep/sweep_ranks.h"

struct crew {
    const struct orr_sweep_work *work;
    pthread_mutex_t lock; /* of what follows, and of keeping lines */
    enum orr_status status;
    struct orr_diag *diag;
};

static void keep(struct crew *crew, const char *line)
{
    (void)pthread_mutex_lock(&crew->lock);
    if (crew->status == ORR_OK) {
        crew->status = line != NULL ? crew->work->keep(crew->work->context, line, crew->diag)
                                    : orr_diag_no_memory(crew->diag, "a point of a sweep");
    }
    (void)pthread_mutex_unlock(&crew->lock);
}

static bool goes_on(struct crew *crew)
{
    (void)pthread_mutex_lock(&crew->lock);
    const bool on = crew->status == ORR_OK;
    (void)pthread_mutex_unlock(&crew->lock);
    return on;
}

static void run_point(void *context, unsigned index)
{
    struct crew *crew = context;
    if (goes_on(crew)) {
        char *line = orr_sweep_run(crew->work->sweep, crew->work->todo[index]);
        keep(crew, line);
        orr_heap_free(line);
    }
}

static enum orr_status run(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work,
                           struct orr_diag *diag)
{
    struct crew crew = {.work = work, .diag = diag};
    (void)ranks;
    (void)pthread_mutex_init(&crew.lock, NULL);
    orrery_parallel(work->threads, (unsigned)work->count, run_point, &crew);
    (void)pthread_mutex_destroy(&crew.lock);
    return crew.status;
}

struct orr_sweep_ranks orr_sweep_ranks_threads(void)
{
    static const struct orr_sweep_ranks_ops threads = {.name = "threads",
                                                       .summary = "threads of this process",
                                                       .share = orr_sweep_share_with_none,
                                                       .run = run};
    return (struct orr_sweep_ranks){.ops = &threads, .count = 1, .local = 1};
}
