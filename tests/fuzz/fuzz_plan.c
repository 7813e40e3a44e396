/* Fuzzes plans: any text is a plan whose numbers hold together, or an error with a place. Plans
 * that name files are left alone. */
#include <stdint.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "planner/plan_file/plan_job.h"
#include "planner/plan_file/plan_kind.h"
#include "sipml/plan/sipml_job.h"
#include "sipml/search/sipml_steps.h"
#include "topoopt/plan/topoopt_kind.h"
#include "workload/model/op_graph.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool names_file(const struct orr_conf *map, const char *key)
{
    const struct orr_conf *node = orr_conf_get(map, key);
    return node != NULL && node->kind == ORR_CONF_SCALAR;
}

/* A DOT file of a graph as well. */
static bool reads_files(const struct orr_conf *root)
{
    const struct orr_conf *plan = root->kind == ORR_CONF_MAP ? orr_conf_get(root, "plan") : NULL;
    const struct orr_conf *network = plan != NULL ? orr_conf_get(root, "network") : NULL;
    if (network != NULL && network->kind == ORR_CONF_MAP) {
        const struct orr_conf *graph = orr_conf_get(network, "graph");
        if (graph != NULL && graph->kind == ORR_CONF_MAP && names_file(graph, "file")) {
            return true;
        }
    }
    return plan != NULL && plan->kind == ORR_CONF_MAP &&
           (names_file(plan, "model") || names_file(plan, "profile") ||
            names_file(plan, "strategy"));
}

static void check_sip_ml(const struct plan_job *job)
{
    const struct plan_sip_ml *asked = sipml_asked(job);
    require(job->model.ops > 0 && job->servers >= 2 && job->network.graph != NULL);
    require(asked->groups >= 1 && asked->batches >= 1 && asked->simulate >= 1);
    for (uint32_t i = 0; i < asked->groups; i++) {
        require(job->servers % asked->group[i] == 0);
    }
    for (uint32_t i = 0; i < asked->batches; i++) {
        require(orr_sipml_steps(&asked->steps, asked->batch[i]) > 0);
    }
}

static void check(const struct plan_job *job)
{
    require(job->model.ops > 0 && job->servers >= 2 && job->groups >= 1);
    require(job->servers % job->groups == 0);
    require(orr_model_batch(&job->model, job->servers) >= job->servers);
    require(job->fixed ? job->network.graph != NULL
                       : job->interfaces.degree >= 1 && job->interfaces.degree < job->servers);
    require(job->start.ops == 0 || job->start.devices == job->servers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL;
    struct plan_job job;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (arena != NULL &&
        orr_conf_parse(arena, (const char *)data, bytes, "fuzz", &root, &diag) == ORR_OK &&
        !reads_files(root)) {
        if (orr_plan_job_of(arena, root, &orr_plan_kind_topoopt, &job, &diag) == ORR_OK) {
            check(&job);
        } else {
            require(diag.status != ORR_OK && diag.status != ORR_ERR_INTERNAL);
        }
        orr_diag_init(&diag);
        if (orr_plan_job_of(arena, root, &orr_plan_kind_sip_ml, &job, &diag) == ORR_OK) {
            check_sip_ml(&job);
        } else {
            require(diag.status != ORR_OK && diag.status != ORR_ERR_INTERNAL);
        }
    }
    orr_arena_destroy(arena);
    return 0;
}
