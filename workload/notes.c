/* Notes on inputs that work, but as a rule are not what was meant. */
#include <string.h>

#include "workload/orrery_private.h"

static unsigned dims_in_use(const struct net_config *network)
{
    unsigned count = 0;
    for (unsigned d = 0; d < network->dims; d++) {
        count += network->dim[d].npus > 1 ? 1 : 0;
    }
    return count;
}

static void note_scheduler(struct orrery *job)
{
    const struct orr_conf *system = orr_conf_get(job->platform, "system");
    const struct orr_conf *node = system != NULL ? orr_conf_get(system, "scheduler") : NULL;
    if (node != NULL && strcmp(node->text, "baseline") != 0 && strcmp(node->text, "auto") != 0 &&
        dims_in_use(&job->network) < 2) {
        const struct orr_place place = orr_conf_place(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: on one dimension there is nothing to schedule: %s is as baseline",
                      node->path, node->text);
    }
}

/* What is split among all NPUs. */
static bool is_split(const char *kind)
{
    return kind != NULL && (strcmp(kind, "all_reduce") == 0 ||
                            strcmp(kind, "reduce_scatter") == 0 || strcmp(kind, "all_to_all") == 0);
}

static void note_bytes(struct orrery *job)
{
    const struct orr_gen *gen = &job->job_description.generate;
    const struct orr_conf *workload = orr_conf_get(job->platform, "workload");
    const struct orr_conf *node = workload != NULL ? orr_conf_get(workload, "bytes") : NULL;
    if (job->job_description.traces == NULL && node != NULL && is_split(gen->kind) &&
        gen->bytes < job->npus) {
        const struct orr_place place = orr_conf_place(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: %llu bytes are less than one for each of the %u NPUs; every block that "
                      "is sent has at least a byte",
                      node->path, (unsigned long long)gen->bytes, job->npus);
    }
}

void orr_note_inputs(struct orrery *job)
{
    net_config_note(orr_conf_get(job->platform, "network"), &job->network, &job->diag);
    note_scheduler(job);
    note_bytes(job);
}
