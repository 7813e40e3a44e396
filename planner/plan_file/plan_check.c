/* Checks of a plan file across keys; see plan_check.h. */
#include "planner/plan_file/plan_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/design.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/route_options.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_kind.h"
#include "planner/search/search.h"
#include "workload/model/op_graph.h"
#include "workload/model/profile.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"
#include "workload/strategy/strategy_file.h"

/* The location of a key of a section of the plan; if it is not set, that of the section or of the
 * plan. */
static struct orr_location place_of(const struct plan_job *job, const char *section,
                                    const char *key)
{
    const struct orr_conf *map =
        section != NULL ? orr_conf_get(job->section, section) : job->section;
    const struct orr_conf *node =
        map != NULL && map->kind == ORR_CONF_MAP ? orr_conf_get(map, key) : NULL;
    return orr_conf_location(node != NULL ? node : map != NULL ? map : job->section);
}

enum orr_status orr_plan_read_memory(const struct orr_conf *node, uint64_t *bytes,
                                     struct orr_diag *diag)
{
    const bool text = node->kind == ORR_CONF_SCALAR;
    if (!text || !orr_parse_bytes(node->text, bytes) || *bytes == 0) {
        return orr_conf_expected(node, "a size such as \"40 GB\", or off", diag);
    }
    return ORR_OK;
}

/* ---- servers ---- */

enum orr_status orr_plan_check_network(const struct plan_job *job,
                                       const struct orr_conf *interfaces, struct orr_diag *diag)
{
    const struct orr_conf *network = orr_conf_get(job->root, "network");
    const uint32_t npus = orr_net_npus(&job->network);
    const struct orr_location place = orr_conf_location(network);
    if (interfaces != NULL) {
        const struct orr_location both = orr_conf_location(interfaces);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &both,
                             "plan.interfaces: expected either interfaces, whose topology is "
                             "planned, or the section network, whose links are fixed; got both");
    }
    if (job->network.graph == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "network: expected a network.graph, such as graph: {npus: 16, fabric: "
                             "fat-tree, bandwidth: 100 Gb/s}");
    }
    if (job->servers != npus) {
        const struct orr_location at = place_of(job, NULL, "servers");
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &at,
            "plan.servers: expected all %" PRIu32
            " NPUs of the network, which a run of the plan simulates, got %" PRIu32,
            npus, job->servers);
    }
    return ORR_OK;
}

static enum orr_status check_groups(const struct plan_job *job, struct orr_diag *diag)
{
    const struct orr_location place = place_of(job, NULL, "groups");
    const uint32_t n = job->servers, l = job->groups;
    if (l > 1 && n % l != 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.groups: expected a divisor of the %" PRIu32 " servers, got "
                             "%" PRIu32,
                             n, l);
    }
    if (l > 1 && l == n) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.groups: expected groups of at least two servers: %" PRIu32
                             " groups of %" PRIu32
                             " servers have one each, which leaves no strategy to search for",
                             l, n);
    }
    if (l > 1 && job->interfaces.degree == 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.groups: expected 1: with one interface a server there is one "
                             "ring of all servers, and none for rings of %" PRIu32 " groups",
                             l);
    }
    return ORR_OK;
}

static enum orr_status check_degree(const struct plan_job *job, struct orr_diag *diag)
{
    const struct orr_location place = place_of(job, "interfaces", "degree");
    const uint32_t n = job->servers, d = job->interfaces.degree;
    if (d > n - 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.interfaces.degree: expected 1 to %" PRIu32 ", one interface for "
                             "each other of the %" PRIu32 " servers, got %" PRIu32,
                             n - 1, n, d);
    }
    if (job->interfaces.ring_degree > d) {
        const struct orr_location at = place_of(job, "interfaces", "ring_degree");
        return orr_diag_fail(diag, ORR_ERR_INPUT, &at,
                             "plan.interfaces.ring_degree: expected at most the degree, %" PRIu32
                             ", got %" PRIu32,
                             d, job->interfaces.ring_degree);
    }
    return ORR_OK;
}

/* Cables join servers in pairs. */
static enum orr_status check_duplex(const struct plan_job *job, struct orr_diag *diag)
{
    const struct orr_location place = place_of(job, "interfaces", "degree");
    const uint32_t n = job->servers, d = job->interfaces.degree;
    if (n % 2 == 1 && !job->interfaces.any_port) {
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &place,
            "plan.interfaces.degree: %" PRIu32 " duplex interface%s of %" PRIu32
            " servers cannot all be joined: the panel of an interface joins servers in pairs, and "
            "leaves one of an odd number out; expected an even number of servers, links: "
            "one-way, or any_port: true",
            d, orr_plural(d), n);
    }
    if (d == 1 && n > 2) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.interfaces.degree: one duplex interface a server joins pairs "
                             "only: %" PRIu32 " servers fall into %" PRIu32
                             " parts; expected at least 2, or links: one-way",
                             n, n / 2);
    }
    return ORR_OK;
}

enum orr_status orr_plan_check_servers(const struct plan_job *job, struct orr_diag *diag)
{
    if (job->servers == 0) {
        const struct orr_location place = orr_conf_location(job->section);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan: a plan needs the key \"servers\", such as servers: 16");
    }
    enum orr_status status = job->fixed ? ORR_OK : check_degree(job, diag);
    if (status == ORR_OK) {
        status = check_groups(job, diag);
    }
    return status == ORR_OK && !job->fixed && job->interfaces.links == PLAN_DUPLEX
               ? check_duplex(job, diag)
               : status;
}

enum orr_status orr_plan_check_panels(const struct plan_job *job, const struct orr_conf *panels,
                                      struct orr_diag *diag)
{
    const struct orr_location place = place_of(job, "panels", "ports");
    if (panels != NULL && job->fixed) {
        const struct orr_location at = orr_conf_location(panels);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &at,
                             "plan.panels: expected interfaces, which panels join; the links of "
                             "the section network are fixed");
    }
    if (job->panels.ports != 0 && job->panels.ports < job->servers) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.panels.ports: expected at least %" PRIu32
                             ", one of each panel for a server, got %" PRIu32 ": %" PRIu32
                             " port%s missing on each",
                             job->servers, job->panels.ports, job->servers - job->panels.ports,
                             job->servers - job->panels.ports == 1 ? " is" : "s are");
    }
    return ORR_OK;
}

/* ---- splits ---- */

/* Lists the names of all dimensions of the model, each once, in the order of the operators. */
static void name_dimensions(const struct model_graph *model, char *text, size_t bytes)
{
    const char *listed[64];
    size_t used = 0, names = 0;
    text[0] = '\0';
    for (uint32_t op = 0; op < model->ops; op++) {
        for (uint32_t d = 0; d < model->op[op].dims; d++) {
            const char *name = model->op[op].dim[d].name;
            bool is_listed = names == sizeof listed / sizeof *listed;
            for (size_t i = 0; i < names && !is_listed; i++) {
                is_listed = strcmp(listed[i], name) == 0;
            }
            if (!is_listed && used + strlen(name) + 3 < bytes) {
                used +=
                    (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "", name);
                listed[names++] = name;
            }
        }
    }
}

static bool has_dimension(const struct model_graph *model, const char *name)
{
    bool has = false;
    for (uint32_t op = 0; op < model->ops && !has; op++) {
        has = orr_model_dim_named(&model->op[op], name) != UINT32_MAX;
    }
    return has;
}

enum orr_status orr_plan_check_dimensions(const struct plan_job *job, const struct orr_conf *search,
                                          struct orr_diag *diag)
{
    char names[256];
    for (size_t i = 0; i < job->search.dimensions; i++) {
        const char *name = job->search.dimension[i];
        if (!has_dimension(&job->model, name)) {
            const struct orr_conf *at = orr_conf_get(search, "dimensions");
            const struct orr_location place =
                orr_conf_location(at->kind == ORR_CONF_LIST ? at->item[i] : at);
            name_dimensions(&job->model, names, sizeof names);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "plan.search.dimensions: expected dimensions of operators of the "
                                 "model: %s; got \"%s\"",
                                 names, name);
        }
    }
    return ORR_OK;
}

enum orr_status orr_plan_check_splits(const struct plan_job *job, const struct strategy *strategy,
                                      const struct orr_conf *node, struct orr_diag *diag)
{
    const struct search_dimensions dimensions = {job->search.dimension, job->search.dimensions};
    for (uint32_t op = 0; op < strategy->ops; op++) {
        const struct model_op *of = &job->model.op[op];
        const uint32_t *degree = orr_strategy_degrees(strategy, op);
        for (uint32_t d = 0; d < of->dims; d++) {
            const bool is_data_parallel = d == 0 && degree[d] == orr_strategy_group(strategy);
            if (degree[d] > 1 && !is_data_parallel &&
                !orr_search_can_split(&dimensions, of->dim[d].name)) {
                const struct orr_location place = orr_conf_location(node);
                return orr_diag_fail(
                    diag, ORR_ERR_INPUT, &place,
                    "operator \"%s\" is split in dimension \"%s\", which is not in "
                    "plan.search.dimensions; add it there, or leave out the split",
                    of->name, of->dim[d].name);
            }
        }
    }
    return ORR_OK;
}

/* ---- the job ---- */

enum orr_status orr_plan_check_start_devices(const struct plan_job *job,
                                             const struct orr_conf *node, struct orr_diag *diag)
{
    uint32_t devices = 0;
    const enum orr_status status = orr_strategy_read_device_count(node, &devices, diag);
    const struct orr_location place = orr_conf_location(node);
    if (status != ORR_OK) {
        return status;
    }
    return devices == 0 || devices == job->servers
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "plan.strategy: the strategy is for %" PRIu32
                               " devices, and the plan has %" PRIu32 " servers",
                               devices, job->servers);
}

enum orr_status orr_plan_check_start(const struct plan_job *job, const struct orr_conf *node,
                                     struct orr_diag *diag)
{
    const struct strategy *start = &job->start;
    const struct orr_location place = orr_conf_location(node);
    if (start->copies != job->groups) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.strategy: the strategy has %" PRIu32
                             " groups, and the plan (plan.groups) %" PRIu32,
                             start->copies, job->groups);
    }
    return orr_plan_check_splits(job, start, node, diag);
}

static enum orr_status check_none(const struct plan_job *job, struct orr_diag *diag)
{
    for (size_t i = 0; i < job->compared; i++) {
        if (strcmp(job->compare[i], "none") == 0) {
            const struct orr_conf *at = job->compare_at;
            const struct orr_location place =
                orr_conf_location(at->kind == ORR_CONF_LIST ? at->item[i] : at);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "plan.compare: expected fabrics or none, got none together with "
                                 "%" PRIu64 " more",
                                 (uint64_t)job->compared - 1);
        }
    }
    return ORR_OK;
}

static struct orr_location compared_place(const struct plan_job *job, size_t i)
{
    const struct orr_conf *at = job->compare_at;
    return orr_conf_location(at->kind == ORR_CONF_LIST ? at->item[i] : at);
}

/* The name of a design whose links are circuits: no fabric, but no slip either. */
static bool is_circuit_design(const char *text)
{
    bool found = false;
    for (unsigned i = 0; orr_net_design_names[i] != NULL; i++) {
        found = found || (net_design_is_circuits((enum net_design_name)i) &&
                          strcmp(text, orr_net_design_names[i]) == 0);
    }
    return found;
}

/* Builds a compared fabric; an error has the place and the key of the list. */
static enum orr_status build_compared(const struct plan_job *job, size_t i, struct orr_arena *arena,
                                      struct net_graph *graph, struct orr_diag *diag)
{
    static const char key[] = "fabric: ";
    const struct net_fabric fabric = {
        .text = job->compare[i], .npus = job->servers, .kind = {1e9, 0}, .seed = 1};
    const struct net_routing *routing;
    struct orr_diag why;
    orr_diag_init(&why);
    const enum orr_status status = orr_net_build_fabric(&fabric, arena, graph, &routing, &why);
    if (status != ORR_ERR_INPUT) {
        return status == ORR_OK ? status : orr_diag_forward(diag, &why);
    }
    const struct orr_location place = compared_place(job, i);
    const size_t skipped = strncmp(why.message, key, strlen(key)) == 0 ? strlen(key) : 0;
    return orr_diag_fail(diag, status, &place, "plan.compare: %s", why.message + skipped);
}

/* Reads a compared fabric; *kept: false if its links are circuits, which have no fixed routes. */
static enum orr_status check_fabric(const struct plan_job *job, size_t i, struct orr_arena *arena,
                                    bool *kept, struct orr_diag *diag)
{
    struct net_graph graph = {.circuits = NULL};
    const bool named = is_circuit_design(job->compare[i]);
    const enum orr_status status = named ? ORR_OK : build_compared(job, i, arena, &graph, diag);
    *kept = status == ORR_OK && !named && graph.circuits == NULL;
    if (status == ORR_OK && !*kept) {
        const struct orr_location place = compared_place(job, i);
        orr_diag_warn(diag, &place,
                      "plan.compare: circuits serve \"%s\", which a plan cannot be compared with: "
                      "expected a fabric with fixed links; it is left out",
                      job->compare[i]);
    }
    return status;
}

enum orr_status orr_plan_check_compare(struct orr_arena *kept_arena, struct plan_job *job,
                                       struct orr_diag *diag)
{
    struct orr_arena *arena = NULL;
    enum orr_status status = check_none(job, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (job->fixed && job->compared != 0) {
        const struct orr_location place = orr_conf_location(job->compare_at);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.compare: expected interfaces, whose bandwidth other fabrics "
                             "would have; the links of the section network are fixed");
    }
    if (job->compared != 0) {
        arena = orr_arena_create();
    }
    if (job->compared != 0 && arena == NULL) {
        return orr_diag_no_memory(diag, "the fabrics of a plan");
    }
    const char **kept = orr_arena_array(kept_arena, job->compared + 1, sizeof *kept);
    size_t count = 0;
    status = kept != NULL ? ORR_OK : orr_diag_no_memory(diag, "the fabrics of a plan");
    for (size_t i = 0; i < job->compared && status == ORR_OK; i++) {
        bool keeps = false;
        status = check_fabric(job, i, arena, &keeps, diag);
        kept[count] = job->compare[i];
        count += keeps;
    }
    job->compare = kept;
    job->compared = count;
    orr_arena_destroy(arena);
    return status;
}

/* Sets the location of an error without one to that of the model. */
static enum orr_status set_model_location(const struct plan_job *job, enum orr_status status,
                                          struct orr_diag *diag)
{
    if (status != ORR_OK && diag->place.kind == ORR_LOCATION_NONE) {
        diag->place = place_of(job, NULL, "model");
    }
    return status;
}

/* Checks that every server has a sample in data parallelism, which every search starts from. */
static enum orr_status check_batch(const struct plan_job *job, struct orr_diag *diag)
{
    const uint64_t batch = orr_model_batch(&job->model, job->servers);
    if (batch == 0) {
        const struct orr_location place = orr_conf_location(job->section);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan: the model does not say its batch: a plan needs the key "
                             "\"batch\", such as batch: 8192");
    }
    const struct orr_location place = place_of(job, NULL, job->batch != 0 ? "batch" : "model");
    if (batch < job->servers) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "plan.%s: the job is too small for its servers: expected a batch of "
                             "at least %" PRIu32 ", a sample for each, got %" PRIu64,
                             job->batch != 0 ? "batch" : "model", job->servers, batch);
    }
    return ORR_OK;
}

/* Warns of a profile without a time of any operator of the model. */
static void warn_of_profile(const struct plan_job *job, struct orr_diag *diag)
{
    const struct model_profile *profile = job->speed.profile;
    for (uint32_t op = 0; profile != NULL && op < job->model.ops; op++) {
        const char *name = job->model.op[op].profile;
        if (name != NULL && orr_model_profile_has(profile, name)) {
            return;
        }
    }
    if (profile != NULL) {
        const struct orr_location place = place_of(job, NULL, "profile");
        orr_diag_warn(diag, &place,
                      "plan.profile: %s has no measured times of operators of the model",
                      profile->file);
    }
}

static enum orr_status check_data_parallel(struct orr_arena *arena, const struct plan_job *job,
                                           struct orr_diag *diag)
{
    struct strategy_draft draft;
    struct strategy_times times;
    enum orr_status status = check_batch(job, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (!orr_strategy_draft_init(&draft, arena, &job->model, job->servers, job->groups) ||
        !orr_strategy_data_parallel(&draft)) {
        return orr_diag_no_memory(diag, "a strategy");
    }
    const struct strategy strategy = orr_strategy_drafted(&draft);
    warn_of_profile(job, diag);
    status = orr_strategy_check(&job->model, &strategy, diag);
    if (status == ORR_OK) {
        status = orr_strategy_times(arena, &job->model, &strategy, &job->speed, &times, diag);
    }
    return set_model_location(job, status, diag);
}

enum orr_status orr_plan_check_job(struct orr_arena *arena, const struct plan_job *job,
                                   struct orr_diag *diag)
{
    if (!job->kind->plans_topology) {
        warn_of_profile(job, diag); /* its planner makes the others */
        return ORR_OK;
    }
    return check_data_parallel(arena, job, diag);
}
