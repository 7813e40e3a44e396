/* Placement: the servers of each job, and its start; see jobs.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "core/rng.h"
#include "sim/cluster/jobs.h"
#include "sim/cluster/ring_block.h"

enum { STREAM_SERVERS = 1, STREAM_STARTS = 2 }; /* random streams of the seed */

struct placer {
    struct orr_jobs *jobs;
    struct orr_job **owner; /* [servers]; NULL: free */
    uint32_t *listed;       /* [servers] server list of an entry */
    uint32_t count;
    struct orr_diag *diag;
};

static uint32_t needed(const struct orr_job *job)
{
    return orr_job_servers(job);
}

/* ---- listed servers ---- */

static enum orr_status add_servers(struct placer *placer, const struct orr_conf *node,
                                   uint64_t first, uint64_t last)
{
    if (last >= placer->jobs->servers || first > last) {
        char what[96];
        (void)snprintf(what, sizeof what, "servers from 0 to %" PRIu32 ", such as \"0-7,12\"",
                       placer->jobs->servers - 1);
        return orr_conf_expected(node, what, placer->diag);
    }
    for (uint64_t server = first; server <= last; server++) {
        if (placer->count == placer->jobs->servers) {
            const struct orr_location place = orr_conf_location(node);
            return orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                                 "%s: expected at most %" PRIu32 " servers, got more", node->path,
                                 placer->jobs->servers);
        }
        placer->listed[placer->count++] = (uint32_t)server;
    }
    return ORR_OK;
}

/* Reads digits; UINT64_MAX: none, or too many. */
static uint64_t read_number(const char **at)
{
    char *end = NULL;
    while (**at == ' ') {
        ++*at;
    }
    if (**at < '0' || **at > '9') {
        return UINT64_MAX;
    }
    const uint64_t number = strtoull(*at, &end, 10);
    for (*at = end; **at == ' ';) {
        ++*at;
    }
    return number;
}

/* "0-7,12" */
static enum orr_status add_servers_text(struct placer *placer, const struct orr_conf *node)
{
    const char *at = node->kind == ORR_CONF_SCALAR && node->text != NULL ? node->text : "";
    enum orr_status status = ORR_OK;
    bool more = true;
    while (more && status == ORR_OK) {
        const uint64_t first = read_number(&at);
        uint64_t last = first;
        if (*at == '-') {
            at++;
            last = read_number(&at);
        }
        more = *at == ',';
        at += more;
        status = add_servers(placer, node, first, more || *at == '\0' ? last : UINT64_MAX);
    }
    return status;
}

static enum orr_status read_listed(struct placer *placer, const struct orr_conf *node)
{
    enum orr_status status = ORR_OK;
    placer->count = 0;
    if (node->kind != ORR_CONF_LIST) {
        return add_servers_text(placer, node);
    }
    for (size_t i = 0; i < node->count && status == ORR_OK; i++) {
        status = add_servers_text(placer, node->item[i]);
    }
    return status;
}

static const char *const kinds[] = {[ORR_JOB_TASKGRAPH] = "task graph",
                                    [ORR_JOB_TRACES] = "traces",
                                    [ORR_JOB_WORKLOAD] = "workload"};

/* Checks that listed servers are one block: all but one have their next neighbour in the list. */
static enum orr_status check_listed_block(const struct placer *placer, const struct orr_job *job)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < needed(job); i++) {
        const uint32_t next = (job->server[i] + 1) % placer->jobs->servers;
        ends += placer->owner[next] != job;
    }
    const struct orr_location place = orr_conf_location(job->servers);
    return ends <= 1 ? ORR_OK
                     : orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                                     "%s: expected neighbours around the ring of %" PRIu32
                                     " servers (placement: block) for \"%s\", got %" PRIu32
                                     " blocks; cluster.ring_ocs: true takes any servers",
                                     job->servers->path, placer->jobs->servers, job->name, ends);
}

static enum orr_status assign_listed(struct placer *placer, struct orr_job *job)
{
    const uint32_t each = needed(job);
    const struct orr_location place = orr_conf_location(job->servers);
    enum orr_status status = read_listed(placer, job->servers);
    const bool queued = placer->jobs->queue.order != ORR_QUEUE_NONE;
    const bool shared =
        queued && placer->count == each; /* all copies use the list, one after the other */
    if (status == ORR_OK && !shared && placer->count != (uint64_t)each * job->copies) {
        return orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                             "%s: expected %" PRIu64 " servers (%" PRIu32 " of the %s, %" PRIu32
                             " times), got %" PRIu32,
                             job->servers->path, (uint64_t)each * job->copies, each,
                             kinds[job->source->kind], job->copies, placer->count);
    }
    for (uint32_t i = 0; i < each && status == ORR_OK; i++) {
        const uint32_t server = placer->listed[(shared ? 0 : job->copy * each) + i];
        const struct orr_job *owner = placer->owner[server];
        if (owner != NULL) {
            status =
                owner->node == job->node
                    ? orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                                    "%s: server %" PRIu32 " is given twice", job->servers->path,
                                    server)
                    : orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                                    "%s: server %" PRIu32 " is given to %s (\"%s\") too",
                                    job->servers->path, server, owner->node->path, owner->name);
        }
        job->server[i] = server;
        placer->owner[server] = job;
    }
    return status == ORR_OK && orr_jobs_need_blocks(placer->jobs) ? check_listed_block(placer, job)
                                                                  : status;
}

/* ---- the others ---- */

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Orders servers by the placement policy: ascending, or shuffled (Fisher and Yates). */
static void order_servers(const struct orr_jobs *jobs, uint32_t *list, uint32_t count)
{
    struct orr_rng random;
    orr_rng_init(&random, jobs->seed, STREAM_SERVERS);
    for (uint32_t i = count; jobs->placement == ORR_JOBS_RANDOM && i > 1; i--) {
        const uint32_t other = (uint32_t)orr_rng_below(&random, i);
        const uint32_t server = list[i - 1];
        list[i - 1] = list[other];
        list[other] = server;
    }
}

/* Lists the free servers in the order of the placement policy. */
static uint32_t list_free(struct placer *placer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < placer->jobs->servers; i++) {
        if (placer->owner[i] == NULL) {
            placer->listed[count++] = i;
        }
    }
    order_servers(placer->jobs, placer->listed, count);
    return count;
}

void orr_jobs_server_order(const struct orr_jobs *jobs, uint32_t *order)
{
    for (uint32_t i = 0; i < jobs->servers; i++) {
        order[i] = i;
    }
    order_servers(jobs, order, jobs->servers);
}

static enum orr_status assign_free(struct placer *placer)
{
    const uint32_t count = list_free(placer);
    uint32_t taken = 0;
    for (size_t i = 0; i < placer->jobs->jobs; i++) {
        struct orr_job *job = &placer->jobs->job[i];
        const uint32_t servers = needed(job);
        if (job->servers != NULL) {
            continue;
        }
        if (servers > count - taken) {
            const struct orr_location place = orr_conf_location(job->node);
            return orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                                 "%s: job \"%s\" needs %" PRIu32 " servers, and of %" PRIu32
                                 " in the cluster %" PRIu32 " are left",
                                 job->node->path, job->name, servers, placer->jobs->servers,
                                 count - taken);
        }
        for (uint32_t s = 0; s < servers; s++) {
            job->server[s] = placer->listed[taken++];
        }
        qsort(job->server, servers, sizeof *job->server, ascending);
    }
    return ORR_OK;
}

static bool is_unowned(const void *context, uint32_t server)
{
    return ((const struct placer *)context)->owner[server] == NULL;
}

static enum orr_status assign_blocks(struct placer *placer)
{
    struct orr_jobs *jobs = placer->jobs;
    for (size_t i = 0; i < jobs->jobs; i++) {
        struct orr_job *job = &jobs->job[i];
        const uint32_t servers = needed(job);
        if (job->servers != NULL) {
            continue;
        }
        const struct orr_ring_block block =
            orr_ring_block_find(jobs->servers, servers, is_unowned, placer);
        if (!block.found) {
            const struct orr_location place = orr_conf_location(job->node);
            return orr_diag_fail(
                placer->diag, ORR_ERR_INPUT, &place,
                "%s: job \"%s\" needs a block of %" PRIu32 " around the ring of %" PRIu32
                " servers (placement: block), and the longest that is left has %" PRIu32,
                job->node->path, job->name, servers, jobs->servers, block.longest);
        }
        orr_ring_block_list(jobs->servers, block.first, job->server, servers);
        for (uint32_t s = 0; s < servers; s++) {
            placer->owner[job->server[s]] = job;
        }
    }
    return ORR_OK;
}

static void choose_starts(struct orr_jobs *jobs)
{
    struct orr_rng random;
    orr_rng_init(&random, jobs->seed, STREAM_STARTS);
    for (size_t i = 0; i < jobs->jobs; i++) {
        if (!jobs->job[i].starts) {
            jobs->job[i].start_ps =
                (sim_time)orr_rng_below(&random, (uint64_t)jobs->start_within_ps + 1);
        }
    }
}

/* With a queue: assigns listed servers, which other jobs can have at other times. */
static enum orr_status place_queued(struct placer *placer)
{
    struct orr_jobs *jobs = placer->jobs;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        struct orr_job *job = &jobs->job[i];
        const struct orr_location place = orr_conf_location(job->node);
        if (needed(job) > jobs->servers) {
            return orr_diag_fail(placer->diag, ORR_ERR_INPUT, &place,
                                 "%s: job \"%s\" never fits: it needs %" PRIu32
                                 " servers, and the cluster has %" PRIu32,
                                 job->node->path, job->name, needed(job), jobs->servers);
        }
        if (job->servers != NULL) {
            status = assign_listed(placer, job);
            for (uint32_t s = 0; s < jobs->servers; s++) {
                placer->owner[s] = NULL;
            }
        }
    }
    choose_starts(jobs);
    return status;
}

enum orr_status orr_jobs_place(struct orr_jobs *jobs, struct orr_diag *diag)
{
    struct placer placer = {
        .jobs = jobs,
        .owner = orr_arena_array(jobs->arena, jobs->servers, sizeof(struct orr_job *)),
        .listed = orr_arena_array(jobs->arena, jobs->servers, sizeof(uint32_t)),
        .diag = diag};
    bool memory = placer.owner != NULL && placer.listed != NULL;
    for (size_t i = 0; i < jobs->jobs && memory; i++) {
        struct orr_job *job = &jobs->job[i];
        job->server = orr_arena_array(jobs->arena, needed(job), sizeof *job->server);
        memory = job->server != NULL;
    }
    enum orr_status status = memory ? ORR_OK : orr_diag_no_memory(diag, "the servers of jobs");
    if (status == ORR_OK && jobs->queue.order != ORR_QUEUE_NONE) {
        return place_queued(&placer);
    }
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        if (jobs->job[i].servers != NULL) {
            status = assign_listed(&placer, &jobs->job[i]);
        }
    }
    if (status == ORR_OK) {
        status = orr_jobs_need_blocks(jobs) ? assign_blocks(&placer) : assign_free(&placer);
        choose_starts(jobs);
    }
    return status;
}
