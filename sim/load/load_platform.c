/* Loads Orrery's own files: a platform (network, system, memory, compute) and a workload, each a
 * YAML file with includes, and values set on the command line on top. */
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/fold.h"
#include "memory/mem_config_read.h"
#include "network/coordinates.h"
#include "network/net_config_graph.h"
#include "network/net_config_read.h"
#include "network/net_dims.h"
#include "sim/expr/derived_values.h"
#include "sim/fold/fold_job.h"
#include "sim/load/config_keys.h"
#include "sim/load/pilot_run.h"
#include "sim/load/shared_parts.h"
#include "sim/load/shared_path.h"
#include "sim/load/task_graph.h"
#include "sim/load/workload_config.h"
#include "sim/orrery_private.h"
#include "sim/ring_use.h"
#include "system/sys_config_read.h"
#include "workload/engine/engine.h"

struct sections {
    struct orr_conf_list include; /* only from --set, which must not include */
    const struct orr_conf *set;   /* applied before the sections are read */
    const char *name;             /* of the platform, for reports */
    const struct orr_conf *network, *system, *memory, *compute, *workload;
};

/* An entry of the mapping `set`. */
static const struct orr_key any_value = {
    .name = "PATH", .type = ORR_KEY_NODE, .doc = "a key and its value, or an expression of others"};

#define AT(member) offsetof(struct sections, member)

static const struct orr_key keys[] = {
    {.name = "include",
     .type = ORR_KEY_TEXT,
     .offset = AT(include),
     .list = true,
     .scalar_as_list = true,
     .merge_only = true,
     .absent = "nothing",
     .example = "include: platform.yml",
     .doc = "files, relative to this one, whose values hold where this file gives none"},
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = AT(name),
     .absent = "none",
     .doc = "a name, for people"},
    {.name = "set",
     .type = ORR_KEY_NODE,
     .offset = AT(set),
     .each = &any_value,
     .absent = "nothing",
     .example = "set: {\"network.dims[0].bandwidth\": memory.pool.hierarchical.group_bandwidth / "
                "2}",
     .doc = "values by their paths, which may be expressions of other keys; --set overrides them"},
    {.name = "network",
     .type = ORR_KEY_NODE,
     .offset = AT(network),
     .required = true,
     .table = &orr_net_key_table,
     .example = "network: {dims: [...]}",
     .doc = "dimensions and links"},
    {.name = "system",
     .type = ORR_KEY_NODE,
     .offset = AT(system),
     .table = &orr_sys_key_table,
     .doc = "collectives, chunks, queues"},
    {.name = "memory",
     .type = ORR_KEY_NODE,
     .offset = AT(memory),
     .table = &orr_mem_key_table,
     .doc = "local and remote memory"},
    {.name = "compute",
     .type = ORR_KEY_NODE,
     .offset = AT(compute),
     .table = &orr_wl_compute_table,
     .absent = "no compute section: recorded durations are replayed",
     .doc = "compute rates"},
    {.name = "workload",
     .type = ORR_KEY_NODE,
     .offset = AT(workload),
     .required = true,
     .table = &orr_wl_workload_table,
     .example = "workload: {generate: all_reduce, bytes: 1 GB}",
     .doc = "what to run; in a file of its own as a rule"},
};

const struct orr_key_table orr_wl_key_table = {"a platform with its workload", keys,
                                               sizeof keys / sizeof *keys, NULL};

/* Merges a platform with a workload (NULL: the platform has the section), sets values on top, and
 * evaluates those that are expressions. */
enum orr_status orr_merge_tree(struct orrery *job, const struct orr_conf *workload,
                               const char *const *set, size_t set_count,
                               const struct orr_conf **root)
{
    enum orr_status status = ORR_OK;
    if (workload != NULL) {
        for (int i = 0; i < 2; i++) {
            const struct orr_conf *each = i == 0 ? *root : workload;
            if (each->kind != ORR_CONF_MAP) {
                return orr_conf_expected(each, "a mapping of sections", &job->diag);
            }
        }
        status = orr_conf_merge(job->arena, *root, workload, root, &job->diag);
    }
    status = status == ORR_OK ? orr_conf_apply_set(job->arena, root, &job->diag) : status;
    for (size_t i = 0; i < set_count && status == ORR_OK; i++) {
        status = orr_conf_set(job->arena, *root, set[i], root, &job->diag);
    }
    return status == ORR_OK ? orr_conf_derive(job->arena, root, &job->diag) : status;
}

static enum orr_status load_files(struct orrery *job, const struct orrery_inputs *inputs,
                                  const struct orr_conf **root)
{
    enum orr_status status =
        inputs->platform != NULL
            ? orr_conf_load_composed(job->arena, inputs->platform, inputs->library, root,
                                     &job->diag)
            : orr_conf_parse(job->arena, "{}", 2, "command line", root, &job->diag);
    if (status == ORR_OK) {
        status = orr_net_tree_merge(job->arena, root, &job->diag);
    }
    const struct orr_conf *workload = NULL;
    if (status == ORR_OK && inputs->workload_text != NULL) {
        status = orr_conf_parse(job->arena, inputs->workload_text, strlen(inputs->workload_text),
                                inputs->workload != NULL ? inputs->workload : "workload", &workload,
                                &job->diag);
    } else if (status == ORR_OK && inputs->workload != NULL) {
        status = orr_conf_load_composed(job->arena, inputs->workload, inputs->library, &workload,
                                        &job->diag);
    }
    return status == ORR_OK ? orr_merge_tree(job, workload, inputs->set, inputs->set_count, root)
                            : status;
}

static enum orr_status read_sections(struct orrery *job, const struct sections *sections)
{
    const struct net_config_input input = {
        .arena = job->arena, .map = sections->network, .own = orr_task_graph_network(job)};
    enum orr_status status = ORR_OK;
    if (job->tasks.external_network != NULL) {
        job->network = *job->tasks.external_network;
    } else {
        status = orr_net_config_read_for(&input, &job->network, &job->diag);
    }
    if (status == ORR_OK && job->network.graph != NULL && !job->network.shaped &&
        orr_sys_trees_span_all(sections->system)) {
        status = orr_net_config_join_dims(job->arena, &job->network, &job->diag);
    }
    if (status == ORR_OK) {
        const struct orr_machine_sections machine = {
            .system = sections->system, .memory = sections->memory, .compute = sections->compute};
        job->npus = orr_net_npus(&job->network);
        status = orr_read_machine(job, &machine);
    }
    if (status == ORR_OK) {
        status = orr_wl_workload_read(job->arena, sections->workload, job->npus,
                                      &job->files.job_description, &job->diag);
    }
    return status;
}

/* ---- folding ---- */

enum orr_status orr_find_fold(struct orrery *job)
{
    const struct wl_fold_job all = {.network = &job->network,
                                    .system = &job->system.config,
                                    .remote = &job->remote,
                                    .compute = &job->compute,
                                    .traces = &job->source,
                                    .model = &job->files.job_description.model,
                                    .add_groups = orr_add_listed_groups,
                                    .context = job,
                                    .group_npus = orr_task_graph_group_npus(job),
                                    .all_reduce = job->tasks.all_reduce != NULL
                                                      ? *job->tasks.all_reduce
                                                      : job->files.job_description.all_reduce};
    orr_fold_init(&job->fold, job->npus);
    if (job->requests.fold_off) {
        job->fold_reasons.why_nothing = "it is switched off";
        return ORR_OK;
    }
    if ((job->requests.record & ORRERY_RECORD_TRAFFIC) != 0) {
        job->fold_reasons.why_nothing = "the traffic between NPUs is recorded";
        return ORR_OK;
    }
    return orr_wl_fold_find(job->arena, &all, &job->fold, &job->fold_reasons, &job->diag);
}

static enum orr_status set_traces(struct orrery *job)
{
    job->traces = orr_arena_array(job->arena, job->fold.slots, sizeof *job->traces);
    if (job->traces == NULL) {
        return orr_diag_no_memory(&job->diag, "the traces");
    }
    for (uint32_t slot = 0; slot < job->fold.slots; slot++) {
        job->traces[slot] = wl_trace_of(&job->source, orr_fold_rank(&job->fold, orr_slot(slot)));
    }
    return ORR_OK;
}

enum { PORT_BYTES = 12 }; /* lower bound, of a port */

/* Lower bound of ports of an NPU: one per peer of a fully connected dimension with bandwidth per
 * link. */
static double ports_per_npu(const struct net_config *network)
{
    double ports = 0;
    for (unsigned d = 0; d < network->dims && network->graph == NULL; d++) {
        const struct net_dim *dim = &network->dim[d];
        const bool meshed = dim->block == NET_FULLY_CONNECTED && !dim->per_npu;
        ports += meshed ? (double)dim->npus - 1 : 1;
    }
    return ports;
}

/* Checks a lower bound of the simulation's memory (engine, trace, ports, and chunks of a collective
 * in flight) against the machine's, to fail early. */
static enum orr_status check_machine(struct orrery *job)
{
    const struct orr_trace *trace = wl_trace_of(&job->source, orr_rank(0));
    const double each = (double)orr_engine_npu_bytes() + sizeof(void *) +
                        (double)trace->nodes * sizeof(uint32_t) +
                        PORT_BYTES * ports_per_npu(&job->network) +
                        64.0 * (trace->nodes != 0 ? job->system.config.chunks : 0);
    const double needed = each * job->fold.slots;
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (machine <= 0 || needed <= machine) {
        return ORR_OK;
    }
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                         "%u NPUs are to be simulated one by one, which needs about %.0f GiB; this "
                         "machine has %.0f GiB",
                         job->fold.slots, needed / 0x1p30, machine / 0x1p30);
}

enum orr_status orr_build(struct orrery *job)
{
    enum orr_status status = check_machine(job);
    if (status == ORR_OK) {
        status = set_traces(job);
    }
    if (status == ORR_OK) {
        status = orr_locate_error(job, orr_build_layers(job), "memory", "remote");
    }
    if (status == ORR_OK) {
        status = orr_add_groups(job);
    }
    return status == ORR_OK ? orr_build_engine(job) : status;
}

static enum orr_status build_single(struct orrery *job, const void *context)
{
    (void)context;
    return orr_build(job);
}

enum orr_status orr_load_tree(struct orrery *job, const struct orr_conf *root)
{
    struct sections sections = {0};
    enum orr_status status = orr_net_tree_merge(job->arena, &root, &job->diag);
    job->files.user_values = root;
    if (status == ORR_OK) {
        status = orr_task_graph_read(job, &root);
    }
    if (status != ORR_OK) {
        return status;
    }
    status = orr_conf_read(root, "a platform with its workload", keys, sizeof keys / sizeof *keys,
                           &sections, &job->diag);
    if (status == ORR_OK && sections.include.count != 0) {
        const struct orr_location place = orr_conf_location(orr_conf_get(root, "include"));
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                               "include: only a file can include others");
    }
    if (status == ORR_OK) {
        job->files.platform = root;
        status = read_sections(job, &sections);
    }
    if (status == ORR_OK) {
        status = orr_task_graph_check(job);
    }
    if (status == ORR_OK) {
        status = orr_load_source(job, sections.compute != NULL);
    }
    if (status == ORR_OK) {
        status = orr_apply_trace_rules(job, sections.network);
    }
    if (status == ORR_OK) {
        status = orr_check_asked_rings(job->network.graph, sections.network, &job->diag);
    }
    if (status == ORR_OK) {
        /* Before anything is planned: what is picked goes by the platform that runs. */
        status = orr_apply_scales(job);
    }
    if (status == ORR_OK) {
        orr_warn_inputs(job);
        (void)orr_warn_shared_path(root, &job->diag);
        orr_task_graph_warn(job);
        job->cluster.iterations = job->files.job_description.iterations;
        status = orr_pilot_run(job, &(struct orr_builder){build_single, NULL});
    }
    if (status == ORR_OK) {
        status = orr_find_fold(job);
    }
    return status == ORR_OK ? orr_build(job) : status;
}

enum orrery_status orrery_load(struct orrery *job, const struct orrery_inputs *inputs)
{
    enum orr_status status = orr_check_empty(job);
    if (status == ORR_OK && inputs->platform == NULL && inputs->set_count == 0) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL, "a platform file is needed");
    }
    const struct orr_conf *root = NULL;
    if (status == ORR_OK) {
        status = load_files(job, inputs, &root);
    }
    return orr_finish_call(job, status == ORR_OK ? orr_load_tree(job, root) : status);
}

void orrery_explain(const struct orrery *job,
                    void (*emit)(void *user, const char *key, const char *value,
                                 const char *origin),
                    void *user)
{
    if (job->files.platform == NULL) {
        return;
    }
    orr_conf_explain(job->files.platform, &orr_wl_key_table, emit, user);
    if (job->network.design != NULL) {
        emit(user, "network.design", job->network.design, "design");
    }
}

void orr_write_user_values(const struct orrery *job, orr_conf_emit_fn put, void *context)
{
    if (job->files.platform != NULL) {
        orr_conf_write(job->files.user_values, &orr_wl_key_table, put, context);
    }
}
