/* The text report of a plan; see plan_report.h. */
#include <inttypes.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "network/permutations/permutations.h"
#include "planner/finder/finder.h"
#include "planner/plan_file/plan_job.h"
#include "report/pictures/pictures.h"
#include "report/table_text.h"
#include "topoopt/plan/plan_report.h"
#include "topoopt/search/topoopt.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/strategy.h"

enum { TEXT_BYTES = 512, MAX_SPLITS = 12, MAX_CLASSES = 8 };

static const char *time_text(sim_time time_ps, char text[ORR_FORMAT_BYTES])
{
    if (time_ps == ORR_TIME_MAX) {
        return "over 104 days";
    }
    return orr_format_time(time_ps, text, ORR_FORMAT_BYTES);
}

/* ---- inputs and times ---- */

static void print_head(FILE *out, const struct plan_job *job, const struct plan_metrics *metrics)
{
    const struct plan_interfaces *with = &job->interfaces;
    char latency[ORR_FORMAT_BYTES];
    orr_print(out, "plan               %s on %" PRIu32 " servers", job->model.name, job->servers);
    if (job->groups > 1) {
        orr_print(out, " in %" PRIu32 " groups", job->groups);
    }
    if (job->fixed) {
        orr_print(out, ", on a fixed network\n");
    } else {
        char bandwidth[ORR_FORMAT_BYTES];
        orr_print(out, ", %" PRIu32 " %s interface%s of %s each, %s a link\n", with->degree,
                  with->links == PLAN_DUPLEX ? "duplex" : "one-way", orr_plural(with->degree),
                  orr_exact_bandwidth(with->bytes_per_s, bandwidth),
                  orr_exact_time(with->latency_ps, latency));
    }
    orr_print(out, "model              %" PRIu32 " operators", job->model.ops);
    if (job->profile != NULL) {
        orr_print(out, ", %" PRIu32 " of them with measured times", metrics->measured);
    }
    orr_print(out, ", %" PRIu64 " samples an iteration\n",
              orr_model_batch(&job->model, job->servers));
}

static void print_time(FILE *out, const char *name, const struct topoopt_pair *pair,
                       sim_time best_ps, const char *what)
{
    char text[ORR_FORMAT_BYTES];
    if (pair->missing_bytes != 0) {
        orr_print(out, "  %-16s needs %s more memory than a device has; %s\n", name,
                  orr_format_bytes(pair->missing_bytes, text, sizeof text), what);
    } else {
        orr_print(out, "  %-16s %-14s %.3f x the plan; %s\n", name,
                  time_text(pair->predicted_ps, text), (double)pair->predicted_ps / (double)best_ps,
                  what);
    }
}

/* Prints how simulations confirmed the choice. */
static void print_choice(FILE *out, const struct plan_result *solution)
{
    char text[ORR_FORMAT_BYTES], simulated[ORR_FORMAT_BYTES];
    if (solution->overruled) {
        orr_print(out,
                  "  %-16s data parallelism, by simulation: what was searched takes %s predicted, "
                  "but %s simulated\n",
                  "chosen", time_text(solution->searched.predicted_ps, text),
                  time_text(solution->searched_ps, simulated));
    } else if (solution->both_simulated) {
        orr_print(out, "  %-16s by simulation as well: data parallelism takes %s simulated\n",
                  "chosen", time_text(solution->data_parallel_ps, simulated));
    }
}

/* One that is slower is told in plan.json alone. */
static void print_layout(FILE *out, const struct plan_result *solution)
{
    const struct plan_layout *layout = &solution->layout;
    char text[ORR_FORMAT_BYTES], memory[ORR_FORMAT_BYTES];
    if (layout->name[0] == '\0' || layout->simulated_ps >= solution->simulated_ps) {
        return;
    }
    orr_print(out,
              "  %-16s %-14s %.3f x the plan, simulated on %s; %s, %s a server, of %" PRIu64
              " that fit\n",
              "a layout", time_text(layout->simulated_ps, text),
              (double)layout->simulated_ps / (double)solution->simulated_ps,
              layout->on_own         ? "a topology of its own"
              : solution->job->fixed ? "the network"
                                     : "the plan's topology",
              layout->name, orr_format_bytes(layout->memory_bytes, memory, sizeof memory),
              layout->layouts);
}

static void print_times(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_result *result = &solution->result;
    const double predicted = (double)result->best.predicted_ps;
    char text[ORR_FORMAT_BYTES];
    orr_print(out, "\niteration\n  %-16s %s predicted", "the plan",
              time_text(result->best.predicted_ps, text));
    if (solution->simulated) {
        orr_print(
            out, ", %s simulated (predicted %+.2f %%)", time_text(solution->simulated_ps, text),
            solution->simulated_ps == 0 ? 0
                                        : 100 * (predicted / (double)solution->simulated_ps - 1));
    }
    orr_print(out, "\n");
    if (!solution->job->fixed) {
        print_time(out, "naive", &result->naive, result->best.predicted_ps,
                   "a strategy for the ideal switch, then one topology");
    }
    print_time(out, "data parallelism", &result->data_parallel, result->best.predicted_ps,
               solution->job->fixed ? "with tables round robin"
                                    : "with tables round robin, on the best topology for it");
    print_choice(out, solution);
    print_layout(out, solution);
}

/* ---- the topology ---- */

char *orr_plan_jumps(const struct finder_topology *topology, const struct finder_class *class,
                     char *text, size_t bytes)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < class->jumps.jumps && length + 16 < bytes; i++) {
        length += (size_t)snprintf(text + length, bytes - length,
                                   topology->links == NET_ONE_WAY ? "%s+%" PRIu32 : "%s+-%" PRIu32,
                                   i > 0 ? " " : "", class->jumps.jump[i]);
    }
    if (class->jumps.jumps == 0) {
        (void)snprintf(text, bytes, "over links of others");
    }
    return text;
}

static void print_class(FILE *out, const struct finder_topology *topology, uint32_t index)
{
    const struct finder_class *class = &topology->of[index];
    char text[TEXT_BYTES], bytes[ORR_FORMAT_BYTES];
    orr_print(out, "  %-16s %s among %s%" PRIu32, index == 0 ? "rings" : "",
              orr_plan_jumps(topology, class, text, sizeof text),
              class->members == topology->servers ? "all " : "", class->members);
    if (class->groups > 1) {
        orr_print(out, " servers each of %" PRIu32 " groups", class->groups);
    }
    orr_print(out, " (for %s on the wire)\n",
              orr_format_bytes(class->wire_bytes, bytes, sizeof bytes));
}

static void print_layers(FILE *out, const struct finder_topology *topology)
{
    uint32_t matchings = 0, connections = 0;
    for (uint32_t i = 0; i < topology->layers; i++) {
        matchings += topology->layer[i].kind == FINDER_MATCHING;
        connections += topology->layer[i].kind == FINDER_CONNECTION;
    }
    for (uint32_t i = 0; i < topology->classes && i < MAX_CLASSES; i++) {
        print_class(out, topology, i);
    }
    if (topology->classes > MAX_CLASSES) {
        orr_print(out, "  %-16s and %" PRIu32 " more kinds of groups: rings.csv\n", "",
                  topology->classes - MAX_CLASSES);
    }
    if (connections != 0) {
        orr_print(out, "  %-16s a ring +1 of all servers connects the topology%s\n",
                  topology->classes == 0 ? "rings" : "",
                  topology->removed_jumps != 0 ? ", in place of the last jump" : "");
    }
    if (matchings != 0) {
        orr_print(out, "  %-16s %" PRIu32 " matching%s of the servers with the most traffic\n",
                  "pairs", matchings, orr_plural(matchings));
    }
    if (topology->idle != 0) {
        orr_print(out, "  %-16s %" PRIu32 " interface%s\n", "idle", topology->idle,
                  orr_plural(topology->idle));
    }
}

/* Prints the crossconnects of the panels, and why cables do not fit if they were requested. */
static void print_ports(FILE *out, const struct plan_result *solution)
{
    const struct port_map *ports = &solution->ports;
    uint32_t cables = 0;
    for (uint32_t i = 0; i < ports->crosses; i++) {
        cables += ports->cross[i].cable;
    }
    orr_print(out, "  %-16s panels %" PRIu32 " to %" PRIu32 ": ", "ports", ports->first_panel,
              ports->first_panel + ports->panels - 1);
    if (cables != 0) {
        orr_print(out, "%" PRIu32 " cable%s", cables, orr_plural(cables));
    }
    if (cables != ports->crosses) {
        orr_print(out, "%s%" PRIu32 " one-way crossconnects", cables != 0 ? ", " : "",
                  ports->crosses - cables);
    }
    orr_print(out, ports->why != NULL ? "; %s\n" : "\n", ports->why);
}

static void print_topology(FILE *out, const struct plan_result *solution,
                           const struct plan_metrics *metrics)
{
    const double all = (double)metrics->reduce_bytes + (double)metrics->transfer_bytes;
    char reduced[ORR_FORMAT_BYTES], sent[ORR_FORMAT_BYTES];
    orr_print(out, "\ntopology\n");
    if (!solution->job->fixed) {
        print_layers(out, &solution->result.best.topology);
        print_ports(out, solution);
    }
    orr_print(out, "  %-16s %s of all-reduces, %s between operators (%.1f %%) an iteration\n",
              "traffic", orr_format_bytes(metrics->reduce_bytes, reduced, sizeof reduced),
              orr_format_bytes(metrics->transfer_bytes, sent, sizeof sent),
              all > 0 ? 100 * (double)metrics->transfer_bytes / all : 0);
    orr_print(out, "  %-16s %.3f links in the mean, %" PRIu32 " at most", "paths",
              metrics->mean_path, metrics->longest_path);
    if (metrics->tax > 0) {
        orr_print(out, "; bandwidth tax %.3f", metrics->tax);
    }
    orr_print(out, "\n");
}

/* ---- the strategy ---- */

static void print_split(FILE *out, const struct plan_job *job, const struct strategy *strategy,
                        uint32_t op)
{
    const uint32_t *degree = orr_strategy_degrees(strategy, op);
    const struct model_op *of = &job->model.op[op];
    const char *before = "";
    orr_print(out, "    %-24s ", of->name);
    for (uint32_t d = 0; d < of->dims; d++) {
        if (degree[d] > 1) {
            orr_print(out, "%s%s %" PRIu32, before, of->dim[d].name, degree[d]);
            before = " x ";
        }
    }
    orr_print(out, "\n");
}

/* Whether an operator is neither split by samples over all of the group nor whole. */
static bool is_split(const struct strategy *strategy, uint32_t op)
{
    const uint32_t parts = strategy->op[op].parts;
    return parts > 1 && orr_strategy_degrees(strategy, op)[0] != orr_strategy_group(strategy);
}

static void print_splits(FILE *out, const struct plan_job *job, const struct strategy *strategy)
{
    uint32_t shown = 0, more = 0;
    for (uint32_t op = 0; op < job->model.ops; op++) {
        const bool split = is_split(strategy, op);
        if (split && shown < MAX_SPLITS) {
            print_split(out, job, strategy, op);
            shown++;
        } else {
            more += split;
        }
    }
    if (more != 0) {
        orr_print(out, "    and %" PRIu32 " more: strategy.yml\n", more);
    }
}

static void print_strategy(FILE *out, const struct plan_result *solution,
                           const struct plan_metrics *metrics)
{
    const struct topoopt_pair *best = &solution->result.best;
    char bytes[ORR_FORMAT_BYTES], max[ORR_FORMAT_BYTES];
    orr_print(out, "\nstrategy           %s\n", orr_topoopt_origin_name(best->origin));
    orr_print(out,
              "  %-16s %" PRIu32 " data-parallel, %" PRIu32
              " whole where data parallelism has them (tables round robin), %" PRIu32
              " whole on a server chosen for them, %" PRIu32 " split otherwise\n",
              "operators", metrics->data_parallel, metrics->whole, metrics->placed, metrics->split);
    orr_print(out, "  %-16s %" PRIu32 " of %" PRIu32 " compute\n", "servers", metrics->computing,
              solution->job->servers);
    print_splits(out, solution->job, &best->strategy);
    orr_print(out, "  %-16s %s on the fullest device, %" PRIu32, "memory",
              orr_format_bytes(metrics->memory_bytes, bytes, sizeof bytes), metrics->fullest);
    if (solution->job->memory_bytes != 0) {
        orr_print(out, ", of %s\n", orr_format_bytes(solution->job->memory_bytes, max, sizeof max));
    } else {
        orr_print(out, "; it is not checked\n");
    }
}

/* ---- the search ---- */

/* Prints the best attempt of a round, and the number of attempts. */
static uint32_t print_round(FILE *out, const struct topoopt_result *result, uint32_t first)
{
    const struct topoopt_attempt *tried = result->attempt;
    uint32_t end = first, best = first, kept = 0, none = 0;
    char text[ORR_FORMAT_BYTES];
    for (; end < result->attempts && tried[end].round == tried[first].round; end++) {
        best = tried[end].after_ps < tried[best].after_ps ? end : best;
        kept += tried[end].outcome == TOPOOPT_KEPT;
        none += tried[end].outcome == TOPOOPT_NO_NETWORK;
    }
    orr_print(
        out, "  round %-10" PRIu32 " %" PRIu32 " pair%s tried, the best %s (%s), %" PRIu32 " kept",
        tried[first].round, end - first, orr_plural(end - first),
        time_text(tried[best].after_ps, text), orr_topoopt_origin_name(tried[best].origin), kept);
    if (none != 0) {
        orr_print(out, ", %" PRIu32 " without a topology (%s)", none,
                  tried[end - 1].why != NULL ? tried[end - 1].why : "tried.csv");
    }
    orr_print(out, "\n");
    return end;
}

static void print_search(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_result *result = &solution->result;
    orr_print(out, "\nsearch             %" PRIu64 " evaluations, %" PRIu32 " round%s%s%s\n",
              solution->evaluations, result->rounds, orr_plural(result->rounds),
              result->converged ? ", the last of which found nothing better" : "",
              result->stopped ? "; stopped: this is the best so far" : "");
    for (uint32_t i = 0; i < result->attempts;) {
        i = print_round(out, result, i);
    }
}

/* ---- other fabrics ---- */

static const char *fabric_time(const struct topoopt_pair *pair, sim_time time_ps,
                               char text[ORR_FORMAT_BYTES])
{
    return pair->missing_bytes != 0 ? "does not fit" : time_text(time_ps, text);
}

/* "4, 100 %"; "-" where no server has a link to another, or the ring goes over other servers. */
static const char *rings_text(const struct sys_ring_use *use, char text[ORR_FORMAT_BYTES])
{
    if (use->links == 0 || use->rings == 0) {
        return "-";
    }
    (void)snprintf(text, ORR_FORMAT_BYTES, "%" PRIu32 ", %.0f %%", use->rings,
                   100 * (double)use->links_used / (double)use->links);
    return text;
}

static void print_fabrics(FILE *out, const struct plan_result *solution)
{
    const struct topoopt_result *result = &solution->result;
    const double plan = (double)result->best.predicted_ps;
    char bandwidth[ORR_FORMAT_BYTES], parallel[ORR_FORMAT_BYTES], strategy_text[ORR_FORMAT_BYTES];
    char ratio[ORR_FORMAT_BYTES], rings[ORR_FORMAT_BYTES];
    if (solution->fabrics == 0) {
        return;
    }
    orr_print(out, "\n%-28s %-14s %-17s %-15s %-8s %s\n", "other fabrics, predicted", "a link",
              "data parallelism", "plan's strategy", "/ plan", "rings, of links");
    for (uint32_t i = 0; i < solution->fabrics; i++) {
        const struct plan_fabric *fabric = &solution->fabric[i];
        const sim_time better = fabric->strategy_ps < fabric->data_parallel_ps
                                    ? fabric->strategy_ps
                                    : fabric->data_parallel_ps;
        (void)snprintf(bandwidth, sizeof bandwidth, "%.5g Gb/s", fabric->bytes_per_s / 125e6);
        (void)snprintf(ratio, sizeof ratio, better != ORR_TIME_MAX ? "%.3f" : "-",
                       (double)better / plan);
        orr_print(out, "  %-26s %-14s %-17s %-15s %-8s %s\n", fabric->name, bandwidth,
                  fabric_time(&result->data_parallel, fabric->data_parallel_ps, parallel),
                  fabric_time(&result->best, fabric->strategy_ps, strategy_text), ratio,
                  rings_text(&fabric->rings, rings));
    }
}

int orr_plan_text(FILE *out, const struct plan_result *solution)
{
    struct plan_metrics metrics;
    if (orr_plan_metrics(solution, &metrics, NULL) != ORR_OK) {
        return 1;
    }
    print_head(out, solution->job, &metrics);
    print_times(out, solution);
    print_topology(out, solution, &metrics);
    print_strategy(out, solution, &metrics);
    print_search(out, solution);
    print_fabrics(out, solution);
    return ferror(out) != 0 ? 1 : 0;
}
