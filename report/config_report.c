/* Reports on a loaded job: every value in force with its origin, the algorithms that were selected,
 * and how its NPUs are folded. */
#include <inttypes.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "report/run_report.h"
#include "report/table_text.h"
#include "sim/api_call.h"
#include "sim/load/platform_network.h"
#include "sim/ring_use.h"
#include "system/collectives/program.h"
#include "system/sys_counts.h"

static void print_value(void *user, const char *key, const char *value, const char *origin)
{
    orr_print(user, "%-32s %-28s %s\n", key, value, origin);
}

static void put_text(void *out, const char *text)
{
    (void)fputs(text, out);
}

/* The prefixes in which a collective delivers its result, for nodes that wait for a part of it. */
static void print_delivery(FILE *out, uint64_t parts)
{
    if (parts == 1) {
        (void)fputs("; the part that nodes wait for is delivered only at its end", out);
    } else if (parts > 1) {
        orr_print(out, "; the parts that nodes wait for come in %" PRIu64 " chunks", parts);
    }
    (void)fputc('\n', out);
}

/* The algorithms that `auto` selected, and all others. */
static void print_choices(FILE *out, const struct orrery *job, const char *prefix)
{
    struct orrery_choice choice;
    for (size_t i = 0; orrery_choice(job, i, &choice) == ORRERY_OK; i++) {
        char bytes[64];
        orr_print(out, "%s%s%s of %s%s on %" PRIu32 " NPU%s: %s%s%s%s", prefix,
                  choice.uneven ? "uneven " : "", choice.collective,
                  orr_format_bytes(choice.bytes, bytes, sizeof bytes),
                  choice.uneven ? " (the largest rank's)" : "", choice.npus,
                  orr_plural(choice.npus), choice.algorithms,
                  choice.uneven && choice.library != NULL ? ", as if all had as many bytes" : "",
                  choice.scheduler[0] != '\0' ? "; dimensions by " : "", choice.scheduler);
        print_delivery(out, choice.parts);
    }
}

/* Whether an all-reduce of all NPUs was tuned to go around rings. */
static bool chose_rings(const struct orrery *job)
{
    struct orrery_choice choice;
    for (size_t i = 0; orrery_choice(job, i, &choice) == ORRERY_OK; i++) {
        if (strcmp(choice.algorithms, orr_coll_for(COLL_FOR_LINKS)->name) == 0 &&
            strcmp(choice.collective, "all_reduce") == 0 && choice.npus == orrery_npus(job)) {
            return true;
        }
    }
    return false;
}

/* Rings of all-reduces, where NPUs have links between them. */
static enum orr_status print_rings(FILE *out, const struct orrery *job, const char *prefix,
                                   struct orr_diag *diag)
{
    const struct net_graph *graph = orr_job_network(job)->graph;
    struct sys_ring_use use = {.links = 0};
    if (graph == NULL || graph->circuits != NULL ||
        (!orr_reduces_around_rings(job) && !chose_rings(job))) {
        return ORR_OK;
    }
    const enum orr_status status = orr_rings_of_all(graph, &use, diag);
    if (use.links != 0 && use.rings == 0) {
        orr_print(out, "%sall_reduce of all %" PRIu32 " NPUs: around one ring in their order\n",
                  prefix, use.members);
    } else if (use.links != 0) {
        orr_print(out,
                  "%sall_reduce of all %" PRIu32 " NPUs: around %" PRIu32 " ring%s, on %" PRIu64
                  " of %" PRIu64 " links between them\n",
                  prefix, use.members, use.rings, orr_plural(use.rings), use.links_used, use.links);
    }
    return status;
}

static enum orr_status report_choices(FILE *out, struct orrery *job, const char *prefix,
                                      struct orr_diag *diag)
{
    size_t rows;
    const enum orrery_status status = orrery_choices(job, &rows);
    if (status != ORRERY_OK) {
        return orr_forward_error(job, status, diag);
    }
    print_choices(out, job, prefix);
    return print_rings(out, job, prefix, diag);
}

enum orr_status orr_report_config(FILE *out, struct orrery *job, struct orr_diag *diag)
{
    orrery_explain(job, print_value, out);
    return report_choices(out, job, "", diag);
}

enum orr_status orr_report_job_file(FILE *out, struct orrery *job, struct orr_diag *diag)
{
    (void)fputs("# A job as one file: orrery run FILE gives the same. Paths are as seen from the "
                "folder that it\n"
                "# was made in; --explain=all lists every key and its default.\n",
                out);
    orr_write_user_values(job, put_text, out);
    return report_choices(out, job, "# ", diag);
}

void orr_report_fold(FILE *out, const struct orrery *job)
{
    const uint32_t npus = orrery_npus(job), classes = orrery_fold_classes(job);
    struct orrery_fold_digit digit;
    orr_print(out, "%" PRIu32 " NPU%s in %" PRIu32 " class%s of %" PRIu32 "\n\n", npus,
              orr_plural(npus), classes, classes == 1 ? "" : "es", npus / classes);
    orr_print(out, "%10s %10s  %s\n", "ranks", "stride", "simulated");
    for (unsigned i = 0; orrery_fold_digit(job, i, &digit); i++) {
        orr_print(out, "%10" PRIu32 " %10" PRIu32 "  %s%s\n", digit.size, digit.stride,
                  digit.folded ? "one for all" : "each: ", digit.folded ? "" : digit.why);
    }
}
