/* A pool of threads that take the next task until none is left; see include/orrery/study.h. */
#include "orrery/study.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "study/parallel.h"

struct pool {
    atomic_uint next;
    unsigned count;
    void (*work)(void *context, unsigned index);
    void *context;
};

static void *run_tasks(void *argument)
{
    struct pool *pool = argument;
    for (unsigned i = atomic_fetch_add(&pool->next, 1); i < pool->count;
         i = atomic_fetch_add(&pool->next, 1)) {
        pool->work(pool->context, i);
    }
    return NULL;
}

static unsigned thread_count(unsigned requested, unsigned count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = requested != 0 ? requested : processors > 0 ? (unsigned)processors : 1;
    threads = threads < ORR_MAX_THREADS ? threads : ORR_MAX_THREADS;
    return threads < count ? threads : count;
}

void orrery_parallel(unsigned threads, unsigned count, void (*work)(void *context, unsigned index),
                     void *context)
{
    struct pool pool = {.count = count, .work = work, .context = context};
    pthread_t helper[ORR_MAX_THREADS];
    const unsigned wanted = thread_count(threads, count);
    unsigned started = 0;
    while (started + 1 < wanted && pthread_create(&helper[started], NULL, run_tasks, &pool) == 0) {
        started++;
    }
    (void)run_tasks(&pool);
    while (started != 0) {
        (void)pthread_join(helper[--started], NULL);
    }
}
