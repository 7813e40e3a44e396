/* The basis of compute times; see compute_basis.h. */
#include "sim/load/compute_basis.h"

#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/strings.h"
#include "sim/load/fitted_gpu.h"
#include "sim/orrery_private.h"
#include "workload/roofline/fitted.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"

/* ---- what is computed ---- */

/* Operations of products and attention by type, and all; anything that the roofline times. */
struct work {
    double of[ORR_PRODUCT_TYPES], all;
    bool any;
};

static void add_trace(const struct orr_trace *trace, struct work *work)
{
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_COMP && (node->amount > 0 || node->of.tensor_bytes > 0)) {
            work->any = true;
            work->all += (double)node->amount;
            work->of[orr_wl_product_type(node->comm)] += (double)node->amount;
        }
    }
}

/* Of traces: each different one counts once. */
static struct work find_work(const struct orrery *job)
{
    const struct orr_trace *const *trace = job->source.trace;
    struct work work = {.any = false};
    for (uint32_t i = 0; trace != NULL && i < job->source.count; i++) {
        if (i == 0 || (trace[i] != trace[i - 1] && trace[i] != trace[0])) {
            add_trace(trace[i], &work);
        }
    }
    return work;
}

/* ---- the basis ---- */

/* The platform's section; NULL: none, or another program's files. */
static const struct orr_conf *section_of(const struct orrery *job)
{
    return job->files.platform != NULL ? orr_conf_get(job->files.platform, "compute") : NULL;
}

/* Whether a file or --set replaced the efficiency that compute.fitted is about: what was fitted
 * stands beside it in one file. */
static bool is_replaced(const struct orr_conf *section)
{
    static const char *const keys[] = {"rows", "parameters", "gpu", "stack"};
    if (section == NULL) {
        return false;
    }
    const struct orr_conf *efficiency = orr_conf_get(section, "efficiency");
    const struct orr_conf *fitted = orr_conf_get(section, "fitted"), *fact = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && fitted != NULL && fact == NULL; i++) {
        fact = orr_conf_get(fitted, keys[i]);
    }
    return efficiency != NULL && fact != NULL && strcmp(efficiency->file, fact->file) != 0;
}

static const char *basis_of(const struct orrery *job, const struct orr_conf *section)
{
    char text[ORR_DIAG_MESSAGE_BYTES];
    const struct wl_fitted *fitted = job->compute.fitted;
    if (!job->compute.has_efficiency) {
        return "peak";
    }
    if (fitted == NULL || is_replaced(section)) {
        return "stated";
    }
    const char *own = orr_own_gpu(job);
    const bool instead = fitted->taken_over_for != NULL &&
                         (own == NULL || orr_edit_distance(own, fitted->taken_over_for, 1) == 0);
    return instead || orr_other_gpu(job, text) ? "taken over" : "fitted";
}

/* Of a GPU that is named more is known than its peak. */
static void warn_of_peak(struct orrery *job)
{
    const char *own = orr_own_gpu(job);
    if (job->files.compute_basis == NULL || own == NULL || job->compute.has_efficiency) {
        return;
    }
    const struct orr_conf *section = section_of(job);
    const struct orr_location place =
        section != NULL ? orr_conf_location(section) : orr_location_none();
    orr_diag_warn(
        &job->diag, &place,
        "compute.efficiency: none is given for %s, so that all operations run at the data "
        "sheet's peak, which no GPU reaches; inputs/compute has fitted ones to include "
        "(efficiency: 1 states that the peak is meant)",
        own);
}

void orr_find_compute_basis_by(struct orrery *job, const struct orr_conf *section)
{
    const bool model = job->files.job_description.model.ops != NULL;
    struct work work = {.any = model};
    if (!job->compute.roofline) {
        return;
    }
    if (!model) {
        work = find_work(job);
        for (unsigned type = 0; type < ORR_PRODUCT_TYPES; type++) {
            job->files.job_description.product_share[type] =
                work.all > 0 ? work.of[type] / work.all : 0;
        }
    }
    job->files.compute_basis = work.any ? basis_of(job, section) : NULL;
}

void orr_find_compute_basis(struct orrery *job)
{
    orr_find_compute_basis_by(job, section_of(job));
    warn_of_peak(job);
}

const char *orr_compute_basis(const struct orrery *job)
{
    return job->files.compute_basis;
}

const char *orr_compute_stack(const struct orrery *job)
{
    const char *basis = job->files.compute_basis;
    const bool known = basis != NULL && job->compute.fitted != NULL && strcmp(basis, "stated") != 0;
    return known ? job->compute.fitted->stack : NULL;
}

char *orr_describe_basis(const char *basis, const char *stack, char *text, size_t bytes)
{
    if (strcmp(basis, "peak") == 0) {
        (void)snprintf(text, bytes, "the data sheet's peak");
    } else if (strcmp(basis, "stated") == 0) {
        (void)snprintf(text, bytes, "an efficiency that is stated, not fitted");
    } else {
        (void)snprintf(text, bytes, "an efficiency %s (%s)",
                       strcmp(basis, "fitted") == 0 ? "fitted to this GPU"
                                                    : "taken over from another GPU",
                       stack != NULL ? stack : "software unknown");
    }
    return text;
}
