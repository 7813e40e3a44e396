/* Cost of a failure, and of the failures of a month. */
#include "study/failures/failures_results.h"

#include "network/graph.h"
#include "report/results/result.h"
#include "study/study_ops.h"

extern const struct orr_study_ops orr_study_failures;

/* The recovery with the shortest time, of equal ones the first; RECOVERIES: none was run. */
static unsigned best_of(const struct orr_failure *failure)
{
    unsigned best = ORR_FAILURES_RECOVERIES;
    for (unsigned i = 0; i < ORR_FAILURES_RECOVERIES; i++) {
        const int64_t time = failure->degraded_ps[i];
        if (time != 0 && (best == ORR_FAILURES_RECOVERIES || time < failure->degraded_ps[best])) {
            best = i;
        }
    }
    return best;
}

/* Lost time until the repair: all of it if the job is disconnected, plus half an iteration and the
 * restart; else the share by which iterations are longer. */
static double lost_for(const struct orr_failures *failures, const struct orr_failure *failure,
                       int64_t degraded_ps)
{
    if (failure->disconnected) {
        return failures->repair_s + (double)failures->healthy_ps / 2e12 + failures->restart_s;
    }
    return degraded_ps > 0
               ? failures->repair_s * (1 - (double)failures->healthy_ps / (double)degraded_ps)
               : 0;
}

static const char *class_of(const struct orr_failures *failures, const struct orr_failure *failure)
{
    return failures->together > 1 ? "several"
                                  : failures->class[failures->cable[failure->cable[0]].class].name;
}

struct orr_failure_row orr_failure_row(const struct orr_failures *failures, uint32_t index)
{
    const struct orr_failure *failure = &failures->failure[index];
    const unsigned best = best_of(failure);
    const bool known = best < ORR_FAILURES_RECOVERIES;
    const int64_t degraded_ps = known ? failure->degraded_ps[best] : 0;
    return (struct orr_failure_row){
        .link = failure->name,
        .class = class_of(failures, failure),
        .recovery = known ? orr_net_ring_recoveries[best] : NULL,
        .disconnected = failure->disconnected,
        .path_ps = failure->degraded_ps[NET_RECOVER_PATH],
        .detour_ps = failure->degraded_ps[NET_RECOVER_DETOUR],
        .share_ps = failure->degraded_ps[NET_RECOVER_SHARE],
        .degraded_ps = degraded_ps,
        .repaired_ps = failure->repaired_ps,
        .slowdown = known && failures->healthy_ps > 0
                        ? (double)degraded_ps / (double)failures->healthy_ps
                        : 0,
        .lost_s = failures->mtbf_s > 0 ? lost_for(failures, failure, degraded_ps) : -1};
}

/* Sums over the studied failures of a class; `classes`: all. */
struct sums {
    uint32_t studied, disconnected;
    double time_ps, slowdown, lost_s;
    int64_t worst_ps;
};

static struct sums sum(const struct orr_failures *failures, uint32_t class)
{
    struct sums sums = {.studied = 0};
    for (uint32_t i = 0; i < failures->failures; i++) {
        const struct orr_failure *failure = &failures->failure[i];
        if (class != failures->classes &&
            (failures->together > 1 || failures->cable[failure->cable[0]].class != class)) {
            continue;
        }
        const struct orr_failure_row row = orr_failure_row(failures, i);
        sums.studied++;
        sums.disconnected += failure->disconnected;
        sums.time_ps += (double)row.degraded_ps;
        sums.slowdown += row.slowdown;
        sums.lost_s += row.lost_s;
        sums.worst_ps = row.degraded_ps > sums.worst_ps ? row.degraded_ps : sums.worst_ps;
    }
    return sums;
}

/* Failures per month and their cost, if the other links of the class are like the studied ones. */
static void add_month(const struct orr_failures *failures, const struct sums *sums,
                      struct orr_failure_class_row *row)
{
    if (failures->mtbf_s > 0 && failures->together == 1 && sums->studied != 0) {
        row->failures_per_month = row->links * (ORR_FAILURES_MONTH_S / failures->mtbf_s);
        row->lost_s = row->failures_per_month * sums->lost_s / sums->studied;
    }
}

struct orr_failure_class_row orr_failure_class_row(const struct orr_failures *failures,
                                                   uint32_t index)
{
    const bool all = index == failures->classes;
    const struct sums sums = sum(failures, index);
    const uint32_t going = sums.studied - sums.disconnected;
    struct orr_failure_class_row row = {.class = all ? "all" : failures->class[index].name,
                                        .links = all ? 0 : failures->class[index].cables,
                                        .studied = sums.studied,
                                        .disconnected = sums.disconnected,
                                        .mean_ps = going != 0 ? (int64_t)(sums.time_ps / going) : 0,
                                        .worst_ps = sums.worst_ps,
                                        .slowdown = going != 0 ? sums.slowdown / going : 0};
    bool known = true; /* the total is unknown if a class is */
    for (uint32_t class = 0; all && class < failures->classes; class ++) {
        const struct orr_failure_class_row one = orr_failure_class_row(failures, class);
        known = known && one.studied != 0;
        row.links += one.links;
        row.failures_per_month = known ? row.failures_per_month + one.failures_per_month : 0;
        row.lost_s = known ? row.lost_s + one.lost_s : 0;
    }
    if (!all) {
        add_month(failures, &sums, &row);
    }
    return row;
}

/* 0 is a known value. */
static struct orr_value lost_value(double lost_s, bool known)
{
    return known ? orr_real_value(lost_s) : (struct orr_value){.kind = ORR_VALUE_NONE};
}

static struct orr_value lost_by_failure(const void *of)
{
    const struct orr_failure_row *row = of;
    return lost_value(row->lost_s, row->lost_s >= 0);
}

static struct orr_value lost_by_class(const void *of)
{
    const struct orr_failure_class_row *row = of;
    return lost_value(row->lost_s, row->failures_per_month > 0);
}

#define AT(member) .offset = offsetof(struct orr_failure_row, member)
#define PS(member) ORR_PS_AT(member), .width = 14

static const struct orr_result of_failure[] = {
    {.name = "link",
     .label = "link",
     ORR_TEXT_AT(link),
     .width = -20,
     .meaning = "the link that has failed, by its ends; several, where they fail at once"},
    {.name = "class",
     .label = "class",
     ORR_TEXT_AT(class),
     .width = -18,
     .meaning = "of the link: a jump of a circulant, or the kinds of its ends"},
    {.name = "disconnected",
     .type = ORR_RESULT_BOOL,
     AT(disconnected),
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "NPUs cannot reach each other without it, and the job waits for the repair"},
    {.name = "path_ps",
     .label = "path",
     PS(path_ps),
     .optional = true,
     .meaning =
         "the job's time without it, steps of rings by routes; left out where it was not run"},
    {.name = "detour_ps",
     .label = "detour",
     PS(detour_ps),
     .optional = true,
     .meaning = "the same, steps of rings by detours over links that no ring fills"},
    {.name = "borrow_ps",
     .in_forms = ORR_IN_JSON,
     PS(detour_ps),
     .optional = true,
     .meaning = "deprecated name of `detour_ps`"},
    {.name = "share_ps",
     .label = "share",
     PS(share_ps),
     .optional = true,
     .meaning = "the same, the other rings carry its bytes"},
    {.name = "recovery",
     .label = "best",
     ORR_TEXT_AT(recovery),
     .width = -12,
     .meaning = "the one of these that takes the least time, of equal ones the first"},
    {.name = "degraded_ps",
     PS(degraded_ps),
     .optional = true,
     .in_forms = ORR_IN_JSON | ORR_IN_CSV,
     .meaning = "the job's time by that one"},
    {.name = "slowdown",
     .label = "slowdown",
     ORR_RATIO_AT(slowdown),
     .width = 10,
     .optional = true,
     .meaning = "that over the job's time where all works"},
    {.name = "repaired_ps",
     .label = "repaired",
     PS(repaired_ps),
     .optional = true,
     .meaning = "the job's time when a spare port has taken the link's place"},
    {.name = "lost_s",
     .label = "lost (s)",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_S,
     .value = lost_by_failure,
     .width = 14,
     .meaning = "the time that one such failure costs until it is repaired; with `--mtbf`, else "
                "left out"}};

const struct orr_result_table orr_failure_results = {
    .title = "A failure",
    .place = "failures",
    .meaning =
        "A row of the second table of `orrery failures`, an entry of `failures` of its JSON, a "
        "line of its CSV.\nBeside it JSON has `healthy_ps`, the job's time where all works, "
        "`npus`, and `classes`.",
    ORR_RESULT_TABLE(of_failure),
    .forms = ORR_IN_JSON | ORR_IN_CSV | ORR_IN_TABLE};

#undef AT
#undef PS
#define AT(member) .offset = offsetof(struct orr_failure_class_row, member)

static const struct orr_result of_class[] = {
    {.name = "class",
     .label = "class",
     ORR_TEXT_AT(class),
     .width = -18,
     .meaning = "equivalent links; *all*: all links"},
    {.name = "links",
     .label = "links",
     ORR_COUNT32_AT(links),
     .width = 8,
     .meaning = "how many the network has; one that goes both ways is one"},
    {.name = "studied",
     .label = "studied",
     ORR_COUNT32_AT(studied),
     .width = 8,
     .meaning = "failures that were tried"},
    {.name = "disconnected",
     .label = "disconnected",
     ORR_COUNT32_AT(disconnected),
     .width = 12,
     .meaning = "of these, those that disconnect NPUs"},
    {.name = "mean_ps",
     .label = "mean",
     ORR_PS_AT(mean_ps),
     .width = 14,
     .optional = true,
     .meaning = "the job's time by the best recovery, on average of the others"},
    {.name = "worst_ps",
     .label = "worst",
     ORR_PS_AT(worst_ps),
     .width = 14,
     .optional = true,
     .meaning = "the longest of them"},
    {.name = "slowdown",
     .label = "slowdown",
     ORR_RATIO_AT(slowdown),
     .width = 10,
     .optional = true,
     .meaning = "the mean over the job's time where all works"},
    {.name = "failures_per_month",
     .label = "a month",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_COUNT,
     AT(failures_per_month),
     .width = 10,
     .digits = 4,
     .optional = true,
     .meaning = "failures of all links of the class in 30 days; with `--mtbf`"},
    {.name = "lost_s",
     .label = "lost (s/month)",
     .type = ORR_RESULT_REAL,
     .unit = ORR_UNIT_S,
     .value = lost_by_class,
     .width = 15,
     .meaning = "the time that these cost, if the others of the class are as those studied; of all "
                "where each class has some that were; else left out"}};

const struct orr_result_table orr_failure_class_results = {
    .title = "A class of links that fail",
    .place = "failure_classes",
    .meaning =
        "A row of the first table of `orrery failures`, an entry of `classes` of its JSON; the "
        "last one is of all.",
    ORR_RESULT_TABLE(of_class),
    .forms = ORR_IN_JSON | ORR_IN_TABLE};

static const struct orr_result_table *const tables[] = {&orr_failure_class_results,
                                                        &orr_failure_results, NULL};

const struct orr_study_ops orr_study_failures = {
    .name = "link-failures",
    .summary = "a job without each link of its network",
    .tables = tables,
};
