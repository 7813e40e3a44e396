/* Events per second of the pending-event set, in both orders: lock-step (all entities act at the
 * same few times) and scattered (nearly every event has its own time). One line each. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/evq.h"
#include "core/rng.h"

enum { ENTITIES = 4096, KIND = ORR_EVENT_WORKLOAD, EVENTS = 10000000 };

struct bench {
    struct orr_evq *queue;
    struct orr_rng rng;
    uint64_t left;  /* events still to post */
    uint64_t range; /* delays are 1..range ps */
};

static void on_event(void *context, const struct orr_event *event)
{
    struct bench *bench = context;
    if (bench->left == 0) {
        return;
    }
    bench->left--;
    const uint64_t delay = 1 + (bench->range > 1 ? orr_rng_below(&bench->rng, bench->range) : 0);
    struct orr_event next = *event;
    next.label = orr_rng_next(&bench->rng) >> 8;
    next.entity = (event->entity + 1) % ENTITIES;
    orr_evq_post(bench->queue, orr_evq_now(bench->queue) + (sim_time)delay, &next);
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int measure(const char *name, enum orr_order order, uint64_t range)
{
    struct bench bench = {.queue = orr_evq_create(order, ENTITIES), .range = range};
    if (bench.queue == NULL) {
        return 1;
    }
    orr_rng_init(&bench.rng, 1, 0);
    orr_evq_handle(bench.queue, KIND, on_event, &bench);
    for (uint32_t entity = 0; entity < ENTITIES; entity++) {
        const struct orr_event first = {.entity = entity, .kind = KIND};
        orr_evq_post(bench.queue, 0, &first);
    }
    bench.left = EVENTS - ENTITIES;
    const double start = seconds();
    const enum orr_status status = orr_evq_run(bench.queue, NULL);
    const double elapsed = seconds() - start;
    printf("%-10s %-9s %8.2f M events/s  %6.1f ns/event  %5zu KiB\n",
           order == ORR_ORDER_LABEL ? "label" : "insertion", name,
           (double)orr_evq_handled(bench.queue) / elapsed * 1e-6,
           elapsed * 1e9 / (double)orr_evq_handled(bench.queue), orr_evq_bytes(bench.queue) / 1024);
    orr_evq_destroy(bench.queue);
    return status == ORR_OK ? 0 : 1;
}

int main(void)
{
    int failures = 0;
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        failures += measure("lock-step", (enum orr_order)order, 1);
        failures += measure("few times", (enum orr_order)order, 8);
        failures += measure("scattered", (enum orr_order)order, 1000000000);
    }
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
