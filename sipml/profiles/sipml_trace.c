/* Trace of a SiP-ML profile, or interpolated between two; see sipml.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sipml/profiles/sipml.h"

struct maker {
    const struct sipml_interpolation *interpolation;
    uint32_t *other;  /* [ops] the operator of `high` for each of `low` */
    uint32_t *first;  /* [ops + 1] of its parents */
    uint64_t *parent; /* [edges] ids */
    struct orr_trace_builder *builder;
    struct conv_report *report;
    struct orr_diag *diag;
};

static enum orr_status fail_missing_op(const struct maker *maker, const struct sipml_profile *lacks,
                                       const struct sipml_profile *has, const char *name)
{
    const struct orr_location place = orr_location_file(lacks->name);
    return orr_diag_fail(
        maker->diag, ORR_ERR_INPUT, &place,
        "the operator \"%.64s\" of %s is not in it; profiles of one model have the "
        "same operators",
        name, has->name);
}

/* Finds each operator of `low` in `high`, and checks that `high` has no others. */
static enum orr_status match(const struct maker *maker)
{
    const struct sipml_profile *low = maker->interpolation->low, *high = maker->interpolation->high;
    struct orr_strings names = high->names; /* a copy: additions are discarded */
    for (uint32_t i = 0; i < low->ops; i++) {
        const char *name = low->names.text[i];
        const uint32_t index = orr_strings_add(&names, name, strlen(name));
        if (index >= high->ops) {
            return index == UINT32_MAX ? orr_diag_no_memory(maker->diag, "a profile")
                                       : fail_missing_op(maker, high, low, name);
        }
        maker->other[i] = index;
        if (low->op[i].type != high->op[index].type ||
            low->op[i].memory != high->op[index].memory) {
            const struct orr_location place = orr_location_file(high->name);
            return orr_diag_fail(maker->diag, ORR_ERR_INPUT, &place,
                                 "the operator \"%.64s\" is of another type than in %s", name,
                                 low->name);
        }
    }
    if (high->ops == low->ops) {
        return ORR_OK;
    }
    names = low->names;
    uint32_t i = 0;
    while (i + 1 < high->ops &&
           orr_strings_add(&names, high->names.text[i], strlen(high->names.text[i])) < low->ops) {
        i++;
    }
    return fail_missing_op(maker, low, high, high->names.text[i]);
}

/* Sorts the edges by target operator. */
static void sort_edges(const struct maker *maker)
{
    const struct sipml_profile *low = maker->interpolation->low;
    for (size_t e = 0; e < low->edges; e++) {
        maker->first[low->edge[e].to + 1]++;
    }
    for (uint32_t i = 0; i < low->ops; i++) {
        maker->first[i + 1] += maker->first[i];
    }
    for (size_t e = low->edges; e-- > 0;) {
        maker->parent[maker->first[low->edge[e].to]++] = low->edge[e].from;
    }
    for (uint32_t i = low->ops; i > 0; i--) {
        maker->first[i] = maker->first[i - 1];
    }
    maker->first[0] = 0;
}

/* Interpolates, rounded to the nearest unit. */
static uint64_t interpolate(const struct maker *maker, const char *name, uint64_t low,
                            uint64_t high, double units)
{
    const double share = maker->interpolation->share;
    const double value = (double)low + ((double)high - (double)low) * share;
    if (value < 0) {
        orr_convert_report_note(maker->report, "values below 0 at this batch size, taken as 0",
                                "%s: %g", name, value);
        return 0;
    }
    const double scaled = nearbyint(value * units);
    return scaled < 9.0e18 ? (uint64_t)scaled : INT64_MAX;
}

static void set_memory(const struct maker *maker, const struct sipml_op *op, const char *name,
                       struct orr_node_spec *spec)
{
    spec->kind = op->memory == SIPML_WRITE_VARIABLE ? ORR_NODE_MEM_STORE : ORR_NODE_MEM_LOAD;
    spec->flags = ORR_NODE_LOCAL_MEMORY | ORR_NODE_HAS_TENSOR_SIZE;
    if (op->memory == SIPML_TENSOR || op->memory == SIPML_CONSTANT) {
        orr_convert_report_note(maker->report, "tensors and constants, as loads from local memory",
                                "%.64s", name);
    }
}

static enum orr_status add_op(const struct maker *maker, uint32_t index)
{
    static const enum orr_node_kind kinds[SIPML_OP_TYPES] = {ORR_NODE_COMP, ORR_NODE_MEM_LOAD,
                                                             ORR_NODE_METADATA};
    const struct sipml_profile *profile = maker->interpolation->low;
    const struct sipml_op *low = &profile->op[index],
                          *high = &maker->interpolation->high->op[maker->other[index]];
    const char *name = profile->names.text[index];
    struct orr_node_spec spec = {.id = index, .kind = kinds[low->type], .name = name};
    if (low->type == SIPML_MEMORY) {
        set_memory(maker, low, name, &spec);
        spec.tensor_bytes = interpolate(maker, name, low->bytes, high->bytes, 1);
    } else if (low->type == SIPML_COMPUTE) {
        spec.flags = ORR_NODE_HAS_CPU_FLAG | ORR_NODE_HAS_TENSOR_SIZE;
        spec.tensor_bytes = interpolate(maker, name, low->output_bytes, high->output_bytes, 1);
    }
    spec.duration_ps = interpolate(maker, name, low->time_us, high->time_us, 1e6);
    spec.data_deps = (struct orr_deps){maker->parent + maker->first[index],
                                       maker->first[index + 1] - maker->first[index]};
    return orr_trace_builder_add(maker->builder, &spec, maker->diag);
}

static enum orr_status make(const struct maker *maker, const struct orr_trace **trace)
{
    const struct sipml_profile *low = maker->interpolation->low;
    enum orr_status status = match(maker);
    if (status != ORR_OK) {
        return status;
    }
    if (low->edges != maker->interpolation->high->edges) {
        orr_convert_report_note(
            maker->report,
            "dependencies that differ between the profiles: those of the first count",
            "%s has %zu, %s %zu", low->name, low->edges, maker->interpolation->high->name,
            maker->interpolation->high->edges);
    }
    sort_edges(maker);
    orr_trace_builder_set_source(maker->builder, low->name, "");
    for (uint32_t i = 0; i < low->ops && status == ORR_OK; i++) {
        status = add_op(maker, i);
    }
    return status == ORR_OK ? orr_trace_builder_finish(maker->builder, trace, maker->diag) : status;
}

enum orr_status orr_sipml_trace(struct orr_arena *arena,
                                const struct sipml_interpolation *interpolation,
                                const struct orr_trace **trace, struct conv_report *report,
                                struct orr_diag *diag)
{
    const struct sipml_profile *low = interpolation->low;
    const struct maker maker = {.interpolation = interpolation,
                                .other = orr_arena_array(arena, low->ops, sizeof(uint32_t)),
                                .first =
                                    orr_arena_array(arena, (size_t)low->ops + 2, sizeof(uint32_t)),
                                .parent = orr_arena_array(arena, low->edges + 1, sizeof(uint64_t)),
                                .builder = orr_trace_builder_create(arena),
                                .report = report,
                                .diag = diag};
    const bool ready =
        maker.other != NULL && maker.first != NULL && maker.parent != NULL && maker.builder != NULL;
    const enum orr_status status =
        ready ? make(&maker, trace) : orr_diag_no_memory(diag, "a trace");
    orr_trace_builder_destroy(maker.builder);
    return status;
}
