/* The section plan.sip_ml: options of SiP-ML's search, keys and reading (docs/file-formats.md). */
#include "sipml/plan/sipml_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_steps.h"
#include "workload/model/op_graph.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const roundings[] = {"down", "nearest", NULL};
static const char *const edges[] = {"by_dimension", "block", NULL};

struct plan_steps_section {
    int64_t count, at, critical_batch;
    struct orr_conf_list table; /* const struct orr_conf * */
};

struct plan_sip_ml_section {
    int64_t degree, repair_rounds, simulate;
    sim_time quantum;
    unsigned rounding, edges;
    struct orr_conf_list model_parallel, batches; /* int64_t */
    const struct orr_conf *steps;
};

struct plan_row_section {
    int64_t batch;
    double steps;
};

/* ---- keys ---- */

#define AT(member) offsetof(struct plan_row_section, member)
static const struct orr_key row_keys[] = {
    {.name = "batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(batch),
     .required = true,
     .low = 1,
     .high = 1e12,
     .example = "batch: 256",
     .doc = "samples of a step"},
    {.name = "steps",
     .type = ORR_KEY_NUMBER,
     .offset = AT(steps),
     .required = true,
     .low = 1e-6,
     .high = 1e15,
     .example = "steps: 40000",
     .doc = "steps until the target accuracy"},
};
#undef AT
static const struct orr_key_table row_table = {"a row of the steps", row_keys, COUNT(row_keys),
                                               NULL};

#define AT(member) offsetof(struct plan_steps_section, member)
static const struct orr_key steps_keys[] = {
    {.name = "count",
     .type = ORR_KEY_INTEGER,
     .offset = AT(count),
     .low = 1,
     .high = 1e15,
     .absent = "the table",
     .example = "count: 16384",
     .doc = "steps at the batch `at`"},
    {.name = "at",
     .type = ORR_KEY_INTEGER,
     .offset = AT(at),
     .low = 1,
     .high = 1e12,
     .absent = "the table",
     .example = "at: 1024",
     .doc = "the batch that `count` is of"},
    {.name = "critical_batch",
     .type = ORR_KEY_INTEGER,
     .offset = AT(critical_batch),
     .low = 0,
     .high = 1e12,
     .default_text = "0",
     .example = "critical_batch: 128",
     .doc = "Bc: a batch of b takes S (1 + Bc / b) steps, with S such that `at` takes `count`; 0: "
            "as many for every batch"},
    {.name = "table",
     .type = ORR_KEY_NODE,
     .offset = AT(table),
     .list = true,
     .min = 1,
     .max = PLAN_MAX_BATCHES,
     .table = &row_table,
     .absent = "count, at and critical_batch",
     .example = "table: [{batch: 256, steps: 40000}, {batch: 1024, steps: 16384}]",
     .doc = "instead of count: measured steps by ascending batch; between two rows the logarithms "
            "of both are interpolated"},
};
#undef AT
static const struct orr_key_table steps_table = {"the steps of a plan", steps_keys,
                                                 COUNT(steps_keys), NULL};

#define AT(member) offsetof(struct plan_sip_ml_section, member)
static const struct orr_key sip_ml_keys[] = {
    {.name = "degree",
     .type = ORR_KEY_INTEGER,
     .offset = AT(degree),
     .low = 2,
     .high = PLAN_MAX_SERVERS,
     .absent = "the reach of demand-aware circuits: the switches of sip-ocs, 16 on a sip-ring; "
               "else no limit, as for an electrical fabric",
     .example = "degree: 16",
     .doc = "D: peers of a GPU each way; the next one of its ring is one of them, the others are "
            "for model parallelism"},
    {.name = "quantum",
     .type = ORR_KEY_TIME,
     .offset = AT(quantum),
     .low = 1,
     .high = (double)ORR_PS_PER_S,
     .default_text = "10 us",
     .example = "quantum: 10 us",
     .doc = "tau: approximate minimum time of a part of an operator"},
    {.name = "rounding",
     .type = ORR_KEY_CHOICE,
     .offset = AT(rounding),
     .choices = roundings,
     .default_text = "down",
     .example = "rounding: nearest",
     .doc = "rounding of an operator's time over the quantum to a power of two"},
    {.name = "edges",
     .type = ORR_KEY_CHOICE,
     .offset = AT(edges),
     .choices = edges,
     .default_text = "by_dimension",
     .example = "edges: block",
     .doc = "transfers between parts: by the dimension with the least communication, or between "
            "parts of equal index, as in the published simulator: every operator of the model is "
            "then split in the dimension parts (model.parts; not for a generated model)"},
    {.name = "repair_rounds",
     .type = ORR_KEY_INTEGER,
     .offset = AT(repair_rounds),
     .high = 1e6,
     .default_text = "16",
     .example = "repair_rounds: 64",
     .doc = "R: repair rounds for each part without a device that the degree allows; then the "
            "group is placed on as many devices as the degree reaches"},
    {.name = "model_parallel",
     .type = ORR_KEY_INTEGER,
     .offset = AT(model_parallel),
     .list = true,
     .scalar_as_list = true,
     .max = PLAN_MAX_SPLITS,
     .low = 1,
     .high = PLAN_MAX_SERVERS,
     .absent = "all powers of two up to 64 that divide the servers",
     .example = "model_parallel: [1, 2, 4, 8, 16]",
     .doc = "k: devices of a group, which split the model; l = servers / k groups split the batch"},
    {.name = "batches",
     .type = ORR_KEY_INTEGER,
     .offset = AT(batches),
     .list = true,
     .scalar_as_list = true,
     .max = PLAN_MAX_BATCHES,
     .low = 1,
     .high = 1e12,
     .absent = "plan.batch, or the model's",
     .example = "batches: [256, 512, 1024]",
     .doc = "b: samples of an iteration that are tried, each with every k"},
    {.name = "simulate",
     .type = ORR_KEY_INTEGER,
     .offset = AT(simulate),
     .high = 1e6,
     .default_text = "4",
     .example = "simulate: 8",
     .doc = "number of the best (k, l, batch) to simulate, at least one, and all placements of "
            "those near the best; data parallelism and the best of each k estimated below 2 x the "
            "best are simulated, too, and more where estimates are over 15 % off"},
    {.name = "steps",
     .type = ORR_KEY_NODE,
     .offset = AT(steps),
     .table = &steps_table,
     .absent = "the best plan has the most samples a second",
     .example = "steps: {count: 16384, at: 1024, critical_batch: 128}",
     .doc = "how many steps training takes at a batch: time to accuracy is steps x iteration"},
};
#undef AT
const struct orr_key_table orr_plan_sip_ml_table = {"plan.sip_ml", sip_ml_keys, COUNT(sip_ml_keys),
                                                    NULL};

/* ---- reading ---- */

struct reader {
    struct orr_arena *arena;
    struct plan_job *job;
    const struct orr_conf *map; /* plan.sip_ml; NULL: not set */
    struct orr_diag *diag;
    struct plan_sip_ml *out;
};

/* The location of an entry of a list; without one, that of the key or the section. */
static struct orr_location place_of(const struct reader *reader, const char *key, size_t entry)
{
    const struct orr_conf *node = reader->map != NULL ? orr_conf_get(reader->map, key) : NULL;
    if (node != NULL && node->kind == ORR_CONF_LIST && entry < node->count) {
        node = node->item[entry];
    }
    return orr_conf_location(node != NULL          ? node
                             : reader->map != NULL ? reader->map
                                                   : reader->job->section);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts values in ascending order and removes duplicates. */
static uint32_t sort_unique(uint64_t *value, size_t count)
{
    uint32_t kept = 0;
    qsort(value, count, sizeof *value, by_value);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || value[kept - 1] != value[i]) {
            value[kept++] = value[i];
        }
    }
    return kept;
}

static enum orr_status read_list(struct reader *reader, const struct orr_conf_list *list,
                                 uint64_t **out, uint32_t *count)
{
    const int64_t *listed = list->values;
    uint64_t *value = orr_arena_array(reader->arena, list->count + 1, sizeof *value);
    if (value == NULL) {
        return orr_diag_no_memory(reader->diag, "what a plan tries");
    }
    for (size_t i = 0; i < list->count; i++) {
        value[i] = (uint64_t)listed[i];
    }
    *out = value;
    *count = sort_unique(value, list->count);
    return ORR_OK;
}

/* ---- k ---- */

static enum orr_status check_divides(struct reader *reader, const struct orr_conf_list *list)
{
    const uint32_t n = reader->job->servers;
    const int64_t *listed = list->values;
    for (size_t i = 0; i < list->count; i++) {
        if (listed[i] > n || n % (uint32_t)listed[i] != 0) {
            const struct orr_location place = place_of(reader, "model_parallel", i);
            return orr_diag_fail(
                reader->diag, ORR_ERR_INPUT, &place,
                "plan.sip_ml.model_parallel: expected numbers that divide the %" PRIu32
                " servers into equal groups, such as %s, got %" PRId64,
                n, n % 2 == 0 ? "1 and 2" : "1", listed[i]);
        }
    }
    return ORR_OK;
}

static enum orr_status read_groups(struct reader *reader, const struct plan_sip_ml_section *section)
{
    enum { MAX_DEFAULT = 64 };
    struct plan_sip_ml *out = reader->out;
    uint64_t *value = NULL;
    enum orr_status status = read_list(reader, &section->model_parallel, &value, &out->groups);
    uint32_t *group = orr_arena_array(reader->arena, out->groups + 16, sizeof *group);
    if (status == ORR_OK && group == NULL) {
        return orr_diag_no_memory(reader->diag, "what a plan tries");
    }
    for (uint32_t i = 0; status == ORR_OK && i < out->groups; i++) {
        group[i] = (uint32_t)value[i];
    }
    for (uint32_t k = 1; status == ORR_OK && section->model_parallel.count == 0 &&
                         k <= MAX_DEFAULT && reader->job->servers % k == 0;
         k *= 2) {
        group[out->groups++] = k;
    }
    out->group = group;
    return status == ORR_OK ? check_divides(reader, &section->model_parallel) : status;
}

/* ---- steps ---- */

static enum orr_status read_row(struct reader *reader, const struct orr_conf *map,
                                const struct sipml_steps_row *before, struct sipml_steps_row *out)
{
    struct plan_row_section row = {.batch = 0};
    const enum orr_status status =
        orr_conf_read(map, row_table.owner, row_table.keys, row_table.count, &row, reader->diag);
    *out = (struct sipml_steps_row){(uint64_t)row.batch, row.steps};
    if (status == ORR_OK && before != NULL && out->batch <= before->batch) {
        const struct orr_location place = orr_conf_location(orr_conf_get(map, "batch"));
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "%s.batch: expected rising batches, more than the %" PRIu64
                             " of the row before, got %" PRIu64,
                             map->path, before->batch, out->batch);
    }
    return status;
}

static enum orr_status read_table(struct reader *reader, const struct orr_conf_list *list)
{
    struct sipml_steps *out = &reader->out->steps;
    const struct orr_conf *const *map = list->values;
    struct sipml_steps_row *row = orr_arena_array(reader->arena, list->count + 1, sizeof *row);
    enum orr_status status =
        row != NULL ? ORR_OK : orr_diag_no_memory(reader->diag, "the steps of a plan");
    for (size_t i = 0; i < list->count && status == ORR_OK; i++) {
        status = read_row(reader, map[i], i > 0 ? &row[i - 1] : NULL, &row[i]);
    }
    out->row = row;
    out->rows = (uint32_t)list->count;
    return status;
}

static enum orr_status read_steps(struct reader *reader, const struct orr_conf *map)
{
    struct plan_steps_section section = {.count = 0};
    struct sipml_steps *out = &reader->out->steps;
    const enum orr_status status = orr_conf_read(map, steps_table.owner, steps_table.keys,
                                                 steps_table.count, &section, reader->diag);
    if (status != ORR_OK || map == NULL) {
        return status;
    }
    const bool curve = section.count != 0 && section.at != 0;
    if (curve == (section.table.count != 0) || (section.count != 0) != (section.at != 0)) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "plan.sip_ml.steps: expected either count and at, such as {count: "
                             "16384, at: 1024, critical_batch: 128}, or a table, such as {table: "
                             "[{batch: 256, steps: 40000}, {batch: 1024, steps: 16384}]}");
    }
    *out = (struct sipml_steps){.count = (double)section.count,
                                .at = (double)section.at,
                                .critical = (double)section.critical_batch};
    return curve ? ORR_OK : read_table(reader, &section.table);
}

/* ---- batches ---- */

static enum orr_status check_steps(struct reader *reader, const struct orr_conf_list *list)
{
    const struct plan_sip_ml *sip_ml = reader->out;
    const struct sipml_steps *steps = &sip_ml->steps;
    for (uint32_t i = 0; i < sip_ml->batches; i++) {
        if (!orr_sipml_steps_reach(steps, sip_ml->batch[i])) {
            const int64_t *listed = list->values;
            size_t at = 0;
            while (at < list->count && (uint64_t)listed[at] != sip_ml->batch[i]) {
                at++;
            }
            const struct orr_location place = place_of(reader, "batches", at);
            return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                                 "plan.sip_ml.steps: the table has batches from %" PRIu64
                                 " to %" PRIu64 " and no steps at %" PRIu64
                                 ", which is tried; expected a row of that batch, or other "
                                 "batches",
                                 steps->row[0].batch, steps->row[steps->rows - 1].batch,
                                 sip_ml->batch[i]);
        }
    }
    return ORR_OK;
}

/* Checks that measured operators have a batch if several batches are tried: otherwise their times
 * would be equal for all of them. */
static enum orr_status check_measured(struct reader *reader)
{
    const struct model_graph *model = &reader->job->model;
    for (uint32_t op = 0; op < model->ops && reader->out->batches > 1; op++) {
        if (model->op[op].measured && model->measured_batch == 0) {
            const struct orr_location place = place_of(reader, "batches", 0);
            return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                                 "plan.sip_ml.batches: the model does not say for which batch "
                                 "operator \"%s\" was measured: several batches need the key "
                                 "model.measured_batch, such as measured_batch: 64",
                                 model->op[op].name);
        }
    }
    return ORR_OK;
}

static enum orr_status read_batches(struct reader *reader, const struct orr_conf_list *list)
{
    struct plan_sip_ml *out = reader->out;
    uint64_t *batch = NULL;
    enum orr_status status = read_list(reader, list, &batch, &out->batches);
    if (status == ORR_OK && out->batches == 0) {
        batch[0] = orr_model_batch(&reader->job->model, reader->job->servers);
        out->batches = 1;
    }
    out->batch = batch;
    if (status == ORR_OK && batch[0] == 0) {
        const struct orr_location place = orr_conf_location(reader->job->section);
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "plan: the model does not say its batch: a plan needs the key "
                             "\"batch\", such as batch: 1024, or sip_ml.batches");
    }
    status = status == ORR_OK ? check_measured(reader) : status;
    return status == ORR_OK ? check_steps(reader, list) : status;
}

enum orr_status orr_sipml_job_read(struct orr_arena *arena, const struct orr_conf *map,
                                   struct plan_job *job, struct orr_diag *diag)
{
    struct plan_sip_ml *own = orr_arena_alloc(arena, sizeof *own);
    struct reader reader = {arena, job, map, diag, own};
    struct plan_sip_ml_section section = {.degree = 0};
    enum orr_status status =
        orr_conf_read(map, orr_plan_sip_ml_table.owner, orr_plan_sip_ml_table.keys,
                      orr_plan_sip_ml_table.count, &section, diag);
    if (status != ORR_OK || job->kind != &orr_plan_kind_sip_ml) {
        return status; /* only keys are checked for other kinds */
    }
    if (own == NULL) {
        return orr_diag_no_memory(diag, "what a plan tries");
    }
    *own = (struct plan_sip_ml){
        .rules = {.quantum_ps = section.quantum,
                  .rounding = (enum sipml_rounding)section.rounding,
                  .degree = section.degree != 0 ? (uint32_t)section.degree : job->circuits.degree,
                  .repair_rounds = (uint32_t)section.repair_rounds,
                  .blocks = section.edges != 0},
        .simulate = section.simulate > 1 ? (uint32_t)section.simulate : 1};
    job->own = own;
    status = read_groups(&reader, &section);
    if (status == ORR_OK) {
        status = read_steps(&reader, section.steps);
    }
    return status == ORR_OK ? read_batches(&reader, &section.batches) : status;
}

enum orr_status orr_sipml_job_prepare(struct orr_arena *arena, struct plan_job *job,
                                      struct orr_diag *diag)
{
    const struct orr_conf *options = orr_conf_get(job->section, "sip_ml");
    const struct orr_conf *edges_at = options != NULL ? orr_conf_get(options, "edges") : NULL;
    if (edges_at == NULL || edges_at->kind != ORR_CONF_SCALAR ||
        strcmp(edges_at->text, "block") != 0 || orr_conf_get(job->model_root, "model") == NULL) {
        return ORR_OK;
    }
    return orr_conf_set(arena, job->model_root, "model.parts=true", &job->model_root, diag);
}
