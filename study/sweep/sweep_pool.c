/* Queue of points and worker processes with one request each; see sweep_pool.h. */
#define _GNU_SOURCE /* ppoll */
#include "study/sweep/sweep_pool.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "core/arena.h"
#include "study/sweep/sweep_worker.h"

enum { MAX_PROCESSES = 256 };

struct orr_sweep_pool {
    struct orr_sweep_worker worker[MAX_PROCESSES];
    struct pollfd watch[MAX_PROCESSES];  /* fd < 0: idle */
    unsigned processes, busy, poll_from; /* poll_from: first worker to poll, round robin */
    uint32_t *point;                     /* [capacity], first..count are queued */
    size_t capacity, count, first;
};

struct orr_sweep_pool *orr_sweep_pool_create(const struct orr_sweep *sweep, unsigned processes)
{
    struct orr_sweep_pool *pool = orr_heap_calloc(1, sizeof *pool);
    if (pool == NULL) {
        return NULL;
    }
    pool->processes = processes < MAX_PROCESSES ? processes : MAX_PROCESSES;
    for (unsigned i = 0; i < pool->processes; i++) {
        pool->worker[i].sweep = sweep;
        pool->watch[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    }
    return pool;
}

/* Reserves room behind the queued points, which move to the front. */
static bool reserve(struct orr_sweep_pool *pool, size_t more)
{
    const size_t waiting = pool->count - pool->first;
    if (pool->count + more <= pool->capacity) {
        return true;
    }
    if (waiting != 0) {
        memmove(pool->point, pool->point + pool->first, waiting * sizeof *pool->point);
    }
    pool->first = 0;
    pool->count = waiting;
    if (waiting + more <= pool->capacity) {
        return true;
    }
    uint32_t *point = orr_heap_realloc(pool->point, (waiting + more) * 2 * sizeof *point);
    if (point == NULL) {
        return false;
    }
    pool->point = point;
    pool->capacity = (waiting + more) * 2;
    return true;
}

/* Assigns the next point to an idle worker. False: no process can be created. */
static bool assign_point(struct orr_sweep_pool *pool, unsigned process)
{
    if (pool->watch[process].fd >= 0 || pool->first == pool->count) {
        return true;
    }
    if (!orr_sweep_worker_request(&pool->worker[process], pool->point[pool->first], false)) {
        return false;
    }
    pool->first++;
    pool->busy++;
    pool->watch[process].fd = pool->worker[process].channel;
    return true;
}

/* Assigns points to all idle workers. False: there are points but no worker. */
static bool assign_points(struct orr_sweep_pool *pool)
{
    bool assigned = true;
    for (unsigned i = 0; i < pool->processes && assigned; i++) {
        assigned = assign_point(pool, i);
    }
    return pool->busy != 0 || pool->first == pool->count;
}

bool orr_sweep_pool_push(struct orr_sweep_pool *pool, const uint32_t *point, size_t count)
{
    if (!reserve(pool, count)) {
        return false;
    }
    if (count != 0) {
        memcpy(pool->point + pool->count, point, count * sizeof *point);
        pool->count += count;
    }
    return assign_points(pool);
}

size_t orr_sweep_pool_pending(const struct orr_sweep_pool *pool)
{
    return pool->count - pool->first + pool->busy;
}

static int64_t now_us(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Waits until a worker has a reply; false: none until `end_us` (< 0: no limit). */
static bool wait_for_reply(struct orr_sweep_pool *pool, int64_t end_us)
{
    for (;;) {
        const int64_t left_us = end_us < 0 ? -1 : end_us - now_us();
        const struct timespec left = {.tv_sec = (time_t)(left_us / 1000000),
                                      .tv_nsec = (long)(left_us % 1000000) * 1000};
        const int ready = ppoll(pool->watch, pool->processes,
                                end_us < 0    ? NULL
                                : left_us > 0 ? &left
                                              : &(struct timespec){0},
                                NULL);
        if (ready > 0 || (ready == 0 && left_us <= 0) || (ready < 0 && errno != EINTR)) {
            return ready > 0;
        }
    }
}

/* Takes the reply of a ready worker, which becomes idle. */
static char *take_reply(struct orr_sweep_pool *pool)
{
    unsigned process = pool->poll_from;
    while (pool->watch[process].revents == 0) {
        process = process + 1 < pool->processes ? process + 1 : 0;
    }
    char *line = orr_sweep_worker_reply(&pool->worker[process]);
    pool->poll_from = process + 1 < pool->processes ? process + 1 : 0;
    pool->watch[process].fd = -1;
    pool->watch[process].revents = 0;
    pool->busy--;
    return line;
}

char *orr_sweep_pool_take(struct orr_sweep_pool *pool, int64_t wait_us, bool *failed)
{
    if (!wait_for_reply(pool, wait_us < 0 ? -1 : now_us() + wait_us)) {
        return NULL;
    }
    char *line = take_reply(pool);
    *failed = line == NULL || !assign_points(pool) || *failed;
    return line;
}

void orr_sweep_pool_destroy(struct orr_sweep_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    for (unsigned i = 0; i < pool->processes; i++) {
        orr_sweep_worker_end(&pool->worker[i]);
    }
    orr_heap_free(pool->point);
    orr_heap_free(pool);
}
