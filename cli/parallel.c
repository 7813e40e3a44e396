/* Threads that take the next piece of work until none is left; see parallel.h. */
#include "cli/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/terminal.h"

enum { MOST_THREADS = 256 };

struct pool {
    atomic_uint next;
    unsigned count;
    void (*work)(void *context, unsigned index);
    void *context;
};

static void *take_work(void *argument)
{
    struct pool *pool = argument;
    for (unsigned i = atomic_fetch_add(&pool->next, 1); i < pool->count;
         i = atomic_fetch_add(&pool->next, 1)) {
        pool->work(pool->context, i);
    }
    return NULL;
}

static unsigned thread_count(unsigned asked, unsigned count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = asked != 0 ? asked : processors > 0 ? (unsigned)processors : 1;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    return threads < count ? threads : count;
}

void orr_run_parallel(unsigned threads, unsigned count, void (*work)(void *context, unsigned index),
                      void *context)
{
    struct pool pool = {.count = count, .work = work, .context = context};
    pthread_t helper[MOST_THREADS];
    const unsigned wanted = thread_count(threads, count);
    unsigned started = 0;
    while (started + 1 < wanted && pthread_create(&helper[started], NULL, take_work, &pool) == 0) {
        started++;
    }
    (void)take_work(&pool);
    while (started != 0) {
        (void)pthread_join(helper[--started], NULL);
    }
}

int orr_parse_jobs(const char *command, const char *text, unsigned *jobs)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > MOST_THREADS) {
        orr_say("orrery %s: --jobs: expected a whole number from 1 to %d, got \"%s\"\n", command,
                MOST_THREADS, text);
        return ORR_EXIT_USAGE;
    }
    *jobs = (unsigned)value;
    return 0;
}
