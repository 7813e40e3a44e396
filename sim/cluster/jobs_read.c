/* Reads the file of jobs, by its key tables; see jobs.h. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "memory/mem_config_read.h"
#include "network/fabric_build.h"
#include "network/route_options.h"
#include "sim/cluster/job_keys.h"
#include "sim/cluster/named_fabric.h"
#include "sim/cluster/queue.h"
#include "sim/expr/derived_values.h"
#include "sim/load/workload_config.h"
#include "system/sys_config_read.h"
#include "system/sys_mono.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { MAX_NAME = 300 };

struct cluster_section {
    int64_t servers, seed;
    const char *fabric, *routing, *rings, *all_reduce;
    double link_bandwidth_bytes_per_s, forwarding_limit_bytes_per_s;
    sim_time link_latency_ps, start_within_ps, flow_setup_ps, forwarding_ps;
    unsigned flow_model, network, placement;
    bool ring_ocs;
    const struct orr_conf *system, *memory, *compute;
    struct orr_queue_keys queue;
};

struct file {
    const struct orr_conf *cluster;
    struct orr_conf_list jobs; /* of mappings */
};

static const char *const networks[] = {"shared", "sharded", NULL};
static const char *const placements[] = {"contiguous", "random", "block", NULL};
static const char *const flow_models[] = {"maxmin", "windows", NULL};

#define AT(member) offsetof(struct cluster_section, member)
static const struct orr_key cluster_keys[] = {
    {.name = "servers",
     .type = ORR_KEY_INTEGER,
     .offset = AT(servers),
     .required = true,
     .low = 1,
     .high = ORR_JOBS_MAX_SERVERS,
     .example = "servers: 32",
     .doc = "number of servers; each belongs to at most one job"},
    {.name = "fabric",
     .type = ORR_KEY_TEXT,
     .offset = AT(fabric),
     .default_text = orr_net_default_fabric,
     .example = "fabric: fat-tree:8,4",
     .doc = "the network, as of --fabric; files are relative to this one; graph (that of each task "
            "graph) for a sharded network"},
    {.name = "link_bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(link_bandwidth_bytes_per_s),
     .absent = "as the task graphs say",
     .doc = "of every link, one way"},
    {.name = "link_latency",
     .type = ORR_KEY_TIME,
     .offset = AT(link_latency_ps),
     .default_text = "1 us",
     .doc = "of every link"},
    {.name = "routing",
     .type = ORR_KEY_TEXT,
     .offset = AT(routing),
     .names = orr_net_routing_name,
     .absent = "as suits the fabric",
     .doc = "routing in the network"},
    {.name = "rings",
     .type = ORR_KEY_TEXT,
     .offset = AT(rings),
     .absent = "those of the fabric",
     .example = "rings: totient:4",
     .doc = "auto, own or totient:R, as network.graph.rings: on links of the fabric, one in the "
            "order of servers, or R at once by TotientPerms and SelectPermutations"},
    {.name = "flow_model",
     .type = ORR_KEY_CHOICE,
     .offset = AT(flow_model),
     .choices = flow_models,
     .absent = "windows",
     .doc = "max-min fair shares, or weighted by DCTCP windows"},
    {.name = "flow_setup",
     .type = ORR_KEY_TIME,
     .offset = AT(flow_setup_ps),
     .default_text = "0 ns",
     .doc = "set-up time of a flow at its sender"},
    {.name = "forwarding",
     .type = ORR_KEY_TIME,
     .offset = AT(forwarding_ps),
     .default_text = "0 ns",
     .doc = "latency that each server adds when it forwards a flow"},
    {.name = "forwarding_limit",
     .type = ORR_KEY_BANDWIDTH,
     .offset = AT(forwarding_limit_bytes_per_s),
     .absent = "as much as its links carry",
     .doc = "forwarding capacity of a server, shared by all flows that it forwards; needs "
            "flow_model: maxmin"},
    {.name = "network",
     .type = ORR_KEY_CHOICE,
     .offset = AT(network),
     .choices = networks,
     .default_text = "shared",
     .doc =
         "one for all jobs, or one of the same fabric for each, over as many servers as it uses"},
    {.name = "placement",
     .type = ORR_KEY_CHOICE,
     .offset = AT(placement),
     .choices = placements,
     .absent = "contiguous; block where the fabric is a sip-ring",
     .doc = "of jobs without servers: the first that are free, or random ones, in ascending order; "
            "or a block of neighbours around a ring, in the smallest hole that is large enough"},
    {.name = "ring_ocs",
     .type = ORR_KEY_BOOL,
     .offset = AT(ring_ocs),
     .default_text = "false",
     .example = "ring_ocs: true",
     .doc = "an optical circuit switch puts servers at any places of the ring, so that a job takes "
            "any that are free; needs placement: block and network: sharded"},
    {.name = "all_reduce",
     .type = ORR_KEY_TEXT,
     .offset = AT(all_reduce),
     .default_text = orr_sys_mono_default_name,
     .doc = "of jobs that do not say otherwise, as of --all-reduce"},
    {.name = "start_within",
     .type = ORR_KEY_TIME,
     .offset = AT(start_within_ps),
     .default_text = "0 s",
     .doc = "jobs without a start begin at random times up to this one"},
    {.name = "seed",
     .type = ORR_KEY_INTEGER,
     .offset = AT(seed),
     .default_text = "1",
     .doc = "of random servers, starts, paths and graphs"},
    {.name = "queue",
     .type = ORR_KEY_CHOICE,
     .offset = AT(queue.order),
     .choices = orr_queue_orders,
     .default_text = "none",
     .doc = "none: every job has its own servers for the entire run; fifo, backfill: jobs wait for "
            "servers, in the order of arrival, or any job that fits"},
    {.name = "sample_iterations",
     .type = ORR_KEY_INTEGER,
     .offset = AT(queue.sample),
     .low = 1,
     .high = ORR_QUEUE_MAX_SAMPLES,
     .absent = "3",
     .doc = "iterations of a job that are simulated while the same jobs run; the others take their "
            "mean; needs a queue"},
    {.name = "panels",
     .type = ORR_KEY_NODE,
     .offset = AT(queue.panels),
     .table = &orr_panels_table,
     .absent = "links are there at once",
     .example = "panels: {reconfiguration: 3 min}",
     .doc = "the panels or switches that patch a job's links at its start; needs a queue and "
            "network: sharded"},
    {.name = "system",
     .type = ORR_KEY_NODE,
     .offset = AT(system),
     .table = &orr_sys_key_table,
     .doc = "collectives, chunks, queues, as of a platform"},
    {.name = "memory",
     .type = ORR_KEY_NODE,
     .offset = AT(memory),
     .table = &orr_mem_key_table,
     .doc = "local and remote memory, as of a platform"},
    {.name = "compute",
     .type = ORR_KEY_NODE,
     .offset = AT(compute),
     .table = &orr_wl_compute_table,
     .absent = "recorded durations are replayed",
     .example = "compute: {peak: 312 TFLOP/s}",
     .doc = "compute rates, as of a platform; what has a recorded duration and says no operations "
            "takes it"},
};
#undef AT

static const struct orr_key_table cluster_table = {"the cluster section", cluster_keys,
                                                   COUNT(cluster_keys), NULL};

static const struct orr_key file_keys[] = {
    {.name = "cluster",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, cluster),
     .required = true,
     .table = &cluster_table,
     .example = "cluster: {servers: 32, fabric: fat-tree}",
     .doc = "servers and the network between them"},
    {.name = "jobs",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, jobs),
     .required = true,
     .list = true,
     .min = 1,
     .table = &orr_job_table,
     .example = "jobs: [{taskgraph: vgg.fbuf, count: 2}]",
     .doc = "what runs on it"},
};

const struct orr_key_table orr_jobs_table = {"a file of jobs", file_keys, COUNT(file_keys), NULL};

/* ---- reading ---- */

/* Adds the location of a value to an error without one. */
static enum orr_status locate(enum orr_status status, const struct orr_conf *node,
                              struct orr_diag *diag)
{
    if (status != ORR_OK && node != NULL && diag->place.kind == ORR_LOCATION_NONE) {
        diag->place = orr_conf_location(node);
    }
    return status;
}

static enum orr_status read_cluster(struct orr_jobs *jobs, struct sys_mono *all_reduce,
                                    struct orr_diag *diag)
{
    struct cluster_section section = {.flow_model = ORR_JOBS_MODEL_BY_NETWORK,
                                      .placement = ORR_JOBS_PLACEMENT_BY_FABRIC,
                                      .queue = {.sample = -1}};
    enum orr_status status = orr_conf_read(jobs->cluster, cluster_table.owner, cluster_keys,
                                           COUNT(cluster_keys), &section, diag);
    if (status == ORR_OK) {
        status = locate(orr_sys_mono_parse(section.all_reduce, all_reduce, diag),
                        orr_conf_get(jobs->cluster, "all_reduce"), diag);
    }
    jobs->servers = (uint32_t)section.servers;
    jobs->system = section.system;
    jobs->memory = section.memory;
    jobs->compute = section.compute;
    jobs->fabric = section.fabric;
    jobs->routing = section.routing;
    jobs->rings = section.rings;
    jobs->flow_setup_ps = section.flow_setup_ps;
    jobs->forwarding_ps = section.forwarding_ps;
    jobs->forwarding_limit_bytes_per_s = section.forwarding_limit_bytes_per_s;
    jobs->kind = (struct net_link_kind){.bytes_per_s = section.link_bandwidth_bytes_per_s,
                                        .latency_ps = section.link_latency_ps};
    jobs->flow_model = section.flow_model;
    jobs->network = section.network;
    jobs->placement = section.placement;
    jobs->ring_ocs = section.ring_ocs;
    if (status == ORR_OK && jobs->placement == ORR_JOBS_PLACEMENT_BY_FABRIC) {
        jobs->placement =
            orr_net_fabric_is_ring(section.fabric) ? ORR_JOBS_BLOCK : ORR_JOBS_CONTIGUOUS;
    }
    jobs->seed = (uint64_t)section.seed;
    jobs->start_within_ps = section.start_within_ps;
    if (status == ORR_OK) {
        status = orr_queue_read(jobs, &section.queue, diag);
    }
    if (status == ORR_OK && jobs->network == ORR_JOBS_SHARED &&
        strcmp(section.fabric, "graph") == 0) {
        status = orr_conf_expected(orr_conf_get(jobs->cluster, "fabric"),
                                   "the fabric of a shared network (\"graph\", that of each task "
                                   "graph, goes with network: sharded)",
                                   diag);
    }
    return status;
}

/* The name of the file without folders and endings. */
static const char *default_name(struct orr_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    return orr_arena_strndup(arena, base, strcspn(base, "."));
}

/* Checks that a name is unique, and fits the buffers of messages and groups. */
static enum orr_status check_name(const struct orr_jobs *jobs, const char *name,
                                  const struct orr_conf *node, struct orr_diag *diag)
{
    if (strlen(name) > MAX_NAME) {
        const struct orr_location place = orr_conf_location(node);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected a name of at most %d characters, got %zu", node->path,
                             MAX_NAME, strlen(name));
    }
    for (size_t i = 0; i < jobs->jobs; i++) {
        if (jobs->job[i].node != node && strcmp(jobs->job[i].name, name) == 0) {
            const struct orr_conf *given = orr_conf_get(node, "name");
            const struct orr_location place = orr_conf_location(given == NULL ? node : given);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: expected a name of its own, got \"%s\", which %s has",
                                 node->path, name, jobs->job[i].node->path);
        }
    }
    return ORR_OK;
}

static enum orr_status add_copies(struct orr_jobs *jobs, const struct orr_job_section *section,
                                  struct orr_job job, size_t *room, struct orr_diag *diag)
{
    const char *name = job.name;
    enum orr_status status = ORR_OK;
    if (job.copies == 1 && section->every_ps > 0) {
        orr_conf_warn_unused(job.node, "every", "there is one copy (count)", diag);
    }
    for (job.copy = 0; job.copy < job.copies && status == ORR_OK; job.copy++) {
        struct orr_job *grown =
            orr_arena_grow(jobs->arena, jobs->job, room, jobs->jobs + 1, sizeof *jobs->job);
        job.name = job.copies == 1
                       ? name
                       : orr_arena_printf(jobs->arena, "%s-%" PRIu32, name, job.copy + 1);
        if (grown == NULL || job.name == NULL) {
            return orr_diag_no_memory(diag, "the jobs");
        }
        jobs->job = grown;
        status = check_name(jobs, job.name, job.node, diag);
        jobs->job[jobs->jobs++] = job;
        job.start_ps = orr_time_add(job.start_ps, section->every_ps);
    }
    return status;
}

/* Chooses the source of a job: task graph, traces, workload or plan. Errors: none, several, or keys
 * of another source. */
static enum orr_status choose_source(const struct orr_conf *node,
                                     const struct orr_job_section *section,
                                     struct orr_job_request *out, struct orr_diag *diag)
{
    const char *const path[] = {[ORR_JOB_TASKGRAPH] = section->taskgraph,
                                [ORR_JOB_TRACES] = section->traces,
                                [ORR_JOB_WORKLOAD] = section->workload};
    const struct orr_location place = orr_conf_location(node);
    unsigned given = section->plan != NULL;
    *out = (struct orr_job_request){.kind = ORR_JOB_WORKLOAD,
                                    .npus = (uint32_t)section->npus,
                                    .groups_file = section->groups_file,
                                    .groups = section->groups,
                                    .node = node};
    for (unsigned kind = 0; kind < COUNT(path); kind++) {
        given += path[kind] != NULL;
        out->kind = path[kind] != NULL ? kind : out->kind;
        out->path = path[kind] != NULL ? path[kind] : out->path;
    }
    if (given != 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected one of taskgraph, traces, workload and plan, got "
                             "%s",
                             node->path, given == 0 ? "none" : "several");
    }
    const bool groups = section->groups != NULL || section->groups_file != NULL;
    if (groups && out->kind != ORR_JOB_TRACES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: groups and groups_file go with traces", node->path);
    }
    return section->npus == 0 || out->kind != ORR_JOB_TASKGRAPH
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "%s: npus goes with traces and workload: a task graph says how many "
                               "servers it has",
                               node->path);
}

/* Finds the source and the network of a job. */
static enum orr_status find_source(struct orr_jobs *jobs, struct orr_job_section *section,
                                   struct orr_job *job, struct orr_diag *diag)
{
    struct orr_job_request request;
    enum orr_status status = choose_source(job->node, section, &request, diag);
    if (status == ORR_OK) {
        status = orr_job_platform_read(jobs, job->node, section, &job->own, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    request.own = job->own;
    request.path = section->plan != NULL ? section->workload : request.path;
    job->name =
        section->name != NULL
            ? section->name
            : default_name(jobs->arena, section->plan != NULL ? section->plan : request.path);
    return job->name != NULL ? orr_jobs_source_find(jobs, &request, &job->source, diag)
                             : orr_diag_no_memory(diag, "the jobs");
}

static enum orr_status read_job(struct orr_jobs *jobs, const struct orr_conf *node, size_t *room,
                                struct sys_mono all_reduce, struct orr_diag *diag)
{
    struct orr_job_section section = {.start_ps = -1, .link_latency_ps = -1};
    struct orr_job job = {.node = node, .all_reduce = all_reduce};
    enum orr_status status = orr_conf_read(node, orr_job_table.owner, orr_job_table.keys,
                                           orr_job_table.count, &section, diag);
    job.starts = section.start_ps >= 0 || section.every_ps > 0;
    job.start_ps = section.start_ps >= 0 ? section.start_ps : 0;
    if (status == ORR_OK && section.all_reduce != NULL) {
        status = locate(orr_sys_mono_parse(section.all_reduce, &job.all_reduce, diag),
                        orr_conf_get(node, "all_reduce"), diag);
    }
    if (status == ORR_OK && jobs->jobs + (size_t)section.count > ORR_JOBS_MAX) {
        const struct orr_location place = orr_conf_location(node);
        status = orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: expected at most %d jobs together",
                               node->path, ORR_JOBS_MAX);
    }
    if (status == ORR_OK) {
        status = find_source(jobs, &section, &job, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    if (section.all_reduce == NULL && job.source->all_reduce != NULL) {
        job.all_reduce = *job.source->all_reduce;
    }
    job.servers = section.servers;
    job.copies = (uint32_t)section.count;
    job.iterations = (uint32_t)section.iterations;
    return add_copies(jobs, &section, job, room, diag);
}

enum orr_status orr_jobs_read(struct orr_arena *arena, const char *file, const char *const *set,
                              size_t sets, struct orr_jobs *jobs, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct file sections = {.cluster = NULL};
    struct sys_mono all_reduce = {.kind = NULL};
    size_t room = 0;
    *jobs = (struct orr_jobs){.file = file, .arena = arena};
    enum orr_status status = orr_conf_load(arena, file, &root, diag);
    for (size_t i = 0; i < sets && status == ORR_OK; i++) {
        status = orr_conf_set(arena, root, set[i], &root, diag);
    }
    status = status == ORR_OK ? orr_conf_derive(arena, &root, diag) : status;
    if (status == ORR_OK) {
        status =
            orr_conf_read(root, orr_jobs_table.owner, file_keys, COUNT(file_keys), &sections, diag);
    }
    if (status == ORR_OK) {
        jobs->cluster = sections.cluster;
        status = read_cluster(jobs, &all_reduce, diag);
    }
    const struct orr_conf *const *job = sections.jobs.values;
    for (size_t i = 0; i < sections.jobs.count && status == ORR_OK; i++) {
        status = read_job(jobs, job[i], &room, all_reduce, diag);
    }
    return status == ORR_OK ? orr_queue_check(jobs, diag) : status;
}
