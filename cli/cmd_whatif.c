/* orrery whatif: run a job again with one thing changed at a time, and rank what helps most. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fitting_layouts.h"
#include "cli/job_options.h"
#include "cli/json_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/report.h"
#include "cli/thread_option.h"
#include "cli/write_output.h"
#include "core/core.h"

enum { OPT_FACTOR = 256, OPT_CHANGE, OPT_JOBS, OPT_JSON, OPT_CSV };

static const struct option options[] = {ORR_JOB_OPTIONS,
                                        {"factor", required_argument, NULL, OPT_FACTOR},
                                        {"change", required_argument, NULL, OPT_CHANGE},
                                        {"jobs", required_argument, NULL, OPT_JOBS},
                                        {"json", required_argument, NULL, OPT_JSON},
                                        {"csv", required_argument, NULL, OPT_CSV},
                                        {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery whatif PLATFORM.yml [WORKLOAD.yml] [options]\n"
    "       orrery whatif --workload-configuration PREFIX --system-configuration FILE\n"
    "                     --network-configuration FILE [options]\n"
    "\n"
    "Runs the job as it is, and again for each change: twice the bandwidth of each dimension, no\n"
    "latency, twice the compute, a CPU twice as fast, infinitely fast memory. Ranks them by the "
    "time\n"
    "that they save, and says what communication and waiting for others is then left of an NPU.\n"
    "\n" ORR_JOB_HELP "Changes:\n"
    "  --factor X                         times X instead of 2\n"
    "  --change PATH=VALUE                one more change, of own files, as for --set; may be "
    "given\n"
    "                                     several times\n"
    "  --jobs N                           runs at a time (default: one for each processor)\n"
    "\n"
    "Output:\n"
    "  --json FILE|-                      the ranking as JSON, instead of the table when FILE is "
    "-\n"
    "  --csv FILE|-                       a line for each change\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot finish.\n";

enum { MOST_CHANGES = 256, MOST_FACTORS = 4 };

struct change {
    char name[128];
    const char *set; /* of --change, or NULL */
    struct orrery_scale scale[MOST_FACTORS];
    unsigned scales;
    bool bound; /* cannot be built: shown apart */
    int64_t wall_ps;
    int64_t communication_ps, waiting_ps; /* means over the NPUs */
    enum orrery_status status;
    char *error; /* when it failed; of the heap */
};

struct whatif {
    struct orr_job_inputs job;
    const char *json, *csv;
    const char *given[MOST_CHANGES];
    unsigned givens;
    double factor;
    unsigned jobs;
    struct change change[MOST_CHANGES + 1]; /* the first is the job as it is */
    unsigned changes;
    uint32_t npus;
    unsigned dims;
    bool links, switches; /* the network is a graph; some links are between switches */
    bool told;            /* waiting is told apart from communication */
};

/* ---- arguments ---- */

static int parse_factor(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out > 0) || !isfinite(*out)) {
        orr_say("orrery whatif: --factor: expected a number above 0, got \"%s\"\n", text);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int apply(void *context, int option, const char *value)
{
    struct whatif *whatif = context;
    switch (option) {
    case OPT_FACTOR:
        return parse_factor(value, &whatif->factor);
    case OPT_JOBS:
        return orr_parse_jobs("whatif", value, &whatif->jobs);
    case OPT_JSON:
        whatif->json = value;
        return 0;
    case OPT_CSV:
        whatif->csv = value;
        return 0;
    default:
        if (whatif->givens == MOST_CHANGES / 2) {
            return orr_usage_error("whatif", "too many --change options", NULL);
        }
        whatif->given[whatif->givens++] = value;
        return 0;
    }
}

/* ---- the changes ---- */

static struct change *add(struct whatif *whatif)
{
    ORR_ASSERT(whatif->changes <= MOST_CHANGES);
    struct change *change = &whatif->change[whatif->changes++];
    *change = (struct change){0};
    return change;
}

static void add_scale(struct change *change, enum orrery_quantity quantity, unsigned dim,
                      double factor)
{
    change->scale[change->scales++] =
        (struct orrery_scale){.quantity = quantity, .dim = dim, .factor = factor};
}

/* Of a network that is a graph. */
static void add_links(struct whatif *whatif)
{
    static const struct {
        const char *name;
        unsigned links;
    } kinds[] = {{"links of NPUs", ORRERY_NPU_LINKS},
                 {"links between switches", ORRERY_SWITCH_LINKS}};
    for (unsigned i = 0; i < (whatif->switches ? 2 : 1); i++) {
        struct change *change = add(whatif);
        (void)snprintf(change->name, sizeof change->name, "%gx bandwidth of %s", whatif->factor,
                       kinds[i].name);
        add_scale(change, ORRERY_BANDWIDTH, kinds[i].links, whatif->factor);
    }
    struct change *all = add(whatif);
    (void)snprintf(all->name, sizeof all->name, "no latency");
    add_scale(all, ORRERY_LATENCY, ORRERY_ALL_DIMS, 0);
}

static void add_dims(struct whatif *whatif)
{
    if (whatif->links) {
        add_links(whatif);
        return;
    }
    for (unsigned d = 0; d < whatif->dims; d++) {
        struct change *change = add(whatif);
        (void)snprintf(change->name, sizeof change->name, "%gx bandwidth of dimension %u",
                       whatif->factor, d + 1);
        add_scale(change, ORRERY_BANDWIDTH, d, whatif->factor);
    }
    struct change *all = add(whatif);
    (void)snprintf(all->name, sizeof all->name, "no latency");
    add_scale(all, ORRERY_LATENCY, ORRERY_ALL_DIMS, 0);
    for (unsigned d = 0; d < whatif->dims && whatif->dims > 1; d++) {
        struct change *change = add(whatif);
        (void)snprintf(change->name, sizeof change->name, "no latency in dimension %u", d + 1);
        add_scale(change, ORRERY_LATENCY, d, 0);
    }
}

static void add_changes(struct whatif *whatif)
{
    add_dims(whatif);
    struct change *compute = add(whatif);
    (void)snprintf(compute->name, sizeof compute->name, "%gx compute", whatif->factor);
    add_scale(compute, ORRERY_COMPUTE_RATE, 0, whatif->factor);
    struct change *cpu = add(whatif);
    (void)snprintf(cpu->name, sizeof cpu->name, "%gx CPU", whatif->factor);
    add_scale(cpu, ORRERY_CPU_RATE, 0, whatif->factor);
    struct change *memory = add(whatif);
    (void)snprintf(memory->name, sizeof memory->name, "infinitely fast memory");
    add_scale(memory, ORRERY_MEMORY_RATE, 0, INFINITY);
    struct change *endpoint = add(whatif);
    (void)snprintf(endpoint->name, sizeof endpoint->name, "no endpoint delay");
    add_scale(endpoint, ORRERY_ENDPOINT_DELAY, 0, 0);
    for (unsigned i = 0; i < whatif->givens; i++) {
        struct change *given = add(whatif);
        (void)snprintf(given->name, sizeof given->name, "%s", whatif->given[i]);
        given->set = whatif->given[i];
    }
    struct change *free_network = add(whatif);
    *free_network = (struct change){.name = "communication free", .bound = true};
    add_scale(free_network, ORRERY_BANDWIDTH, ORRERY_ALL_DIMS, INFINITY);
    add_scale(free_network, ORRERY_LATENCY, ORRERY_ALL_DIMS, 0);
    add_scale(free_network, ORRERY_ENDPOINT_DELAY, 0, 0);
    struct change *free_compute = add(whatif);
    *free_compute = (struct change){.name = "compute free", .bound = true};
    add_scale(free_compute, ORRERY_COMPUTE_RATE, 0, INFINITY);
}

/* ---- running ---- */

static enum orrery_status load(struct orrery *job, const struct whatif *whatif,
                               const struct change *change)
{
    struct orr_job_inputs inputs = whatif->job;
    if (change->set != NULL && inputs.own.set_count < ORR_MOST_SETS) {
        inputs.sets[inputs.own.set_count++] = change->set;
    }
    inputs.own.set = inputs.sets;
    enum orrery_status status = ORRERY_OK;
    for (unsigned s = 0; s < change->scales && status == ORRERY_OK; s++) {
        status = orrery_scale(job, &change->scale[s]);
    }
    return status == ORRERY_OK ? orr_job_load(job, &inputs) : status;
}

static void keep_error(struct change *change, const char *text)
{
    change->error = orr_heap_alloc(strlen(text) + 1);
    if (change->error != NULL) {
        memcpy(change->error, text, strlen(text) + 1);
    }
}

/* Whether there are links, and some between switches. */
static void look_at_links(struct whatif *whatif, const struct orrery *job)
{
    struct orrery_link link;
    const uint32_t npus = orrery_npus(job);
    whatif->links = orrery_links(job) != 0;
    for (size_t i = 0; orrery_link(job, i, &link) == ORRERY_OK && !whatif->switches; i++) {
        whatif->switches = link.from >= npus && link.to >= npus;
    }
}

/* Communication and waiting of an NPU, as means: classes are of equal size. */
static void take_means(struct change *change, const struct orrery *job)
{
    const int64_t classes = orrery_fold_classes(job);
    int64_t rest[2] = {0, 0};
    for (int64_t c = 0; c < classes; c++) {
        struct orrery_times times;
        if (orrery_npu_times(job, orrery_fold_rank(job, (uint32_t)c), &times) == ORRERY_OK) {
            change->communication_ps += times.exposed_communication_ps / classes;
            change->waiting_ps += times.waiting_ps / classes;
            rest[0] += times.exposed_communication_ps % classes;
            rest[1] += times.waiting_ps % classes;
        }
    }
    change->communication_ps += classes > 0 ? rest[0] / classes : 0;
    change->waiting_ps += classes > 0 ? rest[1] / classes : 0;
}

/* The name tells which change: "" for the job as it is. */
static void say_error(const struct change *change, const char *name)
{
    orr_say("%s%s%s\n", name, name[0] != '\0' ? ": " : "",
            change->error != NULL ? change->error : "out of memory");
}

static void run_change(void *context, unsigned index)
{
    struct whatif *whatif = context;
    struct change *change = &whatif->change[index];
    struct orrery *job = orrery_new();
    if (job == NULL) {
        change->status = ORRERY_ERROR_MEMORY;
        if (index == 0) {
            say_error(change, "");
        }
        return;
    }
    if (index == 0) {
        orrery_on_warning(job, orr_print_warning, NULL);
        (void)snprintf(change->name, sizeof change->name, "as it is");
    }
    change->status = load(job, whatif, change);
    if (change->status == ORRERY_OK) {
        change->status = orrery_run(job);
    }
    if (change->status != ORRERY_OK) {
        keep_error(change, orrery_error(job));
    }
    if (index == 0 && change->status != ORRERY_OK) { /* the others do not run */
        say_error(change, "");
        orr_say_fitting_layouts(job);
    }
    change->wall_ps = orrery_wall_ps(job);
    take_means(change, job);
    whatif->npus = index == 0 ? orrery_npus(job) : whatif->npus;
    whatif->dims = index == 0 ? orrery_dims(job) : whatif->dims;
    if (index == 0) {
        look_at_links(whatif, job);
        whatif->told = orrery_tells_waiting(job);
    }
    orrery_free(job);
}

static void run_rest(void *context, unsigned index)
{
    run_change(context, index + 1);
}

/* The exit status of the first run that failed; 0 when none did. That of a change is said, that of
 * the job as it is has been. */
static int check(const struct whatif *whatif)
{
    for (unsigned i = 0; i < whatif->changes; i++) {
        const struct change *change = &whatif->change[i];
        if (change->status != ORRERY_OK) {
            if (i != 0) {
                say_error(change, change->name);
            }
            return orr_exit_status(change->status);
        }
    }
    return 0;
}

/* ---- printing ---- */

static int64_t base_ps(const struct whatif *whatif)
{
    return whatif->change[0].wall_ps;
}

static bool before(const struct change *first, const struct change *second)
{
    return first->bound != second->bound ? second->bound : first->wall_ps < second->wall_ps;
}

/* Ranks all but the first, by insertion: equal ones stay in order. */
static void rank(struct whatif *whatif)
{
    for (unsigned i = 2; i < whatif->changes; i++) {
        const struct change moved = whatif->change[i];
        unsigned place = i;
        for (; place > 1 && before(&moved, &whatif->change[place - 1]); place--) {
            whatif->change[place] = whatif->change[place - 1];
        }
        whatif->change[place] = moved;
    }
}

static double speedup(const struct whatif *whatif, const struct change *change)
{
    return (double)base_ps(whatif) / (double)change->wall_ps;
}

/* What is left for others to mend: of waiting no network does. */
static void print_parts(FILE *out, const struct whatif *whatif, const struct change *change)
{
    char communication[64], waiting[64];
    orr_print(out, " %14s %14s\n",
              orr_format_time(change->communication_ps, communication, sizeof communication),
              whatif->told ? orr_format_time(change->waiting_ps, waiting, sizeof waiting) : "-");
}

static void print_head(FILE *out, const char *what)
{
    orr_print(out, "\n%-44s %14s %14s %10s %10s %14s %14s\n", what, "job time", "saved", "",
              "speed-up", "communication", "waiting");
}

static void print_change(FILE *out, const struct whatif *whatif, const struct change *change)
{
    char time[64], saved[64], more[65], faster[32] = "-";
    const int64_t saved_ps = base_ps(whatif) - change->wall_ps;
    (void)orr_format_time(saved_ps < 0 ? -saved_ps : saved_ps, saved, sizeof saved);
    (void)snprintf(more, sizeof more, "%s%s", saved_ps < 0 ? "-" : "", saved);
    if (change->wall_ps > 0) {
        (void)snprintf(faster, sizeof faster, "%.3fx", speedup(whatif, change));
    }
    orr_print(out, "%-44s %14s %14s %8.1f %% %10s", change->name,
              orr_format_time(change->wall_ps, time, sizeof time), more,
              base_ps(whatif) > 0 ? 100.0 * (double)saved_ps / (double)base_ps(whatif) : 0.0,
              faster);
    print_parts(out, whatif, change);
}

static void print_useless(FILE *out, const struct whatif *whatif)
{
    const char *before = "\nwithout effect: ";
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct change *change = &whatif->change[i];
        if (!change->bound && change->wall_ps == base_ps(whatif)) {
            (void)fputs(before, out);
            orr_print(out, "%s", change->name);
            before = ", ";
        }
    }
    if (before[0] == ',') {
        (void)fputc('\n', out);
    }
}

/* The job as it is stands where it ranks: what harms comes behind it. */
static void print_ranking(FILE *out, const struct whatif *whatif)
{
    bool shown = false;
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct change *change = &whatif->change[i];
        if (change->bound || change->wall_ps == base_ps(whatif)) {
            continue;
        }
        if (!shown && change->wall_ps > base_ps(whatif)) {
            print_change(out, whatif, &whatif->change[0]);
            shown = true;
        }
        print_change(out, whatif, change);
    }
    if (!shown) {
        print_change(out, whatif, &whatif->change[0]);
    }
}

static void print_table(FILE *out, const struct whatif *whatif)
{
    char time[64];
    orr_print(out, "job time %s on %" PRIu32 " NPU%s\n",
              orr_format_time(base_ps(whatif), time, sizeof time), whatif->npus,
              orr_plural(whatif->npus));
    print_head(out, "what if");
    print_ranking(out, whatif);
    print_useless(out, whatif);
    print_head(out, "at most");
    for (unsigned i = 1; i < whatif->changes; i++) {
        if (whatif->change[i].bound) {
            print_change(out, whatif, &whatif->change[i]);
        }
    }
}

static void set_parts(json_t *object, const struct change *change)
{
    (void)json_object_set_new(object, "exposed_communication_ps",
                              json_integer(change->communication_ps));
    (void)json_object_set_new(object, "waiting_ps", json_integer(change->waiting_ps));
}

static int write_json(FILE *out, const void *context)
{
    const struct whatif *whatif = context;
    json_t *root = json_object(), *list = json_array();
    (void)json_object_set_new(root, "wall_ps", json_integer(base_ps(whatif)));
    (void)json_object_set_new(root, "npus", json_integer(whatif->npus));
    set_parts(root, &whatif->change[0]);
    for (unsigned i = 1; i < whatif->changes; i++) {
        const struct change *change = &whatif->change[i];
        json_t *object = json_object();
        (void)json_object_set_new(object, "what", json_string(change->name));
        (void)json_object_set_new(object, "wall_ps", json_integer(change->wall_ps));
        (void)json_object_set_new(object, "saved_ps",
                                  json_integer(base_ps(whatif) - change->wall_ps));
        set_parts(object, change);
        (void)json_object_set_new(object, "bound", json_boolean(change->bound));
        (void)json_array_append_new(list, object);
    }
    (void)json_object_set_new(root, "changes", list);
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}

static int write_csv(FILE *out, const void *context)
{
    const struct whatif *whatif = context;
    (void)fputs("what,wall_ps,saved_ps,bound,exposed_communication_ps,waiting_ps\n", out);
    for (unsigned i = 0; i < whatif->changes; i++) {
        const struct change *change = &whatif->change[i];
        orr_csv_text(out, change->name);
        orr_print(out, ",%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%" PRId64 "\n", change->wall_ps,
                  base_ps(whatif) - change->wall_ps, change->bound, change->communication_ps,
                  change->waiting_ps);
    }
    return ferror(out) != 0 ? 1 : 0;
}

static int report(const struct whatif *whatif)
{
    const struct orr_output outputs[] = {{whatif->json, write_json}, {whatif->csv, write_csv}};
    bool quiet = false;
    for (unsigned i = 0; i < 2; i++) {
        const int result = orr_write_output(&outputs[i], whatif, &quiet);
        if (result != 0) {
            return result;
        }
    }
    if (!quiet) {
        print_table(stdout, whatif);
    }
    return 0;
}

static int run(struct whatif *whatif)
{
    (void)add(whatif);
    run_change(whatif, 0);
    int result = check(whatif);
    if (result == 0) {
        add_changes(whatif);
        orr_run_parallel(whatif->jobs, whatif->changes - 1, run_rest, whatif);
        result = check(whatif);
    }
    if (result == 0) {
        rank(whatif);
        result = report(whatif);
    }
    for (unsigned i = 0; i < whatif->changes; i++) {
        orr_heap_free(whatif->change[i].error);
    }
    return result;
}

int orr_cmd_whatif(int argc, char **argv)
{
    struct whatif *whatif = orr_heap_calloc(1, sizeof *whatif);
    if (whatif == NULL) {
        orr_say("orrery whatif: out of memory\n");
        return 1;
    }
    whatif->job.command = "whatif";
    whatif->factor = 2;
    const struct orr_own_options own = {.context = whatif, .apply = apply};
    int status = orr_job_parse(&whatif->job, argc, argv, options, &own);
    if (status == 0) {
        status = orr_job_check(&whatif->job, argc, argv,
                               whatif->givens != 0 ? "--change goes with own files (PLATFORM.yml)"
                                                   : NULL);
        status = status == 0 ? run(whatif) : status;
    } else if (status < 0) {
        (void)fputs(help, stdout);
        status = 0;
    }
    orr_heap_free(whatif);
    return status;
}
