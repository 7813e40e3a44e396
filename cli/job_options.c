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

static int add_set(void *arguments, const char *value)
{
    struct orr_job_inputs *inputs = arguments;
    if (inputs->own.set_count == ORR_MAX_SETS) {
        return orr_usage_error(inputs->command, "too many --set options", NULL);
    }
    inputs->sets[inputs->own.set_count++] = value;
    return 0;
}

static int add_npus(void *arguments, const char *value)
{
    struct orr_job_inputs *inputs = arguments;
    int64_t npus;
    if (!orr_parse_integer(value, &npus) || npus < 1 || npus > INT32_MAX) {
        return orr_reject_value(inputs->command, "npus", "a whole number from 1 to 2147483647",
                                value, "");
    }
    inputs->npus = npus;
    (void)snprintf(inputs->npus_set, sizeof inputs->npus_set, "network.npus=%" PRId64, npus);
    return add_set(inputs, inputs->npus_set);
}

static int ignore_capacity(void *arguments, const char *value)
{
    (void)value;
    return add_set(arguments, "memory.ignore_capacity=true");
}

static int set_rendezvous(void *arguments, const char *value)
{
    static const char *const words[] = {"false", "true"};
    struct orr_job_inputs *inputs = arguments;
    inputs->astra.rendezvous = value == NULL || strcmp(value, "true") == 0;
    return inputs->astra.rendezvous || strcmp(value, "false") == 0
               ? 0
               : orr_reject_name(inputs->command, "rendezvous-protocol", value, words, 2);
}

/* ---- tables ---- */

const struct orr_option orr_job_files[] = {
    ORR_HEAD("Orrery files (docs/file-formats.md; see inputs/):"),
    {NULL,
     "PLATFORM.yml",
     ORR_PLATFORM | ORR_POSITIONAL | ORR_OPTIONAL,
     "network, system, memory and compute",
     {.kind = ORR_STORE_NONE}},
    {NULL,
     "WORKLOAD.yml",
     ORR_WORKLOAD | ORR_POSITIONAL | ORR_OPTIONAL,
     "traces or a generator (or a section of the platform); both may be names of inputs that "
     "ship, such as w_2d",
     {.kind = ORR_STORE_NONE}},
    ORR_ROWS_END};

const struct orr_option orr_job_platform[] = {
    {"platform", "PLATFORM.yml", ORR_PLATFORM, "the platform, as an option",
     ORR_TEXT(struct orr_job_inputs, own.platform)},
    {"set", "PATH=VALUE", ORR_VALUE | ORR_REPEATED,
     "set a value, e.g. network.dims[1].bandwidth=100GB/s; may be given several times",
     ORR_CALL(add_set)},
    ORR_ROWS_END};

const struct orr_option orr_job_workload[] = {
    {"workload", "WORKLOAD.yml", ORR_WORKLOAD, "the workload, as an option",
     ORR_TEXT(struct orr_job_inputs, own.workload)},
    ORR_ROW_FROM(struct orr_job_inputs, import),
    {"npus", "N", ORR_VALUE,
     "the platform's outermost dimension scaled to N NPUs; same as --set network.npus=N",
     ORR_CALL(add_npus)},
    {"ignore-capacity", NULL, ORR_FLAG,
     "run a job that exceeds the memory capacity; same as --set memory.ignore_capacity=true",
     ORR_CALL(ignore_capacity)},
    ORR_ROWS_END};

const struct orr_option orr_job_astra_files[] = {
    ORR_HEAD("Files of the ASTRA-sim simulator, unchanged; loading them switches on its rules. The "
             "only --set with them is compat.dimension_scheduling=true:"),
    {"workload-configuration", "PREFIX", ORR_INPUT,
     "traces PREFIX.RANK.et (or .et.gz), or one file for all",
     ORR_TEXT(struct orr_job_inputs, astra.workload)},
    {"system-configuration", "FILE", ORR_INPUT, "JSON: collectives, chunks, delays, compute",
     ORR_TEXT(struct orr_job_inputs, astra.system)},
    {"network-configuration", "FILE", ORR_INPUT, "YAML: dimensions with bandwidth and latency",
     ORR_TEXT(struct orr_job_inputs, astra.network)},
    {"remote-memory-configuration", "FILE", ORR_INPUT, "JSON: remote memory (default: none)",
     ORR_TEXT(struct orr_job_inputs, astra.remote_memory)},
    {"comm-group-configuration", "FILE", ORR_INPUT, "JSON: communicator groups (default: empty)",
     ORR_TEXT(struct orr_job_inputs, astra.comm_group)},
    {"num-queues-per-dim", "N", ORR_VALUE, "queues of a dimension (default 1)",
     ORR_NUMBER(struct orr_job_inputs, astra.queues_per_dim, 1, 255)},
    {"injection-scale", "N", ORR_VALUE, "multiplies the endpoint delay (default 1)",
     ORR_NUMBER(struct orr_job_inputs, astra.injection_scale, 1, 255)},
    {"rendezvous-protocol", "true|false", ORR_CHOICE | ORR_OPTIONAL_VALUE,
     "receivers ask for data before they are sent", ORR_CALL(set_rendezvous)},
    {"network-backend", "analytical|congestion", ORR_CHOICE,
     "how messages share links (default analytical)",
     ORR_TEXT(struct orr_job_inputs, astra.backend)},
    {"compat", "astra-sim|off", ORR_CHOICE,
     "the rules of ASTRA-sim (default), or Orrery's own: shared ports, uniform blocks, no "
     "truncation",
     ORR_WORD(struct orr_job_inputs, astra.default_rules)},
    {"compute-scale", "X", ORR_VALUE | ORR_HIDDEN, NULL, ORR_WARN},
    {"comm-scale", "X", ORR_VALUE | ORR_HIDDEN, NULL, ORR_WARN},
    {"logging-configuration", "FILE", ORR_VALUE | ORR_HIDDEN, NULL, ORR_WARN},
    {"logging-folder", "DIR", ORR_VALUE | ORR_HIDDEN, NULL, ORR_WARN},
    ORR_ROWS_END};

const struct orr_option orr_job_rows[] = {
    ORR_TABLE(orr_job_files),       ORR_TABLE(orr_job_platform),
    ORR_TABLE(orr_job_workload),    ORR_ROWS(orr_platform_rows, struct orr_job_inputs, network, 0),
    ORR_TABLE(orr_job_astra_files), ORR_ROWS_END};

/* ---- checks ---- */

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

/* Imports the workload of --from. */
static int import_workload(struct orr_job_inputs *inputs)
{
    struct orrery_inputs *own = &inputs->own;
    if (inputs->import.from.count == 0) {
        return 0;
    }
    if (own->workload != NULL || inputs->taskgraph != NULL) {
        return orr_usage_error(inputs->command, "--from goes without a workload, got ",
                               own->workload != NULL ? own->workload : inputs->taskgraph);
    }
    own->workload = inputs->import.name;
    own->workload_text = inputs->import.text;
    return orr_import_job(&inputs->import, (uint64_t)inputs->npus);
}

/* Resolves PLATFORM.yml and WORKLOAD.yml: positional arguments, in this order, unless options give
 * them. With a network from options a single file is normally the workload. */
static int find_native_files(struct orr_job_inputs *inputs, int argc, char **argv)
{
    struct orrery_inputs *own = &inputs->own;
    const bool network = inputs->network.topology != NULL;
    int next = 1, status = 0;
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
        const char *folder = network && own->workload == NULL && inputs->import.from.count == 0
                                 ? "workloads"
                                 : "platforms";
        own->platform = orr_input_file(folder, own->platform, inputs->platform, &status);
    }
    if (own->workload != NULL && status == 0) {
        own->workload = orr_input_file("workloads", own->workload, inputs->workload, &status);
    }
    orr_inputs_library(inputs->library);
    own->library = inputs->library;
    return status == 0 ? import_workload(inputs) : status;
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
    const char *own = 1 < argc                       ? argv[1]
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
    if (inputs->import.from.count > 0 && astra) {
        return orr_usage_error(inputs->command, "--from and ASTRA-sim files cannot be combined",
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
