/* Checks that a platform has the data for the uncertainty of a job's time (uncertainty.c). */
#include <string.h>

#include "core/conf/conf.h"
#include "memory/mem_local.h"
#include "sim/orrery_private.h"
#include "sim/sensitivity.h"
#include "workload/roofline/fitted.h"

bool orr_is_uncertain(const struct orrery *job)
{
    return (job->requests.record & ORRERY_RECORD_UNCERTAINTY) != 0;
}

static enum orr_status fail_missing(struct orrery *job, const struct orr_conf *node,
                                    const char *what)
{
    const struct orr_location place = node != NULL ? orr_conf_location(node) : orr_location_none();
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, node != NULL ? &place : NULL,
                         "%s is missing, from which the uncertainty of the job's time is computed: "
                         "orrery fit compute writes it from your measurements; files in "
                         "inputs/compute that have it can be included",
                         what);
}

/* Fails for nodes whose speed changes while they run: their time has no parts by roofline bound. */
static enum orr_status check_speeds(struct orrery *job, const struct orr_conf *compute)
{
    static const char *const keys[] = {"forwarding_slowdown", "communication_slowdown"};
    const double factors[] = {job->compute.forwarding_slowdown,
                              job->compute.communication_slowdown};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (factors[i] > 1) {
            return orr_conf_expected(orr_conf_get(compute, keys[i]),
                                     "1 with the uncertainty of the job's time: sensitivities of "
                                     "nodes that are slowed down while they run are not known",
                                     &job->diag);
        }
    }
    if (job->local.contention == MEM_CONTENTION_FAIR) {
        return orr_diag_fail(
            &job->diag, ORR_ERR_INPUT, NULL,
            "memory.local.contention: expected none with the uncertainty of the job's time: "
            "sensitivities of nodes that share their memory are not known");
    }
    return ORR_OK;
}

static void warn_of_parameters(struct orrery *job, const struct orr_conf *section)
{
    const struct wl_fitted *fitted = job->compute.fitted;
    const struct orr_conf *list = orr_conf_get(section, "parameters");
    for (size_t i = 0; i < fitted->params; i++) {
        if (!orr_has_sensitivity(job, fitted->name[i])) {
            const struct orr_location place = orr_conf_location(list->item[i]);
            orr_diag_warn(&job->diag, &place,
                          "compute.fitted.parameters: no part of a job's time depends on %s on "
                          "this platform: the uncertainty omits it",
                          fitted->name[i]);
        }
    }
}

/* The first node of a tree from another file; NULL: none. */
static const struct orr_conf *find_other(const struct orr_conf *node, const char *file)
{
    const struct orr_conf *other = strcmp(node->file, file) == 0 ? NULL : node;
    for (size_t i = 0; node->kind != ORR_CONF_SCALAR && i < node->count && other == NULL; i++) {
        other = find_other(node->item[i], file);
    }
    return other;
}

/* Warns if a file or --set replaced the fitted efficiency. */
static void warn_of_efficiency(struct orrery *job, const struct orr_conf *compute,
                               const struct orr_conf *section)
{
    const struct orr_conf *list = orr_conf_get(section, "parameters");
    const struct orr_conf *efficiency = orr_conf_get(compute, "efficiency");
    const struct orr_conf *other =
        list != NULL && efficiency != NULL ? find_other(efficiency, list->file) : NULL;
    if (other != NULL) {
        const struct orr_location place = orr_conf_location(other);
        orr_diag_warn(&job->diag, &place,
                      "compute.efficiency: expected the fitted values of compute.fitted (%s): the "
                      "uncertainty of the job's time is that of the fit, not of these values",
                      list->file);
    }
}

enum orr_status orr_uncertainty_check(struct orrery *job, const struct orr_conf *compute)
{
    const struct wl_fitted *fitted = job->compute.fitted;
    const struct orr_conf *section = compute != NULL ? orr_conf_get(compute, "fitted") : NULL;
    if (!orr_is_uncertain(job)) {
        return ORR_OK;
    }
    if (fitted == NULL) {
        return fail_missing(job, compute, "compute.fitted");
    }
    if (fitted->params == 0 && !(fitted->sigma > 0)) {
        return fail_missing(job, section, "compute.fitted.sigma");
    }
    warn_of_parameters(job, section);
    warn_of_efficiency(job, compute, section);
    return check_speeds(job, compute);
}
