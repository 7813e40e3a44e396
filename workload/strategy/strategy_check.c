/* Checks of strategies; see strategy_check.h. */
#include "workload/strategy/strategy_check.h"

#include "core/conf/conf.h"
#include "workload/model/op_graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct check {
    const struct model_graph *model;
    const struct strategy *strategy;
    struct orr_diag *diag;
};

/* Fails at a key of the strategy (section: of an operator's entry), or at the section if the key is
 * absent. */
static enum orr_status fail_at(const struct check *check, const struct orr_conf *section,
                               const char *key, const char *format, ...) ORR_PRINTF(4, 5);

static enum orr_status fail_at(const struct check *check, const struct orr_conf *section,
                               const char *key, const char *format, ...)
{
    const struct orr_conf *map = section != NULL ? section : check->strategy->file;
    const struct orr_conf *value =
        map != NULL && map->kind == ORR_CONF_MAP ? orr_conf_get(map, key) : NULL;
    const struct orr_conf *at = value != NULL ? value : map;
    const struct orr_location location = at != NULL ? orr_conf_location(at) : orr_location_none();
    const char *path = at != NULL ? at->path : "";
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return orr_diag_fail(check->diag, ORR_ERR_INPUT, &location, "%s%s%s",
                         path[0] != '\0' ? path : "the strategy", ": ", text);
}

static const struct orr_conf *section_of(const struct check *check, uint32_t op)
{
    return check->strategy->section != NULL ? check->strategy->section[op] : NULL;
}

/* ---- the groups ---- */

static enum orr_status check_groups(const struct check *check)
{
    const uint32_t devices = check->strategy->devices, copies = check->strategy->copies;
    const uint64_t batch = orr_model_batch(check->model, devices);
    if (devices == 0 || devices > STRATEGY_MAX_DEVICES) {
        return fail_at(check, NULL, "devices", "expected 1 to %d devices, got %" PRIu32,
                       STRATEGY_MAX_DEVICES, devices);
    }
    if (copies == 0 || devices % copies != 0) {
        return fail_at(check, NULL, "groups",
                       "expected equal groups of all %" PRIu32 " devices, got %" PRIu32 " groups",
                       devices, copies);
    }
    if (batch == 0) {
        return fail_at(check, NULL, "groups",
                       "the model \"%s\" has no batch size, which a strategy divides: expected "
                       "batch or batch_per_device",
                       check->model->name);
    }
    if (batch < copies || batch % copies != 0) {
        return fail_at(check, NULL, "groups",
                       "expected a batch that %" PRIu32 " groups divide, got %" PRIu64 " samples%s",
                       copies, batch, batch < copies ? ", less than one for each" : "");
    }
    return ORR_OK;
}

/* ---- an operator ---- */

static enum orr_status check_degree(const struct check *check, uint32_t op, uint32_t d)
{
    const struct model_op *at = &check->model->op[op];
    const struct model_dim *dim = &at->dim[d];
    const uint64_t samples =
        orr_model_batch(check->model, check->strategy->devices) / check->strategy->copies;
    const uint64_t max = dim->size != 0 ? dim->size : samples;
    const uint32_t degree = orr_strategy_degrees(check->strategy, op)[d];
    if (degree >= 1 && degree <= max) {
        return ORR_OK;
    }
    const bool by_default = check->strategy->file != NULL && section_of(check, op) == NULL;
    return fail_at(check, section_of(check, op), "split",
                   "operator \"%s\": expected 1 to %" PRIu64 " parts in dimension \"%s\"%s, got "
                   "%" PRIu32 "%s",
                   at->name, max, dim->name, dim->size == 0 ? " (the samples of a group)" : "",
                   degree,
                   by_default && dim->size == 0
                       ? " as the default has it; expected a split of it, or default: whole"
                       : "");
}

static enum orr_status check_devices(const struct check *check, uint32_t op)
{
    const struct strategy_op *split = &check->strategy->op[op];
    const uint32_t group = orr_strategy_group(check->strategy);
    const uint32_t *device = orr_strategy_devices(check->strategy, op);
    for (uint32_t i = 0; i < split->parts; i++) {
        if (device[i] >= group) {
            return fail_at(check, section_of(check, op), "devices",
                           "operator \"%s\": expected devices from 0 to %" PRIu32 "%s, got %" PRIu32
                           " for part %" PRIu32,
                           check->model->op[op].name, group - 1,
                           check->strategy->copies > 1 ? " of a group" : "", device[i], i);
        }
    }
    return ORR_OK;
}

static enum orr_status check_op(const struct check *check, uint32_t op)
{
    uint64_t parts = 1;
    enum orr_status status = ORR_OK;
    for (uint32_t d = 0; d < check->model->op[op].dims && status == ORR_OK; d++) {
        status = check_degree(check, op, d);
        parts *= orr_strategy_degrees(check->strategy, op)[d];
        if (status == ORR_OK && parts > STRATEGY_MAX_PARTS) {
            status = fail_at(check, section_of(check, op), "split",
                             "operator \"%s\": expected at most %d parts",
                             check->model->op[op].name, STRATEGY_MAX_PARTS);
        }
    }
    if (status == ORR_OK && parts != check->strategy->op[op].parts) {
        status = fail_at(check, section_of(check, op), "devices",
                         "operator \"%s\": expected a device for each of %" PRIu64
                         " parts, got %" PRIu32,
                         check->model->op[op].name, parts, check->strategy->op[op].parts);
    }
    return status == ORR_OK ? check_devices(check, op) : status;
}

/* ---- shared weights ---- */

static uint64_t shards_of(const struct check *check, uint32_t op)
{
    const uint32_t *degree = orr_strategy_degrees(check->strategy, op);
    uint64_t shards = 1;
    for (uint32_t d = 0; d < check->model->op[op].dims; d++) {
        const bool sliced = check->model->op[op].dim[d].weights == MODEL_WEIGHTS_SLICED;
        shards *= sliced ? degree[d] : 1;
    }
    return shards;
}

static enum orr_status check_shared(const struct check *check, uint32_t op)
{
    const uint32_t owner = check->model->op[op].owner;
    if (shards_of(check, op) == shards_of(check, owner)) {
        return ORR_OK;
    }
    return fail_at(check, section_of(check, op), "split",
                   "operator \"%s\": expected the weights that it shares with \"%s\" in as many "
                   "slices as there (%" PRIu64 "), got %" PRIu64,
                   check->model->op[op].name, check->model->op[owner].name, shards_of(check, owner),
                   shards_of(check, op));
}

enum orr_status orr_strategy_check(const struct model_graph *model, const struct strategy *strategy,
                                   struct orr_diag *diag)
{
    const struct check check = {model, strategy, diag};
    enum orr_status status = check_groups(&check);
    for (uint32_t op = 0; op < model->ops && status == ORR_OK; op++) {
        status = check_op(&check, op);
    }
    for (uint32_t op = 0; op < model->ops && status == ORR_OK; op++) {
        status = check_shared(&check, op);
    }
    return status;
}
