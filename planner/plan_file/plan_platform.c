/* Writes the platform, model and workload of a planned job, which `orrery run` reads; see
 * plan_write.h. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/units.h"
#include "network/flows/flows.h"
#include "network/net_backend.h"
#include "network/route_options.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_write.h"
#include "planner/plan_file/plan_yaml.h"
#include "report/pictures/pictures.h"
#include "workload/strategy/strategy_file.h"

/* ---- the platform ---- */

/* Writes a section as it was read, without the keys in `set`, which are written separately. */
static void write_except(FILE *out, const char *name, const struct orr_conf *map,
                         const char *const set[])
{
    (void)fprintf(out, "%s:\n", name);
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        bool written = true;
        for (size_t s = 0; set[s] != NULL; s++) {
            written = written && strcmp(map->key[i], set[s]) != 0;
        }
        if (written) {
            orr_plan_yaml(out, map->key[i], map->item[i], 2);
        }
    }
}

/* Whether the network section is written as it was read: a graph without a file (which would be in
 * another folder), a design, or demand-aware circuits, which have no links to write. */
static bool is_kept(const struct plan_job *job)
{
    const struct orr_conf *network = orr_conf_get(job->root, "network");
    const struct orr_conf *graph = network != NULL ? orr_conf_get(network, "graph") : NULL;
    const bool design = network != NULL && orr_conf_get(network, "design") != NULL;
    const bool circuits = job->circuits.weights != 0;
    return job->fixed &&
           (design || circuits ||
            (graph != NULL && graph->kind == ORR_CONF_MAP && orr_conf_get(graph, "file") == NULL));
}

/* Writes the memory section with the plan's capacity. */
static void write_memory(FILE *out, const struct plan_job *job)
{
    static const char *const set[] = {"local", "ignore_capacity", NULL};
    const struct orr_conf *memory = orr_conf_get(job->root, "memory");
    const struct orr_conf *local = memory != NULL ? orr_conf_get(memory, "local") : NULL;
    if (memory == NULL && job->memory_bytes == 0) {
        return;
    }
    write_except(out, "memory", memory, set);
    (void)fputs("  local:\n", out);
    for (size_t i = 0; local != NULL && i < local->count; i++) {
        if (strcmp(local->key[i], "capacity") != 0) {
            orr_plan_yaml(out, local->key[i], local->item[i], 4);
        }
    }
    if (job->memory_bytes != 0) {
        (void)fprintf(out, "    capacity: %" PRIu64 " B\n", job->memory_bytes);
    }
}

/* Writes the packet keys of the network section. */
static void write_packets(FILE *out, const struct orr_conf *network)
{
    static const char *const keys[] = {"packet", "handshake", "setup", "fluid"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct orr_conf *node = network != NULL ? orr_conf_get(network, keys[i]) : NULL;
        if (node != NULL) {
            orr_plan_yaml(out, keys[i], node, 2);
        }
    }
}

/* Writes the flow keys of a network that is not kept. */
static void write_flows(FILE *out, const struct plan_job *job)
{
    struct net_flow_model flows = {.forward_ps = job->interfaces.forward_ps,
                                   .forward_bytes_per_s = job->interfaces.forward_bytes_per_s};
    char text[ORR_FORMAT_BYTES];
    if (job->fixed) {
        orr_net_config_flows(&job->network, &flows);
        write_packets(out, orr_conf_get(job->root, "network"));
    }
    if (flows.forward_ps != 0) {
        (void)fprintf(out, "  forwarding: %s\n", orr_exact_time(flows.forward_ps, text));
    }
    if (flows.forward_bytes_per_s > 0) {
        (void)fprintf(out, "  forwarding_limit: %s\n",
                      orr_exact_bandwidth(flows.forward_bytes_per_s, text));
    }
}

/* Writes the circuits of the network section with the weights that runs of the plan try. */
static void write_circuits(FILE *out, const struct plan_job *job)
{
    const struct orr_conf *network = orr_conf_get(job->root, "network");
    const struct orr_conf *circuits = orr_conf_get(network, "circuits");
    (void)fputs("  circuits:\n", out);
    for (size_t i = 0; circuits != NULL && i < circuits->count; i++) {
        orr_plan_yaml(out, circuits->key[i], circuits->item[i], 4);
    }
    for (uint32_t i = 0; i < job->circuits.weights; i++) {
        (void)fprintf(out, "%s%g", i == 0 ? "    weights: [" : ", ", job->circuits.weight[i]);
    }
    (void)fputs("]\n", out);
}

void orr_plan_write_platform(FILE *out, const struct plan_job *job, const struct net_graph *graph,
                             const struct net_route_options *routes)
{
    static const char *const set[] = {"shares", "routing", NULL};
    static const char *const set_circuits[] = {"shares", "routing", "circuits", NULL};
    const struct orr_conf *compute = orr_conf_get(job->root, "compute");
    if (is_kept(job)) {
        const bool tries = job->circuits.tries_weights;
        write_except(out, "network", orr_conf_get(job->root, "network"),
                     tries ? set_circuits : set);
        if (tries) {
            write_circuits(out, job);
        }
        if (job->circuits.weights == 0) { /* else all routes are circuits */
            (void)fprintf(out, "  routing: %s\n", net_routing_of(routes)->name);
        }
        (void)fputs("  shares: maxmin\n", out);
    } else {
        orr_plan_write_network(out, graph, routes);
        write_flows(out, job);
    }
    write_memory(out, job);
    if (compute != NULL) {
        orr_plan_yaml(out, "compute", compute, 0);
    } else {
        (void)fputs("compute: {mode: replay}\n", out);
    }
}

/* ---- the model ---- */

/* Writes a section with another batch, of all devices together. */
static void write_batch(FILE *out, const struct orr_conf *map, const char *name, unsigned indent,
                        uint64_t batch)
{
    (void)fprintf(out, "%*s%s:\n%*sbatch: %" PRIu64 "\n", (int)indent, "", name, (int)indent + 2,
                  "", batch);
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        if (strcmp(map->key[i], "batch") != 0 && strcmp(map->key[i], "batch_per_device") != 0) {
            orr_plan_yaml(out, map->key[i], map->item[i], indent + 2);
        }
    }
}

/* Writes the batch of measured operators if the model's own batch is replaced. */
static void write_measured_batch(FILE *out, const struct plan_job *job, unsigned indent)
{
    const struct model_graph *model = &job->model;
    const struct orr_conf *map = orr_conf_get(job->model_root, "model");
    bool measured = false;
    for (uint32_t op = 0; op < model->ops && !measured; op++) {
        measured = model->op[op].measured;
    }
    if (measured && model->measured_batch != 0 && orr_conf_get(map, "measured_batch") == NULL) {
        (void)fprintf(out, "%*smeasured_batch: %" PRIu64 "\n", (int)indent, "",
                      model->measured_batch);
    }
}

static void write_root(FILE *out, const struct plan_job *job, unsigned indent)
{
    const struct orr_conf *root = job->model_root;
    const struct orr_conf *model = orr_conf_get(root, "model");
    const struct orr_conf *workload = orr_conf_get(root, "workload");
    if (model != NULL && job->batch != 0) {
        write_batch(out, model, "model", indent, job->batch);
        write_measured_batch(out, job, indent + 2);
    } else if (model != NULL) {
        orr_plan_yaml(out, "model", model, indent);
    } else {
        (void)fprintf(out, "%*s%s:\n", (int)indent, "", indent == 0 ? "workload" : "model");
        for (size_t i = 0; i < workload->count; i++) {
            if (job->batch == 0 || strcmp(workload->key[i], "training") != 0) {
                orr_plan_yaml(out, workload->key[i], workload->item[i], indent + 2);
            }
        }
        if (job->batch != 0) {
            write_batch(out, orr_conf_get(workload, "training"), "training", indent + 2,
                        job->batch);
        }
    }
}

void orr_plan_write_model(FILE *out, const struct plan_job *job)
{
    write_root(out, job, 0);
}

/* ---- the workload ---- */

/* Writes the strategy inline, indented. */
static int write_strategy(FILE *out, const struct plan_job *job, const struct strategy *strategy)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    int status = file != NULL ? orr_strategy_write(file, &job->model, strategy) : 1;
    if (file != NULL && fclose(file) != 0) {
        status = 1;
    }
    for (char *line = text, *end; status == 0 && line != NULL && *line != '\0'; line = end) {
        end = strchr(line, '\n');
        end = end != NULL ? end + 1 : line + strlen(line);
        (void)fprintf(out, "  %.*s", (int)(end - line), line);
    }
    orr_heap_free(text);
    return status;
}

int orr_plan_write_workload(FILE *out, const struct plan_job *job, const struct strategy *strategy,
                            const struct plan_names *names)
{
    const struct orr_conf *times = orr_conf_get(job->section, "part_times");
    int status = 0;
    if (names->model != NULL) {
        (void)fputs("workload:\n  model: ", out);
        orr_plan_yaml_text(out, names->model);
        (void)fputc('\n', out);
    } else {
        (void)fputs("workload:\n", out);
        write_root(out, job, 2);
    }
    if (names->strategy != NULL) {
        (void)fputs("  strategy: ", out);
        orr_plan_yaml_text(out, names->strategy);
        (void)fputc('\n', out);
    } else {
        status = write_strategy(out, job, strategy);
    }
    if (names->profile != NULL) {
        (void)fputs("  profile: ", out);
        orr_plan_yaml_text(out, names->profile);
        (void)fputc('\n', out);
    }
    if (times != NULL) {
        orr_plan_yaml(out, "part_times", times, 2);
    }
    if (job->stream) {
        (void)fprintf(out, "  all_reduce: %s\n",
                      job->circuits.bidirectional ? "bidirectional_ring_stream" : "ring_stream");
    }
    return status;
}
