/* Flows of an all-to-all by Frank and Wolfe's method (1956); see exchange_private.h.
 *
 * What is made small is a soft maximum of the links' loads, (1 / b) log sum of exp(b load): its
 * slopes are lengths of arcs, the even split over the shortest paths by these is the next
 * direction, and a step goes as far as the fullest link gains. b rises by rounds. Lengths give
 * bounds from below on the way. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/exchange_private.h"

enum { MAX_ROUNDS = 300, SEARCH_STEPS = 40 };
/* NPUs x arcs, over all rounds: some seconds. */
static const double max_work = 6e7;

struct descent {
    struct exchange *exchange;
    double *used, *next; /* [arcs] load / capacity of all flows now, and of the direction */
    double sharpness;    /* b x the fullest load */
};

static double fullest(const double *used, uint32_t arcs)
{
    double most = 0;
    for (uint32_t i = 0; i < arcs; i++) {
        most = fmax(most, used[i]);
    }
    return most;
}

static void set_lengths(struct descent *descent)
{
    struct exchange *exchange = descent->exchange;
    const struct cap_graph *graph = &exchange->graph;
    const double most = fullest(descent->used, graph->arcs);
    for (uint32_t i = 0; i < graph->arcs; i++) {
        exchange->length[i] = exp(descent->sharpness * (descent->used[i] / most - 1)) /
                              (double)graph->arc[i].capacity;
    }
}

/* The even split of all NPUs by the lengths. */
static void find_direction(struct descent *descent)
{
    struct exchange *exchange = descent->exchange;
    const struct cap_graph *graph = &exchange->graph;
    double distances = 0;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        descent->next[i] = 0;
    }
    for (uint32_t s = 0; s < graph->npus; s++) {
        distances += orr_even_paths_search(&exchange->paths, s, exchange->length);
        orr_even_paths_add_load(&exchange->paths, exchange->length, descent->next);
    }
    for (uint32_t i = 0; i < graph->arcs; i++) {
        descent->next[i] /= (double)graph->arc[i].capacity;
    }
    orr_exchange_try_lengths(exchange, distances);
}

/* Slope of the soft maximum at a step towards the direction, up to a positive factor. */
static double slope_at(const struct descent *descent, double step)
{
    const uint32_t arcs = descent->exchange->graph.arcs;
    double most = 0, slope = 0;
    for (uint32_t i = 0; i < arcs; i++) {
        most = fmax(most, descent->used[i] + step * (descent->next[i] - descent->used[i]));
    }
    for (uint32_t i = 0; i < arcs; i++) {
        const double gain = descent->next[i] - descent->used[i];
        slope += gain * exp(descent->sharpness * ((descent->used[i] + step * gain) / most - 1));
    }
    return slope;
}

/* Goes to where the slope is 0, by bisection. */
static void go(struct descent *descent)
{
    double low = 0, high = 1;
    for (int i = 0; i < SEARCH_STEPS && slope_at(descent, high) > 0; i++) {
        const double middle = (low + high) / 2;
        *(slope_at(descent, middle) > 0 ? &high : &low) = middle;
    }
    for (uint32_t i = 0; i < descent->exchange->graph.arcs; i++) {
        descent->used[i] += high * (descent->next[i] - descent->used[i]);
    }
}

enum orr_status orr_exchange_descend(struct exchange *exchange)
{
    const struct cap_graph *graph = &exchange->graph;
    struct descent descent = {
        .exchange = exchange,
        .used = orr_arena_array(exchange->arena, (size_t)graph->arcs + 1, sizeof(double)),
        .next = orr_arena_array(exchange->arena, (size_t)graph->arcs + 1, sizeof(double)),
        .sharpness = 10};
    if (descent.used == NULL || descent.next == NULL) {
        return orr_diag_no_memory(exchange->diag, "the flows of an all-to-all");
    }
    const double work = (double)graph->npus * graph->arcs;
    for (uint32_t i = 0; i < graph->arcs; i++) {
        exchange->length[i] = 1 / (double)graph->arc[i].capacity;
    }
    for (int round = 0; round < MAX_ROUNDS && round * work < max_work; round++) {
        find_direction(&descent);
        if (round == 0) {
            for (uint32_t i = 0; i < graph->arcs; i++) {
                descent.used[i] = descent.next[i];
            }
        } else {
            go(&descent);
        }
        exchange->most = fmin(exchange->most, fullest(descent.used, graph->arcs));
        descent.sharpness *= 1.02;
        set_lengths(&descent);
    }
    return ORR_OK;
}
