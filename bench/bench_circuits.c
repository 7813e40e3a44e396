/* Time of allocating circuits and wavelengths to demands.
 *
 *   bench_circuits switches NODES PEERS SWITCHES     each GPU sends to PEERS random others
 *   bench_circuits folded GPUS PEERS SWITCHES        a folded group: all-to-all inside, the other
 *                                                    peers in neighbouring groups
 *   bench_circuits ring NODES PEERS WAVELENGTHS      each to PEERS others within a reach of 16
 *   bench_circuits group GPUS WAVELENGTHS            a folded group: all-to-all inside, and streams
 *                                                    to the next group, half in each direction
 *   bench_circuits flow GPUS WAVELENGTHS             the same by flows (appendix A.1)
 *
 * Prints the minimum time of several runs in ms of one core (for switches also with the assignment
 * of circuits to switches), the achieved rate / its bound, and the number of steps by flows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arena.h"
#include "core/rng.h"
#include "sipml/wavelengths/wavelengths.h"

enum { RUNS = 5, REACH = 16, MAX_BYTES = 1000000 };

struct job {
    struct orr_arena *arena, *scratch;
    struct ocs_demand *demand;
    struct ocs_problem circuits;
    struct ring_problem ring;
    bool by_flow;
};

/* Results of a run. */
struct measurement {
    double ms, switches_ms, ratio;
    uint32_t steps;
};

static double value_of(struct wave_rate rate)
{
    return (double)rate.circuits / (double)rate.bytes;
}

static double ms_since(clock_t begin)
{
    return 1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Rounds in which each GPU sends to the GPU at one distance, so that all receive equally. */
static void draw_switches(struct job *job, uint32_t nodes, uint32_t peers, uint32_t switches)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    uint32_t *ahead = orr_arena_array(job->arena, nodes, sizeof *ahead);
    uint32_t *to = orr_arena_array(job->arena, nodes, sizeof *to);
    job->demand = orr_arena_array(job->arena, (size_t)nodes * peers, sizeof *job->demand);
    for (uint32_t i = 0; i + 1 < nodes; i++) { /* a random order of the distances */
        const uint32_t at = (uint32_t)orr_rng_below(&rng, i + 1);
        ahead[i] = ahead[at];
        ahead[at] = i + 1;
    }
    job->circuits = (struct ocs_problem){.nodes = nodes, .switches = switches};
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t k = 0; k < peers; k++) {
            to[k] = (i + ahead[k]) % nodes;
        }
        qsort(to, peers, sizeof *to, by_number);
        for (uint32_t k = 0; k < peers; k++) {
            job->demand[job->circuits.demands++] =
                (struct ocs_demand){i, to[k], 1 + orr_rng_below(&rng, MAX_BYTES)};
        }
    }
    job->circuits.demand = job->demand;
}

/* A GPU sends to its group, then by turns to the GPU of its place in the next groups and in those
 * before; so all receive from as many. */
static void draw_folded(struct job *job, uint32_t gpus, uint32_t peers, uint32_t switches)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    const uint32_t others = peers - (gpus - 1), nodes = gpus * (others + 2);
    uint32_t *to = orr_arena_array(job->arena, peers, sizeof *to);
    job->demand = orr_arena_array(job->arena, (size_t)gpus * peers, sizeof *job->demand);
    job->circuits = (struct ocs_problem){.nodes = nodes, .switches = switches, .group = gpus};
    for (uint32_t i = 0; i < gpus; i++) {
        for (uint32_t k = 0; k < peers; k++) {
            const uint32_t away = k < others ? (k / 2 + 1) * gpus : k - others;
            to[k] = k < others ? (k % 2 == 0 ? i + away : i + nodes - away) % nodes
                               : away + (away >= i);
        }
        qsort(to, peers, sizeof *to, by_number);
        for (uint32_t k = 0; k < peers; k++) {
            job->demand[job->circuits.demands++] =
                (struct ocs_demand){i, to[k], 1 + orr_rng_below(&rng, MAX_BYTES)};
        }
    }
    job->circuits.demand = job->demand;
}

static void draw_ring(struct job *job, uint32_t nodes, uint32_t peers, uint32_t wavelengths)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    struct ring_arc *arc = orr_arena_array(job->arena, (size_t)nodes * peers, sizeof *arc);
    for (uint32_t i = 0; i < nodes * peers; i++) {
        arc[i] = (struct ring_arc){.from = i / peers,
                                   .length = 1 + (i % peers) / 2,
                                   .down = i % 2 == 1,
                                   .bytes = 1 + orr_rng_below(&rng, MAX_BYTES)};
    }
    job->ring = (struct ring_problem){nodes, wavelengths, nodes * peers, arc};
}

/* A group is a piece of a longer ring: within it, nothing goes around. */
static void draw_group(struct job *job, uint32_t gpus, uint32_t wavelengths)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    const size_t max = (size_t)gpus * (gpus + 1);
    struct ring_arc *arc = orr_arena_array(job->arena, max, sizeof *arc);
    uint32_t arcs = 0;
    for (uint32_t i = 0; i < gpus; i++) {
        for (uint32_t k = 0; k < gpus; k++) {
            if (i != k) {
                arc[arcs++] = (struct ring_arc){.from = i,
                                                .length = k > i ? k - i : i - k,
                                                .down = k < i,
                                                .bytes = 1 + orr_rng_below(&rng, MAX_BYTES)};
            }
        }
        for (uint32_t down = 0; down < 2; down++) {
            arc[arcs++] = (struct ring_arc){i, gpus, down == 1, MAX_BYTES / 2};
        }
    }
    job->ring = (struct ring_problem){gpus, wavelengths, arcs, arc};
}

static bool run_switches(const struct job *job, struct measurement *measurement)
{
    struct ocs_circuits found;
    uint32_t *peer;
    clock_t begin = clock();
    if (orr_ocs_circuits(job->scratch, &job->circuits, &found, NULL) != ORR_OK) {
        return false;
    }
    measurement->ms = ms_since(begin);
    begin = clock();
    if (orr_ocs_switches(job->scratch, &job->circuits, found.count, &peer, NULL) != ORR_OK) {
        return false;
    }
    measurement->switches_ms = ms_since(begin);
    measurement->ratio = value_of(found.rate) / value_of(found.bound);
    return true;
}

static bool run_ring(const struct job *job, struct measurement *measurement)
{
    struct ring_allocation found;
    struct ring_flow flow = {.rounding = RING_ROUND_DOWN};
    const clock_t begin = clock();
    const enum orr_status status =
        job->by_flow ? orr_ring_flow(job->scratch, &job->ring, &flow, &found, NULL)
                     : orr_ring_allocate(job->scratch, &job->ring, &found, NULL);
    if (status != ORR_OK) {
        return false;
    }
    measurement->ms = ms_since(begin);
    measurement->ratio = value_of(found.rate) / value_of(found.bound);
    measurement->steps = flow.steps;
    return true;
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: bench_circuits switches NODES PEERS SWITCHES | folded GPUS PEERS "
                          "SWITCHES | ring NODES PEERS WAVELENGTHS | group GPUS WAVELENGTHS | flow "
                          "GPUS WAVELENGTHS\n");
    return 2;
}

static bool draw(struct job *job, int argc, char **argv)
{
    uint32_t number[3] = {0};
    for (int i = 2; i < argc && i < 5; i++) {
        number[i - 2] = (uint32_t)strtoul(argv[i], NULL, 10);
    }
    const char *kind = argc > 1 ? argv[1] : "";
    if (argc == 5 && strcmp(kind, "switches") == 0 && number[1] < number[0]) {
        draw_switches(job, number[0], number[1], number[2]);
    } else if (argc == 5 && strcmp(kind, "folded") == 0 && number[0] > 0 &&
               number[1] + 1 >= number[0]) {
        draw_folded(job, number[0], number[1], number[2]);
    } else if (argc == 5 && strcmp(kind, "ring") == 0 && number[1] <= (uint32_t)2 * REACH) {
        draw_ring(job, number[0], number[1], number[2]);
    } else if (argc == 4 && (strcmp(kind, "group") == 0 || strcmp(kind, "flow") == 0)) {
        job->by_flow = strcmp(kind, "flow") == 0;
        draw_group(job, number[0], number[1]);
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct job job = {.arena = orr_arena_create(), .scratch = orr_arena_create()};
    struct measurement best = {.ms = 0};
    if (!draw(&job, argc, argv)) {
        return usage();
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        struct measurement measurement = {.ms = 0};
        orr_arena_reset(job.scratch);
        if (!(job.circuits.nodes != 0 ? run_switches(&job, &measurement)
                                      : run_ring(&job, &measurement))) {
            return 1;
        }
        best = i == 0 || measurement.ms < best.ms ? measurement : best;
    }
    (void)printf("%.3f %.3f %.4f %" PRIu32 "\n", best.ms, best.switches_ms, best.ratio, best.steps);
    orr_arena_destroy(job.scratch);
    orr_arena_destroy(job.arena);
    return 0;
}
