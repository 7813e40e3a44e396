/* Layouts beside a plan; see plan_layouts.h. */
#include "topoopt/plan/plan_layouts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/diag.h"
#include "network/graph.h"
#include "orrery/network_use.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "planner/finder/finder.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_write.h"
#include "planner/plan_file/plan_yaml.h"
#include "topoopt/plan/plan_result.h"

struct search {
    struct orr_arena *arena;
    const struct plan_result *solution;
    struct orr_fast_layout best[PLAN_MAX_LAYOUTS];
    uint32_t count;
    struct plan_layout *out;
    struct orr_diag *diag;
};

/* ---- jobs as text ---- */

/* The ideal switch: as fast as all links of a server. */
static void write_switch(FILE *out, const struct plan_result *solution)
{
    const struct net_graph *graph = &solution->result.best.graph;
    double bytes_per_s = 0;
    sim_time latency_ps = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        bytes_per_s += link->from == 0 ? link->bytes_per_s * link->count : 0;
        latency_ps = link->from == 0 ? link->latency_ps : latency_ps;
    }
    (void)fprintf(out,
                  "network: {topology: Switch(%" PRIu32 "), dims: [{bandwidth: %.17g B/s, "
                  "latency: %" PRId64 " ps}]}\n",
                  solution->job->servers, bytes_per_s, 2 * latency_ps);
}

/* The model as a workload that has layouts. Operators of a file stand below the key `model`. */
static void write_workload(FILE *out, const struct plan_job *job, char *model)
{
    if (orr_conf_get(job->model_root, "model") == NULL) {
        (void)fputs(model, out);
        return;
    }
    (void)fputs("workload:\n  parallel: {tensor: 1}\n", out);
    for (char *line = model, *end; *line != '\0'; line = end) {
        end = strchr(line, '\n');
        end = end != NULL ? end + 1 : line + strlen(line);
        (void)fprintf(out, "  %.*s", (int)(end - line), line);
    }
}

static char *text_of(void (*write)(FILE *out, const struct search *search,
                                   const struct net_graph *graph),
                     const struct search *search, const struct net_graph *graph)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out != NULL) {
        write(out, search, graph);
    }
    if (out == NULL || fclose(out) != 0) {
        orr_heap_free(text);
        return NULL;
    }
    return text;
}

static void write_model(FILE *out, const struct search *search, const struct net_graph *graph)
{
    (void)graph;
    orr_plan_write_model(out, search->solution->job);
}

static void write_platform(FILE *out, const struct search *search, const struct net_graph *graph)
{
    struct net_route_options routes = search->solution->result.best.routes;
    if (graph != &search->solution->result.best.graph) {
        routes =
            (struct net_route_options){.routing = orr_net_routing_for(NET_ROUTES_FIXED), .seed = 1};
    }
    orr_plan_write_platform(out, search->solution->job, graph, &routes);
}

/* Platform, without the network if there is no graph, and workload. */
static const struct orr_conf *parse_job(const struct search *search, const struct net_graph *graph)
{
    const struct net_graph *any = &search->solution->result.best.graph;
    char *platform = text_of(write_platform, search, graph != NULL ? graph : any);
    char *model = text_of(write_model, search, NULL), *text = NULL;
    const struct orr_conf *root = NULL;
    struct orr_diag why;
    size_t bytes = 0;
    orr_diag_init(&why);
    FILE *out = platform != NULL && model != NULL ? open_memstream(&text, &bytes) : NULL;
    if (out != NULL) {
        (void)fputs(platform, out);
        write_workload(out, search->solution->job, model);
        if (fclose(out) == 0) {
            (void)orr_conf_parse(search->arena, text, bytes, "layout.yml", &root, &why);
        }
    }
    orr_heap_free(platform);
    orr_heap_free(model);
    orr_heap_free(text);
    return root;
}

/* What the plan says of training. */
static const char *optimizer_key(const struct search *search, char text[ORR_FAST_LAYOUT_KEY_BYTES])
{
    const struct plan_job *job = search->solution->job;
    const bool given = orr_conf_get(job->section, "optimizer_bytes") != NULL;
    (void)snprintf(text, ORR_FAST_LAYOUT_KEY_BYTES, "workload.training.optimizer_bytes=%" PRIu64,
                   job->server.optimizer_bytes);
    return given ? text : NULL;
}

static const struct orr_conf *set_keys(const struct search *search, const struct orr_conf *root,
                                       const struct orr_fast_layout *layout)
{
    char optimizer[ORR_FAST_LAYOUT_KEY_BYTES];
    const unsigned keys = layout != NULL ? layout->keys : 0;
    struct orr_diag why;
    orr_diag_init(&why);
    for (unsigned i = 0; i <= keys && root != NULL; i++) {
        const char *key = i < keys ? layout->key[i] : optimizer_key(search, optimizer);
        const struct orr_conf *set = key != NULL ? NULL : root;
        if (key != NULL) {
            (void)orr_conf_set(search->arena, root, key, &set, &why);
        }
        root = set;
    }
    return root;
}

/* In the arena; graph NULL: on the ideal switch. NULL: memory is out. */
static const char *make_job(const struct search *search, const struct net_graph *graph,
                            const struct orr_fast_layout *layout)
{
    const struct orr_conf *root = set_keys(search, parse_job(search, graph), layout);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = root != NULL ? open_memstream(&text, &bytes) : NULL;
    if (out != NULL && graph == NULL) {
        write_switch(out, search->solution);
    }
    for (size_t i = 0; out != NULL && i < root->count; i++) {
        if (graph != NULL || strcmp(root->key[i], "network") != 0) {
            orr_plan_yaml(out, root->key[i], root->item[i], 0);
        }
    }
    const char *job =
        out != NULL && fclose(out) == 0 ? orr_arena_strdup(search->arena, text) : NULL;
    orr_heap_free(text);
    return job;
}

/* ---- estimates ---- */

/* Without layouts to choose from the job is refused, which is no error here. */
static struct orrery *load(const char *text, const char *set, unsigned record)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery *job = orrery_new();
    bool loaded =
        platform != NULL && job != NULL && orrery_platform_parse(platform, text) == ORRERY_OK;
    if (loaded) {
        const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                           .set = &set, .set_count = set != NULL ? 1 : 0};
        orrery_check_capacity(job, false);
        orrery_record(job, record);
        loaded = orrery_load_parts(job, &parts) == ORRERY_OK;
    }
    orrery_platform_free(platform);
    if (!loaded) {
        orrery_free(job);
    }
    return loaded ? job : NULL;
}

/* A job of some layout that the batch and the layers allow. */
static struct orrery *load_any(const char *text, uint32_t npus)
{
    static const char *const axes[] = {"tensor", "pipeline", "context"};
    char set[ORR_FAST_LAYOUT_KEY_BYTES];
    struct orrery *job = load(text, NULL, 0);
    for (unsigned i = 0; i < sizeof axes / sizeof *axes && job == NULL; i++) {
        for (uint32_t n = 2; n <= npus && job == NULL; n *= 2) {
            (void)snprintf(set, sizeof set, "workload.parallel.%s=%" PRIu32, axes[i], n);
            job = load(text, set, 0);
        }
    }
    return job;
}

static enum orr_status estimate(struct search *search)
{
    const struct plan_job *plan = search->solution->job;
    struct orr_fast_layouts found = {.best = search->best, .max = plan->layouts};
    const char *text = make_job(search, NULL, NULL);
    struct orrery *job = text != NULL ? load_any(text, plan->servers) : NULL;
    struct orr_diag why;
    orr_diag_init(&why);
    if (job == NULL) {
        return ORR_OK;
    }
    const enum orr_status status = orr_fastest_layouts(job, plan->memory_bytes, &found, &why);
    orrery_free(job);
    search->count = status == ORR_OK ? found.count : 0;
    search->out->layouts = found.fits;
    return status == ORR_ERR_MEMORY ? orr_diag_no_memory(search->diag, "layouts beside a plan")
                                    : ORR_OK;
}

/* ---- simulations ---- */

/* NULL: it cannot be run. */
static struct orrery *run(const char *text, unsigned record)
{
    struct orrery *job = text != NULL ? load(text, NULL, record) : NULL;
    if (job != NULL && orrery_run(job) != ORRERY_OK) {
        orrery_free(job);
        job = NULL;
    }
    return job;
}

static void try_on(struct search *search, const struct net_graph *graph,
                   const struct orr_fast_layout *layout)
{
    struct plan_layout *out = search->out;
    const char *text = make_job(search, graph, layout);
    struct orrery *job = run(text, 0);
    if (job != NULL && (out->name[0] == '\0' || orrery_wall_ps(job) < out->simulated_ps)) {
        memcpy(out->name, layout->name, sizeof out->name);
        out->estimated_ps = orr_time_of_seconds(layout->step_s);
        out->simulated_ps = orrery_wall_ps(job);
        out->memory_bytes = layout->memory_bytes;
        out->on_own = graph != &search->solution->result.best.graph;
        out->job = text;
    }
    orrery_free(job);
}

/* The bytes between servers, as of a run on the ideal switch; NULL: none. */
static const uint64_t *traffic_of(const struct search *search, const struct orr_fast_layout *layout)
{
    const size_t n = search->solution->job->servers;
    uint64_t *bytes = orr_arena_array(search->arena, n * n, sizeof *bytes);
    struct orrery *job = run(make_job(search, NULL, layout), ORRERY_RECORD_TRAFFIC);
    for (size_t i = 0; job != NULL && bytes != NULL && i < orrery_pairs(job); i++) {
        struct orrery_pair pair;
        if (orrery_pair(job, i, &pair) == ORRERY_OK && pair.from != pair.to) {
            bytes[pair.from * n + pair.to] += pair.bytes;
        }
    }
    const bool ran = job != NULL;
    orrery_free(job);
    return ran ? bytes : NULL;
}

/* On a topology whose links are matched by its traffic. */
static void try_on_own(struct search *search, const struct orr_fast_layout *layout)
{
    const struct plan_result *solution = search->solution;
    const uint64_t *bytes = traffic_of(search, layout);
    const struct finder_demand demand = {.servers = solution->job->servers, .transfers = bytes};
    struct finder_topology topology;
    struct net_graph graph;
    struct orr_diag why;
    orr_diag_init(&why);
    if (bytes != NULL &&
        orr_finder_find(search->arena, &demand, &solution->problem.topology, &topology, &why) ==
            ORR_OK &&
        orr_finder_graph(search->arena, &topology, &graph, &why) == ORR_OK) {
        try_on(search, &graph, layout);
    }
}

enum orr_status orr_plan_layouts(struct orr_arena *arena, const struct plan_result *solution,
                                 struct plan_layout *out, struct orr_diag *diag)
{
    const struct plan_job *job = solution->job;
    struct search search = {.arena = arena, .solution = solution, .out = out, .diag = diag};
    *out = (struct plan_layout){.name = ""};
    const enum orr_status status = job->layouts > 0 ? estimate(&search) : ORR_OK;
    for (uint32_t i = 0; i < search.count && status == ORR_OK; i++) {
        try_on(&search, &solution->result.best.graph, &search.best[i]);
        if (!job->fixed) {
            try_on_own(&search, &search.best[i]);
        }
    }
    return status;
}
