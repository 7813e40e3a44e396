/* Printing results: the table, and the reference's lines. */
#include "report/run_report.h"

#include <inttypes.h>

#include "core/core.h"
#include "report/report_model.h"
#include "report/report_summary.h"
#include "report/table_text.h"
#include "sim/sim.h"

enum { CLASSES_SHOWN = 24, TEXT = 64, RANKS_TEXT = 25 };

void orr_report_astra(FILE *out, const struct orrery *job)
{
    const uint32_t *order = orrery_finish_order(job);
    for (uint32_t i = 0; i < orrery_npus(job); i++) {
        struct orrery_times times;
        (void)orrery_npu_times(job, order[i], &times);
        const int64_t finish = times.finish_ps / 1000;
        orr_print(out,
                  "sys[%" PRIu32 "] finished, %" PRId64 " cycles, exposed communication %" PRId64
                  " cycles.\n",
                  order[i], finish, finish - times.accelerator_compute_ps / 1000);
    }
}

/* ---- NPUs ---- */

static void print_header(FILE *out)
{
    orr_print(out, "%-24s %6s %14s %14s %14s %14s %14s %14s %14s %14s\n", "NPUs", "count", "finish",
              "compute", "CPU", "local mem", "remote mem", "communication", "waiting", "idle");
}

struct row {
    const char *ranks;
    uint32_t count;
    const struct orrery_times *times;
    bool told; /* CPU and waiting are told apart */
};

static void print_row(FILE *out, const struct row *row)
{
    const struct orrery_times *times = row->times;
    const struct {
        int64_t ps;
        bool told;
    } part[] = {{times->finish_ps, true},
                {times->compute_ps, true},
                {times->cpu_ps, row->told},
                {times->exposed_local_memory_ps, true},
                {times->exposed_remote_memory_ps, true},
                {times->exposed_communication_ps, true},
                {times->waiting_ps, row->told},
                {times->idle_ps, true}};
    orr_print(out, "%-24s %6" PRIu32, row->ranks, row->count);
    for (unsigned p = 0; p < sizeof part / sizeof *part; p++) {
        char text[TEXT];
        orr_print(out, " %14s", part[p].told ? orr_format_time(part[p].ps, text, TEXT) : "-");
    }
    (void)fputc('\n', out);
}

static void print_classes(FILE *out, const struct orr_classes *classes, bool told)
{
    for (uint32_t c = 0; c < classes->count && c < CLASSES_SHOWN; c++) {
        const struct orr_class *class = &classes->item[c];
        char ranks[RANKS_TEXT];
        orr_format_ranks(class->rank, class->members, ranks, sizeof ranks);
        print_row(out, &(struct row){ranks, class->members, &class->times, told});
    }
    if (classes->count > CLASSES_SHOWN) {
        orr_print(out, "... and %" PRIu32 " more class%s; --per-npu shows every NPU\n",
                  classes->count - CLASSES_SHOWN, classes->count - CLASSES_SHOWN == 1 ? "" : "es");
    }
}

static void print_each(FILE *out, const struct orrery *job)
{
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        struct orrery_times times;
        char text[TEXT];
        (void)orrery_npu_times(job, rank, &times);
        (void)snprintf(text, sizeof text, "%" PRIu32, rank);
        print_row(out, &(struct row){text, 1, &times, orrery_tells_waiting(job)});
    }
}

static void print_npus(FILE *out, const struct orrery *job, bool per_npu)
{
    struct orr_classes classes;
    if (per_npu || !orr_classes_init(&classes, job)) {
        print_each(out, job);
        return;
    }
    print_classes(out, &classes, orrery_tells_waiting(job));
    orr_classes_fini(&classes);
}

/* ---- dimensions ---- */

static void print_dims(FILE *out, const struct orrery *job)
{
    orr_print(out, "\n%-4s %-16s %6s %14s %12s %12s %14s %12s\n", "dim", "block", "NPUs",
              "bandwidth", "latency", "messages", "bytes", "utilization");
    for (unsigned d = 0; d < orrery_dims(job); d++) {
        struct orrery_dim_stats dim;
        char bandwidth[TEXT], latency[TEXT], bytes[TEXT], used[TEXT] = "-", count[ORR_SUM_BYTES];
        if (orrery_dim(job, d, &dim) != ORRERY_OK) {
            continue;
        }
        const double offered = (double)dim.servers * (double)orrery_wall_ps(job);
        if (dim.busy_ps > 0 && offered > 0) {
            (void)snprintf(used, sizeof used, "%.1f %%", 100.0 * (double)dim.busy_ps / offered);
        }
        orr_print(out, "%-4u %-16s %6" PRIu32 " %14s %12s %12s %14s %12s\n", d + 1, dim.block,
                  dim.npus, orr_format_bandwidth(dim.bandwidth_bytes_per_s, bandwidth, TEXT),
                  orr_format_time(dim.latency_ps, latency, TEXT), orr_sum_text(dim.messages, count),
                  orr_format_sum_bytes(dim.bytes, bytes, TEXT), used);
    }
}

/* ---- links of a graph ---- */

static const char *node_text(const struct orrery *job, uint32_t node, char text[TEXT])
{
    const char *name = orrery_node_name(job, node);
    const char *what = node < orrery_npus(job) ? "NPU" : "switch";
    (void)(name != NULL ? snprintf(text, TEXT, "%s", name)
                        : snprintf(text, TEXT, "%s %" PRIu32, what, node));
    return text;
}

/* How many there are, and which one is used most. */
static void print_links(FILE *out, const struct orrery *job)
{
    struct orrery_link link, busiest = {.from = 0};
    double most = 0, sum = 0;
    const size_t links = orrery_links(job);
    char from[TEXT], to[TEXT];
    for (size_t i = 0; i < links && orrery_link(job, i, &link) == ORRERY_OK; i++) {
        const double used = link.offered_bytes > 0 ? (double)link.bytes / link.offered_bytes : 0;
        sum += used;
        if (used > most) {
            most = used;
            busiest = link;
        }
    }
    if (most > 0) {
        orr_print(out,
                  "\n%zu link%s, used %.1f %% on average, %.1f %% from %s to %s; "
                  "bandwidth tax %.3f\n",
                  links, orr_plural(links), 100 * sum / (double)links, 100 * most,
                  node_text(job, busiest.from, from), node_text(job, busiest.to, to),
                  orrery_bandwidth_tax(job));
    }
}

void orr_report_table(FILE *out, const struct orrery *job, bool per_npu)
{
    char wall[TEXT];
    orr_print(out, "job time %s on %" PRIu32 " NPU%s\n\n",
              orr_format_time(orrery_wall_ps(job), wall, TEXT), orrery_npus(job),
              orr_plural(orrery_npus(job)));
    print_header(out);
    print_npus(out, job, per_npu);
    print_dims(out, job);
    print_links(out, job);
    orr_report_summary(out, job);
    orr_report_rates(out, job);
    orr_report_model(out, job);
    if (orrery_path_parts(job) != 0) {
        orr_report_path(out, job);
    }
    char messages[ORR_SUM_BYTES];
    orr_print(out, "\n%s message%s, %" PRIu64 " event%s\n",
              orr_sum_text(orrery_messages(job), messages), orrery_messages(job) == 1 ? "" : "s",
              orrery_events(job), orr_plural(orrery_events(job)));
}
