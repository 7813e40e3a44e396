/* Options that describe a job; see job_options.h. */
#include "cli/job_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compat_set.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "core/diag.h"

int orr_parse_word(const char *command, const char *option, const char *text,
                   const char *const words[2], bool *out)
{
    if (strcmp(text, words[0]) != 0 && strcmp(text, words[1]) != 0) {
        orr_print_message("orrery %s: --%s: expected %s or %s, got \"%s\"\n", command, option,
                          words[0], words[1], text);
        return ORR_EXIT_USAGE;
    }
    *out = strcmp(text, words[1]) == 0;
    return 0;
}

static int parse_count(const struct orr_job_inputs *inputs, const char *option, const char *text,
                       unsigned *out)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > 255) {
        orr_print_message("orrery %s: --%s: expected a whole number from 1 to 255, got \"%s\"\n",
                          inputs->command, option, text);
        return ORR_EXIT_USAGE;
    }
    *out = (unsigned)value;
    return 0;
}

static int add_set(struct orr_job_inputs *inputs, const char *value)
{
    if (inputs->own.set_count == ORR_MAX_SETS) {
        return orr_usage_error(inputs->command, "too many --set options", NULL);
    }
    inputs->sets[inputs->own.set_count++] = value;
    return 0;
}

static int add_npus(struct orr_job_inputs *inputs, const char *value)
{
    int64_t npus;
    if (!orr_parse_integer(value, &npus) || npus < 1 || npus > INT32_MAX) {
        orr_print_message("orrery %s: --npus: expected a whole number from 1 to 2147483647, got "
                          "\"%s\"\n",
                          inputs->command, value);
        return ORR_EXIT_USAGE;
    }
    (void)snprintf(inputs->npus_set, sizeof inputs->npus_set, "network.npus=%" PRId64, npus);
    return add_set(inputs, inputs->npus_set);
}

static int apply_model(struct orr_job_inputs *inputs, int option, const char *value)
{
    static const char *const truth[2] = {"false", "true"}, *const rules[2] = {"astra-sim", "off"};
    switch (option) {
    case ORR_OPT_QUEUES:
        return parse_count(inputs, "num-queues-per-dim", value, &inputs->astra.queues_per_dim);
    case ORR_OPT_INJECTION:
        return parse_count(inputs, "injection-scale", value, &inputs->astra.injection_scale);
    case ORR_OPT_RENDEZVOUS:
        return orr_parse_word(inputs->command, "rendezvous-protocol",
                              value != NULL ? value : "true", truth, &inputs->astra.rendezvous);
    case ORR_OPT_BACKEND:
        inputs->astra.backend = value;
        return 0;
    case ORR_OPT_COMPAT:
        return orr_parse_word(inputs->command, "compat", value, rules,
                              &inputs->astra.default_rules);
    case ORR_OPT_OWN_PLATFORM:
        inputs->own.platform = value;
        return 0;
    case ORR_OPT_OWN_WORKLOAD:
        inputs->own.workload = value;
        return 0;
    case ORR_OPT_OWN_NPUS:
        return add_npus(inputs, value);
    case ORR_OPT_IGNORE_CAPACITY:
        return add_set(inputs, "memory.ignore_capacity=true");
    default:
        return add_set(inputs, value);
    }
}

static int apply(struct orr_job_inputs *inputs, int option, const char *value)
{
    if (orr_platform_apply(&inputs->network, option, value)) {
        return 0;
    }
    switch (option) {
    case ORR_OPT_WORKLOAD:
        inputs->astra.workload = value;
        return 0;
    case ORR_OPT_SYSTEM:
        inputs->astra.system = value;
        return 0;
    case ORR_OPT_NETWORK:
        inputs->astra.network = value;
        return 0;
    case ORR_OPT_MEMORY:
        inputs->astra.remote_memory = value;
        return 0;
    case ORR_OPT_GROUPS:
        inputs->astra.comm_group = value;
        return 0;
    default:
        return apply_model(inputs, option, value);
    }
}

int orr_job_parse(struct orr_job_inputs *inputs, int argc, char **argv,
                  const struct option *options, const struct orr_command_options *own)
{
    opterr = 0;
    optind = 1;
    int index = 0;
    for (int option; (option = getopt_long(argc, argv, ":", options, &index)) != -1;) {
        if (option == ORR_OPT_UNUSED) {
            orr_print_message(
                "orrery %s: warning: --%s is ignored: it has no effect in the reference "
                "either\n",
                inputs->command, options[index].name);
            continue;
        }
        if (option == ':' || option == '?') {
            return orr_reject_option(inputs->command, options, option, argv[optind - 1]);
        }
        if (option == ORR_OPT_HELP) {
            return -1;
        }
        const int status = option >= ORR_OPT_WORKLOAD ? apply(inputs, option, optarg)
                                                      : own->apply(own->context, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

/* Checks the options of the network, and inserts their assignment before those of --set. */
static int apply_network(struct orr_job_inputs *inputs)
{
    const int status = orr_platform_check(&inputs->network, inputs->command);
    const char *set = orr_platform_set(&inputs->network);
    inputs->own.set = inputs->sets;
    if (status == 0 && set != NULL) {
        memmove((void *)&inputs->sets[1], (const void *)inputs->sets,
                inputs->own.set_count * sizeof *inputs->sets);
        inputs->sets[0] = set;
        inputs->own.set_count++;
    }
    return status;
}

/* Inserts the assignment of --taskgraph before those of --set; it replaces a workload. */
static int apply_taskgraph(struct orr_job_inputs *inputs)
{
    const size_t capacity = sizeof inputs->taskgraph_set;
    if (inputs->taskgraph == NULL) {
        return 0;
    }
    if (inputs->own.set_count == ORR_MAX_SETS ||
        (size_t)snprintf(inputs->taskgraph_set, capacity, "workload={taskgraph: \"%s\"}",
                         inputs->taskgraph) >= capacity) {
        return orr_usage_error(inputs->command,
                               "--taskgraph: the path is too long: ", inputs->taskgraph);
    }
    memmove((void *)&inputs->sets[1], (const void *)inputs->sets,
            inputs->own.set_count * sizeof *inputs->sets);
    inputs->sets[0] = inputs->taskgraph_set;
    inputs->own.set_count++;
    return 0;
}

/* Resolves PLATFORM.yml and WORKLOAD.yml: positional arguments, in this order, unless options give
 * them. With a network from options a single file is normally the workload. */
static int find_native_files(struct orr_job_inputs *inputs, int argc, char **argv)
{
    struct orrery_inputs *own = &inputs->own;
    const bool network = inputs->network.topology != NULL;
    int next = optind, status = 0;
    if (own->platform == NULL && next < argc) {
        own->platform = argv[next++];
    }
    if (own->workload == NULL && next < argc) {
        own->workload = argv[next++];
    }
    if (next < argc) {
        return orr_usage_error(inputs->command, "unexpected argument ", argv[next]);
    }
    if (inputs->taskgraph != NULL && own->workload != NULL) {
        return orr_usage_error(inputs->command, "--taskgraph goes without a workload, got ",
                               own->workload);
    }
    if (own->platform == NULL && !network && inputs->taskgraph == NULL) {
        return orr_usage_error(inputs->command,
                               "a platform is missing: a file, or a name that orrery run "
                               "--list-inputs shows",
                               NULL);
    }
    if (own->platform != NULL) {
        const char *folder = network && own->workload == NULL ? "workloads" : "platforms";
        own->platform = orr_input_file(folder, own->platform, inputs->platform, &status);
    }
    if (own->workload != NULL && status == 0) {
        own->workload = orr_input_file("workloads", own->workload, inputs->workload, &status);
    }
    orr_inputs_library(inputs->library);
    own->library = inputs->library;
    return status;
}

static int apply_compat(struct orr_job_inputs *inputs)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_compat_set(&inputs->astra, inputs->sets, inputs->own.set_count, &diag);
    return orr_print_diag(&diag);
}

/* Rejects an option of ASTRA-sim's files without these files; names the corresponding --set, if
 * any. */
static int reject_astra_option(const struct orr_job_inputs *inputs)
{
    const struct orrery_astra_sim *astra = &inputs->astra;
    const char *option = astra->remote_memory != NULL  ? "--remote-memory-configuration"
                         : astra->comm_group != NULL   ? "--comm-group-configuration"
                         : astra->queues_per_dim != 0  ? "--num-queues-per-dim"
                         : astra->injection_scale != 0 ? "--injection-scale"
                         : astra->rendezvous           ? "--rendezvous-protocol"
                         : astra->backend != NULL      ? "--network-backend"
                         : astra->default_rules        ? "--compat"
                                                       : NULL;
    const char *own = astra->backend != NULL         ? "network.backend=NAME"
                      : astra->remote_memory != NULL ? "memory.remote=..."
                                                     : NULL;
    if (option == NULL) {
        return 0;
    }
    orr_print_message(
        "orrery %s: %s goes with the files of ASTRA-sim (--network-configuration, ...)%s%s\n"
        "try 'orrery %s --help'\n",
        inputs->command, option, own != NULL ? "; for Orrery files, use --set " : "",
        own != NULL ? own : "", inputs->command);
    return ORR_EXIT_USAGE;
}

/* Orrery's own files are positional or options; those of ASTRA-sim have options only. */
int orr_job_check(struct orr_job_inputs *inputs, int argc, char **argv, const char *native_only)
{
    const struct orrery_astra_sim *files = &inputs->astra;
    const bool astra = files->workload != NULL || files->system != NULL || files->network != NULL;
    const char *own = optind < argc                  ? argv[optind]
                      : inputs->own.platform != NULL ? inputs->own.platform
                                                     : inputs->own.workload;
    const int status = apply_network(inputs) != 0 ? ORR_EXIT_USAGE : apply_taskgraph(inputs);
    if (status != 0) {
        return status;
    }
    if (inputs->network.topology != NULL && astra) {
        return orr_usage_error(inputs->command, "--topology and ASTRA-sim files cannot be combined",
                               NULL);
    }
    if (own != NULL && astra) {
        return orr_usage_error(inputs->command,
                               "Orrery files and ASTRA-sim files cannot be combined; unexpected ",
                               own);
    }
    if (!astra) {
        const int refused = reject_astra_option(inputs);
        return refused != 0 ? refused : find_native_files(inputs, argc, argv);
    }
    if (native_only != NULL) {
        return orr_usage_error(inputs->command, native_only, NULL);
    }
    if (files->workload == NULL || files->system == NULL || files->network == NULL) {
        return orr_usage_error(inputs->command,
                               files->workload == NULL ? "--workload-configuration is missing"
                               : files->system == NULL ? "--system-configuration is missing"
                                                       : "--network-configuration is missing",
                               NULL);
    }
    return apply_compat(inputs);
}

enum orrery_status orr_job_load(struct orrery *job, const struct orr_job_inputs *inputs)
{
    return inputs->astra.network == NULL ? orrery_load(job, &inputs->own)
                                         : orrery_load_astra_sim(job, &inputs->astra);
}
