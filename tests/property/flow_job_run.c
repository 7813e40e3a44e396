/* What the library makes of a job of flows: see flow_jobs.h. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "flow_jobs.h"

enum { EVENT_LINK = ORR_EVENT_WORKLOAD };

struct run {
    const struct plain_job *job;
    struct plain_answer *out;
    struct orr_evq *queue;
    struct net_flows *flows;
    uint32_t path[PLAIN_FLOWS], waits[PLAIN_FLOWS];
    sim_time latest[PLAIN_FLOWS];
    bool closed[PLAIN_LINKS];
    struct net_flows_around around;
};

static struct net_route_links links_of(const struct run *run, uint32_t path)
{
    return (struct net_route_links){.link = run->job->path[path].link,
                                    .hops = run->job->path[path].hops};
}

static void start(struct run *run, uint32_t f, sim_time time)
{
    const struct net_route_links links = links_of(run, run->path[f]);
    const uint64_t bytes = run->job->flow[f].bytes;
    if (time == orr_evq_now(run->queue)) {
        orr_net_flows_start_on(run->flows, &links, bytes, f);
    } else {
        orr_net_flows_start_at(run->flows, &links, bytes, f, time);
    }
}

static void ended(void *context, uint64_t cookie, sim_time time)
{
    struct run *run = context;
    struct plain_answer *out = run->out;
    const struct plain_flow *flow = &run->job->flow[cookie];
    assert_int_equal(out->rank[cookie], PLAIN_NONE);
    out->end[cookie] = orr_evq_now(run->queue);
    out->arrival[cookie] = time;
    out->rank[cookie] = out->ends;
    out->order[out->ends++] = (uint32_t)cookie;
    for (uint32_t e = flow->first_edge; e != PLAIN_NONE; e = run->job->edge[e].next) {
        const uint32_t to = run->job->edge[e].to;
        run->latest[to] = time > run->latest[to] ? time : run->latest[to];
        if (--run->waits[to] == 0) {
            start(run, to, run->job->flow[to].at_arrival ? run->latest[to] : out->end[cookie]);
        }
    }
}

static bool has_closed(const struct run *run, uint32_t path)
{
    bool closed = false;
    for (uint32_t h = 0; h < run->job->path[path].hops; h++) {
        closed |= run->closed[run->job->path[path].link[h]];
    }
    return closed;
}

static bool find(void *context, uint64_t cookie, double bytes, struct net_route_links *out)
{
    struct run *run = context;
    const uint32_t around = run->job->path[run->path[cookie]].around;
    assert_true(bytes >= 0 && has_closed(run, run->path[cookie]));
    if (around == PLAIN_NONE || has_closed(run, around)) {
        return false;
    }
    run->path[cookie] = around;
    *out = links_of(run, around);
    run->out->moves++;
    return true;
}

static void on_link(void *context, const struct orr_event *posted)
{
    struct run *run = context;
    const struct plain_event *event = &run->job->event[posted->cookie];
    orr_net_flows_set_capacity(run->flows, event->link, event->bytes_per_s);
    if (event->routes) {
        run->closed[event->link] = event->closed;
        orr_net_flows_reroute(run->flows, &run->around);
    }
}

static void open_run(struct run *run, const struct plain_job *job, struct plain_answer *out)
{
    struct orr_diag diag;
    *run = (struct run){.job = job, .out = out, .queue = orr_evq_create(job->order, 1)};
    run->around = (struct net_flows_around){.closed = run->closed, .find = find, .context = run};
    const struct net_flows_config config = {.graph = &job->graph,
                                            .model = job->model,
                                            .counts_paths = true,
                                            .queue = run->queue,
                                            .ended = ended,
                                            .context = run};
    memset(out, 0, sizeof *out);
    orr_diag_init(&diag);
    assert_int_equal(orr_net_flows_create(&run->flows, &config, &diag), ORR_OK);
    orr_evq_handle(run->queue, EVENT_LINK, on_link, run);
    for (uint32_t f = 0; f < job->flows; f++) {
        run->path[f] = job->flow[f].path;
        run->waits[f] = job->flow[f].waits;
        out->rank[f] = PLAIN_NONE;
        out->end[f] = out->arrival[f] = PLAIN_NEVER;
    }
}

static void post_all(struct run *run)
{
    for (uint32_t e = 0; e < run->job->events; e++) {
        const struct orr_event event = {.label = e, .cookie = e, .kind = EVENT_LINK};
        orr_evq_post(run->queue, run->job->event[e].at, &event);
    }
    for (uint32_t f = 0; f < run->job->flows; f++) {
        if (run->waits[f] == 0) {
            start(run, f, run->job->flow[f].start);
        }
    }
}

static uint32_t same_links(const struct plain_job *job, const struct net_path_use *use)
{
    for (uint32_t p = 0; p < job->paths; p++) {
        if (job->path[p].hops == use->hops &&
            memcmp(job->path[p].link, use->link, use->hops * sizeof *use->link) == 0) {
            return p;
        }
    }
    fail_msg("a path that no flow took");
    return PLAIN_NONE;
}

static void read_paths(struct run *run)
{
    struct net_path_use use;
    for (size_t index = 0; orr_net_flows_path(run->flows, index, &use); index++) {
        const uint32_t path = same_links(run->job, &use);
        run->out->path_flows[path] += use.flows;
        run->out->path_bytes[path] += use.bytes;
    }
}

/* The capacity that a link has in the end. */
static double last_capacity(const struct plain_job *job, uint32_t link)
{
    double capacity = net_link_capacity(&job->link[link]);
    for (uint32_t e = 0; e < job->events; e++) {
        capacity = job->event[e].link == link ? job->event[e].bytes_per_s : capacity;
    }
    return capacity;
}

/* A standstill names a flow that has not ended, and a dead link on its way. */
static void read_stuck(struct run *run)
{
    const struct net_flows_stuck stuck = orr_net_flows_stuck(run->flows);
    run->out->stuck = stuck.flows;
    assert_int_equal(stuck.late, 0);
    if (stuck.flows > 0) {
        const struct plain_path *path = &run->job->path[run->path[stuck.cookie]];
        bool on_it = false;
        for (uint32_t h = 0; h < path->hops; h++) {
            on_it |= path->link[h] == stuck.link;
        }
        assert_true(on_it && run->out->rank[stuck.cookie] == PLAIN_NONE);
        assert_true(last_capacity(run->job, stuck.link) == 0);
    }
}

void flow_job_run(const struct plain_job *job, struct plain_answer *out)
{
    struct orr_diag diag;
    struct run run;
    orr_diag_init(&diag);
    open_run(&run, job, out);
    post_all(&run);
    assert_int_equal(orr_evq_run(run.queue, &diag), ORR_OK);
    read_paths(&run);
    read_stuck(&run);
    orr_net_flows_destroy(run.flows);
    orr_evq_destroy(run.queue);
}
