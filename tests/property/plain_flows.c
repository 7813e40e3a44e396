/* See plain_flows.h. The rules are those of docs/models.md, section 4, and flows.h, one after the
 * other as they stand there. */
#include "plain_flows.h"

#include <math.h>
#include <string.h>

/* Less is rounding and no time: a flow with so little left is at its end, and one that ends with
 * another one of its path with twice as much. */
static const long double rounding_ps = 1e-3L;
/* As far as doubles may be off: in bytes served; in ps at first, and for every ps that has passed,
 * since levels that differ by a part of 10^-11 are one (maxmin.c). */
static const long double double_bytes = 1e-6L, double_ps = 1e-4L, double_part = 1e-11L;
static const double fastest_bytes_per_s = 1e30;

enum state { WAITING, STARTED, JOINED, ENDED };

struct running {
    enum state state;
    uint32_t path, waits;
    sim_time latest;        /* arrival of those that it waits for */
    sim_time join;          /* STARTED */
    uint64_t sequence;      /* of its start */
    long double left, rate; /* JOINED: bytes, bytes/ps */
    bool rising;
};

struct plain {
    const struct plain_job *job;
    const struct plain_answer *seen;
    struct plain_answer *out;
    struct running flow[PLAIN_FLOWS];
    double capacity[PLAIN_LINKS]; /* bytes/s */
    bool closed[PLAIN_LINKS];
    bool looks_around;                      /* links have been closed or opened */
    uint32_t used[PLAIN_PATHS], paths_used; /* paths in the order of their first joins */
    uint64_t starts;
    uint32_t events; /* taken */
    sim_time now;
};

uint32_t plain_same_path(const struct plain_job *job, uint32_t path)
{
    const struct plain_path *one = &job->path[path];
    for (uint32_t p = 0; p < path; p++) {
        const struct plain_path *other = &job->path[p];
        if (other->hops == one->hops &&
            memcmp(other->link, one->link, one->hops * sizeof *one->link) == 0) {
            return p;
        }
    }
    return path;
}

static const struct plain_path *path_of(const struct plain *plain, const struct running *flow)
{
    return &plain->job->path[flow->path];
}

/* ---- shares ---- */

/* An NPU on the way, or a server that is neither the first node on it nor the last one. */
static bool passes_host(const struct plain_job *job, const struct plain_path *path, uint32_t h)
{
    const uint32_t node = job->link[path->link[h]].to;
    if (node < job->graph.npus) {
        return h + 1 < path->hops;
    }
    return node < job->graph.npus + job->graph.servers && h >= 1 && h + 2 < path->hops;
}

/* Behind the links come the hosts, for each time that they are passed. */
static uint32_t times_on(const struct plain_job *job, const struct plain_path *path, uint32_t link)
{
    uint32_t times = 0;
    for (uint32_t h = 0; h < path->hops; h++) {
        const uint32_t host = job->graph.links + job->link[path->link[h]].to;
        times += path->link[h] == link ? 1 : 0;
        times += host == link && passes_host(job, path, h) ? 1 : 0;
    }
    return times;
}

static uint32_t all_links(const struct plain_job *job)
{
    const bool limited = job->model.forward_bytes_per_s > 0;
    return job->graph.links + (limited ? job->graph.npus + job->graph.servers : 0);
}

/* The level at which the link is full, when those that rise go on. */
static long double full_at(const struct plain *plain, uint32_t link)
{
    const bool host = link >= plain->job->graph.links;
    const double capacity = host ? plain->job->model.forward_bytes_per_s : plain->capacity[link];
    long double left = (long double)capacity / 1e12L, rising = 0;
    for (uint32_t f = 0; f < plain->job->flows; f++) {
        const struct running *flow = &plain->flow[f];
        if (flow->state == JOINED) {
            const uint32_t times = times_on(plain->job, path_of(plain, flow), link);
            left -= flow->rising ? 0 : times * flow->rate;
            rising += flow->rising ? times : 0;
        }
    }
    return rising > 0 ? fmaxl(left, 0) / rising : INFINITY;
}

/* Progressive filling: of all links the one that is full at the lowest level holds its flows back
 * there; then the next one, until no flow rises. */
static void fill(struct plain *plain)
{
    for (uint32_t f = 0; f < plain->job->flows; f++) {
        plain->flow[f].rising = plain->flow[f].state == JOINED;
    }
    for (;;) {
        uint32_t first = PLAIN_NONE;
        long double min = INFINITY;
        for (uint32_t link = 0; link < all_links(plain->job); link++) {
            const long double level = full_at(plain, link);
            if (level < min) {
                min = level;
                first = link;
            }
        }
        if (first == PLAIN_NONE) {
            return;
        }
        for (uint32_t f = 0; f < plain->job->flows; f++) {
            struct running *flow = &plain->flow[f];
            if (flow->rising && times_on(plain->job, path_of(plain, flow), first) > 0) {
                flow->rate = min;
                flow->rising = false;
            }
        }
    }
}

/* ---- starting and joining ---- */

static sim_time whole(double ps)
{
    return ps < 9e18 ? (sim_time)floor(ps + 0.5) : ORR_TIME_MAX;
}

static double hop_latency(const struct plain_job *job, const struct plain_path *path, uint32_t h)
{
    const struct net_link *link = &job->link[path->link[h]];
    return (double)link->latency_ps +
           (passes_host(job, path, h) ? (double)job->model.forward_ps : 0);
}

/* Made ready, then the handshake goes over all links. */
static sim_time ready_after(const struct plain_job *job, const struct plain_path *path)
{
    double sum = (double)job->model.start_ps;
    for (uint32_t h = 0; h < path->hops && job->model.start_bytes != 0; h++) {
        sum += hop_latency(job, path, h) +
               1e12 / job->link[path->link[h]].bytes_per_s * (double)job->model.start_bytes;
    }
    return whole(sum);
}

/* All latencies, and a packet on all links but the slowest. */
static sim_time tail(const struct plain_job *job, const struct plain_path *path)
{
    double sum = 0, slowest = 0;
    for (uint32_t h = 0; h < path->hops; h++) {
        const double packet =
            1e12 / job->link[path->link[h]].bytes_per_s * (double)job->model.packet_bytes;
        sum += hop_latency(job, path, h) + packet;
        slowest = fmax(slowest, packet);
    }
    return whole(sum - slowest);
}

static uint64_t wire_bytes(const struct plain_job *job, uint64_t bytes)
{
    const uint64_t packet = job->model.packet_bytes;
    if (packet == 0) {
        return bytes;
    }
    return bytes == 0 ? packet : (bytes + packet - 1) / packet * packet;
}

/* What its narrowest link carries in the overhead's time, or a host that it passes; one that is
 * down counts as when it is up. */
static long double overhead(const struct plain *plain, const struct plain_path *path)
{
    double min = fastest_bytes_per_s;
    for (uint32_t h = 0; h < path->hops; h++) {
        const double now = plain->capacity[path->link[h]];
        min = fmin(min, now > 0 ? now : net_link_capacity(&plain->job->link[path->link[h]]));
        if (plain->job->model.forward_bytes_per_s > 0 && passes_host(plain->job, path, h)) {
            min = fmin(min, plain->job->model.forward_bytes_per_s);
        }
    }
    return (long double)plain->job->model.overhead_ps / 1e12L * (long double)min;
}

static void start(struct plain *plain, uint32_t f, sim_time time)
{
    const struct plain_path *path = path_of(plain, &plain->flow[f]);
    struct running *flow = &plain->flow[f];
    const uint64_t wire = wire_bytes(plain->job, plain->job->flow[f].bytes);
    const uint32_t same = plain_same_path(plain->job, flow->path);
    flow->state = STARTED;
    flow->left = (long double)wire;
    if (plain->job->model.overhead_ps != 0) {
        flow->left += overhead(plain, path);
    }
    flow->join = time + ready_after(plain->job, path);
    flow->sequence = plain->starts++;
    plain->out->path_flows[same]++;
    plain->out->path_bytes[same] += wire;
}

static bool has_closed(const struct plain *plain, uint32_t path)
{
    bool closed = false;
    for (uint32_t h = 0; h < plain->job->path[path].hops; h++) {
        closed |= plain->closed[plain->job->path[path].link[h]];
    }
    return closed;
}

/* Moves a flow with a closed link to the path around it, if that is open. */
static bool look_around(struct plain *plain, struct running *flow)
{
    const uint32_t around = path_of(plain, flow)->around;
    if (!has_closed(plain, flow->path) || around == PLAIN_NONE || has_closed(plain, around)) {
        return false;
    }
    flow->path = around;
    plain->out->moves++;
    return true;
}

static void join(struct plain *plain, uint32_t f)
{
    struct running *flow = &plain->flow[f];
    const uint32_t path = plain_same_path(plain->job, flow->path);
    flow->state = JOINED;
    flow->rate = 0;
    for (uint32_t p = 0; p < plain->paths_used; p++) {
        if (plain->used[p] == path) {
            return;
        }
    }
    plain->used[plain->paths_used++] = path;
}

/* Those that are to join now, in the order of their starts. */
static bool join_all(struct plain *plain)
{
    bool any = false;
    for (;;) {
        uint32_t first = PLAIN_NONE;
        for (uint32_t f = 0; f < plain->job->flows; f++) {
            const struct running *flow = &plain->flow[f];
            if (flow->state == STARTED && flow->join <= plain->now &&
                (first == PLAIN_NONE || flow->sequence < plain->flow[first].sequence)) {
                first = f;
            }
        }
        if (first == PLAIN_NONE) {
            return any;
        }
        if (plain->looks_around) {
            (void)look_around(plain, &plain->flow[first]);
        }
        join(plain, first);
        any = true;
    }
}

/* ---- ending ---- */

/* From now on; LDBL_MAX, far beyond all times: it stands still. */
static long double ps_left(const struct running *flow)
{
    return flow->rate > 0 ? flow->left / flow->rate : 1e300L;
}

/* How far off a time may be that is worked out in doubles. */
static long double tolerance(const struct plain *plain)
{
    return double_ps + double_part * (long double)plain->now;
}

/* The whole picosecond at which it ends; within rounding of one the one that was seen. */
static sim_time due(struct plain *plain, uint32_t f)
{
    const long double ps = ps_left(&plain->flow[f]) - rounding_ps;
    if (ps > 9e18L) {
        return PLAIN_NEVER;
    }
    const sim_time after = ps <= 0 ? 0 : (sim_time)ceill(ps);
    const long double over = ps - floorl(ps);
    const sim_time seen = plain->seen->end[f] - plain->now;
    const long double off = tolerance(plain);
    const bool near = over < off || over > 1 - off;
    const bool other = seen >= 0 && seen >= after - 1 && seen <= after + 1;
    return plain->now + (near && other ? seen : after);
}

/* Whether it ends with another one of its path. */
static bool ends_too(struct plain *plain, uint32_t f)
{
    const long double ps = ps_left(&plain->flow[f]);
    const bool near = fabsl(ps - 2 * rounding_ps) < tolerance(plain);
    return near ? plain->seen->end[f] == plain->now : ps <= 2 * rounding_ps;
}

static void end(struct plain *plain, uint32_t f)
{
    struct plain_answer *out = plain->out;
    struct running *flow = &plain->flow[f];
    const long double late = rounding_ps - ps_left(flow);
    out->close += late >= 1 || late < -rounding_ps ? 1 : 0;
    flow->state = ENDED;
    out->end[f] = plain->now;
    out->arrival[f] = plain->now + tail(plain->job, path_of(plain, flow));
    out->rank[f] = out->ends;
    out->order[out->ends++] = f;
    for (uint32_t e = plain->job->flow[f].first_edge; e != PLAIN_NONE;) {
        const uint32_t to = plain->job->edge[e].to;
        struct running *waiting = &plain->flow[to];
        waiting->latest = waiting->latest > out->arrival[f] ? waiting->latest : out->arrival[f];
        if (--waiting->waits == 0) {
            start(plain, to, plain->job->flow[to].at_arrival ? waiting->latest : plain->now);
        }
        e = plain->job->edge[e].next;
    }
}

/* Of the flows of a path the one that has least left; of equal ones that which was seen first. */
static uint32_t first_of(const struct plain *plain, uint32_t path)
{
    uint32_t first = PLAIN_NONE;
    for (uint32_t f = 0; f < plain->job->flows; f++) {
        const struct running *flow = &plain->flow[f];
        if (flow->state != JOINED || plain_same_path(plain->job, flow->path) != path) {
            continue;
        }
        const long double more = first == PLAIN_NONE ? -1 : flow->left - plain->flow[first].left;
        const bool equal = first != PLAIN_NONE && fabsl(more) < double_bytes;
        if (equal ? plain->seen->rank[f] < plain->seen->rank[first] : more < 0) {
            first = f;
        }
    }
    return first;
}

static bool is_due(struct plain *plain, uint32_t path)
{
    bool any = false;
    for (uint32_t f = 0; f < plain->job->flows; f++) {
        const struct running *flow = &plain->flow[f];
        any |= flow->state == JOINED && plain_same_path(plain->job, flow->path) == path &&
               due(plain, f) <= plain->now;
    }
    return any;
}

/* Path by path, in the order of their first use. */
static bool end_all(struct plain *plain)
{
    bool any = false;
    for (uint32_t p = 0; p < plain->paths_used; p++) {
        const uint32_t path = plain->used[p];
        if (!is_due(plain, path)) {
            continue;
        }
        any = true;
        uint32_t f = first_of(plain, path);
        do {
            end(plain, f);
            f = first_of(plain, path);
        } while (f != PLAIN_NONE && ends_too(plain, f));
    }
    return any;
}

/* ---- what changes ---- */

/* Flows under way move, path by path, and within one by what they have left. */
static void move_all(struct plain *plain)
{
    const uint32_t paths = plain->paths_used;
    for (uint32_t p = 0; p < paths; p++) {
        for (uint32_t f = 0; f < plain->job->flows; f++) {
            struct running *flow = &plain->flow[f];
            if (flow->state == JOINED &&
                plain_same_path(plain->job, flow->path) == plain->used[p] && !ends_too(plain, f) &&
                look_around(plain, flow)) {
                join(plain, f);
            }
        }
    }
}

/* What is set now; whether anything is. */
static bool take_events(struct plain *plain)
{
    const uint32_t before = plain->events;
    for (; plain->events < plain->job->events; plain->events++) {
        const struct plain_event *event = &plain->job->event[plain->events];
        if (event->at > plain->now) {
            break;
        }
        plain->capacity[event->link] = event->bytes_per_s;
        if (event->routes) {
            plain->closed[event->link] = event->closed;
            plain->looks_around = true;
            move_all(plain);
        }
    }
    return plain->events != before;
}

/* ---- time ---- */

static sim_time next_time(struct plain *plain)
{
    sim_time next =
        plain->events < plain->job->events ? plain->job->event[plain->events].at : PLAIN_NEVER;
    for (uint32_t f = 0; f < plain->job->flows; f++) {
        const struct running *flow = &plain->flow[f];
        const sim_time time = flow->state == STARTED  ? flow->join
                              : flow->state == JOINED ? due(plain, f)
                                                      : PLAIN_NEVER;
        next = time < next ? time : next;
    }
    return next;
}

static void advance(struct plain *plain, sim_time time)
{
    for (uint32_t f = 0; f < plain->job->flows; f++) {
        struct running *flow = &plain->flow[f];
        if (flow->state == JOINED) {
            flow->left -= flow->rate * (long double)(time - plain->now);
        }
    }
    plain->now = time;
}

/* All that happens now, and the shares after it, until nothing happens any more. */
static void take_instant(struct plain *plain)
{
    bool any = take_events(plain);
    do {
        any |= join_all(plain);
        any |= end_all(plain);
        if (any) {
            fill(plain);
        }
        any = false;
    } while (next_time(plain) <= plain->now);
}

static void open_plain(struct plain *plain, const struct plain_job *job)
{
    for (uint32_t link = 0; link < job->graph.links; link++) {
        plain->capacity[link] = fmin(net_link_capacity(&job->link[link]), fastest_bytes_per_s);
    }
    for (uint32_t f = 0; f < job->flows; f++) {
        plain->flow[f].path = job->flow[f].path;
        plain->flow[f].waits = job->flow[f].waits;
        plain->out->rank[f] = PLAIN_NONE;
        plain->out->end[f] = plain->out->arrival[f] = PLAIN_NEVER;
    }
    for (uint32_t f = 0; f < job->flows; f++) {
        if (job->flow[f].waits == 0) {
            start(plain, f, job->flow[f].start);
        }
    }
}

void plain_flows_run(const struct plain_job *job, const struct plain_answer *seen,
                     struct plain_answer *out)
{
    struct plain plain = {.job = job, .seen = seen, .out = out};
    memset(out, 0, sizeof *out);
    open_plain(&plain, job);
    for (sim_time next = next_time(&plain); next != PLAIN_NEVER; next = next_time(&plain)) {
        advance(&plain, next);
        take_instant(&plain);
    }
    for (uint32_t f = 0; f < job->flows; f++) {
        out->stuck += plain.flow[f].state == JOINED ? 1 : 0;
    }
}
