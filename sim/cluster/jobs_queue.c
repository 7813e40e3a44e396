/* The keys of the job queue and of its patch panels; see queue.h. */
#include "sim/cluster/queue.h"

#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/units.h"
#include "sim/cluster/jobs.h"

const char *const orr_queue_orders[] = {"none", "fifo", "backfill", NULL};

struct panels_section {
    const char *technology;
    sim_time reconfiguration_ps, flip_ps, notice_ps; /* reconfiguration < 0: not set */
    bool look_ahead;
    int64_t count, ports;
};

#define AT(member) offsetof(struct panels_section, member)
static const struct orr_key panels_keys[] = {
    {.name = "technology",
     .type = ORR_KEY_TEXT,
     .offset = AT(technology),
     .names = orr_net_optical_name,
     .default_text = "patch-panel",
     .doc = "as of network.cost.optical, but for none"},
    {.name = "reconfiguration",
     .type = ORR_KEY_TIME,
     .offset = AT(reconfiguration_ps),
     .absent = "as the technology says; 1 min for a patch-panel, of which only minutes are known",
     .example = "reconfiguration: 3 min",
     .doc = "time to make the links of a job"},
    {.name = "look_ahead",
     .type = ORR_KEY_BOOL,
     .offset = AT(look_ahead),
     .absent = "true for a patch-panel, false for others",
     .doc = "each interface has an active and a look-ahead port, on panels of their own: links of "
            "the next job are made while servers still run the one before"},
    {.name = "flip",
     .type = ORR_KEY_TIME,
     .offset = AT(flip_ps),
     .default_text = "0 s",
     .doc = "how long the 1x2 switches of look-ahead take from one port to the other"},
    {.name = "notice",
     .type = ORR_KEY_TIME,
     .offset = AT(notice_ps),
     .default_text = "0 s",
     .doc = "how long before its arrival a job is known; look-ahead may begin then"},
    {.name = "count",
     .type = ORR_KEY_INTEGER,
     .offset = AT(count),
     .low = 1,
     .high = 1 << 20,
     .absent = "one for each interface of a server, or two with look_ahead",
     .doc = "how many panels there are"},
    {.name = "ports",
     .type = ORR_KEY_INTEGER,
     .offset = AT(ports),
     .low = 1,
     .high = 1 << 24,
     .absent = "as the technology has them",
     .doc = "of each panel; every server takes one"},
};
#undef AT

const struct orr_key_table orr_panels_table = {"the panels section", panels_keys,
                                               sizeof panels_keys / sizeof *panels_keys, NULL};

static enum net_optical technology_of(const char *name)
{
    size_t number = 0;
    while (strcmp(orr_net_optical_name(number), name) != 0) {
        number++;
    }
    return (enum net_optical)number;
}

/* The location of a key of the section, or of the section. */
static struct orr_location location_of(const struct orr_conf *node, const char *key)
{
    const struct orr_conf *own = orr_conf_get(node, key);
    return orr_conf_location(own != NULL ? own : node);
}

static enum orr_status check_panels(const struct orr_jobs *jobs,
                                    const struct panels_section *values, struct orr_diag *diag)
{
    const struct orr_panels *panels = &jobs->queue.panels;
    const struct net_technology *technology = orr_net_technology(panels->technology);
    const uint32_t ports = values->ports != 0 ? (uint32_t)values->ports : technology->ports;
    if (panels->technology == NET_OPTICAL_NONE) {
        return orr_conf_expected(orr_conf_get(panels->node, "technology"),
                                 "a technology other than none: without one leave panels out",
                                 diag);
    }
    if (ports < jobs->servers) {
        const struct orr_location place = location_of(panels->node, "ports");
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &place,
            "%s.ports: %s %s has %" PRIu32 " ports, and each of %" PRIu32 " servers takes one",
            panels->node->path, strchr("aeiou", *technology->title) != NULL ? "an" : "a",
            technology->title, ports, jobs->servers);
    }
    const char *idle = panels->look_ahead ? NULL : values->flip_ps > 0 ? "flip" : NULL;
    idle = !panels->look_ahead && values->notice_ps > 0 ? "notice" : idle;
    if (idle != NULL) {
        const struct orr_location place = location_of(panels->node, idle);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s.%s: goes with look_ahead: true",
                             panels->node->path, idle);
    }
    return ORR_OK;
}

static enum orr_status read_panels(struct orr_jobs *jobs, const struct orr_conf *node,
                                   struct orr_diag *diag)
{
    struct panels_section section = {.reconfiguration_ps = -1};
    struct orr_panels *panels = &jobs->queue.panels;
    const enum orr_status status = orr_conf_read(node, orr_panels_table.owner, panels_keys,
                                                 orr_panels_table.count, &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    const enum net_optical technology = technology_of(section.technology);
    *panels =
        (struct orr_panels){.node = node,
                            .technology = technology,
                            .reconfiguration_ps = section.reconfiguration_ps >= 0
                                                      ? section.reconfiguration_ps
                                                      : orr_net_technology(technology)->latency_ps,
                            .flip_ps = section.flip_ps,
                            .notice_ps = section.notice_ps,
                            .look_ahead = orr_conf_get(node, "look_ahead") != NULL
                                              ? section.look_ahead
                                              : technology == NET_OPTICAL_PATCH_PANEL,
                            .count = (uint32_t)section.count};
    return check_panels(jobs, &section, diag);
}

/* Fails with "LOCATION: cluster.KEY: TEXT". */
static enum orr_status fail_key(const struct orr_jobs *jobs, const char *key, const char *text,
                                struct orr_diag *diag)
{
    const struct orr_location place = location_of(jobs->cluster, key);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s.%s: %s", jobs->cluster->path, key, text);
}

static enum orr_status read_queue(struct orr_jobs *jobs, const struct orr_queue_keys *keys,
                                  struct orr_diag *diag)
{
    const bool queued = keys->order != ORR_QUEUE_NONE;
    jobs->queue =
        (struct orr_queue){.order = keys->order,
                           .sample = keys->sample > 0 ? (uint32_t)keys->sample : ORR_QUEUE_SAMPLES};
    if (!queued && keys->sample > 0) {
        return fail_key(jobs, "sample_iterations", "goes with queue: fifo or backfill", diag);
    }
    if (keys->panels == NULL) {
        return ORR_OK;
    }
    if (!queued) {
        return fail_key(jobs, "panels", "goes with queue: fifo or backfill", diag);
    }
    return jobs->network == ORR_JOBS_SHARDED
               ? read_panels(jobs, keys->panels, diag)
               : fail_key(jobs, "panels",
                          "expected network: sharded, which has links of each job's own", diag);
}

/* Checks the keys of ring blocks, and of an optical switch in front of the ring. */
static enum orr_status check_ring(const struct orr_jobs *jobs, struct orr_diag *diag)
{
    const struct orr_panels *panels = &jobs->queue.panels;
    if (jobs->ring_ocs && jobs->placement != ORR_JOBS_BLOCK) {
        return fail_key(jobs, "ring_ocs", "goes with placement: block", diag);
    }
    if (jobs->ring_ocs && jobs->network != ORR_JOBS_SHARDED) {
        return fail_key(jobs, "ring_ocs",
                        "expected network: sharded, in which each job has a ring of its own", diag);
    }
    if (orr_jobs_need_blocks(jobs) && panels->look_ahead) {
        const struct orr_location place = location_of(panels->node, "look_ahead");
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s.look_ahead: expected false with placement: block, because the "
                             "next free block is not known in advance (or cluster.ring_ocs: true)",
                             panels->node->path);
    }
    return ORR_OK;
}

enum orr_status orr_queue_read(struct orr_jobs *jobs, const struct orr_queue_keys *keys,
                               struct orr_diag *diag)
{
    const enum orr_status status = read_queue(jobs, keys, diag);
    return status == ORR_OK ? check_ring(jobs, diag) : status;
}

enum orr_status orr_queue_check(const struct orr_jobs *jobs, struct orr_diag *diag)
{
    const struct orr_job *before = NULL;
    char wanted[ORR_FORMAT_BYTES], got[ORR_FORMAT_BYTES];
    for (size_t i = 0; i < jobs->jobs && jobs->queue.order != ORR_QUEUE_NONE; i++) {
        const struct orr_job *job = &jobs->job[i];
        if (!job->starts || job->copy != 0) {
            continue;
        }
        if (before != NULL && job->start_ps < before->start_ps) {
            const struct orr_location place = location_of(job->node, "start");
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s.start: arrivals out of order: \"%s\" arrives at %s, before "
                                 "\"%s\" (%s), which comes first in the file and arrives at %s",
                                 job->node->path, job->name,
                                 orr_format_time(job->start_ps, got, sizeof got), before->name,
                                 before->node->path,
                                 orr_format_time(before->start_ps, wanted, sizeof wanted));
        }
        before = job;
    }
    return ORR_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether two jobs' own networks are identical. */
static bool same_network(const struct orr_job_platform *a, const struct orr_job_platform *b)
{
    return a == b || (a != NULL && b != NULL && a->plan == NULL && b->plan == NULL &&
                      same_text(a->fabric, b->fabric) && same_text(a->path, b->path) &&
                      same_text(a->routing, b->routing) && same_text(a->rings, b->rings) &&
                      a->kind.latency_ps == b->kind.latency_ps &&
                      !(a->kind.bytes_per_s < b->kind.bytes_per_s) &&
                      !(a->kind.bytes_per_s > b->kind.bytes_per_s));
}

bool orr_jobs_are_equivalent(const struct orr_job *a, const struct orr_job *b)
{
    char one[SYS_MONO_BYTES] = "", other[SYS_MONO_BYTES] = "";
    if (a->all_reduce.kind != NULL) {
        (void)orr_sys_mono_format(&a->all_reduce, one, sizeof one);
    }
    if (b->all_reduce.kind != NULL) {
        (void)orr_sys_mono_format(&b->all_reduce, other, sizeof other);
    }
    return a->source == b->source && same_network(a->own, b->own) && strcmp(one, other) == 0;
}
