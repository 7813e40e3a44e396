/* The memory of a run: bytes in use over time if the traces have the lifetimes of tensors, and the
 * needs of a generated model. */
#include "orrery/orrery.h"
#include "report/details/details_parts.h"
#include "report/json_text.h"
#include "sim/time_classes.h"

enum { MAX_NPUS = 16, MAX_STEPS = 400 };

/* Time and bytes of at most MAX_STEPS steps. Of several steps in one the step with the most bytes
 * is kept, so that the peak is never lost. */
static json_t *steps_of(const struct orrery_memory_use *use)
{
    json_t *list = json_array();
    const size_t each = (use->steps + MAX_STEPS - 1) / MAX_STEPS;
    for (size_t first = 0; first < use->steps; first += each) {
        size_t max = first;
        for (size_t i = first; i < first + each && i < use->steps; i++) {
            max = use->step[i].bytes > use->step[max].bytes ? i : max;
        }
        (void)json_array_append_new(list, json_integer(use->step[max].at_ps));
        (void)json_array_append_new(list, json_integer((json_int_t)use->step[max].bytes));
    }
    return list;
}

static json_t *use_object(uint32_t rank, const struct orrery_memory_use *use)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "rank", json_integer(rank));
    (void)json_object_set_new(object, "peak_bytes", json_integer((json_int_t)use->peak_bytes));
    (void)json_object_set_new(object, "peak_ps", json_integer(use->peak_ps));
    if (use->peak_name != NULL) {
        (void)json_object_set_new(object, "peak_name", orr_json_text(use->peak_name));
    }
    (void)json_object_set_new(object, "steps", steps_of(use));
    return object;
}

static void add_use(const struct orr_parts *parts, struct orrery *job)
{
    struct orr_classes classes;
    struct orrery_memory_use use;
    json_t *list = json_array();
    if (!orr_classes_init(&classes, job)) {
        json_decref(list);
        orr_part_missing(parts, "memory", "memory is out");
        return;
    }
    for (uint32_t c = 0; c < classes.count && c < MAX_NPUS; c++) {
        const uint32_t rank = classes.item[c].rank[0];
        if (orrery_memory_use(job, rank, &use) == ORRERY_OK && use.steps != 0) {
            (void)json_array_append_new(list, use_object(rank, &use));
        }
    }
    orr_classes_fini(&classes);
    if (json_array_size(list) != 0) {
        (void)json_object_set_new(parts->details, "memory", list);
    } else {
        json_decref(list);
        orr_part_missing(parts, "memory", "the traces have no lifetimes of tensors");
    }
}

static json_t *stage_object(const struct orrery_model_memory *memory)
{
    json_t *object = json_object();
    const struct {
        const char *name;
        uint64_t bytes;
    } part[] = {{"weights_bytes", memory->weights_bytes},
                {"gradients_bytes", memory->gradients_bytes},
                {"optimizer_bytes", memory->optimizer_bytes},
                {"activations_bytes", memory->activations_bytes},
                {"capacity_bytes", memory->capacity_bytes}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        (void)json_object_set_new(object, part[i].name, json_integer((json_int_t)part[i].bytes));
    }
    return object;
}

static void add_model(const struct orr_parts *parts, const struct orrery *job)
{
    struct orrery_model model;
    struct orrery_model_memory memory;
    if (orrery_model(job, &model) != ORRERY_OK) {
        orr_part_missing(parts, "stages", "the workload is no generated model");
        return;
    }
    json_t *stages = json_array(), *object = json_object();
    for (uint32_t stage = 0; stage < model.stages; stage++) {
        if (orrery_model_memory(job, stage, &memory) == ORRERY_OK) {
            (void)json_array_append_new(stages, stage_object(&memory));
        }
    }
    (void)json_object_set_new(object, "parameters", json_real(model.parameters));
    (void)json_object_set_new(object, "step_samples", json_real(model.step_samples));
    (void)json_object_set_new(object, "step_tokens", json_real(model.step_tokens));
    (void)json_object_set_new(object, "step_flops", json_real(model.step_flops));
    (void)json_object_set_new(parts->details, "model", object);
    (void)json_object_set_new(parts->details, "stages", stages);
}

void orr_details_memory(const struct orr_parts *parts, const struct orr_details *of)
{
    add_use(parts, of->job);
    add_model(parts, of->job);
}
