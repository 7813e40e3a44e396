/* The report of a job that cannot finish: the first tasks that it is stuck on, and what each waits
 * for. */
#include <inttypes.h>
#include <stdio.h>

#include "workload/taskgraph/cluster_private.h"

enum { SHOWN_TASKS = 5, SHOWN_WAITS = 4, TEXT_BYTES = 96 };

static const char *describe(const struct cluster_job *job, uint32_t index, char text[TEXT_BYTES])
{
    static const char *const kinds[] = {[ORR_TASK_COMPUTE] = "computation",
                                        [ORR_TASK_HOST] = "CPU computation",
                                        [ORR_TASK_DELAY] = "delay",
                                        [ORR_TASK_TRANSFER] = "transfer",
                                        [ORR_TASK_REDUCE] = "all-reduce"};
    const struct orr_task *task = cluster_task(job, index);
    char where[TEXT_BYTES / 2] = "";
    if (task->kind <= ORR_TASK_HOST) {
        (void)snprintf(where, sizeof where, " on server %" PRIu32, task->from);
    } else if (task->kind == ORR_TASK_TRANSFER) {
        (void)snprintf(where, sizeof where, " %" PRIu32 " -> %" PRIu32, task->from, task->to);
    } else if (task->kind == ORR_TASK_REDUCE) {
        (void)snprintf(where, sizeof where, " of %" PRIu32 " servers", task->nexts);
    }
    (void)snprintf(text, TEXT_BYTES, "tasks[%" PRIu32 "] (%s%s)", index, kinds[task->kind], where);
    return text;
}

/* Tasks that are not done and go before it. O(tasks + dependencies). */
static void show_waits(const struct cluster_job *job, uint32_t index, struct orr_diag *diag)
{
    const struct orr_taskgraph *graph = job->config.graph;
    char text[TEXT_BYTES];
    unsigned shown = 0;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const struct orr_task *task = &graph->task[i];
        bool before = false;
        for (uint32_t n = 0; task->kind != ORR_TASK_REDUCE && n < task->nexts && !before; n++) {
            before = graph->next[task->first_next + n] == index;
        }
        if (!before || job->waits_for[i] == CLUSTER_NONE) {
            continue;
        }
        if (shown == SHOWN_WAITS) {
            orr_diag_append(diag, ", ...");
            return;
        }
        orr_diag_append(diag, "%s%s", shown == 0 ? " waits for " : ", ", describe(job, i, text));
        shown++;
    }
}

static void show(const struct cluster_job *job, uint32_t index, struct orr_diag *diag)
{
    char text[TEXT_BYTES];
    orr_diag_append(diag, "\n  %s", describe(job, index, text));
    if (job->waits_for[index] == 0) {
        orr_diag_append(diag, " is under way and never ends");
    } else {
        show_waits(job, index, diag);
    }
}

enum orr_status orr_cluster_stuck(const struct cluster_job *job, struct orr_diag *diag)
{
    const uint32_t tasks = job->config.graph->tasks;
    const char *name = job->config.name;
    const struct orr_cluster *cluster = job->cluster;
    const struct net_flows_stuck stuck = orr_net_flows_stuck(cluster->flows);
    uint32_t shown = 0;
    if (stuck.late != 0) {
        return orr_time_overflow(diag);
    }
    (void)orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL,
                        "%s%sthe task graph cannot finish: %" PRIu32 " of %" PRIu32
                        " task%s %s stuck",
                        name == NULL ? "" : name, name == NULL ? "" : ": ", tasks - job->done,
                        tasks, orr_plural(tasks), tasks - job->done == 1 ? "is" : "are");
    if (job->reducing > 0) {
        orr_diag_append(diag, "\n  %" PRIu32 " all-reduce%s under way and never end%s",
                        job->reducing, job->reducing == 1 ? " is" : "s are",
                        job->reducing == 1 ? "s" : "");
    }
    for (uint32_t i = 0; i < tasks && shown < SHOWN_TASKS; i++) {
        if (job->waits_for[i] != CLUSTER_NONE) {
            show(job, i, diag);
            shown++;
        }
    }
    orr_net_flows_tell_stuck(cluster->config.network, stuck, diag);
    if (tasks - job->done > shown) {
        orr_diag_append(diag, "\n  and %" PRIu32 " more", tasks - job->done - shown);
    }
    return ORR_ERR_DEADLOCK;
}
