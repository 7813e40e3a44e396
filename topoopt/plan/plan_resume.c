/* Resuming a plan; see plan_result.h. A YAML file with the hash of the plan and the best strategy
 * so far:
 *
 *     resume: {plan: 0123456789abcdef, evaluations: 20000}
 *     strategy: {...} */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "planner/plan_file/plan_check.h"
#include "topoopt/plan/plan_result.h"
#include "workload/strategy/strategy_file.h"

/* ---- hash of the inputs ---- */

static uint64_t mix(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t mix_node(uint64_t hash, const struct orr_conf *node)
{
    if (node->kind == ORR_CONF_SCALAR) {
        return mix(hash, node->text);
    }
    hash = mix(hash, node->kind == ORR_CONF_MAP ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == ORR_CONF_MAP) {
            hash = mix(hash, node->key[i]);
        }
        hash = mix_node(hash, node->item[i]);
    }
    return hash;
}

/* Whether a key changes only the search or the report; such keys may differ when resuming. */
static bool is_of_search(const char *key)
{
    static const char *const keys[] = {"search", "rounds",   "converge", "topologies", "compare",
                                       "panels", "strategy", "select",   "discount",   "model"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

uint64_t orr_plan_hash(const struct plan_job *job)
{
    static const char *const sections[] = {"network", "compute", "memory"};
    uint64_t hash = mix_node(UINT64_C(0xcbf29ce484222325), job->model_root);
    for (size_t i = 0; i < job->section->count; i++) {
        if (!is_of_search(job->section->key[i])) {
            hash = mix_node(mix(hash, job->section->key[i]), job->section->item[i]);
        }
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const struct orr_conf *section = orr_conf_get(job->root, sections[i]);
        hash = section != NULL ? mix_node(mix(hash, sections[i]), section) : hash;
    }
    return hash;
}

/* ---- the file ---- */

int orr_plan_resume_write(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_pair *found =
        solution->overruled ? &solution->searched : &solution->result.best;
    (void)fprintf(out, "resume: {plan: %016" PRIx64 ", evaluations: %" PRIu64 "}\n", solution->hash,
                  solution->evaluations);
    return orr_strategy_write(out, &solution->job->model, &found->strategy);
}

struct resume_section {
    const char *plan;
    int64_t evaluations;
};

struct resume_file {
    const struct orr_conf *resume, *strategy;
};

static const struct orr_key section_keys[] = {
    {.name = "plan",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct resume_section, plan),
     .required = true,
     .example = "plan: 0123456789abcdef",
     .doc = "what it is a plan of"},
    {.name = "evaluations",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct resume_section, evaluations),
     .default_text = "0",
     .doc = "that were made until then"},
};
static const struct orr_key_table section_table = {
    "what a plan is resumed from", section_keys, sizeof section_keys / sizeof *section_keys, NULL};

static const struct orr_key file_keys[] = {
    {.name = "resume",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct resume_file, resume),
     .required = true,
     .table = &section_table,
     .example = "resume: {plan: 0123456789abcdef}",
     .doc = "of which plan it is"},
    {.name = "strategy",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct resume_file, strategy),
     .required = true,
     .table = &orr_strategy_key_table,
     .example = "strategy: {devices: 16}",
     .doc = "the best so far"},
};

enum orr_status orr_plan_resume_read(struct orr_arena *arena, const char *path,
                                     const struct plan_job *job, struct strategy *out,
                                     uint64_t *evaluations, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct resume_file file = {.resume = NULL};
    struct resume_section section = {.plan = ""};
    char hash[17];
    enum orr_status status = orr_conf_load(arena, path, &root, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(root, "a file to resume from", file_keys,
                               sizeof file_keys / sizeof *file_keys, &file, diag);
    }
    if (status == ORR_OK) {
        status = orr_conf_read(file.resume, section_table.owner, section_table.keys,
                               section_table.count, &section, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, orr_plan_hash(job));
    if (strcmp(section.plan, hash) != 0) {
        const struct orr_location place = orr_conf_location(orr_conf_get(file.resume, "plan"));
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "resume.plan: the file is of another plan, or its model, servers or "
                             "links have changed since; expected %s, got %s",
                             hash, section.plan);
    }
    *evaluations = (uint64_t)section.evaluations;
    status = orr_strategy_read(arena, file.strategy, &job->model, job->servers, out, diag);
    return status == ORR_OK ? orr_plan_check_splits(job, out, file.strategy, diag) : status;
}
