/* A plan as JSON: see plan_report.h. */
#include <jansson.h>

#include "planner/plan_file/plan_report.h"
#include "report/report.h"

static json_t *whole(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* Nothing where there is no time. */
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

/* With the time of a run; 0: there was none. */
static json_t *run_json(const struct topoopt_pair *pair, sim_time simulated_ps)
{
    json_t *told = pair_json(pair);
    (void)json_object_set_new(told, "simulated_ps",
                              simulated_ps != 0 ? time_of(simulated_ps) : json_null());
    return told;
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

static json_t *topology_json(const struct plan_result *answer, const struct plan_metrics *figures)
{
    const struct finder_topology *topology = &answer->result.best.topology;
    json_t *told = json_pack(
        "{s:f, s:I, s:I, s:o, s:o}", "mean_path", figures->mean_path, "longest_path",
        (json_int_t)figures->longest_path, "links", (json_int_t)figures->links, "reduce_bytes",
        whole(figures->reduce_bytes), "transfer_bytes", whole(figures->transfer_bytes));
    if (told == NULL || answer->job->fixed) {
        return told;
    }
    json_t *rings = json_array();
    uint32_t matchings = 0;
    for (uint32_t i = 0; i < topology->classes; i++) {
        (void)json_array_append_new(rings, class_json(&topology->of[i]));
    }
    for (uint32_t i = 0; i < topology->layers; i++) {
        matchings += topology->layer[i].kind == FINDER_MATCHING;
    }
    (void)json_object_set_new(told, "rings", rings);
    (void)json_object_set_new(told, "matchings", json_integer(matchings));
    (void)json_object_set_new(told, "idle_interfaces", json_integer(topology->idle));
    (void)json_object_set_new(told, "tax", json_real(figures->tax));
    return told;
}

/* ---- the rest ---- */

static json_t *strategy_json(const struct plan_result *answer, const struct plan_metrics *figures)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I}", "from",
                     orr_topoopt_origin_name(answer->result.best.origin), "data_parallel",
                     (json_int_t)figures->data_parallel, "whole", (json_int_t)figures->whole,
                     "placed", (json_int_t)figures->placed, "split", (json_int_t)figures->split,
                     "measured", (json_int_t)figures->measured, "computing_servers",
                     (json_int_t)figures->computing, "memory_bytes", whole(figures->memory_bytes),
                     "fullest_device", (json_int_t)figures->fullest);
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

static json_t *fabrics_json(const struct plan_result *answer)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < answer->fabrics; i++) {
        const struct plan_fabric *fabric = &answer->fabric[i];
        (void)json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:f, s:o, s:o}", "fabric", orr_json_text(fabric->name),
                      "notation", orr_json_text(fabric->notation), "bandwidth_bytes_per_s",
                      fabric->bytes_per_s, "data_parallel_ps", time_of(fabric->data_parallel_ps),
                      "strategy_ps", time_of(fabric->strategy_ps)));
    }
    return list;
}

static json_t *answer_json(const struct plan_result *answer, const struct plan_metrics *figures)
{
    const struct topoopt_result *result = &answer->result;
    json_t *told =
        json_pack("{s:o, s:I, s:I, s:o, s:o, s:I}", "model", orr_json_text(answer->job->model.name),
                  "servers", (json_int_t)answer->job->servers, "degree",
                  (json_int_t)answer->job->interfaces.degree, "predicted_ps",
                  time_of(result->best.predicted_ps), "simulated_ps",
                  answer->simulated ? time_of(answer->simulated_ps) : json_null(), "rounds",
                  (json_int_t)result->rounds);
    if (told == NULL) {
        return NULL;
    }
    (void)json_object_set_new(told, "evaluations", whole(answer->evaluations));
    (void)json_object_set_new(told, "converged", json_boolean(result->converged));
    (void)json_object_set_new(told, "stopped", json_boolean(result->stopped));
    (void)json_object_set_new(told, "naive", pair_json(&result->naive));
    (void)json_object_set_new(told, "data_parallel",
                              run_json(&result->data_parallel, answer->data_parallel_ps));
    (void)json_object_set_new(told, "overruled",
                              answer->overruled ? run_json(&answer->searched, answer->searched_ps)
                                                : json_null());
    (void)json_object_set_new(told, "topology", topology_json(answer, figures));
    (void)json_object_set_new(told, "strategy", strategy_json(answer, figures));
    (void)json_object_set_new(told, "tried", tried_json(result));
    (void)json_object_set_new(told, "fabrics", fabrics_json(answer));
    return told;
}

int orr_plan_json(FILE *out, const struct plan_result *answer)
{
    struct plan_metrics figures;
    if (orr_plan_metrics(answer, &figures, NULL) != ORR_OK) {
        return 1;
    }
    return orr_json_write_and_free(answer_json(answer, &figures), out);
}
