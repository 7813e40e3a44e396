/* orrery run: simulate a job and print where its time went. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
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
    {"compute-scale", required_argument, NULL, OPT_UNUSED},
    {"comm-scale", required_argument, NULL, OPT_UNUSED},
    {"logging-configuration", required_argument, NULL, OPT_UNUSED},
    {"logging-folder", required_argument, NULL, OPT_UNUSED},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static const char help[] =
    "usage: orrery run --workload-configuration PREFIX --system-configuration FILE\n"
    "                  --network-configuration FILE [options]\n"
    "\n"
    "Simulates a training job and prints where each NPU's time went. The input files are\n"
    "those of the ASTRA-sim simulator, unchanged; loading them switches on its rules.\n"
    "\n"
    "Inputs:\n"
    "  --workload-configuration PREFIX    traces PREFIX.RANK.et (or .et.gz), or one file for all\n"
    "  --system-configuration FILE        JSON: collectives, chunks, delays, compute\n"
    "  --network-configuration FILE       YAML: dimensions with bandwidth and latency\n"
    "  --remote-memory-configuration FILE JSON: remote memory (default: none)\n"
    "  --comm-group-configuration FILE    JSON: communicator groups (default: empty)\n"
    "  --num-queues-per-dim N             queues of a dimension (default 1)\n"
    "  --injection-scale N                multiplies the endpoint delay (default 1)\n"
    "  --rendezvous-protocol[=true|false] receivers ask for data before they are sent\n"
    "\n"
    "Models:\n"
    "  --network-backend NAME             analytical (default) or congestion\n"
    "  --compat astra-sim|off             the reference's rules (default), or Orrery's own:\n"
    "                                     shared ports, uniform blocks, no truncation\n"
    "  --fold off|auto                    simulate symmetric NPUs once; both simulate all of\n"
    "                                     them so far\n"
    "\n"
    "Output:\n"
    "  --format table|astra               a table (default), or the reference's lines\n"
    "  --per-npu                          one row for each NPU instead of each class\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input, 3 the job cannot finish.\n";

struct arguments {
    struct orrery_astra_sim inputs;
    bool astra_format, per_npu;
};

static int usage(const char *message, const char *value)
{
    (void)fprintf(stderr, "orrery run: %s%s\ntry 'orrery run --help'\n", message,
                  value != NULL ? value : "");
    return ORR_EXIT_USAGE;
}

static int parse_count(const char *option, const char *text, unsigned *out)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > 255) {
        (void)fprintf(stderr,
                      "orrery run: --%s: expected a whole number from 1 to 255, got \"%s\"\n",
                      option, text);
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
        (void)fprintf(stderr, "orrery run: --%s: expected %s or %s, got \"%s\"\n", option, no, yes,
                      text);
        return ORR_EXIT_USAGE;
    }
    *out = strcmp(text, yes) == 0;
    return 0;
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
    case OPT_PER_NPU:
        arguments->per_npu = true;
        return 0;
    default:
        return usage("unknown option", NULL);
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
    case OPT_UNUSED:
        (void)fprintf(stderr,
                      "orrery run: warning: an option of the reference that has no effect "
                      "there or here is ignored (value \"%s\")\n",
                      value);
        return 0;
    default:
        return apply_model(option, value, arguments);
    }
}

/* The nearest option for a mistyped one, without its dashes. */
static int unknown_option(const char *given)
{
    const char *names[sizeof options / sizeof *options];
    size_t count = 0;
    for (; options[count].name != NULL; count++) {
        names[count] = options[count].name;
    }
    char name[64];
    (void)snprintf(name, sizeof name, "%s", given + strspn(given, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *nearest = orr_nearest_name(name, names, count);
    (void)fprintf(stderr, "orrery run: unknown option \"%s\"%s%s%s\ntry 'orrery run --help'\n",
                  given, nearest != NULL ? "; did you mean \"--" : "",
                  nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return ORR_EXIT_USAGE;
}

/* 0 to go on, < 0 for help, else an exit status. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == ':') {
            return usage("an option needs a value: ", argv[optind - 1]);
        }
        if (option == '?') {
            return unknown_option(argv[optind - 1]);
        }
        if (option == OPT_HELP) {
            return -1;
        }
        const int status = apply(option, optarg, arguments);
        if (status != 0) {
            return status;
        }
    }
    if (optind < argc) {
        return usage("unexpected argument ", argv[optind]);
    }
    const struct orrery_astra_sim *inputs = &arguments->inputs;
    if (inputs->workload == NULL || inputs->system == NULL || inputs->network == NULL) {
        return usage(inputs->workload == NULL ? "--workload-configuration is missing"
                     : inputs->system == NULL ? "--system-configuration is missing"
                                              : "--network-configuration is missing",
                     NULL);
    }
    return 0;
}

static void print_warning(void *user, const char *text)
{
    (void)user;
    (void)fprintf(stderr, "%s\n", text);
}

static int run(const struct arguments *arguments, struct orrery *job)
{
    orrery_on_warning(job, print_warning, NULL);
    enum orrery_status status = orrery_load_astra_sim(job, &arguments->inputs);
    if (status == ORRERY_OK) {
        status = orrery_run(job);
    }
    if (status != ORRERY_OK) {
        (void)fprintf(stderr, "%s\n", orrery_error(job));
        return orr_exit_status(status);
    }
    if (arguments->astra_format) {
        orr_report_astra(stdout, job);
    } else {
        orr_report_table(stdout, job, arguments->per_npu);
    }
    const int result = orr_report_memory(stdout, job);
    return result == 0 && fflush(stdout) != 0 ? 1 : result;
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
    struct orrery *job = orrery_new();
    if (job == NULL) {
        (void)fprintf(stderr, "orrery run: out of memory\n");
        return 1;
    }
    const int result = run(&arguments, job);
    orrery_free(job);
    return result;
}
