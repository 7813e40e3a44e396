/* The JSON report of a plan; see plan_report.h. */
#include <jansson.h>

#include "planner/finder/finder.h"
#include "report/json_text.h"
#include "topoopt/plan/plan_report.h"
#include "topoopt/search/topoopt.h"

static json_t *whole(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* null if there is no time. */
static json_t *time_of(sim_time time_ps)
{
    return time_ps == ORR_TIME_MAX ? json_null() : json_integer(time_ps);
}

static json_t *pair_json(const struct topoopt_pair *pair)
{
    return json_pack("{s:o, s:o, s:s}", "predicted_ps",
                     time_of(pair->missing_bytes != 0 ? ORR_TIME_MAX : pair->predicted_ps),
                     "missing_bytes", whole(pair->missing_bytes), "from",
                     orr_topoopt_origin_name(pair->origin));
}

/* With the simulated time; 0: not simulated. */
static json_t *run_json(const struct topoopt_pair *pair, sim_time simulated_ps)
{
    json_t *json = pair_json(pair);
    (void)json_object_set_new(json, "simulated_ps",
                              simulated_ps != 0 ? time_of(simulated_ps) : json_null());
    return json;
}

/* ---- the topology ---- */

static json_t *class_json(const struct finder_class *class)
{
    json_t *jumps = json_array();
    for (uint32_t i = 0; i < class->jumps.jumps; i++) {
        (void)json_array_append_new(jumps, json_integer(class->jumps.jump[i]));
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "members", (json_int_t) class->members, "groups",
                     (json_int_t) class->groups, "interfaces", (json_int_t) class->degree,
                     "wire_bytes", whole(class->wire_bytes), "jumps", jumps);
}

static json_t *topology_json(const struct plan_result *solution, const struct plan_metrics *metrics)
{
    const struct finder_topology *topology = &solution->result.best.topology;
    json_t *json = json_pack(
        "{s:f, s:I, s:I, s:o, s:o}", "mean_path", metrics->mean_path, "longest_path",
        (json_int_t)metrics->longest_path, "links", (json_int_t)metrics->links, "reduce_bytes",
        whole(metrics->reduce_bytes), "transfer_bytes", whole(metrics->transfer_bytes));
    if (json == NULL || solution->job->fixed) {
        return json;
    }
    json_t *rings = json_array();
    uint32_t matchings = 0;
    for (uint32_t i = 0; i < topology->classes; i++) {
        (void)json_array_append_new(rings, class_json(&topology->of[i]));
    }
    for (uint32_t i = 0; i < topology->layers; i++) {
        matchings += topology->layer[i].kind == FINDER_MATCHING;
    }
    (void)json_object_set_new(json, "rings", rings);
    (void)json_object_set_new(json, "matchings", json_integer(matchings));
    (void)json_object_set_new(json, "idle_interfaces", json_integer(topology->idle));
    (void)json_object_set_new(json, "tax", json_real(metrics->tax));
    return json;
}

/* ---- the rest ---- */

static json_t *strategy_json(const struct plan_result *solution, const struct plan_metrics *metrics)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I}", "from",
                     orr_topoopt_origin_name(solution->result.best.origin), "data_parallel",
                     (json_int_t)metrics->data_parallel, "whole", (json_int_t)metrics->whole,
                     "placed", (json_int_t)metrics->placed, "split", (json_int_t)metrics->split,
                     "measured", (json_int_t)metrics->measured, "computing_servers",
                     (json_int_t)metrics->computing, "memory_bytes", whole(metrics->memory_bytes),
                     "fullest_device", (json_int_t)metrics->fullest);
}

static json_t *tried_json(const struct topoopt_result *result)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < result->attempts; i++) {
        const struct topoopt_attempt *tried = &result->attempt[i];
        (void)json_array_append_new(
            list, json_pack("{s:I, s:s, s:s, s:o, s:o, s:o}", "round", (json_int_t)tried->round,
                            "strategy", orr_topoopt_origin_name(tried->origin), "outcome",
                            orr_topoopt_outcome_name(tried->outcome), "time_ps",
                            time_of(tried->after_ps), "missing_bytes", whole(tried->missing_bytes),
                            "why", tried->why != NULL ? orr_json_text(tried->why) : json_null()));
    }
    return list;
}

static json_t *fabrics_json(const struct plan_result *solution)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < solution->fabrics; i++) {
        const struct plan_fabric *fabric = &solution->fabric[i];
        json_t *json =
            json_pack("{s:o, s:o, s:f, s:o, s:o}", "fabric", orr_json_text(fabric->name),
                      "notation", orr_json_text(fabric->notation), "bandwidth_bytes_per_s",
                      fabric->bytes_per_s, "data_parallel_ps", time_of(fabric->data_parallel_ps),
                      "strategy_ps", time_of(fabric->strategy_ps));
        if (fabric->rings.links != 0) {
            (void)json_object_set_new(json, "rings", json_integer(fabric->rings.rings));
            (void)json_object_set_new(
                json, "ring_link_share",
                json_real((double)fabric->rings.links_used / (double)fabric->rings.links));
        }
        (void)json_array_append_new(list, json);
    }
    return list;
}

static json_t *layout_json(const struct plan_layout *layout)
{
    return layout->name[0] == '\0'
               ? json_null()
               : json_pack("{s:o, s:o, s:o, s:I, s:b, s:I}", "layout", orr_json_text(layout->name),
                           "estimated_ps", time_of(layout->estimated_ps), "simulated_ps",
                           time_of(layout->simulated_ps), "memory_bytes",
                           (json_int_t)layout->memory_bytes, "on_own_topology", layout->on_own,
                           "fitting", (json_int_t)layout->layouts);
}

static json_t *solution_json(const struct plan_result *solution, const struct plan_metrics *metrics)
{
    const struct topoopt_result *result = &solution->result;
    json_t *json = json_pack("{s:o, s:I, s:I, s:o, s:o, s:I}", "model",
                             orr_json_text(solution->job->model.name), "servers",
                             (json_int_t)solution->job->servers, "degree",
                             (json_int_t)solution->job->interfaces.degree, "predicted_ps",
                             time_of(result->best.predicted_ps), "simulated_ps",
                             solution->simulated ? time_of(solution->simulated_ps) : json_null(),
                             "rounds", (json_int_t)result->rounds);
    if (json == NULL) {
        return NULL;
    }
    (void)json_object_set_new(json, "evaluations", whole(solution->evaluations));
    (void)json_object_set_new(json, "converged", json_boolean(result->converged));
    (void)json_object_set_new(json, "stopped", json_boolean(result->stopped));
    (void)json_object_set_new(json, "naive", pair_json(&result->naive));
    (void)json_object_set_new(json, "data_parallel",
                              run_json(&result->data_parallel, solution->data_parallel_ps));
    (void)json_object_set_new(
        json, "overruled",
        solution->overruled ? run_json(&solution->searched, solution->searched_ps) : json_null());
    (void)json_object_set_new(json, "layout", layout_json(&solution->layout));
    (void)json_object_set_new(json, "topology", topology_json(solution, metrics));
    (void)json_object_set_new(json, "strategy", strategy_json(solution, metrics));
    (void)json_object_set_new(json, "tried", tried_json(result));
    (void)json_object_set_new(json, "fabrics", fabrics_json(solution));
    return json;
}

int orr_plan_json(FILE *out, const struct plan_result *solution)
{
    struct plan_metrics metrics;
    if (orr_plan_metrics(solution, &metrics, NULL) != ORR_OK) {
        return 1;
    }
    return orr_json_write_and_free(solution_json(solution, &metrics), out);
}
