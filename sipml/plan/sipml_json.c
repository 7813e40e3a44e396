/* A plan of SiP-ML as JSON: see sipml_report.h. */
#include <jansson.h>
#include <math.h>

#include "report/json_text.h"
#include "sipml/plan/sipml_report.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_steps.h"

static json_t *json_count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *time_of(const struct sipml_point *point, sim_time time_ps)
{
    return point->outcome != SIPML_FITS || time_ps == ORR_TIME_MAX || time_ps == 0
               ? json_null()
               : json_integer(time_ps);
}

/* The different placements of a point that fit. */
static json_t *placements_json(const struct sipml_point *point)
{
    json_t *placements = json_array();
    for (unsigned o = 0; o < SIPML_ORDERS; o++) {
        const struct sipml_try *tried = &point->tried[o];
        if (tried->fits && !tried->repeated) {
            (void)json_array_append_new(
                placements,
                json_pack("{s:s, s:o, s:o}", "order", orr_sipml_order_name((enum sipml_order)o),
                          "estimated_ps", time_of(point, tried->estimate.iteration_ps),
                          "simulated_ps", time_of(point, tried->simulated_ps)));
        }
    }
    return placements;
}

/* A point. */
static json_t *point_json(const struct sipml_result *result, const struct sipml_point *point)
{
    const double seconds = orr_sipml_accuracy_s(point);
    const bool known = sipml_steps_known(&result->searched.steps);
    json_t *object = json_pack(
        "{s:I, s:I, s:o, s:s, s:o, s:o, s:o, s:o}", "model_parallel", (json_int_t)point->group,
        "data_parallel", (json_int_t)point->copies, "batch", json_count(point->batch), "outcome",
        orr_sipml_outcome_name(point->outcome), "estimated_ps",
        time_of(point, point->estimate.iteration_ps), "simulated_ps",
        time_of(point, point->simulated_ps), "steps", known ? json_real(point->steps) : json_null(),
        "accuracy_s", known && isfinite(seconds) ? json_real(seconds) : json_null());
    (void)json_object_set_new(
        object, "samples_per_s",
        isfinite(seconds) ? json_real((double)point->batch * point->steps / seconds) : json_null());
    (void)json_object_set_new(object, "order",
                              point->outcome == SIPML_FITS
                                  ? json_string(orr_sipml_order_name(point->order))
                                  : json_null());
    (void)json_object_set_new(object, "placements", placements_json(point));
    (void)json_object_set_new(object, "parts", json_integer(point->parts));
    (void)json_object_set_new(object, "dependencies", json_count(point->edges));
    (void)json_object_set_new(object, "repairs", json_integer(point->repairs));
    (void)json_object_set_new(object, "repair_rounds", json_integer(point->rounds));
    (void)json_object_set_new(object, "fell_back", json_boolean(point->fell_back));
    (void)json_object_set_new(object, "devices_used", json_integer(point->devices_used));
    (void)json_object_set_new(object, "memory_bytes", json_count(point->memory_bytes));
    (void)json_object_set_new(object, "missing_bytes", json_count(point->missing_bytes));
    if (point->why != NULL) {
        (void)json_object_set_new(object, "why", json_string(point->why));
    }
    return object;
}

static json_t *peers_json(const struct sipml_peers *peers)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "out",
        (json_int_t)peers->max_out, "out_device", (json_int_t)peers->out_device, "in",
        (json_int_t)peers->max_in, "in_device", (json_int_t)peers->in_device, "group_out",
        (json_int_t)peers->of_group.out, "group_in", (json_int_t)peers->of_group.in, "ring_out",
        (json_int_t)peers->of_ring.out, "ring_in", (json_int_t)peers->of_ring.in, "transfer_bytes",
        json_count(peers->transfer_bytes), "exchange_bytes", json_count(peers->exchange_bytes),
        "ring_bytes", json_count(peers->ring_bytes));
}

static json_t *result_json(const struct sipml_result *result)
{
    const struct sipml_point *best = sipml_best(result), *baseline = sipml_baseline(result);
    const uint32_t degree = sipml_asked(&result->job)->rules.degree;
    json_t *points = json_array();
    for (uint32_t i = 0; i < result->found.points; i++) {
        (void)json_array_append_new(points, point_json(result, &result->found.point[i]));
    }
    json_t *object = json_pack(
        "{s:o, s:I, s:o, s:b, s:b}", "model", orr_json_text(result->job.model.name), "devices",
        (json_int_t)result->job.servers, "degree", degree != 0 ? json_integer(degree) : json_null(),
        "simulated", result->simulated, "stopped", result->stopped);
    (void)json_object_set_new(object, "estimate_error",
                              result->simulated ? json_real(result->estimate_error) : json_null());
    (void)json_object_set_new(object, "simulated_by_doubt", json_integer(result->added));
    (void)json_object_set_new(object, "best", point_json(result, best));
    (void)json_object_set_new(object, "data_parallel",
                              baseline != NULL ? point_json(result, baseline) : json_null());
    (void)json_object_set_new(
        object, "faster_than_data_parallel",
        baseline != NULL ? json_real(orr_sipml_accuracy_s(baseline) / orr_sipml_accuracy_s(best))
                         : json_null());
    (void)json_object_set_new(object, "peers", peers_json(&result->peers));
    if (result->on_circuits) {
        (void)json_object_set_new(object, "circuits", orr_sipml_circuits_json(result));
    }
    (void)json_object_set_new(object, "points", points);
    return object;
}

int orr_sipml_json(FILE *out, const struct sipml_result *result)
{
    return orr_json_write_and_free(result_json(result), out);
}
