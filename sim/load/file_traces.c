/* File traces shared by simulations: those of a workload object are read once per number of NPUs,
 * by the first simulation that loads them. */
#include <string.h>

#include "core/arena.h"
#include "sim/load/shared_parts.h"
#include "workload/trace/et/et.h"

/* The traces of one prefix; in the part's arena. */
struct orr_shared_files {
    struct orr_shared_files *next;
    const char *prefix;
    uint32_t npus;
    const struct orr_trace **trace; /* [npus] */
};

static const struct orr_shared_files *find(const struct orr_shared *part, const char *prefix,
                                           uint32_t npus)
{
    const struct orr_shared_files *at = part->files;
    while (at != NULL && (at->npus != npus || strcmp(at->prefix, prefix) != 0)) {
        at = at->next;
    }
    return at;
}

/* Forwards and counts warnings: traces with warnings are read again, so that every simulation
 * reports them. */
struct warning_counter {
    const struct orr_diag *to;
    unsigned warnings;
};

static void on_warning(void *context, const char *text)
{
    struct warning_counter *warning_counter = context;
    warning_counter->warnings++;
    if (warning_counter->to->warn != NULL) {
        warning_counter->to->warn(warning_counter->to->warn_user, text);
    }
}

static enum orr_status read_files(struct orr_shared *part, const char *prefix, uint32_t npus,
                                  const struct orr_trace **by_rank, struct orr_diag *diag)
{
    struct orr_diag counter;
    struct warning_counter warning_counter = {.to = diag};
    struct orr_shared_files *files = orr_arena_alloc(part->arena, sizeof *files);
    orr_diag_init(&counter);
    counter.warn = on_warning;
    counter.warn_user = &warning_counter;
    const struct orr_trace **trace = orr_arena_array(part->arena, npus, sizeof *trace);
    const char *copy = orr_arena_strdup(part->arena, prefix);
    if (files == NULL || trace == NULL || copy == NULL) {
        return orr_diag_no_memory(diag, "the traces");
    }
    const enum orr_status status = orr_et_load_set(part->arena, prefix, npus, trace, &counter);
    if (status != ORR_OK) {
        return orr_diag_forward(diag, &counter);
    }
    memcpy((void *)by_rank, (const void *)trace, npus * sizeof *trace);
    if (warning_counter.warnings == 0) {
        *files = (struct orr_shared_files){
            .next = part->files, .prefix = copy, .npus = npus, .trace = trace};
        part->files = files;
    }
    return ORR_OK;
}

enum orr_status orr_shared_load_set(struct orr_shared *part, const char *prefix, uint32_t npus,
                                    const struct orr_trace **by_rank, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    (void)pthread_mutex_lock(&part->lock);
    const struct orr_shared_files *known = find(part, prefix, npus);
    if (known != NULL) {
        memcpy((void *)by_rank, (const void *)known->trace, npus * sizeof *known->trace);
    } else {
        status = read_files(part, prefix, npus, by_rank, diag);
    }
    (void)pthread_mutex_unlock(&part->lock);
    return status;
}
