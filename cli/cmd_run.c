/* orrery run: simulate a job and print where its time went. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/find_input.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/core.h"
#include "orrery/orrery.h"

enum run_option {
    OPT_WORKLOAD = 256,
    OPT_SYSTEM,
    OPT_NETWORK,
    OPT_MEMORY,
    OPT_GROUPS,
    OPT_QUEUES,
    OPT_INJECTION,
    OPT_RENDEZVOUS,
    OPT_BACKEND,
    OPT_FORMAT,
    OPT_COMPAT,
    OPT_FOLD,
    OPT_PER_NPU,
    OPT_SET,
    OPT_EXPLAIN,
    OPT_JSON,
    OPT_CSV,
    OPT_WHY,
    OPT_OWN_PLATFORM,
    OPT_OWN_WORKLOAD,
    OPT_LIST_INPUTS,
    OPT_PROGRESS,
    OPT_UNUSED,
    OPT_HELP
};

static const struct option options[] = {
    {"workload-configuration", required_argument, NULL, OPT_WORKLOAD},
    {"system-configuration", required_argument, NULL, OPT_SYSTEM},
    {"network-configuration", required_argument, NULL, OPT_NETWORK},
    {"remote-memory-configuration", required_argument, NULL, OPT_MEMORY},
    {"comm-group-configuration", required_argument, NULL, OPT_GROUPS},
    {"num-queues-per-dim", required_argument, NULL, OPT_QUEUES},
    {"injection-scale", required_argument, NULL, OPT_INJECTION},
    {"rendezvous-protocol", optional_argument, NULL, OPT_RENDEZVOUS},
    {"network-backend", required_argument, NULL, OPT_BACKEND},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"compat", required_argument, NULL, OPT_COMPAT},
    {"fold", required_argument, NULL, OPT_FOLD},
    {"per-npu", no_argument, NULL, OPT_PER_NPU},
    {"set", required_argument, NULL, OPT_SET},
    {"explain", no_argument, NULL, OPT_EXPLAIN},
    {"json", required_argument, NULL, OPT_JSON},
    {"csv", required_argument, NULL, OPT_CSV},
    {"why", no_argument, NULL, OPT_WHY},
    {"platform", required_argument, NULL, OPT_OWN_PLATFORM},
    {"workload", required_argument, NULL, OPT_OWN_WORKLOAD},
    {"list-inputs", no_argument, NULL, OPT_LIST_INPUTS},
    {"progress", required_argument, NULL, OPT_PROGRESS},
    {"compute-scale", required_argument, NULL, OPT_UNUSED},
    {"comm-scale", required_argument, NULL, OPT_UNUSED},
    {"logging-configuration", required_argument, NULL, OPT_UNUSED},
    {"logging-folder", required_argument, NULL, OPT_UNUSED},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery run PLATFORM.yml [WORKLOAD.yml] [options]\n"
    "       orrery run --workload-configuration PREFIX --system-configuration FILE\n"
    "                  --network-configuration FILE [options]\n"
    "\n"
    "Simulates a training job and prints where each NPU's time went.\n"
    "\n"
    "Own files (docs/file-formats.md; see inputs/):\n"
    "  PLATFORM.yml                       network, system, memory and compute\n"
    "  WORKLOAD.yml                       traces or a generator (or a section of the platform)\n"
    "  --platform PLATFORM.yml            the same as options\n"
    "  --workload WORKLOAD.yml\n"
    "  --list-inputs                      list the platforms and workloads that ship: their names\n"
    "                                     do instead of a file's, as in orrery run w_2d\n"
    "  --set PATH=VALUE                   set a value, e.g. network.dims[1].bandwidth=100GB/s;\n"
    "                                     may be given several times\n"
    "  --explain                          print every value in force and its origin, and stop\n"
    "\n"
    "Files of the ASTRA-sim simulator, unchanged; loading them switches on its rules:\n"
    "  --workload-configuration PREFIX    traces PREFIX.RANK.et (or .et.gz), or one file for all\n"
    "  --system-configuration FILE        JSON: collectives, chunks, delays, compute\n"
    "  --network-configuration FILE       YAML: dimensions with bandwidth and latency\n"
    "  --remote-memory-configuration FILE JSON: remote memory (default: none)\n"
    "  --comm-group-configuration FILE    JSON: communicator groups (default: empty)\n"
    "  --num-queues-per-dim N             queues of a dimension (default 1)\n"
    "  --injection-scale N                multiplies the endpoint delay (default 1)\n"
    "  --rendezvous-protocol[=true|false] receivers ask for data before they are sent\n"
    "  --network-backend analytical|congestion\n"
    "                                     how messages share links (default analytical)\n"
    "  --compat astra-sim|off             the reference's rules (default), or Orrery's own:\n"
    "                                     shared ports, uniform blocks, no truncation\n"
    "\n"
    "Running:\n"
    "  --fold off|auto                    simulate symmetric NPUs once; both simulate all of\n"
    "                                     them so far\n"
    "  --progress auto|always|never       a line on stderr that tells how far the run is; auto:\n"
    "                                     on a terminal, after a second (default)\n"
    "\n"
    "Output:\n"
    "  --format table|astra               a table (default), or the reference's lines\n"
    "  --json FILE|-                      results as JSON, instead of the table when FILE is -\n"
    "  --csv FILE|-                       a line for each NPU\n"
    "  --why                              the critical path: what the job's time is spent on\n"
    "  --per-npu                          one row for each NPU instead of each class\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot finish.\n";

enum { MOST_SETS = 256 };

struct arguments {
    struct orrery_inputs own;
    const char *sets[MOST_SETS];
    struct orrery_astra_sim inputs;
    const char *json, *csv;
    enum orr_progress progress;
    bool list_inputs;
    bool astra_format, per_npu, explain, why;
};

static int usage(const char *message, const char *value)
{
    return orr_usage_error("run", message, value);
}

static int parse_count(const char *option, const char *text, unsigned *out)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > 255) {
        orr_say("orrery run: --%s: expected a whole number from 1 to 255, got \"%s\"\n", option,
                text);
        return ORR_EXIT_USAGE;
    }
    *out = (unsigned)value;
    return 0;
}

/* One of two words. */
static int parse_word(const char *option, const char *text, const char *no, const char *yes,
                      bool *out)
{
    if (strcmp(text, no) != 0 && strcmp(text, yes) != 0) {
        orr_say("orrery run: --%s: expected %s or %s, got \"%s\"\n", option, no, yes, text);
        return ORR_EXIT_USAGE;
    }
    *out = strcmp(text, yes) == 0;
    return 0;
}

static int parse_progress(const char *text, enum orr_progress *out)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (enum orr_progress)i;
            return 0;
        }
    }
    orr_say("orrery run: --progress: expected auto, always or never, got \"%s\"\n", text);
    return ORR_EXIT_USAGE;
}

static int apply_own(int option, const char *value, struct arguments *arguments)
{
    switch (option) {
    case OPT_OWN_PLATFORM:
        arguments->own.platform = value;
        return 0;
    case OPT_OWN_WORKLOAD:
        arguments->own.workload = value;
        return 0;
    case OPT_LIST_INPUTS:
        arguments->list_inputs = true;
        return 0;
    default:
        return parse_progress(value, &arguments->progress);
    }
}

static int apply_output(int option, const char *value, struct arguments *arguments)
{
    switch (option) {
    case OPT_SET:
        if (arguments->own.set_count == MOST_SETS) {
            return usage("too many --set options", NULL);
        }
        arguments->sets[arguments->own.set_count++] = value;
        return 0;
    case OPT_JSON:
        arguments->json = value;
        return 0;
    case OPT_CSV:
        arguments->csv = value;
        return 0;
    case OPT_EXPLAIN:
        arguments->explain = true;
        return 0;
    case OPT_WHY:
        arguments->why = true;
        return 0;
    case OPT_PER_NPU:
        arguments->per_npu = true;
        return 0;
    default:
        return apply_own(option, value, arguments);
    }
}

static int apply_model(int option, const char *value, struct arguments *arguments)
{
    bool unused;
    switch (option) {
    case OPT_QUEUES:
        return parse_count("num-queues-per-dim", value, &arguments->inputs.queues_per_dim);
    case OPT_INJECTION:
        return parse_count("injection-scale", value, &arguments->inputs.injection_scale);
    case OPT_RENDEZVOUS:
        return parse_word("rendezvous-protocol", value != NULL ? value : "true", "false", "true",
                          &arguments->inputs.rendezvous);
    case OPT_BACKEND:
        arguments->inputs.backend = value;
        return 0;
    case OPT_FORMAT:
        return parse_word("format", value, "table", "astra", &arguments->astra_format);
    case OPT_COMPAT:
        return parse_word("compat", value, "astra-sim", "off", &arguments->inputs.default_rules);
    case OPT_FOLD:
        return parse_word("fold", value, "off", "auto", &unused);
    default:
        return apply_output(option, value, arguments);
    }
}

static int apply(int option, const char *value, struct arguments *arguments)
{
    switch (option) {
    case OPT_WORKLOAD:
        arguments->inputs.workload = value;
        return 0;
    case OPT_SYSTEM:
        arguments->inputs.system = value;
        return 0;
    case OPT_NETWORK:
        arguments->inputs.network = value;
        return 0;
    case OPT_MEMORY:
        arguments->inputs.remote_memory = value;
        return 0;
    case OPT_GROUPS:
        arguments->inputs.comm_group = value;
        return 0;
    default:
        return apply_model(option, value, arguments);
    }
}

/* PLATFORM.yml and WORKLOAD.yml, in this order, as far as no option gave them. */
static int take_files(int argc, char **argv, struct orrery_inputs *own)
{
    int next = optind;
    if (own->platform == NULL && next < argc) {
        own->platform = argv[next++];
    }
    if (own->workload == NULL && next < argc) {
        own->workload = argv[next++];
    }
    if (next < argc) {
        return usage("unexpected argument ", argv[next]);
    }
    return own->platform != NULL ? 0 : usage("a platform file is missing", NULL);
}

/* Own files are positional; the reference's have options. */
static int check_inputs(int argc, char **argv, struct arguments *arguments)
{
    const struct orrery_astra_sim *inputs = &arguments->inputs;
    const bool astra =
        inputs->workload != NULL || inputs->system != NULL || inputs->network != NULL;
    const char *own = optind < argc                     ? argv[optind]
                      : arguments->own.platform != NULL ? arguments->own.platform
                                                        : arguments->own.workload;
    if (own != NULL && astra) {
        return usage("own files and the reference's do not mix; unexpected ", own);
    }
    if (!astra) {
        return take_files(argc, argv, &arguments->own);
    }
    if (arguments->own.set_count != 0 || arguments->explain) {
        return usage("--set and --explain go with own files (PLATFORM.yml)", NULL);
    }
    if (inputs->workload == NULL || inputs->system == NULL || inputs->network == NULL) {
        return usage(inputs->workload == NULL ? "--workload-configuration is missing"
                     : inputs->system == NULL ? "--system-configuration is missing"
                                              : "--network-configuration is missing",
                     NULL);
    }
    return 0;
}

/* 0 to go on, < 0 for help, else an exit status. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    int index = 0;
    for (int option; (option = getopt_long(argc, argv, ":", options, &index)) != -1;) {
        if (option == OPT_UNUSED) {
            orr_say("orrery run: warning: --%s is ignored: it has no effect in the reference "
                    "either\n",
                    options[index].name);
            continue;
        }
        if (option == ':' || option == '?') {
            return orr_option_refused("run", options, option, argv[optind - 1]);
        }
        if (option == OPT_HELP) {
            return -1;
        }
        const int status = apply(option, optarg, arguments);
        if (status != 0) {
            return status;
        }
    }
    arguments->own.set = arguments->sets;
    if (arguments->list_inputs) {
        return 0;
    }
    return check_inputs(argc, argv, arguments);
}

static void print_value(void *user, const char *key, const char *value, const char *origin)
{
    (void)fprintf(user, "%-32s %-28s %s\n", key, value, origin);
}

/* Calls a writer on a file, or on standard output for "-". */
static int write_to(const char *path, const struct orrery *job, bool per_npu, bool json)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdout : fopen(path, "w");
    if (file == NULL) {
        orr_say("%s: cannot be written: %s\n", path, strerror(errno));
        return ORR_EXIT_USAGE;
    }
    int result = json ? orr_report_json(file, job, per_npu) : orr_report_csv(file, job);
    if (!standard && fclose(file) != 0) {
        result = 1;
    }
    if (result != 0) {
        orr_say("%s: cannot be written: %s\n", path, strerror(errno));
    }
    return result;
}

static int report(const struct arguments *arguments, struct orrery *job)
{
    const bool quiet = (arguments->json != NULL && strcmp(arguments->json, "-") == 0) ||
                       (arguments->csv != NULL && strcmp(arguments->csv, "-") == 0);
    int result = 0;
    if (arguments->json != NULL) {
        result = write_to(arguments->json, job, arguments->per_npu, true);
    }
    if (arguments->csv != NULL && result == 0) {
        result = write_to(arguments->csv, job, arguments->per_npu, false);
    }
    if (quiet || result != 0) {
        return result;
    }
    if (arguments->astra_format) {
        orr_report_astra(stdout, job);
    } else {
        orr_report_table(stdout, job, arguments->per_npu);
    }
    result = orr_report_memory(stdout, job);
    return result == 0 && fflush(stdout) != 0 ? 1 : result;
}

static int run(const struct arguments *arguments, struct orrery *job)
{
    orrery_on_warning(job, orr_print_warning, NULL);
    orrery_record(job, ORRERY_RECORD_NODES | (arguments->why ? (unsigned)ORRERY_RECORD_PATH : 0));
    enum orrery_status status = arguments->own.platform != NULL
                                    ? orrery_load(job, &arguments->own)
                                    : orrery_load_astra_sim(job, &arguments->inputs);
    if (status == ORRERY_OK && arguments->explain) {
        orrery_explain(job, print_value, stdout);
        return 0;
    }
    if (status == ORRERY_OK) {
        status = orr_run_with_progress(job, arguments->progress);
    }
    if (status == ORRERY_OK) {
        size_t rows;
        status = orrery_summarize(job, &rows);
    }
    if (status != ORRERY_OK) {
        orr_say("%s\n", orrery_error(job));
        return orr_exit_status(status);
    }
    return report(arguments, job);
}

/* Puts paths in the place of the names of inputs that ship; false when there is no such thing. */
static bool find_inputs(struct orr_arena *arena, struct orrery_inputs *own)
{
    if (own->platform != NULL) {
        own->platform = orr_find_input(arena, "platforms", own->platform);
        if (own->platform == NULL) {
            return false;
        }
    }
    if (own->workload != NULL) {
        own->workload = orr_find_input(arena, "workloads", own->workload);
        return own->workload != NULL;
    }
    return true;
}

int orr_cmd_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    const int status = parse_arguments(argc, argv, &arguments);
    if (status != 0) {
        if (status < 0) {
            (void)fputs(help, stdout);
        }
        return status < 0 ? 0 : status;
    }
    if (arguments.list_inputs) {
        return orr_list_inputs(stdout);
    }
    struct orr_arena *arena = orr_arena_create();
    struct orrery *job = orrery_new();
    int result = 1;
    if (arena == NULL || job == NULL) {
        orr_say("orrery run: out of memory\n");
    } else if (!find_inputs(arena, &arguments.own)) {
        result = ORR_EXIT_USAGE;
    } else {
        result = run(&arguments, job);
    }
    orrery_free(job);
    orr_arena_destroy(arena);
    return result;
}
