/* Threads and two queues under one lock: points in, lines out. See sweep_pool.h. */
#include "cli/sweep_pool.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "cli/sweep_guard.h"
#include "cli/terminal.h"

enum { MOST_THREADS = 256 };

struct line {
    struct line *next;
    char *text; /* NULL: memory was out */
};

struct orr_sweep_pool {
    const struct orr_sweep *sweep;
    pthread_t thread[MOST_THREADS];
    unsigned threads;
    pthread_mutex_t lock;
    pthread_cond_t more, ready; /* points to run; lines to take */
    uint32_t *point;            /* [room], of which first..count wait */
    size_t room, count, first;
    struct line *head, **tail;
    size_t pending;
    bool closing;
};

static void put_line(struct orr_sweep_pool *pool, struct line *line)
{
    line->next = NULL;
    *pool->tail = line;
    pool->tail = &line->next;
    (void)pthread_cond_signal(&pool->ready);
}

static void *work(void *argument)
{
    struct orr_sweep_pool *pool = argument;
    struct orr_sweep_guard guard = {.sweep = pool->sweep};
    (void)pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->first == pool->count && !pool->closing) {
            (void)pthread_cond_wait(&pool->more, &pool->lock);
        }
        if (pool->closing) {
            break;
        }
        const uint32_t point = pool->point[pool->first++];
        (void)pthread_mutex_unlock(&pool->lock);
        char *text = orr_sweep_guard_run(&guard, point);
        struct line *line = orr_heap_alloc(sizeof *line);
        ORR_ASSERT(line != NULL); /* what the point needed has just been freed */
        line->text = text;
        (void)pthread_mutex_lock(&pool->lock);
        put_line(pool, line);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    orr_sweep_guard_end(&guard);
    return NULL;
}

struct orr_sweep_pool *orr_sweep_pool_create(const struct orr_sweep *sweep, unsigned threads)
{
    struct orr_sweep_pool *pool = orr_heap_calloc(1, sizeof *pool);
    if (pool == NULL) {
        orr_say("orrery sweep: out of memory\n");
        return NULL;
    }
    pool->sweep = sweep;
    pool->tail = &pool->head;
    pthread_condattr_t monotonic;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->more, NULL);
    (void)pthread_cond_init(&pool->ready, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    while (pool->threads < threads && pool->threads < MOST_THREADS &&
           pthread_create(&pool->thread[pool->threads], NULL, work, pool) == 0) {
        pool->threads++;
    }
    if (pool->threads == 0) {
        orr_say("orrery sweep: no thread can be made\n");
        orr_sweep_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

/* Makes room behind the points that wait, moving these to the front. */
static bool make_room(struct orr_sweep_pool *pool, size_t more)
{
    const size_t waiting = pool->count - pool->first;
    if (pool->count + more <= pool->room) {
        return true;
    }
    if (waiting != 0) {
        memmove(pool->point, pool->point + pool->first, waiting * sizeof *pool->point);
    }
    pool->first = 0;
    pool->count = waiting;
    if (waiting + more <= pool->room) {
        return true;
    }
    uint32_t *point = orr_heap_realloc(pool->point, (waiting + more) * 2 * sizeof *point);
    if (point == NULL) {
        return false;
    }
    pool->point = point;
    pool->room = (waiting + more) * 2;
    return true;
}

bool orr_sweep_pool_push(struct orr_sweep_pool *pool, const uint32_t *point, size_t count)
{
    (void)pthread_mutex_lock(&pool->lock);
    const bool room = make_room(pool, count);
    if (room && count != 0) {
        memcpy(pool->point + pool->count, point, count * sizeof *point);
        pool->count += count;
        pool->pending += count;
        (void)pthread_cond_broadcast(&pool->more);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return room;
}

size_t orr_sweep_pool_pending(struct orr_sweep_pool *pool)
{
    (void)pthread_mutex_lock(&pool->lock);
    const size_t pending = pool->pending;
    (void)pthread_mutex_unlock(&pool->lock);
    return pending;
}

static struct timespec after(int64_t wait_us)
{
    struct timespec end = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += (long)(wait_us % 1000000) * 1000;
    end.tv_sec += (time_t)(wait_us / 1000000) + end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

char *orr_sweep_pool_take(struct orr_sweep_pool *pool, int64_t wait_us, bool *failed)
{
    const struct timespec end = after(wait_us > 0 ? wait_us : 0);
    int waited = 0;
    (void)pthread_mutex_lock(&pool->lock);
    while (pool->head == NULL && waited != ETIMEDOUT) {
        waited = wait_us < 0 ? pthread_cond_wait(&pool->ready, &pool->lock)
                             : pthread_cond_timedwait(&pool->ready, &pool->lock, &end);
    }
    struct line *line = pool->head;
    char *text = NULL;
    if (line != NULL) {
        text = line->text;
        *failed = *failed || text == NULL;
        pool->head = line->next;
        pool->tail = pool->head != NULL ? pool->tail : &pool->head;
        pool->pending--;
        orr_heap_free(line);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return text;
}

void orr_sweep_pool_destroy(struct orr_sweep_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    (void)pthread_cond_broadcast(&pool->more);
    (void)pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->threads; i++) {
        (void)pthread_join(pool->thread[i], NULL);
    }
    while (pool->head != NULL) {
        struct line *line = pool->head;
        pool->head = line->next;
        orr_heap_free(line->text);
        orr_heap_free(line);
    }
    (void)pthread_mutex_destroy(&pool->lock);
    (void)pthread_cond_destroy(&pool->more);
    (void)pthread_cond_destroy(&pool->ready);
    orr_heap_free(pool->point);
    orr_heap_free(pool);
}
