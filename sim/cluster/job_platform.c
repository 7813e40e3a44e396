/* A job's own network: its fabric keys, or the platform of a plan; see jobs.h. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/file.h"
#include "sim/cluster/job_keys.h"
#include "sim/cluster/named_fabric.h"
#include "sim/load/find_input.h"

/* ---- plans ---- */

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* The folder of a plan, from FOLDER/plan.json, FOLDER/ or FOLDER. */
static const char *folder_of(const struct orr_jobs *jobs, const char *plan)
{
    static const char file[] = "plan.json";
    size_t length = strlen(plan);
    const char *slash = strrchr(plan, '/');
    if (strcmp(slash != NULL ? slash + 1 : plan, file) == 0) {
        length -= strlen(file);
    }
    while (length > 1 && plan[length - 1] == '/') {
        length--;
    }
    return length == 0 ? "." : orr_arena_strndup(jobs->arena, plan, length);
}

/* Checks that all files of a plan exist. */
static enum orr_status check_plan(const struct orr_jobs *jobs, const char *folder,
                                  const struct orr_conf *node, struct orr_diag *diag)
{
    static const char *const files[] = {"platform.yml", "workload.yml"};
    const struct orr_location place = orr_conf_location(node);
    const char *excluded = orr_path_resolve(jobs->arena, jobs->file, folder);
    if (excluded != NULL && !is_folder(excluded)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected the folder that orrery plan topoopt -o FOLDER wrote, or "
                             "its plan.json; there is no folder %s",
                             node->path, excluded);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = orr_arena_printf(jobs->arena, "%s/%s", excluded, files[i]);
        if (excluded == NULL || path == NULL) {
            return orr_diag_no_memory(diag, "a plan");
        }
        if (access(path, R_OK) != 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: expected the folder that orrery plan topoopt -o FOLDER "
                                 "wrote, got no file %s",
                                 node->path, path);
        }
    }
    return ORR_OK;
}

static enum orr_status read_platform(const struct orr_jobs *jobs, struct orr_job_platform *own,
                                     struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    const enum orr_status status =
        orr_conf_load_composed(jobs->arena, own->path, library, &root, diag);
    if (status == ORR_OK) {
        own->system = orr_conf_get(root, "system");
        own->memory = orr_conf_get(root, "memory");
        own->compute = orr_conf_get(root, "compute");
    }
    return status;
}

/* Rejects keys that a plan defines itself. */
static enum orr_status reject_keys_with_plan(const struct orr_conf *job, struct orr_diag *diag)
{
    static const char *const keys[] = {"fabric",  "link_bandwidth", "link_latency",
                                       "routing", "rings",          "npus"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct orr_conf *given = orr_conf_get(job, keys[i]);
        if (given != NULL) {
            const struct orr_location place = orr_conf_location(given);
            return orr_diag_fail(
                diag, ORR_ERR_INPUT, &place,
                "%s: expected no %s together with plan, which has its own network and servers",
                given->path, keys[i]);
        }
    }
    return ORR_OK;
}

static enum orr_status read_plan(const struct orr_jobs *jobs, const struct orr_conf *node,
                                 struct orr_job_section *section, struct orr_job_platform *own,
                                 struct orr_diag *diag)
{
    enum orr_status status = reject_keys_with_plan(node, diag);
    const char *folder = folder_of(jobs, section->plan);
    if (status == ORR_OK) {
        status = folder != NULL ? check_plan(jobs, folder, own->node, diag)
                                : orr_diag_no_memory(diag, "a plan");
    }
    if (status != ORR_OK) {
        return status;
    }
    const char *platform = orr_arena_printf(jobs->arena, "%s/platform.yml", folder);
    own->plan = section->plan = folder;
    own->fabric = platform;
    own->kind.latency_ps = ORR_PS_PER_US; /* default of a run of the plan's files */
    own->path = platform != NULL ? orr_path_resolve(jobs->arena, jobs->file, platform) : NULL;
    section->workload = orr_arena_printf(jobs->arena, "%s/workload.yml", folder);
    return own->path != NULL && section->workload != NULL ? read_platform(jobs, own, diag)
                                                          : orr_diag_no_memory(diag, "a plan");
}

/* ---- fabrics ---- */

/* The first key of the job's own network; NULL: none. */
static const struct orr_conf *find_key(const struct orr_conf *job)
{
    static const char *const keys[] = {"fabric", "link_bandwidth", "link_latency", "routing",
                                       "rings"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct orr_conf *given = orr_conf_get(job, keys[i]);
        if (given != NULL) {
            return given;
        }
    }
    return NULL;
}

static enum orr_status read_fabric(const struct orr_jobs *jobs,
                                   const struct orr_job_section *section,
                                   struct orr_job_platform *own, struct orr_diag *diag)
{
    own->fabric = section->fabric != NULL ? section->fabric : jobs->fabric;
    own->path = orr_fabric_is_file(own->fabric)
                    ? orr_path_resolve(jobs->arena, jobs->file, own->fabric)
                    : NULL;
    if (section->fabric != NULL && own->path != NULL && access(own->path, R_OK) != 0) {
        const struct orr_location place = orr_conf_location(own->node);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected a fabric or the file of one, got no file %s",
                             own->node->path, own->path);
    }
    own->routing = section->routing != NULL ? section->routing : jobs->routing;
    own->rings = section->rings != NULL ? section->rings : jobs->rings;
    own->kind = jobs->kind;
    if (section->link_bandwidth_bytes_per_s > 0) {
        own->kind.bytes_per_s = section->link_bandwidth_bytes_per_s;
    }
    if (section->link_latency_ps >= 0) {
        own->kind.latency_ps = section->link_latency_ps;
    }
    own->system = jobs->system;
    own->memory = jobs->memory;
    own->compute = jobs->compute;
    return ORR_OK;
}

/* Whether the strategy of a plan runs on the cluster's shared network. */
static bool runs_elsewhere(const struct orr_jobs *jobs, const struct orr_job_section *section)
{
    return section->plan != NULL && orr_conf_get(jobs->cluster, "network") != NULL;
}

enum orr_status orr_job_platform_read(const struct orr_jobs *jobs, const struct orr_conf *node,
                                      struct orr_job_section *section,
                                      const struct orr_job_platform **out, struct orr_diag *diag)
{
    const struct orr_conf *key =
        section->plan == NULL ? find_key(node) : orr_conf_get(node, "plan");
    *out = NULL;
    if (key == NULL) {
        return ORR_OK;
    }
    if (jobs->network == ORR_JOBS_SHARED && !runs_elsewhere(jobs, section)) {
        const struct orr_location place = orr_conf_location(key);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected cluster.network: sharded, for a network of the job's "
                             "own; it is shared",
                             key->path);
    }
    struct orr_job_platform *own = orr_arena_alloc(jobs->arena, sizeof *own);
    if (own == NULL) {
        return orr_diag_no_memory(diag, "a job's network");
    }
    *own = (struct orr_job_platform){.node = key};
    *out = own;
    return section->plan != NULL ? read_plan(jobs, node, section, own, diag)
                                 : read_fabric(jobs, section, own, diag);
}

enum orr_status orr_job_platform_check(const struct orr_job *job, const struct net_graph *graph,
                                       struct orr_diag *diag)
{
    const struct orr_job_platform *own = job->own;
    if (own == NULL || own->plan == NULL || graph->npus == orr_job_servers(job)) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(own->node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s: expected a network of as many servers as the strategy has, %" PRIu32
                         ", got one of %" PRIu32 " in %s",
                         own->node->path, orr_job_servers(job), graph->npus, own->path);
}
