/* See flow_jobs.h. */
#include "flow_jobs.h"
#include "core/evq.h"
#include "core/rng.h"
#include "network/flows/flows.h"
#include "network/graph.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct maker {
    struct plain_job *job;
    struct orr_rng rng;
    bool odd;
    uint64_t size; /* when all have the same */
    bool one_size;
    bool one_start;
};

static uint64_t below(struct maker *maker, uint64_t bound)
{
    return orr_rng_below(&maker->rng, bound);
}

static bool chance(struct maker *maker, uint64_t percent)
{
    return below(maker, 100) < percent;
}

/* ---- the parts of a job ---- */

void flow_job_begin(struct plain_job *job, uint32_t links, double bytes_per_s, sim_time latency)
{
    memset(job, 0, sizeof *job);
    job->graph = (struct net_graph){.npus = 8, .nodes = 16, .links = links, .link = job->link};
    job->order = ORR_ORDER_INSERTION;
    for (uint32_t l = 0; l < links; l++) {
        job->link[l] = (struct net_link){.from = l % 16,
                                         .to = (l + 1) % 16,
                                         .count = 1,
                                         .bytes_per_s = bytes_per_s,
                                         .latency_ps = latency};
    }
}

uint32_t flow_job_path(struct plain_job *job, const uint32_t *link, uint32_t hops)
{
    ORR_ASSERT(job->paths < PLAIN_PATHS && hops <= PLAIN_HOPS);
    struct plain_path *path = &job->path[job->paths];
    memcpy(path->link, link, hops * sizeof *link);
    path->hops = hops;
    path->around = PLAIN_NONE;
    return job->paths++;
}

uint32_t flow_job_flow(struct plain_job *job, uint32_t path, uint64_t bytes, sim_time start)
{
    ORR_ASSERT(job->flows < PLAIN_FLOWS);
    job->flow[job->flows] =
        (struct plain_flow){.path = path, .bytes = bytes, .start = start, .first_edge = PLAIN_NONE};
    return job->flows++;
}

void flow_job_after(struct plain_job *job, uint32_t later, uint32_t earlier)
{
    ORR_ASSERT(job->edges < PLAIN_EDGES);
    struct plain_flow *before = &job->flow[earlier];
    job->edge[job->edges] = (struct plain_edge){.to = later, .next = before->first_edge};
    before->first_edge = job->edges++;
    job->flow[later].waits++;
}

void flow_job_event(struct plain_job *job, const struct plain_event *event)
{
    ORR_ASSERT(job->events < PLAIN_EVENTS);
    uint32_t at = job->events++;
    for (; at > 0 && job->event[at - 1].at > event->at; at--) {
        job->event[at] = job->event[at - 1];
    }
    job->event[at] = *event;
}

/* ---- random numbers ---- */

static double random_capacity(struct maker *maker)
{
    static const double round[] = {1e9, 2e9, 5e9, 10e9, 10e9, 10e9, 12.5e9, 20e9, 50e9};
    return maker->odd ? 1e6 * (double)(700 + below(maker, 50000))
                      : round[below(maker, sizeof round / sizeof *round)];
}

static uint64_t random_size(struct maker *maker)
{
    static const uint64_t round[] = {0, 1, 1000, 8936, 10000, 100000, 360360, 1000000, 1000000};
    if (maker->one_size) {
        return maker->size;
    }
    return maker->odd ? below(maker, 3000000) : round[below(maker, sizeof round / sizeof *round)];
}

static sim_time random_start(struct maker *maker)
{
    if (maker->one_start) {
        return 0;
    }
    return maker->odd ? (sim_time)below(maker, 300000000) : (sim_time)below(maker, 8) * 25000000;
}

static uint32_t add_flow(struct maker *maker, uint32_t path)
{
    return flow_job_flow(maker->job, path, random_size(maker), random_start(maker));
}

static void begin(struct maker *maker, uint32_t links)
{
    struct plain_job *job = maker->job;
    const uint64_t seed = job->seed;
    const double capacity = random_capacity(maker);
    const bool alike = !maker->odd && chance(maker, 60);
    flow_job_begin(job, links, capacity, chance(maker, 30) ? 0 : 1000000);
    job->seed = seed;
    for (uint32_t l = 0; l < links && !alike; l++) {
        job->link[l].bytes_per_s = chance(maker, 50) ? random_capacity(maker) : capacity;
        job->link[l].latency_ps =
            maker->odd ? (sim_time)below(maker, 2000000) : (sim_time)below(maker, 4) * 250000;
        job->link[l].count = 1 + (uint32_t)below(maker, 2);
    }
}

/* ---- patterns ---- */

/* Paths that may take a link several times, many flows on each; a part waits for others. */
static void make_random(struct maker *maker)
{
    struct plain_job *job = maker->job;
    const uint32_t links = 2 + (uint32_t)below(maker, 11);
    begin(maker, links);
    const uint32_t paths = 1 + (uint32_t)below(maker, 14), flows = 4 + (uint32_t)below(maker, 50);
    for (uint32_t p = 0; p < paths; p++) {
        uint32_t link[5], hops = 1 + (uint32_t)below(maker, 5);
        for (uint32_t h = 0; h < hops; h++) {
            link[h] = (uint32_t)below(maker, links);
        }
        (void)flow_job_path(job, link, hops);
    }
    for (uint32_t f = 0; f < flows; f++) {
        const uint32_t flow = add_flow(maker, (uint32_t)below(maker, paths));
        for (uint64_t n = chance(maker, 40) && f > 0 ? 1 + below(maker, 2) : 0; n > 0; n--) {
            flow_job_after(job, flow, (uint32_t)below(maker, f));
        }
        job->flow[flow].at_arrival = chance(maker, 30);
    }
}

/* Hosts at a switch, which all send to all, by shift or by row; and again, each pair behind itself,
 * or all behind all. */
static void make_all_to_all(struct maker *maker)
{
    const bool large = chance(maker, 5);
    const uint32_t n = large ? 7 + (uint32_t)below(maker, 6) : 3 + (uint32_t)below(maker, 4);
    const uint32_t rounds = large ? 1 : 1 + (uint32_t)below(maker, 2);
    const bool by_shift = chance(maker, 50), barrier = chance(maker, 50);
    begin(maker, 2 * n);
    for (uint32_t r = 0; r < rounds; r++) {
        for (uint32_t i = 0; i < n * (n - 1); i++) {
            const uint32_t one = i / (n - 1), other = i % (n - 1);
            const uint32_t src = by_shift ? i % n : one;
            const uint32_t dst = by_shift ? (src + 1 + i / n) % n : (one + 1 + other) % n;
            const uint32_t link[2] = {src, n + dst};
            const uint32_t path = r == 0 ? flow_job_path(maker->job, link, 2) : i;
            const uint32_t flow = add_flow(maker, path);
            for (uint32_t e = 0; r > 0 && e < n * (n - 1); e++) {
                if (barrier || e == i) {
                    flow_job_after(maker->job, flow, flow - i - n * (n - 1) + e);
                }
            }
        }
    }
}

/* Rounds around a ring over 1 to 3 links each: everybody waits for the neighbour, or for all. */
static void make_rings(struct maker *maker)
{
    const uint32_t n = 3 + (uint32_t)below(maker, 6), jump = 1 + (uint32_t)below(maker, 3);
    const uint32_t rounds = 1 + (uint32_t)below(maker, 2 * (n - 1));
    const bool barrier = chance(maker, 50), arrival = chance(maker, 50);
    begin(maker, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t link[3] = {i, (i + 1) % n, (i + 2) % n};
        (void)flow_job_path(maker->job, link, jump);
    }
    for (uint32_t f = 0; f < n * rounds; f++) {
        const uint32_t flow = add_flow(maker, f % n), before = f / n * n - n;
        for (uint32_t e = 0; f >= n && e < n; e++) {
            if (barrier || e == (f + n - 1) % n) {
                flow_job_after(maker->job, flow, before + e);
            }
        }
        maker->job->flow[flow].at_arrival = arrival;
    }
}

/* Many send to one, and some of them to another. */
static void make_incast(struct maker *maker)
{
    const uint32_t n = 3 + (uint32_t)below(maker, 10), flows = n + (uint32_t)below(maker, 40);
    begin(maker, n + 2);
    for (uint32_t i = 0; i < 2 * n; i++) {
        const uint32_t link[2] = {i % n, n + i / n};
        (void)flow_job_path(maker->job, link, 2);
    }
    for (uint32_t f = 0; f < flows; f++) {
        (void)add_flow(maker, chance(maker, 80) ? f % n : n + f % n);
    }
}

/* Two levels: hosts, pods of four behind one link up and one down. Shifts and random pairs. */
static void make_tree(struct maker *maker)
{
    enum { POD = 4 };
    const uint32_t pods = 2 + (uint32_t)below(maker, 3), n = pods * POD;
    const uint32_t shift = 1 + (uint32_t)below(maker, n - 1),
                   flows = n + (uint32_t)below(maker, 30);
    begin(maker, 2 * (n + pods));
    for (uint32_t f = 0; f < flows; f++) {
        const uint32_t src = f < n ? f : (uint32_t)below(maker, n);
        const uint32_t dst =
            f < n ? (f + shift) % n : (src + 1 + (uint32_t)below(maker, n - 1)) % n;
        const uint32_t far[4] = {src, 2 * n + src / POD, 2 * n + pods + dst / POD, n + dst};
        const uint32_t near[2] = {src, n + dst};
        const bool same = src / POD == dst / POD;
        const uint32_t path = flow_job_path(maker->job, same ? near : far, same ? 2 : 4);
        const uint32_t flow = add_flow(maker, path);
        if (f >= n && chance(maker, 50)) {
            flow_job_after(maker->job, flow, (uint32_t)below(maker, f));
        }
    }
}

/* Flows over all parts of a line of links. */
static void make_line(struct maker *maker)
{
    const uint32_t n = 2 + (uint32_t)below(maker, 7);
    begin(maker, n);
    for (uint32_t from = 0; from < n; from++) {
        uint32_t link[8];
        for (uint32_t to = from; to < n; to++) {
            link[to - from] = to;
            const uint32_t path = flow_job_path(maker->job, link, to - from + 1);
            for (uint64_t k = 1 + below(maker, 2); k > 0; k--) {
                (void)add_flow(maker, path);
            }
        }
    }
}

/* ---- what happens to links ---- */

/* As long as the busiest link needs, if it never waits. */
static sim_time horizon(const struct plain_job *job)
{
    double longest = 0;
    for (uint32_t l = 0; l < job->graph.links; l++) {
        double bytes = 0;
        for (uint32_t f = 0; f < job->flows; f++) {
            const struct plain_path *path = &job->path[job->flow[f].path];
            for (uint32_t h = 0; h < path->hops; h++) {
                bytes += path->link[h] == l ? (double)job->flow[f].bytes : 0;
            }
        }
        const double ps = bytes / net_link_capacity(&job->link[l]) * 1e12;
        longest = ps > longest ? ps : longest;
    }
    return 1 + (sim_time)longest;
}

/* At random, or at an eighth, when many flows end too. */
static sim_time random_time(struct maker *maker, sim_time horizon)
{
    return maker->odd || chance(maker, 30) ? (sim_time)below(maker, (uint64_t)horizon)
                                           : horizon / 8 * (sim_time)below(maker, 9);
}

static void change_capacities(struct maker *maker)
{
    struct plain_job *job = maker->job;
    const sim_time max = horizon(job), together = random_time(maker, max);
    const uint64_t alone = chance(maker, 50) ? 100 : 30;
    for (uint64_t n = 1 + below(maker, 8); n > 0; n--) {
        const uint32_t link = (uint32_t)below(maker, job->graph.links);
        const sim_time at = chance(maker, alone) ? random_time(maker, max) : together;
        struct plain_event event = {.at = at, .link = link};
        event.bytes_per_s = random_capacity(maker);
        if (chance(maker, 30)) { /* down, and nearly always up again */
            const struct plain_event down = {.at = event.at, .link = link};
            flow_job_event(job, &down);
            event.at += random_time(maker, max);
        }
        if (!chance(maker, 3)) {
            flow_job_event(job, &event);
        }
    }
}

/* A link dies, and comes back or does not. */
static void close_links(struct maker *maker)
{
    struct plain_job *job = maker->job;
    const sim_time max = horizon(job);
    for (uint32_t p = 0; p < job->paths; p++) {
        job->path[p].around = (uint32_t)below(maker, job->paths);
    }
    for (uint64_t n = 1 + below(maker, 3); n > 0; n--) {
        const uint32_t link = (uint32_t)below(maker, job->graph.links);
        const struct plain_event down = {
            .at = random_time(maker, max), .link = link, .routes = true, .closed = true};
        const struct plain_event up = {.at = down.at + 1 + random_time(maker, max),
                                       .link = link,
                                       .bytes_per_s = random_capacity(maker),
                                       .routes = true};
        flow_job_event(job, &down);
        if (!chance(maker, 10)) {
            flow_job_event(job, &up);
        }
    }
}

static struct net_flow_model random_model(struct maker *maker)
{
    struct net_flow_model model = {.packet_bytes = 0};
    if (chance(maker, 50)) {
        model.packet_bytes = chance(maker, 50) ? 8936 : 1 + below(maker, 5000);
    }
    model.start_bytes = chance(maker, 30) ? 1 + below(maker, 100) : 0;
    model.start_ps = chance(maker, 20) ? (sim_time)below(maker, 3) * 500000 : 0;
    model.forward_ps = chance(maker, 20) ? 777777 : 0;
    model.overhead_ps = chance(maker, 15) ? 300000 : 0;
    return model;
}

/* Hosts pass on so many bytes/s, and some switches are those of servers. */
static void limit_hosts(struct maker *maker)
{
    if (chance(maker, 35)) {
        maker->job->graph.servers = chance(maker, 50) ? 4 : 0;
        maker->job->model.forward_bytes_per_s = random_capacity(maker);
    }
}

void flow_job_random(struct plain_job *job, uint64_t seed)
{
    static const struct {
        const char *name;
        void (*make)(struct maker *maker);
    } pattern[] = {{"random", make_random}, {"all-to-all", make_all_to_all},
                   {"rings", make_rings},   {"incast", make_incast},
                   {"tree", make_tree},     {"line", make_line}};
    enum { PATTERNS = sizeof pattern / sizeof *pattern };
    struct maker maker = {.job = job};
    orr_rng_init(&maker.rng, seed, 0);
    maker.odd = seed / PATTERNS % 3 == 2;
    maker.size = random_size(&maker);
    maker.one_size = chance(&maker, maker.odd ? 20 : 60);
    maker.one_start = chance(&maker, maker.odd ? 20 : 60);
    job->seed = seed;
    pattern[seed % PATTERNS].make(&maker);
    job->pattern = pattern[seed % PATTERNS].name;
    job->order = chance(&maker, 70) ? ORR_ORDER_INSERTION : ORR_ORDER_LABEL;
    job->model = random_model(&maker);
    if (chance(&maker, 40)) {
        change_capacities(&maker);
    } else if (chance(&maker, 30)) {
        close_links(&maker);
    }
    limit_hosts(&maker);
}

/* ---- for people ---- */

static void print_path(const struct plain_path *path)
{
    for (uint32_t h = 0; h < path->hops; h++) {
        print_message("%s%" PRIu32, h == 0 ? "" : "-", path->link[h]);
    }
}

void flow_job_print(const struct plain_job *job)
{
    print_message(
        "seed %" PRIu64 ", %s, %s; packets %" PRIu64 ", start %" PRIu64 " B %" PRId64
        " ps, forward %" PRId64 " ps, %.17g B/s, %" PRIu32 " servers, overhead %" PRId64 "\n",
        job->seed, job->pattern, job->order == ORR_ORDER_LABEL ? "by label" : "by insertion",
        job->model.packet_bytes, job->model.start_bytes, job->model.start_ps, job->model.forward_ps,
        job->model.forward_bytes_per_s, job->graph.servers, job->model.overhead_ps);
    for (uint32_t l = 0; l < job->graph.links; l++) {
        print_message("link %" PRIu32 ": %.17g x %" PRIu32 ", %" PRId64 " ps\n", l,
                      job->link[l].bytes_per_s, job->link[l].count, job->link[l].latency_ps);
    }
    for (uint32_t f = 0; f < job->flows; f++) {
        const struct plain_flow *flow = &job->flow[f];
        print_message("flow %" PRIu32 ": %" PRIu64 " bytes at %" PRId64 " waits for %" PRIu32
                      ", path %" PRIu32 ": ",
                      f, flow->bytes, flow->start, flow->waits, flow->path);
        print_path(&job->path[flow->path]);
        print_message("\n");
    }
    for (uint32_t e = 0; e < job->events; e++) {
        const struct plain_event *event = &job->event[e];
        print_message("at %" PRId64 " link %" PRIu32 ": %.17g%s\n", event->at, event->link,
                      event->bytes_per_s, event->closed ? ", closed" : "");
    }
}
