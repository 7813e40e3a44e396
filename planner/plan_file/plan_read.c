/* Reads a plan file; see plan_job.h. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "memory/mem.h"
#include "memory/mem_config_read.h"
#include "memory/mem_local.h"
#include "network/coordinates.h"
#include "network/net_config_read.h"
#include "planner/plan_file/plan_check.h"
#include "planner/plan_file/plan_kind.h"
#include "planner/plan_file/plan_sections.h"
#include "sim/expr/derived_values.h"
#include "sim/load/find_input.h"
#include "sim/load/model_file.h"
#include "sim/load/strategy_job.h"
#include "sim/load/workload_config.h"
#include "sim/ring_use.h"
#include "system/sys_mono.h"
#include "workload/engine/engine.h"
#include "workload/model/profile.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_file.h"

struct reader {
    struct orr_arena *arena;
    struct orr_diag *diag;
    struct plan_file_section file;
    struct plan_section section;
    struct plan_job *job;
};

static enum orr_status read_map(const struct orr_conf *map, const struct orr_key_table *table,
                                void *target, struct orr_diag *diag)
{
    return orr_conf_read(map, table->owner, table->keys, table->count, target, diag);
}

/* ---- the model ---- */

/* Wraps the section of a model, or of a generator, as the only section of a file. */
static const struct orr_conf *wrap_section(struct orr_arena *arena, const struct orr_conf *node)
{
    struct orr_conf *root = orr_arena_alloc(arena, sizeof *root);
    const char **key = orr_arena_array(arena, 1, sizeof *key);
    const struct orr_conf **item = orr_arena_array(arena, 1, sizeof *item);
    if (root == NULL || key == NULL || item == NULL) {
        return NULL;
    }
    *key = orr_model_is_generated(node) ? "workload" : "model";
    *item = node;
    *root = *node;
    root->path = "";
    root->count = 1;
    root->key = key;
    root->item = item;
    return root;
}

static enum orr_status open_model(struct reader *reader)
{
    const struct orr_conf *node = reader->section.model;
    if (node->kind == ORR_CONF_MAP) {
        reader->job->model_root = wrap_section(reader->arena, node);
        return reader->job->model_root != NULL ? ORR_OK
                                               : orr_diag_no_memory(reader->diag, "a model");
    }
    if (node->kind != ORR_CONF_SCALAR) {
        return orr_conf_expected(node, "a model: a file, a name or the section itself",
                                 reader->diag);
    }
    const char *path = orr_conf_resolve_path(reader->arena, node);
    if (path == NULL) {
        return orr_diag_no_memory(reader->diag, "a model");
    }
    const enum orr_status status =
        orr_model_file_open(reader->arena, access(path, R_OK) == 0 ? path : node->text,
                            &reader->job->model_root, reader->diag);
    if (status != ORR_OK && reader->diag->place.kind == ORR_LOCATION_NONE) {
        reader->diag->place = orr_conf_location(node);
    }
    return status;
}

static enum orr_status read_model(struct reader *reader)
{
    struct plan_job *job = reader->job;
    enum orr_status status = open_model(reader);
    if (status == ORR_OK && job->kind->prepare != NULL) {
        status = job->kind->prepare(reader->arena, job, reader->diag);
    }
    if (status == ORR_OK) {
        status = orr_model_root_read(reader->arena, job->model_root, &job->model, reader->diag);
    }
    if (status == ORR_OK && reader->section.batch != 0) {
        job->model.batch = (uint64_t)reader->section.batch;
        job->model.batch_per_device = 0;
        job->batch = job->model.batch;
    }
    return status;
}

/* Reads the sources of times: the profile, and the roofline of the section compute. */
static enum orr_status read_speed(struct reader *reader)
{
    struct plan_job *job = reader->job;
    const struct orr_conf *file = orr_conf_get(job->section, "profile");
    struct model_profile *profile = orr_arena_alloc(reader->arena, sizeof *profile);
    const char *path = file != NULL ? orr_conf_resolve_path(reader->arena, file) : "";
    enum orr_status status =
        orr_part_times_read(reader->section.part_times, &job->speed, reader->diag);
    if (status == ORR_OK && (path == NULL || profile == NULL)) {
        status = orr_diag_no_memory(reader->diag, "measured times");
    }
    if (status == ORR_OK && file != NULL) {
        status = orr_model_profile_load(reader->arena, path, profile, reader->diag);
        job->speed.profile = profile;
        job->profile = path;
    }
    return status;
}

static enum orr_status read_device(struct reader *reader)
{
    struct plan_job *job = reader->job;
    struct mem_local local;
    struct mem_config remote = {.type = NULL};
    struct wl_compute compute = {.roofline = false};
    enum orr_status status = orr_mem_config_read(reader->arena, reader->file.memory, job->servers,
                                                 &local, &remote, reader->diag);
    if (status == ORR_OK) {
        compute.memory_bytes_per_s = local.bandwidth_bytes_per_s;
        job->memory_bytes = local.capacity_bytes;
        status = orr_wl_compute_read(reader->arena, reader->file.compute, job->servers, &compute,
                                     reader->diag);
    }
    if (status == ORR_OK && compute.roofline) {
        job->speed.roofline = orr_wl_roofline_of(&compute);
    }
    const struct orr_conf *memory = reader->section.memory;
    if (status == ORR_OK && memory != NULL) {
        const bool off = memory->kind == ORR_CONF_SCALAR && strcmp(memory->text, "off") == 0;
        job->memory_bytes = 0;
        status = off ? ORR_OK : orr_plan_read_memory(memory, &job->memory_bytes, reader->diag);
    }
    return status;
}

/* ---- servers and network ---- */

static enum orr_status check_by_kind(struct reader *reader)
{
    const struct plan_kind *kind = reader->job->kind;
    return kind->check_network != NULL ? kind->check_network(reader->job, reader->diag) : ORR_OK;
}

static enum orr_status read_network(struct reader *reader)
{
    struct plan_job *job = reader->job;
    const struct orr_conf *map = reader->file.network;
    job->fixed = map != NULL;
    if (!job->fixed) {
        return check_by_kind(reader);
    }
    const enum orr_status status =
        orr_net_config_read(reader->arena, map, &job->network, reader->diag);
    if (status != ORR_OK) {
        return status;
    }
    if (job->servers == 0) {
        job->servers = orr_net_npus(&job->network);
    }
    const bool topology = job->kind->plans_topology;
    enum orr_status checked = orr_check_asked_rings(job->network.graph, map, reader->diag);
    if (checked == ORR_OK) {
        checked =
            orr_plan_check_network(job, topology ? reader->section.interfaces : NULL, reader->diag);
    }
    return checked == ORR_OK ? check_by_kind(reader) : checked;
}

static enum orr_status read_interfaces(struct reader *reader)
{
    const struct plan_interfaces_section none = {.degree = 0};
    struct plan_interfaces_section section = none;
    struct plan_job *job = reader->job;
    if (job->fixed) {
        return ORR_OK;
    }
    if (reader->section.interfaces == NULL) {
        const struct orr_location place = orr_conf_location(job->section);
        return orr_diag_fail(
            reader->diag, ORR_ERR_INPUT, &place,
            "plan: a plan needs the key \"interfaces\", such as interfaces: "
            "{degree: 4, bandwidth: 100 Gb/s}; or a section network, whose links are fixed");
    }
    const enum orr_status status =
        read_map(reader->section.interfaces, &orr_plan_interfaces_table, &section, reader->diag);
    job->interfaces = (struct plan_interfaces){.degree = (uint32_t)section.degree,
                                               .bytes_per_s = section.bandwidth,
                                               .latency_ps = section.latency,
                                               .links = (enum plan_links)section.links,
                                               .ring_degree = (uint32_t)section.ring_degree,
                                               .forward_ps = section.forwarding,
                                               .forward_bytes_per_s = section.forwarding_limit,
                                               .any_port = section.any_port,
                                               .primes = section.primes};
    return status;
}

static enum orr_status read_servers(struct reader *reader)
{
    struct plan_server_section section = {.gpus = 1};
    struct plan_job *job = reader->job;
    job->servers = (uint32_t)reader->section.servers;
    job->groups = job->kind->plans_topology ? (uint32_t)reader->section.groups : 1;
    enum orr_status status =
        read_map(reader->section.server, &orr_plan_server_table, &section, reader->diag);
    job->server =
        (struct strategy_server){.gpus = (uint32_t)section.gpus,
                                 .inside_bytes_per_s = section.bandwidth,
                                 .optimizer_bytes = (uint64_t)reader->section.optimizer_bytes,
                                 .reduce_at_end = reader->section.gradients != 0};
    if (status == ORR_OK) {
        status = read_network(reader);
    }
    if (status == ORR_OK) {
        status = read_interfaces(reader);
    }
    return status == ORR_OK ? orr_plan_check_servers(job, reader->diag) : status;
}

/* ---- the search ---- */

static enum orr_status read_search(struct reader *reader)
{
    struct plan_search_section section = {.budget = -1}; /* not set */
    struct plan_job *job = reader->job;
    const enum orr_status status =
        read_map(reader->section.search, &orr_plan_search_table, &section, reader->diag);
    job->search = (struct plan_search){.budget = section.budget >= 0
                                                     ? (uint64_t)section.budget
                                                     : job->kind->default_budget(job->servers),
                                       .seed = (uint64_t)section.seed,
                                       .max_strategies = (uint64_t)section.max_strategies,
                                       .alpha = section.alpha,
                                       .propagation = section.propagation,
                                       .scale = (enum plan_scale)section.scale,
                                       .chains = (uint32_t)section.chains,
                                       .restarts = (uint32_t)section.restarts,
                                       .exhaustive = section.exhaustive,
                                       .dimension = section.dimensions.values,
                                       .dimensions = section.dimensions.count};
    job->rounds = (uint32_t)reader->section.rounds;
    job->topologies = (uint32_t)reader->section.topologies;
    job->layouts = (uint32_t)reader->section.layouts;
    job->converge = reader->section.converge;
    job->discount = (enum plan_discount)reader->section.discount;
    job->select = (enum plan_select)reader->section.select;
    return status == ORR_OK ? orr_plan_check_dimensions(job, reader->section.search, reader->diag)
                            : status;
}

/* Reads the kind of all-reduces, which the evaluator must support. */
static enum orr_status read_all_reduce(struct reader *reader)
{
    const char *text = reader->section.all_reduce;
    struct sys_mono choice = {.kind = NULL};
    enum orr_status status =
        text == NULL ? ORR_OK : orr_sys_mono_parse(text, &choice, reader->diag);
    reader->job->stream = orr_sys_mono_is_stream(&choice);
    if (status == ORR_OK && !reader->job->stream && !orr_sys_mono_is_default(&choice)) {
        status = orr_diag_fail(reader->diag, ORR_ERR_INPUT, NULL,
                               "plan.all_reduce: expected %s or ring_stream, which plans are made "
                               "with, got \"%s\"",
                               orr_sys_mono_default_name, text);
    }
    if (status == ORR_ERR_INPUT) {
        reader->diag->place = orr_conf_location(orr_conf_get(reader->job->section, "all_reduce"));
    }
    return status;
}

static enum orr_status read_panels(struct reader *reader)
{
    struct plan_panels_section section = {.ports = 0};
    struct plan_job *job = reader->job;
    const enum orr_status status =
        read_map(reader->section.panels, &orr_plan_panels_table, &section, reader->diag);
    job->panels =
        (struct plan_panels){.ports = (uint32_t)section.ports, .look_ahead = section.look_ahead};
    return status == ORR_OK ? orr_plan_check_panels(job, reader->section.panels, reader->diag)
                            : status;
}

static enum orr_status read_strategy(struct reader *reader)
{
    struct plan_job *job = reader->job;
    const struct orr_conf *node = reader->section.strategy;
    enum orr_status status = ORR_OK;
    if (node != NULL && node->kind == ORR_CONF_SCALAR) {
        const char *path = orr_conf_resolve_path(reader->arena, node);
        status = path != NULL ? orr_strategy_open(reader->arena, path, &node, reader->diag)
                              : orr_diag_no_memory(reader->diag, "a strategy");
    }
    if (status == ORR_OK && node != NULL) {
        status = orr_plan_check_start_devices(job, node, reader->diag);
    }
    if (status == ORR_OK && node != NULL) {
        status = orr_strategy_read(reader->arena, node, &job->model, job->servers, &job->start,
                                   reader->diag);
    }
    job->start.server = job->server; /* of the plan; that of the file is ignored */
    return status == ORR_OK && node != NULL ? orr_plan_check_start(job, node, reader->diag)
                                            : status;
}

static enum orr_status read_compare(struct reader *reader)
{
    struct plan_job *job = reader->job;
    const struct orr_conf_list *list = &reader->section.compare;
    job->compare_at = orr_conf_get(job->section, "compare");
    job->compare = list->values;
    job->compared = list->count;
    if (list->count == 1 && strcmp(job->compare[0], "none") == 0) {
        job->compared = 0;
    } else {
        job->compares = job->compare_at == NULL;
    }
    return orr_plan_check_compare(reader->arena, job, reader->diag);
}

/* Reads the sections of all kinds; those of others are only checked. */
static enum orr_status read_kinds(struct reader *reader)
{
    struct plan_job *job = reader->job;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; orr_plan_kinds[i] != NULL && status == ORR_OK; i++) {
        const struct plan_kind *kind = orr_plan_kinds[i];
        status = kind->read != NULL
                     ? kind->read(reader->arena, orr_conf_get(job->section, kind->section), job,
                                  reader->diag)
                     : ORR_OK;
    }
    return status;
}

/* Reads the keys of a topology and its search. */
static enum orr_status read_topology(struct reader *reader)
{
    static enum orr_status (*const parts[])(struct reader *) = {
        read_search, read_all_reduce, read_panels, read_strategy, read_compare};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ORR_OK; i++) {
        status = reader->job->kind->plans_topology ? parts[i](reader) : ORR_OK;
    }
    return status;
}

enum orr_status orr_plan_job_of(struct orr_arena *arena, const struct orr_conf *root,
                                const struct plan_kind *kind, struct plan_job *out,
                                struct orr_diag *diag)
{
    static enum orr_status (*const parts[])(struct reader *) = {
        read_servers, read_model, read_speed, read_device, read_topology, read_kinds};
    struct reader reader = {.arena = arena, .diag = diag, .job = out};
    *out = (struct plan_job){.root = root, .kind = kind};
    enum orr_status status = read_map(root, &orr_plan_file_table, &reader.file, diag);
    if (status == ORR_OK) {
        out->section = reader.file.plan;
        status = read_map(out->section, &orr_plan_table, &reader.section, diag);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ORR_OK; i++) {
        status = parts[i](&reader);
    }
    return status == ORR_OK ? orr_plan_check_job(arena, out, diag) : status;
}

enum orr_status orr_plan_job_read(struct orr_arena *arena, const struct plan_source *source,
                                  struct plan_job *out, struct orr_diag *diag)
{
    char library[ORR_INPUT_PATH_BYTES];
    const struct orr_conf *root = NULL;
    orr_inputs_library(library);
    enum orr_status status =
        source->path != NULL
            ? orr_conf_load_composed(arena, source->path, library, &root, diag)
            : orr_conf_parse(arena, source->text, strlen(source->text), "text", &root, diag);
    for (size_t i = 0; i < source->sets && status == ORR_OK; i++) {
        status = orr_conf_set(arena, root, source->set[i], &root, diag);
    }
    status = status == ORR_OK ? orr_conf_derive(arena, &root, diag) : status;
    return status == ORR_OK ? orr_plan_job_of(arena, root, source->kind, out, diag) : status;
}
