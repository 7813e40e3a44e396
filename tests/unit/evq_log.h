/* A queue of events and a log of what it handles, for its tests. */
#ifndef ORR_TESTS_UNIT_EVQ_LOG_H
#define ORR_TESTS_UNIT_EVQ_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/evq.h"
#include "core/rng.h"

struct orr_evq;

enum { MAX_LOG = 200000, KIND = ORR_EVENT_WORKLOAD, OTHER_KIND };

struct record {
    sim_time time;
    uint32_t entity;
    uint64_t label, cookie;
};

struct log {
    struct orr_evq *queue;
    struct orr_rng rng;
    struct record *record; /* [MAX_LOG] */
    uint32_t count;
    uint64_t flushes;
    int to_post; /* events that handlers still post */
};

static inline struct log *open_log(enum orr_order order, uint32_t entities)
{
    struct log *log = calloc(1, sizeof *log);
    assert_non_null(log);
    log->queue = orr_evq_create(order, entities);
    assert_non_null(log->queue);
    log->record = calloc(MAX_LOG, sizeof *log->record);
    orr_rng_init(&log->rng, 1, 0);
    return log;
}

static inline void close_log(struct log *log)
{
    orr_evq_destroy(log->queue);
    free(log->record);
    free(log);
}

static inline void keep(void *context, const struct orr_event *event)
{
    struct log *log = context;
    assert_true(log->count < MAX_LOG);
    log->record[log->count++] =
        (struct record){orr_evq_now(log->queue), event->entity, event->label, event->cookie};
}

static inline struct orr_event event_of(uint32_t entity, uint64_t label, uint64_t cookie)
{
    return (struct orr_event){.label = label, .cookie = cookie, .entity = entity, .kind = KIND};
}

static inline void post(struct log *log, sim_time time, uint32_t entity, uint64_t label,
                        uint64_t cookie)
{
    const struct orr_event event = event_of(entity, label, cookie);
    orr_evq_post(log->queue, time, &event);
}

static inline void post_own(struct log *log, sim_time time, uint32_t entity, uint64_t cookie)
{
    const struct orr_event event = event_of(entity, 0, cookie);
    orr_evq_post_batched(log->queue, time, &event);
}

static inline void run(struct log *log)
{
    assert_int_equal(orr_evq_run(log->queue, NULL), ORR_OK);
}

static inline void expect_cookies(const struct log *log, const uint64_t *cookies, uint32_t count)
{
    assert_int_equal(log->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(log->record[i].cookie, cookies[i]);
    }
}

#endif
