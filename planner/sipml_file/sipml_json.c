/* A plan of SiP-ML as JSON: see sipml_report.h. */
#include <jansson.h>
#include <math.h>

#include "planner/sipml_file/sipml_report.h"
#include "report/report.h"

static json_t *whole(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *time_of(const struct sipml_point *point, sim_time time_ps)
{
    return point->outcome != SIPML_FITS || time_ps == ORR_TIME_MAX || time_ps == 0
               ? json_null()
               : json_integer(time_ps);
}

/* With what every (k, l, batch) has. */
static json_t *point_json(const struct sipml_result *answer, const struct sipml_point *point)
{
    const double seconds = orr_sipml_accuracy_s(point);
    const bool known = sipml_steps_known(&answer->searched.steps);
    json_t *told = json_pack(
        "{s:I, s:I, s:o, s:s, s:o, s:o, s:o, s:o}", "model_parallel", (json_int_t)point->group,
        "data_parallel", (json_int_t)point->copies, "batch", whole(point->batch), "outcome",
        orr_sipml_outcome_name(point->outcome), "estimated_ps",
        time_of(point, point->estimate.iteration_ps), "simulated_ps",
        time_of(point, point->simulated_ps), "steps", known ? json_real(point->steps) : json_null(),
        "accuracy_s", known && isfinite(seconds) ? json_real(seconds) : json_null());
    (void)json_object_set_new(
        told, "samples_per_s",
        isfinite(seconds) ? json_real((double)point->batch * point->steps / seconds) : json_null());
    (void)json_object_set_new(told, "parts", json_integer(point->parts));
    (void)json_object_set_new(told, "dependencies", whole(point->edges));
    (void)json_object_set_new(told, "repairs", json_integer(point->repairs));
    (void)json_object_set_new(told, "repair_rounds", json_integer(point->rounds));
    (void)json_object_set_new(told, "fell_back", json_boolean(point->fell_back));
    (void)json_object_set_new(told, "devices_used", json_integer(point->devices_used));
    (void)json_object_set_new(told, "memory_bytes", whole(point->memory_bytes));
    (void)json_object_set_new(told, "missing_bytes", whole(point->missing_bytes));
    if (point->why != NULL) {
        (void)json_object_set_new(told, "why", json_string(point->why));
    }
    return told;
}

static json_t *peers_json(const struct sipml_peers *peers)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "out",
                     (json_int_t)peers->max_out, "out_device", (json_int_t)peers->out_device, "in",
                     (json_int_t)peers->max_in, "in_device", (json_int_t)peers->in_device,
                     "group_out", (json_int_t)peers->of_group.out, "group_in",
                     (json_int_t)peers->of_group.in, "ring_out", (json_int_t)peers->of_ring.out,
                     "ring_in", (json_int_t)peers->of_ring.in, "transfer_bytes",
                     whole(peers->transfer_bytes), "exchange_bytes", whole(peers->exchange_bytes),
                     "ring_bytes", whole(peers->ring_bytes));
}

static json_t *answer_json(const struct sipml_result *answer)
{
    const struct sipml_point *best = sipml_best(answer), *usual = sipml_usual(answer);
    const uint32_t degree = answer->job.sip_ml.rules.degree;
    json_t *points = json_array();
    for (uint32_t i = 0; i < answer->found.points; i++) {
        (void)json_array_append_new(points, point_json(answer, &answer->found.point[i]));
    }
    json_t *told = json_pack(
        "{s:o, s:I, s:o, s:b, s:b}", "model", orr_json_text(answer->job.model.name), "devices",
        (json_int_t)answer->job.servers, "degree", degree != 0 ? json_integer(degree) : json_null(),
        "simulated", answer->simulated, "stopped", answer->stopped);
    (void)json_object_set_new(told, "best", point_json(answer, best));
    (void)json_object_set_new(told, "data_parallel",
                              usual != NULL ? point_json(answer, usual) : json_null());
    (void)json_object_set_new(
        told, "faster_than_data_parallel",
        usual != NULL ? json_real(orr_sipml_accuracy_s(usual) / orr_sipml_accuracy_s(best))
                      : json_null());
    (void)json_object_set_new(told, "peers", peers_json(&answer->peers));
    if (answer->on_circuits) {
        (void)json_object_set_new(told, "circuits", orr_sipml_circuits_json(answer));
    }
    (void)json_object_set_new(told, "points", points);
    return told;
}

int orr_sipml_json(FILE *out, const struct sipml_result *answer)
{
    return orr_json_write_and_free(answer_json(answer), out);
}
