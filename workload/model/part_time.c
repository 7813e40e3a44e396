/* Times of parts; see part_time.h. */
#include "workload/model/part_time.h"

#include "core/conf/conf.h"
#include "core/saturate.h"
#include "workload/trace/trace.h"

#include <inttypes.h>

/* ---- work ---- */

struct cuts {
    uint64_t parts;                    /* all parts */
    uint64_t samples;                  /* parts of the samples */
    uint64_t inputs[MODEL_INPUT_CUTS]; /* parts of the inputs, ... */
    uint64_t outputs, weights;         /* ... outputs and weights */
};

/* Whether a part of the dimension touches a share of the arrays of an input, or of the output, and
 * not all of them. Arrays at experts are of the tokens that each has. */
static bool slices_input(const struct model_dim *dim, unsigned input)
{
    return dim->cut[input].needs == MODEL_NEEDS_SLICE || dim->experts_per_token > 0;
}

static bool slices_output(const struct model_dim *dim)
{
    return dim->gives == MODEL_GIVES_SLICE || dim->experts_per_token > 0;
}

static struct cuts cuts_of(const struct model_op *op, const uint32_t *degree)
{
    struct cuts cuts = {1, degree[0], {1, 1}, 1, 1};
    for (uint32_t d = 0; d < op->dims; d++) {
        const struct model_dim *dim = &op->dim[d];
        const uint64_t parts = degree[d];
        cuts.parts = sat_times(cuts.parts, parts);
        for (unsigned i = 0; i < MODEL_INPUT_CUTS; i++) {
            cuts.inputs[i] = sat_times(cuts.inputs[i], d > 0 && slices_input(dim, i) ? parts : 1);
        }
        cuts.outputs = sat_times(cuts.outputs, d > 0 && slices_output(dim) ? parts : 1);
        cuts.weights = sat_times(cuts.weights, dim->weights == MODEL_WEIGHTS_SLICED ? parts : 1);
    }
    return cuts;
}

/* What a part in the middle touches beyond its slice of the first input, of each sample, in as many
 * arrays as the work has: windows over h x stride rows read h x stride + kernel - stride of them,
 * half of the surplus at each end, and the ends of the input have none there. Each is over the
 * parts of the other dimensions. */
static uint64_t halo_bytes(const struct model_op *op, const struct model_work *work,
                           const struct cuts *cuts, const uint32_t *degree)
{
    const uint64_t first = op->forward.input_bytes - op->forward.other_input_bytes;
    const uint64_t arrays = first != 0 ? (work->input_bytes - work->other_input_bytes) / first : 0;
    uint64_t bytes = 0;
    for (uint32_t d = 1; d < op->dims && arrays > 0; d++) {
        if (op->dim[d].halo_bytes == 0) {
            continue;
        }
        const uint64_t ends = degree[d] > 2 ? 2 : degree[d] - 1;
        const uint64_t halo = sat_divide_up(sat_times(op->dim[d].halo_bytes, ends), 2);
        const uint64_t others = cuts->inputs[MODEL_FIRST_INPUT] / degree[d];
        bytes = sat_plus(bytes, sat_divide_up(sat_times(halo, arrays), others));
    }
    return bytes;
}

struct model_part_work orr_model_part_work(const struct model_op *op, const struct model_work *work,
                                           const uint32_t *degree, uint64_t samples)
{
    const struct cuts cuts = cuts_of(op, degree);
    const uint64_t here = sat_divide_up(samples, cuts.samples);
    const uint64_t inner = cuts.parts / cuts.samples;
    const uint64_t first = work->input_bytes - work->other_input_bytes;
    const uint64_t inputs =
        sat_plus(sat_divide_up(first, cuts.inputs[MODEL_FIRST_INPUT]),
                 sat_plus(sat_divide_up(work->other_input_bytes, cuts.inputs[MODEL_OTHER_INPUTS]),
                          halo_bytes(op, work, &cuts, degree)));
    const uint64_t of_sample =
        sat_plus(inputs, sat_plus(sat_divide_up(work->output_bytes, cuts.outputs),
                                  sat_divide_up(work->inner_bytes, inner)));
    return (struct model_part_work){
        .flops = sat_divide_up(sat_times(work->flops, here), inner),
        .bytes =
            sat_plus(sat_times(of_sample, here), sat_divide_up(work->weight_bytes, cuts.weights))};
}

/* ---- measured ---- */

/* Scales the time of an unsplit operator to another number of samples, in proportion. */
static sim_time scaled(sim_time unsplit_ps, uint64_t batch, uint64_t samples, uint64_t parts)
{
    const double share = (double)samples / ((double)batch * (double)parts);
    return orr_time_scale(unsplit_ps, share);
}

/* The parts of the output's axes, innermost first, as in profiles. False: the operator is split in
 * a dimension that is not an axis of its output, or in more axes than profiles have. */
static bool split_of(const struct model_op *op, const uint32_t *degree,
                     uint32_t split[MODEL_MAX_SPLITS])
{
    for (uint32_t i = 0; i < MODEL_MAX_SPLITS; i++) {
        split[i] = 1;
    }
    for (uint32_t d = 1; d < op->dims; d++) {
        if (degree[d] > 1 && op->dim[d].gives == MODEL_GIVES_PARTIAL_SUM) {
            return false;
        }
        if (degree[d] > 1) {
            split[op->shape.axes - op->dim[d].axis] *= degree[d];
        }
    }
    return true;
}

/* Measured for this number of samples a part, or, with several profiles, interpolated. */
static bool find_measured(const struct model_op *op, const uint32_t *degree,
                          const struct model_profile *profile, uint64_t samples,
                          struct model_times *out)
{
    uint32_t split[MODEL_MAX_SPLITS];
    const uint64_t of_part = sat_divide_up(samples, degree[0]);
    if (profile == NULL || op->profile == NULL || of_part == 0 || !split_of(op, degree, split)) {
        return false;
    }
    for (const struct model_profile *p = profile; p != NULL; p = p->next) {
        const struct model_measure *measure =
            p->batch % of_part == 0
                ? orr_model_profile_find(p, op->profile, p->batch / of_part, split)
                : NULL;
        if (measure != NULL) {
            out->forward_ps = measure->forward_ps;
            out->backward_ps = measure->backward_ps;
            return true;
        }
    }
    return profile->next != NULL &&
           orr_model_profile_interpolate(profile, op->profile, split, of_part, &out->forward_ps,
                                         &out->backward_ps);
}

/* ---- estimated ---- */

static sim_time roofline_time(const struct model_op *op, const struct model_work *work,
                              const struct model_speed *speed, const uint32_t *degree,
                              uint64_t samples)
{
    const struct model_part_work part = orr_model_part_work(op, work, degree, samples);
    if (part.flops == 0 && part.bytes == 0) {
        return 0;
    }
    const struct wl_work of_part = {
        .kind = (enum orr_op_kind)op->op_kind, .operations = part.flops, .bytes = part.bytes};
    return orr_time_add(orr_wl_roofline_time(&speed->roofline, &of_part), speed->fixed_ps);
}

static const uint32_t unsplit[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};

static void estimate(const struct model_op *op, const uint32_t *degree,
                     const struct model_speed *speed, uint64_t samples, struct model_times *out)
{
    const uint32_t *as = speed->linear ? unsplit : degree;
    const uint64_t parts = speed->linear ? cuts_of(op, degree).parts : 1;
    out->forward_ps =
        orr_time_scale(roofline_time(op, &op->forward, speed, as, samples), 1.0 / (double)parts);
    out->backward_ps =
        orr_time_scale(roofline_time(op, &op->backward, speed, as, samples), 1.0 / (double)parts);
}

/* ---- both ---- */

static enum orr_status fail_unmeasured(const struct model_op *op, const struct model_speed *speed,
                                       const uint32_t *degree, uint64_t samples,
                                       struct orr_diag *diag)
{
    const struct model_profile *profile = speed->profile;
    const struct orr_location location =
        op->section != NULL ? orr_conf_location(op->section) : orr_location_none();
    if (profile == NULL || op->profile == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "operator \"%s\": %s, and there is no peak rate for an estimate",
                             op->name, profile == NULL ? "no profile" : "no `profile` to look for");
    }
    if (!orr_model_profile_has(profile, op->profile)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "operator \"%s\": %s has no measurement of \"%s\", and there is no "
                             "peak rate for an estimate",
                             op->name, profile->file, op->profile);
    }
    char sizes[MODEL_SIZES_BYTES] = "";
    uint32_t split[MODEL_MAX_SPLITS];
    if (split_of(op, degree, split)) {
        orr_model_profile_sizes(profile, op->profile, split, sizes);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "operator \"%s\": %s has no measurement of \"%s\" for this split, with "
                         "%" PRIu64 " of %" PRIu64
                         " samples a part%s%s%s, and there is no peak rate for an estimate",
                         op->name, profile->file, op->profile, sat_divide_up(samples, degree[0]),
                         profile->batch, sizes[0] != '\0' ? " (measured: " : "", sizes,
                         sizes[0] != '\0' ? ")" : "");
}

static sim_time completed(const struct model_speed *speed, sim_time time)
{
    const sim_time min = time > speed->minimum_ps ? time : speed->minimum_ps;
    return time == 0 ? 0 : orr_time_add(min, speed->launch_ps);
}

/* Sets the measured times, of the part or, with linear scaling, of the unsplit operator. */
static bool lookup_times(const struct model_graph *graph, const struct model_op *op,
                         const uint32_t *degree, const struct model_speed *speed, uint64_t samples,
                         struct model_times *out)
{
    const uint64_t parts = cuts_of(op, degree).parts;
    if (op->measured) {
        const uint64_t profiled_batch =
            graph->measured_batch != 0 ? graph->measured_batch : graph->batch;
        const uint64_t batch = profiled_batch != 0 ? profiled_batch : samples;
        out->forward_ps = scaled(op->forward_ps, batch, samples, parts);
        out->backward_ps = scaled(op->backward_ps, batch, samples, parts);
        return true;
    }
    if (find_measured(op, degree, speed->profile, samples, out)) {
        return true;
    }
    if (!speed->linear || !find_measured(op, unsplit, speed->profile, samples, out)) {
        return false;
    }
    out->forward_ps = orr_time_scale(out->forward_ps, 1.0 / (double)parts);
    out->backward_ps = orr_time_scale(out->backward_ps, 1.0 / (double)parts);
    return true;
}

enum orr_status orr_model_part_time(const struct model_graph *graph, uint32_t number,
                                    const uint32_t *degree, const struct model_speed *speed,
                                    uint64_t samples, struct model_times *out,
                                    struct orr_diag *diag)
{
    const struct model_op *op = &graph->op[number];
    out->measured = lookup_times(graph, op, degree, speed, samples, out);
    if (!out->measured && !(speed->roofline.peak_flops > 0)) {
        return fail_unmeasured(op, speed, degree, samples, diag);
    }
    if (!out->measured) {
        estimate(op, degree, speed, samples, out);
    }
    out->forward_ps = completed(speed, out->forward_ps);
    out->backward_ps = graph->lists_gradients ? 0 : completed(speed, out->backward_ps);
    return ORR_OK;
}
