/* Contract tests of parts from outside: what a stranger runs on theirs (`orrery plugin check`). */
#include <string.h>

#include "core/arena.h"
#include "core/rng.h"
#include "network/optical/circuits.h"
#include "orrery/parts.h"
#include "sim/extend/extend_private.h"
#include "system/collectives/program.h"

enum { CHECKED_RANKS = 17, TEXT_BYTES = 512 };

/* ---- controllers ---- */

enum { MOST_NODES = 12, MOST_PORTS = 4, PAIRS = MOST_NODES * MOST_NODES };

struct demand {
    double waiting[PAIRS], offered[PAIRS], total[PAIRS];
    uint16_t present[PAIRS], first[PAIRS], second[PAIRS];
    uint32_t pair[PAIRS];
};

/* Bytes that wait at about half of all pairs. */
static uint32_t draw(struct demand *demand, uint32_t nodes, struct orr_rng *rng)
{
    uint32_t count = 0;
    memset(demand, 0, sizeof *demand);
    for (uint32_t pair = 0; pair < nodes * nodes; pair++) {
        const uint64_t drawn = orr_rng_next(rng);
        if (pair / nodes != pair % nodes && drawn % 2 == 0) {
            demand->pair[count++] = pair;
            demand->waiting[pair] = (double)(drawn >> 40);
            demand->offered[pair] = demand->waiting[pair] / 2;
            demand->total[pair] = demand->waiting[pair] * 2;
        }
    }
    return count;
}

static enum orr_status check_decision(const struct net_circuits_ops *ops, struct demand *demand,
                                      const struct net_circuits_view *view, struct orr_diag *diag)
{
    char text[TEXT_BYTES];
    ops->decide(view, demand->first);
    ops->decide(view, demand->second);
    if (!orr_circuits_check(view, demand->first, text, sizeof text)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "controller %s: %s", ops->name, text);
    }
    return memcmp(demand->first, demand->second, sizeof demand->first) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "controller %s: decides otherwise on the same view", ops->name);
}

static enum orr_status check_controller(const void *entry, struct orr_diag *diag)
{
    struct orr_rng rng;
    struct demand demand;
    orr_rng_init(&rng, 1, 0);
    for (uint32_t draws = 0; draws < MOST_NODES * MOST_PORTS * 2; draws++) {
        const uint32_t nodes = 2 + draws % (MOST_NODES - 1);
        const uint32_t waiting = draw(&demand, nodes, &rng);
        const struct net_circuits_view view = {.nodes = nodes,
                                               .ports = 1 + draws / MOST_NODES % MOST_PORTS,
                                               .duplex = draws % 2 == 1,
                                               .now = draws,
                                               .offered = demand.offered,
                                               .waiting = demand.waiting,
                                               .total = demand.total,
                                               .waiting_pair = demand.pair,
                                               .waiting_pairs = waiting,
                                               .present = demand.present};
        if (check_decision(entry, &demand, &view, diag) != ORR_OK) {
            return diag->status;
        }
    }
    return ORR_OK;
}

/* ---- backends ---- */

struct trial {
    const char *topology, *workload;
};

static const struct trial trials[] = {
    {"Ring(4)", "generate: all_reduce, bytes: 1 MB"},
    {"FullyConnected(4)", "generate: all_to_all, bytes: 1 MB"},
    {"Switch(8)", "generate: all_gather, bytes: 100 kB"},
    {"Ring(4)_Switch(2)", "generate: all_reduce, bytes: 4 MB"},
    {"Ring(2)_Switch(2)", "generate: barrier"},
};

static bool build(const struct trial *trial, const char *backend, struct orrery_parts *parts)
{
    char text[TEXT_BYTES];
    parts->platform = orrery_platform_new();
    parts->workload = orrery_workload_new();
    if (parts->platform == NULL || parts->workload == NULL) {
        return false;
    }
    (void)snprintf(text, sizeof text,
                   "network: {topology: %s, bandwidth: 10 GB/s, latency: 1 us, backend: %s}\n"
                   "system: {chunks: 2, algorithms: {default: by_block}}\n",
                   trial->topology, backend);
    const enum orrery_status status = orrery_platform_parse(parts->platform, text);
    (void)snprintf(text, sizeof text, "workload: {%s}\n", trial->workload);
    return status == ORRERY_OK && orrery_workload_parse(parts->workload, text) == ORRERY_OK;
}

/* The job's time; < 0: it failed, and `diag` says why. */
static int64_t run(const struct trial *trial, const char *backend, struct orr_diag *diag)
{
    struct orrery_parts parts = {ORRERY_SIZED(orrery_parts)};
    struct orrery *job = orrery_new();
    int64_t wall_ps = -1;
    if (job == NULL || !build(trial, backend, &parts)) {
        (void)orr_diag_no_memory(diag, "a job");
    } else if (orrery_load_parts(job, &parts) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        (void)orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "network backend %s: {%s} on %s: %s",
                            backend, trial->workload, trial->topology, orrery_error(job));
    } else {
        wall_ps = orrery_wall_ps(job);
    }
    orrery_free(job);
    orrery_platform_free(parts.platform);
    orrery_workload_free(parts.workload);
    return wall_ps;
}

static enum orr_status check_backend(const void *entry, struct orr_diag *diag)
{
    const char *const *name = entry; /* struct net_ops begins with it */
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const int64_t first = run(&trials[i], *name, diag);
        const int64_t second = first >= 0 ? run(&trials[i], *name, diag) : 0;
        if (first < 0 || second < 0) {
            return diag->status;
        }
        if (first != second) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "network backend %s: {%s} on %s takes %lld ps, and when run again "
                                 "%lld ps",
                                 *name, trials[i].workload, trials[i].topology, (long long)first,
                                 (long long)second);
        }
    }
    return ORR_OK;
}

/* ---- all parts of an extension ---- */

static enum orr_status check_collective(const void *entry, struct orr_diag *diag)
{
    return orr_outside_collective_prove(entry, CHECKED_RANKS, diag);
}

static enum orr_status check_part(enum orr_extension_kind kind, const char *name, FILE *out,
                                  struct orr_diag *diag)
{
    static const struct {
        const char *what, *done;
        enum orr_status (*check)(const void *entry, struct orr_diag *diag);
    } checks[ORR_EXTENSION_KINDS] = {
        [ORR_EXTENSION_BACKEND] = {"network backend", "5 jobs, each twice", check_backend},
        [ORR_EXTENSION_CONTROLLER] = {"controller", "96 decisions, each twice", check_controller},
        [ORR_EXTENSION_COLLECTIVE] = {"collective", "proved for 2 to 17 ranks", check_collective}};
    const enum orr_status status = checks[kind].check(orr_extension_find(kind, name), diag);
    if (out != NULL && status == ORR_OK) {
        (void)fprintf(out, "%s %s: ok, %s\n", checks[kind].what, name, checks[kind].done);
    }
    return status;
}

static enum orr_status check_all(const struct orrery_extension *extension, FILE *out,
                                 struct orr_diag *diag)
{
    for (size_t i = 0; i < extension->backends && diag->status == ORR_OK; i++) {
        (void)check_part(ORR_EXTENSION_BACKEND, extension->backend[i].name, out, diag);
    }
    for (size_t i = 0; i < extension->controllers && diag->status == ORR_OK; i++) {
        (void)check_part(ORR_EXTENSION_CONTROLLER, extension->controller[i].name, out, diag);
    }
    for (size_t i = 0; i < extension->collectives && diag->status == ORR_OK; i++) {
        (void)check_part(ORR_EXTENSION_COLLECTIVE, extension->collective[i].name, out, diag);
    }
    return diag->status;
}

enum orrery_status orrery_check_plugin(const char *file, FILE *out, char *error, size_t bytes)
{
    const struct orrery_extension *extension = NULL;
    struct orr_diag found, diag;
    const enum orrery_status loaded = orrery_load_plugin(file, error, bytes);
    if (loaded != ORRERY_OK) {
        return loaded;
    }
    orr_diag_init(&found);
    orr_diag_init(&diag);
    if (orr_plugin_open(file, &extension, &found) == ORR_OK) {
        (void)check_all(extension, out, &found);
    }
    if (found.status != ORR_OK) {
        (void)orr_diag_fail(&diag, found.status, NULL, "%s: %s", file, found.message);
    }
    return orr_extend_finish(&diag, error, bytes);
}
