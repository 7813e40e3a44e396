/* ASTRA-sim's system file. docs/how-to/astra-sim.md lists which keys ASTRA-sim reads, and which it
 * ignores although its examples contain them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/strings.h"
#include "core/units.h"
#include "system/collectives/program.h"
#include "system/sys_astra.h"
#include "system/sys_config.h"

static const char *const policies[] = {"LIFO", "FIFO", "EXPLICIT", NULL};
static const char *const optimizations[] = {"baseline", "localBWAware", NULL};
/* Both names of each in turn. */
static const char *const inter_schedulers[] = {"baseline", "ascending", "themis", "offlineGreedy",
                                               NULL};
static const char *const intra_schedulers[] = {"FIFO", "SCF", "smallestFirst", NULL};

struct file {
    unsigned scheduling_policy, optimization, inter, intra;
    int64_t endpoint_delay, active_chunks, splits, roofline, replay_only, track_local_mem;
    int64_t shared_bus, trace_enabled;
    double local_mem_bw, peak_perf, unused_number;
    const char *local_mem_trace, *per_node_custom;
    const struct orr_conf *native[SYS_LISTED_KINDS], *custom[SYS_LISTED_KINDS];
    const struct orr_conf *unused_node;
};

#define AT(member) offsetof(struct file, member)
#define LIST(NAME, KIND)                                                                           \
    {.name = NAME "-implementation",                                                               \
     .type = ORR_KEY_NODE,                                                                         \
     .offset = AT(native) + (size_t)(KIND) * sizeof(void *),                                       \
     .doc = "algorithm of each dimension"},                                                        \
    {                                                                                              \
        .name = NAME "-implementation-custom", .type = ORR_KEY_NODE,                               \
        .offset = AT(custom) + (size_t)(KIND) * sizeof(void *),                                    \
        .doc = "prefix of the traces of a custom collective"                                       \
    }

static const char ignored[] = "the program whose file this is does not read it either";

static const char not_obeyed[] = "the program whose file this is does not read it either; "
                                 "--set compat.dimension_scheduling=true obeys it";

static const struct orr_key keys[] = {
    {.name = "scheduling-policy",
     .type = ORR_KEY_CHOICE,
     .offset = AT(scheduling_policy),
     .choices = policies,
     .default_text = "LIFO",
     .doc = "which collective's chunks go first"},
    {.name = "collective-optimization",
     .type = ORR_KEY_CHOICE,
     .offset = AT(optimization),
     .choices = optimizations,
     .default_text = "localBWAware",
     .doc = "all-reduce by reduce-scatter and all-gather, or dimension by dimension"},
    {.name = "endpoint-delay",
     .type = ORR_KEY_INTEGER,
     .offset = AT(endpoint_delay),
     .low = 0,
     .high = 1e12,
     .default_text = "10",
     .doc = "ns for every received message"},
    {.name = "active-chunks-per-dimension",
     .type = ORR_KEY_INTEGER,
     .offset = AT(active_chunks),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "chunks that a dimension works on at a time"},
    {.name = "preferred-dataset-splits",
     .type = ORR_KEY_INTEGER,
     .offset = AT(splits),
     .low = 1,
     .high = 4096,
     .default_text = "1",
     .doc = "chunks of a collective"},
    LIST("all-reduce", COLL_ALL_REDUCE),
    LIST("all-gather", COLL_ALL_GATHER),
    LIST("reduce-scatter", COLL_REDUCE_SCATTER),
    LIST("all-to-all", COLL_ALL_TO_ALL),
    {.name = "local-mem-bw",
     .type = ORR_KEY_NUMBER,
     .offset = AT(local_mem_bw),
     .doc = "GB/s (10^9 bytes) of local memory"},
    {.name = "peak-perf",
     .type = ORR_KEY_NUMBER,
     .offset = AT(peak_perf),
     .doc = "TFLOP/s, for the roofline"},
    {.name = "roofline-enabled",
     .type = ORR_KEY_INTEGER,
     .offset = AT(roofline),
     .low = 0,
     .high = 1,
     .default_text = "0",
     .doc = "compute times from a roofline instead of recorded ones"},
    {.name = "replay-only",
     .type = ORR_KEY_INTEGER,
     .offset = AT(replay_only),
     .low = 0,
     .high = 1,
     .default_text = "0",
     .doc = "every node takes its recorded duration"},
    {.name = "track-local-mem",
     .type = ORR_KEY_INTEGER,
     .offset = AT(track_local_mem),
     .low = 0,
     .high = 1,
     .default_text = "0",
     .doc = "report the peak of local memory"},
    {.name = "local-mem-trace-filename",
     .type = ORR_KEY_TEXT,
     .offset = AT(local_mem_trace),
     .default_text = "local_mem_trace",
     .doc = "where the memory trace goes"},
    {.name = "trace-enabled",
     .type = ORR_KEY_INTEGER,
     .offset = AT(trace_enabled),
     .low = 0,
     .high = 1,
     .doc = "log lines"},
    {.name = "model-shared-bus",
     .type = ORR_KEY_INTEGER,
     .offset = AT(shared_bus),
     .low = 0,
     .high = 1,
     .default_text = "0",
     .doc = "LogGP model of a shared bus; not supported"},
    {.name = "per-node-custom-implementation",
     .type = ORR_KEY_TEXT,
     .offset = AT(per_node_custom),
     .doc = "custom collectives by node; not supported"},
    {.name = "local-reduction-delay",
     .type = ORR_KEY_NODE,
     .offset = AT(unused_node),
     .doc = "used with model-shared-bus only"},
    {.name = "L", .type = ORR_KEY_NUMBER, .offset = AT(unused_number), .doc = "LogGP latency"},
    {.name = "o", .type = ORR_KEY_NUMBER, .offset = AT(unused_number), .doc = "LogGP overhead"},
    {.name = "g", .type = ORR_KEY_NUMBER, .offset = AT(unused_number), .doc = "LogGP gap"},
    {.name = "G", .type = ORR_KEY_NUMBER, .offset = AT(unused_number), .doc = "LogGP gap a byte"},
    {.name = "boost-mode", .type = ORR_KEY_IGNORED, .default_text = "0", .doc = ignored},
    {.name = "intra-dimension-scheduling", .type = ORR_KEY_IGNORED, .doc = not_obeyed},
    {.name = "inter-dimension-scheduling", .type = ORR_KEY_IGNORED, .doc = not_obeyed},
};

/* Replace the last two keys if they are to be obeyed. */
static const struct orr_key obeyed[] = {
    {.name = "intra-dimension-scheduling",
     .type = ORR_KEY_CHOICE,
     .offset = AT(intra),
     .choices = intra_schedulers,
     .default_text = "FIFO",
     .doc = "which chunk a dimension takes first"},
    {.name = "inter-dimension-scheduling",
     .type = ORR_KEY_CHOICE,
     .offset = AT(inter),
     .choices = inter_schedulers,
     .default_text = "baseline",
     .doc = "in which order chunks visit the dimensions"},
};

enum { KEYS = sizeof keys / sizeof *keys, OBEYED = sizeof obeyed / sizeof *obeyed };

/* ---- algorithm names ---- */

/* Whether the text is one of the algorithm's names, followed for windowed algorithms by the number
 * of messages in flight. */
static bool is_named(const struct coll_algorithm *algorithm, const char *text, uint32_t *window)
{
    const char *const *other = algorithm->astra_names;
    for (const char *name = algorithm->name; name != NULL; name = *other++) {
        const size_t length = strlen(name);
        int64_t number = 0;
        if (strncmp(text, name, length) != 0) {
            continue;
        }
        if (text[length] == '\0' ||
            (algorithm->windowed && orr_parse_integer(text + length, &number) && number >= 1 &&
             number <= INT32_MAX)) {
            *window = (uint32_t)number;
            return true;
        }
    }
    return false;
}

static bool parse_algorithm(const char *text, struct sys_algorithm *out)
{
    out->flat = strncmp(text, "one", 3) == 0;
    text += out->flat ? 3 : 0;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        if (!orr_coll_algorithms[i]->in_switch &&
            is_named(orr_coll_algorithms[i], text, &out->window)) {
            out->algorithm = orr_coll_algorithms[i];
            return true;
        }
    }
    return false;
}

/* "ring, direct, directN (N messages at a time, N >= 1), ... or oneRing, ..." */
static void describe_names(char *text, size_t bytes)
{
    const struct coll_algorithm *const *all = orr_coll_algorithms;
    const char *before = ", or ";
    size_t used = 0;
    for (size_t i = 0; all[i] != NULL && used < bytes; i++) {
        const char *name = all[i]->astra_names[0];
        if (name != NULL) {
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%s%s%s%s", used > 0 ? ", " : "",
                                 name, all[i]->windowed ? ", " : "", all[i]->windowed ? name : "",
                                 all[i]->windowed ? "N (N messages at a time, N >= 1)" : "");
        }
    }
    for (size_t i = 0; all[i] != NULL && used < bytes; i++) {
        if (all[i]->astra_names[0] != NULL && all[i]->astra_names[1] != NULL) {
            used += (size_t)snprintf(text + used, bytes - used, "%sone%s", before,
                                     all[i]->astra_names[1]);
            before = ", ";
        }
    }
}

static enum orr_status read_list(const struct orr_conf *node, struct orr_arena *arena,
                                 struct sys_algorithm_list *list, struct orr_diag *diag)
{
    if (node->kind != ORR_CONF_LIST || node->count == 0) {
        return orr_conf_expected(node, "a list with an algorithm for each dimension", diag);
    }
    struct sys_algorithm *items = orr_arena_array(arena, node->count, sizeof *items);
    if (items == NULL) {
        return orr_diag_no_memory(diag, "the algorithms");
    }
    for (size_t i = 0; i < node->count; i++) {
        if (node->item[i]->kind != ORR_CONF_SCALAR ||
            !parse_algorithm(node->item[i]->text, &items[i])) {
            char expected[512];
            describe_names(expected, sizeof expected);
            return orr_conf_expected(node->item[i], expected, diag);
        }
    }
    *list = (struct sys_algorithm_list){.items = items, .count = (unsigned)node->count};
    return ORR_OK;
}

static enum orr_status read_custom(const struct orr_conf *node, const char **prefix,
                                   struct orr_diag *diag)
{
    if (node->kind != ORR_CONF_LIST || node->count != 1 || node->item[0]->kind != ORR_CONF_SCALAR) {
        return orr_conf_expected(node, "a list of exactly one prefix of trace files", diag);
    }
    *prefix = node->item[0]->text;
    return ORR_OK;
}

static enum orr_status read_algorithms(const struct file *file, struct orr_arena *arena,
                                       struct sys_astra *astra, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS && status == ORR_OK; kind++) {
        if (file->native[kind] != NULL) {
            astra->list_location[kind] = orr_conf_location(file->native[kind]);
            status = read_list(file->native[kind], arena, &astra->config.algorithms[kind], diag);
        }
        if (file->custom[kind] != NULL && status == ORR_OK) {
            astra->custom_location[kind] = orr_conf_location(file->custom[kind]);
            status = read_custom(file->custom[kind], &astra->custom_prefix[kind], diag);
        }
    }
    return status;
}

static enum orr_status fail_unsupported(const struct orr_conf *root, const char *key,
                                        const char *why, struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(orr_conf_get(root, key));
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s is not supported: %s", key, why);
}

static enum orr_status check(const struct orr_conf *root, const struct file *file,
                             struct orr_diag *diag)
{
    if (file->shared_bus != 0) {
        return fail_unsupported(root, "model-shared-bus",
                                "there is no LogGP model of a shared bus; set it to 0", diag);
    }
    if (file->per_node_custom != NULL) {
        return fail_unsupported(
            root, "per-node-custom-implementation",
            "give one custom collective for all nodes (all-reduce-implementation-custom)", diag);
    }
    if (file->roofline != 0 && !(file->peak_perf > 0 && file->local_mem_bw > 0)) {
        const struct orr_location location = orr_conf_location(root);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "roofline-enabled needs peak-perf (TFLOP/s) and local-mem-bw (GB/s), "
                             "both > 0");
    }
    return ORR_OK;
}

static void fill(const struct file *file, struct sys_astra *astra)
{
    struct sys_config *config = &astra->config;
    config->chunks = (uint32_t)file->splits;
    config->active_chunks = (uint32_t)file->active_chunks;
    config->queues_per_dim = 1;
    config->priority = (enum sys_priority)file->scheduling_policy;
    config->bandwidth_aware = file->optimization == 1;
    config->scheduler = file->inter >= 2 ? orr_sys_scheduler_astra() : orr_sys_schedulers[0];
    config->queue_order = file->intra >= 1 ? SYS_QUEUE_SMALLEST_FIRST : SYS_QUEUE_BY_PRIORITY;
    config->endpoint_delay_ps = orr_time_mul(ORR_PS_PER_NS, (uint64_t)file->endpoint_delay);
    config->reduction_bytes_per_s = file->local_mem_bw > 0 ? file->local_mem_bw * 1e9 : INFINITY;
    astra->local_memory_bytes_per_s = config->reduction_bytes_per_s;
    astra->peak_flops = file->peak_perf * 1e12;
    astra->roofline = file->roofline != 0;
    astra->replay_only = file->replay_only != 0;
    astra->track_local_memory = file->track_local_mem != 0;
    astra->local_memory_trace = file->local_mem_trace;
}

enum orr_status orr_sys_config_read_astra(struct orr_arena *arena, const char *path,
                                          bool dimension_scheduling, struct sys_astra *astra,
                                          struct orr_diag *diag)
{
    struct orr_key table[KEYS];
    memcpy(table, keys, sizeof keys);
    if (dimension_scheduling) {
        memcpy(table + KEYS - OBEYED, obeyed, sizeof obeyed);
    }
    const struct orr_conf *root = NULL;
    struct file file = {.endpoint_delay = 10,
                        .active_chunks = 1,
                        .splits = 1,
                        .optimization = 1,
                        .local_mem_trace = "local_mem_trace"};
    *astra = (struct sys_astra){0};
    enum orr_status status = orr_conf_load(arena, path, &root, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(root, "a system file", table, KEYS, &file, diag);
    }
    if (status == ORR_OK) {
        status = check(root, &file, diag);
    }
    if (status == ORR_OK) {
        status = read_algorithms(&file, arena, astra, diag);
    }
    fill(&file, astra);
    return status;
}

static const char *const list_names[] = {"all-reduce-implementation", "all-gather-implementation",
                                         "reduce-scatter-implementation",
                                         "all-to-all-implementation"};

/* Warns of the first list with fewer algorithms than dimensions; the others are usually as short.
 */
static void warn_short_lists(const struct sys_astra *astra, unsigned dims, struct orr_diag *diag)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        const unsigned count = astra->config.algorithms[kind].count;
        if (count != 0 && count < dims && !astra->config.algorithms[kind].items[count - 1].flat) {
            orr_diag_warn(diag, &astra->list_location[kind],
                          "%s has %u entr%s for %u dimensions: collectives leave the last %u idle, "
                          "and NPUs that are apart in them exchange nothing",
                          list_names[kind], count, count == 1 ? "y" : "ies", dims, dims - count);
            return;
        }
    }
}

enum orr_status orr_sys_astra_check_dims(const struct sys_astra *astra, unsigned dims,
                                         struct orr_diag *diag)
{
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        if (astra->config.algorithms[kind].count > dims) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &astra->list_location[kind],
                                 "%s has %u entries, but the network has %u dimension%s",
                                 list_names[kind], astra->config.algorithms[kind].count, dims,
                                 orr_plural(dims));
        }
    }
    warn_short_lists(astra, dims, diag);
    return ORR_OK;
}
