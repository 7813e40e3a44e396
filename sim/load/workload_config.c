/* The `workload` section; see workload_config.h. */
#include "sim/load/workload_config.h"

#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sim/load/strategy_job.h"
#include "workload/gen/cnn/cnn.h"
#include "workload/gen/dlrm.h"
#include "workload/gen/transformer.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

struct workload_section {
    const char *traces, *taskgraph, *all_reduce, *generate, *group, *groups_file;
    uint64_t bytes, first_part;
    int64_t repeat, root, layers, batch, element_bytes;
    double forward_flops, backward_flops, tokens, model_flops;
    bool optimizer;
    const struct orr_conf *groups, *parallel, *training;
    const struct orr_conf *transformer, *dlrm, *cnn;
    const struct orr_conf *model, *strategy, *part_times;
    const char *profile;
    sim_time iteration_compute;
    int64_t iterations;
};

#define AT(member) offsetof(struct workload_section, member)

static const char *generator_name(size_t index)
{
    size_t count = 0;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    return index < count ? kinds[index].name : NULL;
}

static const struct orr_key group_key = {.name = "NAME",
                                         .type = ORR_KEY_INTEGER,
                                         .list = true,
                                         .min = 1,
                                         .low = 0,
                                         .high = UINT32_MAX,
                                         .doc = "ranks of the group of this name, in its order"};

static const struct orr_key workload_keys[] = {
    {.name = "traces",
     .type = ORR_KEY_TEXT,
     .path = true,
     .offset = AT(traces),
     .doc = "prefix of the traces PREFIX.RANK.et, relative to this file"},
    {.name = "taskgraph",
     .type = ORR_KEY_TEXT,
     .path = true,
     .offset = AT(taskgraph),
     .doc = "a FlexFlow task graph, FlatBuffers or DOT, relative to this file"},
    {.name = "model",
     .type = ORR_KEY_NODE,
     .path = true,
     .offset = AT(model),
     .example = "model: models/dlrm.yml",
     .doc = "a model as a graph of operators: a file, relative to this one, the name of one that "
            "ships, or the section itself, also one of a generator: {transformer: ...}"},
    {.name = "strategy",
     .type = ORR_KEY_NODE,
     .path = true,
     .offset = AT(strategy),
     .absent = "data parallelism, tables placed round robin",
     .example = "strategy: strategies/hybrid.yml",
     .doc =
         "how the model is split and placed: a file, relative to this one, or the section itself"},
    {.name = "profile",
     .type = ORR_KEY_TEXT,
     .path = true,
     .offset = AT(profile),
     .absent = "none: times are those of the roofline",
     .example = "profile: measures.json",
     .doc = "measured times of the model's operators by split, relative to this file"},
    {.name = "iteration_compute",
     .type = ORR_KEY_TIME,
     .offset = AT(iteration_compute),
     .low = 1,
     .high = 1e18,
     .absent = "what the operators take",
     .example = "iteration_compute: 200 ms",
     .doc = "computing time of the busiest NPU in an iteration of the model, forward and backward, "
            "by itself (a logical server has a share of it); times of operators are shares of it"},
    {.name = "part_times",
     .type = ORR_KEY_NODE,
     .offset = AT(part_times),
     .table = &orr_part_times_table,
     .absent = "the roofline of a part's work",
     .example = "part_times: {fixed: 10 us, minimum: 1 us}",
     .doc = "overheads of parts of the model's operators, in addition to their work"},
    {.name = "all_reduce",
     .only_with = "taskgraph",
     .type = ORR_KEY_TEXT,
     .offset = AT(all_reduce),
     .absent = orr_sys_mono_default_name,
     .example = "all_reduce: ring",
     .doc = "the all-reduce algorithm of a task graph, as of --all-reduce"},
    {.name = "iterations",
     .type = ORR_KEY_INTEGER,
     .offset = AT(iterations),
     .low = 1,
     .high = 1e6,
     .absent = "1",
     .output_if_given = true,
     .example = "iterations: 10",
     .doc = "of a task graph or a model: number of iterations, one after the other"},
    {.name = "generate",
     .type = ORR_KEY_TEXT,
     .offset = AT(generate),
     .names = generator_name,
     .doc = "a generator instead of traces: a collective, mlp or p2p"},
    {.name = "bytes",
     .type = ORR_KEY_BYTES,
     .offset = AT(bytes),
     .needed_with = "generate",
     .not_for = "barrier",
     .doc = "generate: size of the collective; mlp: parameters of a layer"},
    {.name = "repeat",
     .type = ORR_KEY_INTEGER,
     .offset = AT(repeat),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "generate: repetitions, one after the other"},
    {.name = "root",
     .type = ORR_KEY_INTEGER,
     .offset = AT(root),
     .low = 0,
     .high = UINT32_MAX,
     .default_text = "0",
     .doc = "generate: root of a broadcast, reduce, gather or scatter"},
    {.name = "group",
     .type = ORR_KEY_TEXT,
     .offset = AT(group),
     .absent = "all NPUs",
     .example = "group: 0",
     .doc =
         "generate: the group of groups that does the collective, by its name (0: all NPUs); the "
         "other NPUs do nothing"},
    {.name = "first_part",
     .type = ORR_KEY_BYTES,
     .offset = AT(first_part),
     .absent = "no such node",
     .doc = "generate: prefix of a collective that a node without work waits for "
            "(gradient_turnaround_ps)"},
    {.name = "layers",
     .type = ORR_KEY_INTEGER,
     .offset = AT(layers),
     .low = 1,
     .high = 1e6,
     .default_text = "1",
     .doc = "mlp: layers"},
    {.name = "batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(batch),
     .low = 1,
     .high = 1e9,
     .default_text = "1",
     .doc = "mlp: samples of an NPU"},
    {.name = "element_bytes",
     .only_with = "generate",
     .type = ORR_KEY_INTEGER,
     .offset = AT(element_bytes),
     .low = 1,
     .high = 16,
     .default_text = "2",
     .doc = "mlp: bytes of a parameter"},
    {.name = "forward_flops",
     .type = ORR_KEY_NUMBER,
     .offset = AT(forward_flops),
     .low = 0,
     .high = 9e18,
     .absent = "by batch and bytes",
     .doc = "mlp, p2p: operations of a layer forwards"},
    {.name = "backward_flops",
     .type = ORR_KEY_NUMBER,
     .offset = AT(backward_flops),
     .low = 0,
     .high = 9e18,
     .absent = "twice forward_flops",
     .doc = "mlp: operations of a layer backwards"},
    {.name = "optimizer",
     .type = ORR_KEY_BOOL,
     .offset = AT(optimizer),
     .default_text = "false",
     .doc = "mlp: update the parameters"},
    {.name = "transformer",
     .type = ORR_KEY_NODE,
     .offset = AT(transformer),
     .table = &orr_transformer_key_table,
     .doc = "a generated model: GPT, LLaMA, BERT, T5, DeepSeek, Nemotron: dense, experts, "
            "state-space layers"},
    {.name = "dlrm",
     .type = ORR_KEY_NODE,
     .offset = AT(dlrm),
     .table = &orr_dlrm_key_table,
     .doc = "a generated recommendation model: embedding tables and two MLPs"},
    {.name = "cnn",
     .type = ORR_KEY_NODE,
     .offset = AT(cnn),
     .table = &orr_cnn_key_table,
     .doc = "a generated convolutional network: layers and residual blocks"},
    {.name = "parallel",
     .type = ORR_KEY_NODE,
     .offset = AT(parallel),
     .table = &orr_gen_parallel_table,
     .absent = "data parallelism over all NPUs",
     .doc = "how a generated model, or a model of operators, is parallelized over the NPUs"},
    {.name = "training",
     .type = ORR_KEY_NODE,
     .offset = AT(training),
     .table = &orr_gen_training_table,
     .absent = "one step of a sample for each rank",
     .doc = "how such a model is trained"},
    {.name = "groups",
     .type = ORR_KEY_NODE,
     .offset = AT(groups),
     .each = &group_key,
     .absent = "all NPUs, and those of the traces",
     .doc = "communicator groups: names with lists of ranks"},
    {.name = "groups_file",
     .type = ORR_KEY_TEXT,
     .path = true,
     .offset = AT(groups_file),
     .absent = "none",
     .example = "groups_file: traces.groups.json",
     .doc = "JSON of communicator groups by number, as written by gen; relative to this file"},
    {.name = "tokens",
     .type = ORR_KEY_NUMBER,
     .offset = AT(tokens),
     .absent = "not known",
     .doc = "tokens that the job processes, for tokens/s"},
    {.name = "model_flops",
     .type = ORR_KEY_NUMBER,
     .offset = AT(model_flops),
     .absent = "not known",
     .doc = "useful operations of the job, for the model FLOPs utilization"},
};

static const char *const one_of[] = {"traces", "taskgraph", "model",    "transformer",
                                     "dlrm",   "cnn",       "generate", NULL};
const struct orr_key_table orr_wl_workload_table = {"the workload section", workload_keys,
                                                    COUNT(workload_keys), one_of};

static void fill_generator(const struct workload_section *section, uint32_t npus,
                           struct orr_gen *gen)
{
    *gen = (struct orr_gen){.kind = section->generate,
                            .npus = npus,
                            .bytes = section->bytes,
                            .repeat = (uint32_t)section->repeat,
                            .root = (uint32_t)section->root,
                            .first_part = section->first_part,
                            .layers = (uint32_t)section->layers,
                            .batch = (uint32_t)section->batch,
                            .element_bytes = (uint32_t)section->element_bytes,
                            .forward_flops = (uint64_t)section->forward_flops,
                            .backward_flops = (uint64_t)section->backward_flops,
                            .optimizer = section->optimizer};
}

/* Reads the ranks of a generated collective's group, which is listed by name. */
static enum orr_status read_group(struct orr_arena *arena, const struct orr_conf *map,
                                  struct orr_gen *gen, struct orr_diag *diag)
{
    const struct orr_conf *name = orr_conf_get(map, "group"), *groups = orr_conf_get(map, "groups");
    const struct orr_conf *group = groups != NULL ? orr_conf_get(groups, name->text) : NULL;
    enum orr_status status = ORR_OK;
    if (group == NULL && strcmp(name->text, "0") == 0) {
        return ORR_OK; /* all NPUs, as in traces */
    }
    if (group == NULL) {
        const struct orr_location place = orr_conf_location(name);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected a group of workload.groups, got \"%s\"", name->path,
                             name->text);
    }
    const bool list = group->kind == ORR_CONF_LIST;
    uint32_t *member = orr_arena_array(arena, list ? group->count : 1, sizeof *member);
    gen->members = list ? (uint32_t)group->count : 1;
    for (uint32_t i = 0; member != NULL && i < gen->members && status == ORR_OK; i++) {
        int64_t rank = 0;
        status =
            orr_conf_integer(list ? group->item[i] : group, 0, (int64_t)gen->npus - 1, &rank, diag);
        member[i] = (uint32_t)rank;
    }
    gen->group = name->text;
    gen->member = member;
    return member != NULL ? status : orr_diag_no_memory(diag, "a group");
}

static bool is_collective(const char *kind)
{
    return strcmp(kind, "mlp") != 0 && strcmp(kind, "p2p") != 0;
}

static const struct orr_key *find_key(const char *name)
{
    for (size_t i = 0; i < COUNT(workload_keys); i++) {
        if (strcmp(workload_keys[i].name, name) == 0) {
            return &workload_keys[i];
        }
    }
    return NULL;
}

static enum orr_status check_generator(const struct orr_conf *map, const struct orr_gen *gen,
                                       struct orr_diag *diag)
{
    struct orr_diag reason;
    orr_diag_init(&reason);
    const enum orr_status status = orr_gen_check(gen, &reason);
    if (status == ORR_OK) {
        return status;
    }
    char name[32]; /* the error begins with the key's name */
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(reason.message, ":"), reason.message);
    const struct orr_conf *culprit = orr_conf_get(map, name);
    const struct orr_location place =
        orr_conf_location(culprit != NULL ? culprit : orr_conf_get(map, "generate"));
    const struct orr_key *missing = culprit == NULL ? find_key(name) : NULL;
    if (missing != NULL) {
        char example[64];
        return orr_diag_fail(
            diag, status, &place, "workload.generate: %s needs the key \"%s\" (%s), such as %s",
            gen->kind, name, missing->doc, orr_key_example(missing, example, sizeof example));
    }
    return orr_diag_fail(diag, status, &place, "workload.%s%s",
                         culprit != NULL ? "" : "generate: ", reason.message);
}

/* Reads the keys of workload.model in any case, and warns about them without one. */
static enum orr_status check_of_models(const struct orr_conf *map,
                                       const struct workload_section *section,
                                       struct orr_diag *diag)
{
    static const char *const keys_of_models[] = {"strategy", "profile", "iteration_compute",
                                                 "part_times"};
    struct model_speed speed = {.linear = false};
    if (section->model == NULL && section->taskgraph == NULL) {
        orr_conf_warn_unused(map, "iterations", "it is of workload.taskgraph and workload.model",
                             diag);
    }
    for (size_t i = 0; section->model == NULL && i < COUNT(keys_of_models); i++) {
        orr_conf_warn_unused(map, keys_of_models[i], "it is of workload.model", diag);
    }
    return orr_part_times_read(section->part_times, &speed, diag);
}

/* Exactly one of traces, generate and the models. */
static enum orr_status check_source(const struct orr_conf *map,
                                    const struct workload_section *section, struct orr_diag *diag)
{
    const char *given[2] = {NULL, NULL};
    unsigned count = 0;
    for (size_t i = 0; one_of[i] != NULL; i++) {
        if (orr_conf_get(map, one_of[i]) != NULL && count < 2) {
            given[count++] = one_of[i];
        }
    }
    const struct orr_conf *extra =
        section->parallel != NULL ? section->parallel : section->training;
    if (count == 1 &&
        (section->traces != NULL || section->taskgraph != NULL || section->generate != NULL) &&
        extra != NULL) {
        const struct orr_location place = orr_conf_key_location(extra);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: only a model takes this",
                             extra->path);
    }
    if (count == 1) {
        return check_of_models(map, section, diag);
    }
    const struct orr_location place = orr_conf_location(map);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "workload: expected one of the keys \"traces\" (a prefix of files), "
                         "\"taskgraph\" (a file), \"model\" (a graph of operators), "
                         "\"generate\" (a generator such as all_reduce) and \"transformer\", "
                         "\"dlrm\" or \"cnn\" (a model), got %s%s%s%s%s",
                         count == 0 ? "none" : "both \"", count == 0 ? "" : given[0],
                         count == 0 ? "" : "\" and \"", count == 0 ? "" : given[1],
                         count == 0 ? "" : "\"");
}

static void set_totals(struct wl_workload *out)
{
    struct gen_totals totals;
    const struct gen_model *model = &out->model;
    const uint32_t steps = model->ops->plan(model->job)->steps;
    model->ops->totals(model->job, &totals);
    out->tokens = out->tokens > 0 ? out->tokens : totals.tokens * steps;
    out->samples = totals.samples * steps;
    out->model_flops = out->model_flops > 0 ? out->model_flops : totals.model_flops * steps;
    if (totals.model_flops > 0) {
        out->product_share[ORR_PRODUCT_FP8] = totals.fp8_flops / totals.model_flops;
        out->product_share[ORR_PRODUCT_FP4] = totals.fp4_flops / totals.model_flops;
    }
}

static enum orr_status read_model(struct orr_arena *arena, const struct orr_conf *map,
                                  uint32_t npus, struct wl_workload *out, struct orr_diag *diag)
{
    struct gen_sections sections = {.parallel = orr_conf_get(map, "parallel"),
                                    .training = orr_conf_get(map, "training")};
    size_t i = 0;
    while (orr_conf_get(map, orr_gen_models[i]->name) == NULL) {
        i++; /* one source is set */
    }
    sections.model = orr_conf_get(map, orr_gen_models[i]->name);
    out->model = (struct gen_model){.ops = orr_gen_models[i], .section = sections.model};
    const enum orr_status status =
        orr_gen_models[i]->read(arena, &sections, npus, &out->model.job, diag);
    if (status == ORR_OK) {
        set_totals(out);
    }
    return status;
}

enum orr_status orr_wl_workload_read(struct orr_arena *arena, const struct orr_conf *map,
                                     uint32_t npus, struct wl_workload *out, struct orr_diag *diag)
{
    struct workload_section section = {0};
    enum orr_status status = orr_conf_read(map, "the workload section", workload_keys,
                                           COUNT(workload_keys), &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    status = check_source(map, &section, diag);
    if (status != ORR_OK) {
        return status;
    }
    const bool repeats = section.taskgraph != NULL || section.model != NULL;
    *out = (struct wl_workload){.groups = section.groups,
                                .tokens = section.tokens,
                                .model_flops = section.model_flops,
                                .iterations = repeats ? (uint32_t)section.iterations : 0};
    if (section.all_reduce != NULL) {
        status = orr_sys_mono_parse(section.all_reduce, &out->all_reduce, diag);
        if (status != ORR_OK) {
            diag->place = orr_conf_location(orr_conf_get(map, "all_reduce"));
            return status;
        }
    }
    if (section.groups_file != NULL) {
        out->groups_file = orr_conf_resolve_path(arena, orr_conf_get(map, "groups_file"));
        if (out->groups_file == NULL) {
            return orr_diag_no_memory(diag, "the workload");
        }
    }
    if (section.traces != NULL) {
        out->traces = orr_conf_resolve_path(arena, orr_conf_get(map, "traces"));
        return out->traces != NULL ? ORR_OK : orr_diag_no_memory(diag, "the workload");
    }
    if (section.taskgraph != NULL) {
        out->taskgraph = section.taskgraph;
        return ORR_OK;
    }
    if (section.model != NULL) { /* without these it becomes a task graph (strategy_job.c) */
        if (section.parallel == NULL && section.training == NULL) {
            return ORR_OK;
        }
        status = orr_operators_job_read(arena, map, npus, &out->model, diag);
        if (status == ORR_OK) {
            set_totals(out);
        }
        return status;
    }
    if (section.generate != NULL) {
        fill_generator(&section, npus, &out->generate);
        if (section.group != NULL && is_collective(section.generate)) {
            status = read_group(arena, map, &out->generate, diag);
        }
        return status == ORR_OK ? check_generator(map, &out->generate, diag) : status;
    }
    return read_model(arena, map, npus, out, diag);
}
