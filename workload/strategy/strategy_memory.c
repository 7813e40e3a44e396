/* Memory of the devices of a group; see strategy_check.h. */
#include <inttypes.h>

#include "core/conf/conf.h"
#include "core/saturate.h"
#include "core/units.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/strategy_check.h"

/* The memory of a group while operators are added. */
struct group_memory {
    const struct model_graph *model;
    const struct strategy *strategy;
    uint64_t *bytes;  /* [k] */
    uint32_t *max;    /* [k], or NULL */
    uint64_t *of_max; /* [k] */
    uint64_t *of_op;  /* [k] scratch, 0 between operators */
    uint32_t *last;   /* [k] the same */
};

/* Weight, gradient and optimizer state of a shard. */
static uint64_t shard_bytes(const struct strategy *strategy, const struct model_op *op,
                            uint64_t shards)
{
    const uint64_t state = sat_times(op->weights, strategy->server.optimizer_bytes);
    return sat_plus(sat_times(2, op->weight_bytes), state) / shards;
}

void orr_strategy_add_memory(const struct model_graph *model, const struct strategy *strategy,
                             uint32_t number, uint64_t *bytes, uint32_t *last)
{
    const struct model_op *op = &model->op[number];
    const uint32_t *degree = orr_strategy_degrees(strategy, number);
    const uint32_t *device = orr_strategy_devices(strategy, number);
    const double samples =
        (double)orr_model_batch(model, strategy->devices) / (double)strategy->copies;
    struct demand_grid weights, output;
    orr_demand_grid(op, degree, DEMAND_WEIGHTS, NULL, &weights);
    orr_demand_grid(op, degree, DEMAND_OUTPUT, NULL, &output);
    const uint32_t parts = strategy->op[number].parts;
    const uint64_t each = shard_bytes(strategy, op, weights.slices[DEMAND_SHARDS]);
    const uint64_t kept =
        sat_integer((double)op->output_bytes * samples * output.slices[DEMAND_COPIES] / parts);
    for (uint32_t i = 0; i < parts; i++) {
        const uint32_t at = device[i];
        const uint32_t shard = orr_demand_slice(&weights, DEMAND_SHARDS, i) + 1;
        const bool held = last[at] == shard || op->owner != number;
        bytes[at] = sat_plus(bytes[at], sat_plus(kept, held ? 0 : each));
        last[at] = shard;
    }
    for (uint32_t i = 0; i < parts; i++) {
        last[device[i]] = 0;
    }
}

static void close_op(struct group_memory *hold, uint32_t number)
{
    const uint32_t *device = orr_strategy_devices(hold->strategy, number);
    for (uint32_t i = 0; i < hold->strategy->op[number].parts; i++) {
        const uint32_t at = device[i];
        if (hold->max != NULL && hold->of_op[at] > hold->of_max[at]) {
            hold->max[at] = number;
            hold->of_max[at] = hold->of_op[at];
        }
        hold->bytes[at] = sat_plus(hold->bytes[at], hold->of_op[at]);
        hold->of_op[at] = 0;
    }
}

bool orr_strategy_memory(const struct model_graph *model, const struct strategy *strategy,
                         uint64_t *bytes, uint32_t *max)
{
    const uint32_t group = orr_strategy_group(strategy);
    struct group_memory hold = {.model = model,
                                .strategy = strategy,
                                .bytes = bytes,
                                .max = max,
                                .of_max = orr_heap_calloc(group, sizeof(uint64_t)),
                                .of_op = orr_heap_calloc(group, sizeof(uint64_t)),
                                .last = orr_heap_calloc(group, sizeof(uint32_t))};
    const bool made = hold.of_max != NULL && hold.of_op != NULL && hold.last != NULL;
    for (uint32_t i = 0; i < group && made; i++) {
        bytes[i] = 0;
    }
    for (uint32_t op = 0; op < model->ops && made; op++) {
        orr_strategy_add_memory(model, strategy, op, hold.of_op, hold.last);
        close_op(&hold, op);
    }
    orr_heap_free(hold.of_max);
    orr_heap_free(hold.of_op);
    orr_heap_free(hold.last);
    return made;
}

static enum orr_status fail_memory(const struct model_graph *model, const struct strategy *strategy,
                                   uint32_t device, const uint64_t *bytes, const uint32_t *max,
                                   uint64_t capacity_bytes, struct orr_diag *diag)
{
    const struct orr_conf *file = strategy->file;
    const struct orr_location location =
        file != NULL ? orr_conf_location(file) : orr_location_none();
    char need[ORR_FORMAT_BYTES], capacity[ORR_FORMAT_BYTES], missing[ORR_FORMAT_BYTES];
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, &location,
        "the strategy does not fit: device %" PRIu32 " needs %s, most of it for operator \"%s\", "
        "but has %s; %s (%" PRIu64 " bytes) are missing",
        device, orr_format_bytes(bytes[device], need, sizeof need), model->op[max[device]].name,
        orr_format_bytes(capacity_bytes, capacity, sizeof capacity),
        orr_format_bytes(bytes[device] - capacity_bytes, missing, sizeof missing),
        bytes[device] - capacity_bytes);
}

enum orr_status orr_strategy_check_memory(const struct model_graph *model,
                                          const struct strategy *strategy, uint64_t capacity_bytes,
                                          struct orr_diag *diag)
{
    const uint32_t group = orr_strategy_group(strategy);
    uint64_t *bytes = orr_heap_calloc(group, sizeof *bytes);
    uint32_t *max = orr_heap_calloc(group, sizeof *max), fullest = 0;
    enum orr_status status = ORR_OK;
    if (bytes == NULL || max == NULL || !orr_strategy_memory(model, strategy, bytes, max)) {
        status = orr_diag_no_memory(diag, "the memory of a strategy");
    }
    for (uint32_t i = 0; i < group && status == ORR_OK; i++) {
        fullest = bytes[i] > bytes[fullest] ? i : fullest;
    }
    if (status == ORR_OK && capacity_bytes != 0 && bytes[fullest] > capacity_bytes) {
        status = fail_memory(model, strategy, fullest, bytes, max, capacity_bytes, diag);
    }
    orr_heap_free(bytes);
    orr_heap_free(max);
    return status;
}
