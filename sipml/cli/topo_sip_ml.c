/* orrery topo sip-ml: hardware model of SiP-ML's fabrics. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/write_output.h"
#include "orrery/orrery.h"
#include "orrery/topology.h"
#include "report/table_text.h"

enum { SETTINGS = 24, SETTING_BYTES = 256 };

struct arguments {
    const char *value[SETTINGS], *csv, *json;
    const char *set[SETTINGS];
    char text[SETTINGS][SETTING_BYTES];
    size_t sets;
};

/* A setting is passed to the library as "NAME=VALUE". */
#define SETTING(name, argument, index, help)                                                       \
    {                                                                                              \
        (name), (argument), ORR_VALUE, (help), ORR_TEXT(struct arguments, value[index])            \
    }

static const struct orr_option rows[] = {
    SETTING("gpus", "N", 0, "number of GPUs (1024)"),
    SETTING("bandwidth", "B", 1, "of a GPU each way (8192 Gb/s)"),
    SETTING("ocs", "Q", 2, "SiP-OCS: circuits of a GPU, an OCS each (16)"),
    SETTING("wavelengths", "W", 3, "SiP-Ring: wavelengths of a GPU (as its bandwidth needs)"),
    SETTING("group", "K", 4, "GPUs of a model-parallel group (16)"),
    SETTING("hold", "LIST", 5,
            "hold times of circuits, such as '100 us,220 us' (multiples of the dark time)"),
    SETTING("reconfiguration", "TIME", 6, "reconfiguration time, in which light is dark (25 us)"),
    SETTING("budget-db", "DB", 7, "power budget: maximum loss of light (10)"),
    SETTING("coupler-db", "DB", 8, "loss into and out of a node (0.5)"),
    SETTING("ring-db", "DB", 9, "loss of a node's micro-rings (0.125)"),
    SETTING("ocs-db", "DB", 10, "loss of an OCS (2 [ours])"),
    SETTING("ocs-ports", "P", 11, "ports of an OCS (384 [ours])"),
    SETTING("radix", "N", 12, "BCube: maximum number of GPUs of an OCS (--ocs-ports)"),
    SETTING("rows", "LIST", 13, "of rows and columns of rings (nearly as many as columns)"),
    SETTING("wavelength-bandwidth", "B", 14, "of a micro-ring (25 Gb/s)"),
    SETTING("interface-wavelengths", "N", 15, "of a chip (80)"),
    SETTING("run-euros", "E", 16, "cost of a small run of chips (80000)"),
    SETTING("run-chips", "N", 17, "chips of a small run (20)"),
    SETTING("dollars-per-euro", "D", 18, "(1.102, which makes 4408 dollars a chip)"),
    SETTING("mass-factor", "F", 19, "how much less a chip costs in mass production (10)"),
    SETTING("electronics-dollars", "D", 20, "electronics of a chip (300)"),
    SETTING("optics-dollars", "D", 21, "a Gb/s of pluggable optics with SiP (1)"),
    SETTING("sr-dollars", "D", 22, "the same without SiP (3)"),
    SETTING("ocs-port-dollars", "D", 23, "cost of an OCS port (520 [ours])"),
    {"csv", "FILE|-", ORR_OUTPUT, "CSV instead of the text: table,row,figure,value",
     ORR_TEXT(struct arguments, csv)},
    {"json", "FILE|-", ORR_OUTPUT | ORR_DASH, "JSON instead of the text",
     ORR_TEXT(struct arguments, json)},
    ORR_ROWS_END};

/* Makes the settings of the given values. */
static int check(struct arguments *arguments)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        char *text = arguments->text[arguments->sets];
        if (arguments->value[i] != NULL) {
            const int length =
                snprintf(text, SETTING_BYTES, "%s=%s", rows[i].name, arguments->value[i]);
            if (length >= SETTING_BYTES) {
                return orr_usage_error("topo", "too many or too long options", NULL);
            }
            arguments->set[arguments->sets++] = text;
        }
    }
    return arguments->json != NULL && arguments->csv != NULL
               ? orr_usage_error("topo", "expected one of --json and --csv", NULL)
               : 0;
}

struct request {
    struct orrery_topology *topology;
    struct orrery_sip_ml_input input;
    const char *format;
    enum orrery_status status;
};

static int write_metrics(FILE *out, const void *context)
{
    struct request *request = *(struct request *const *)context;
    request->status =
        orrery_topology_write_sip_ml(request->topology, &request->input, out, request->format);
    return request->status == ORRERY_OK ? 0 : 1;
}

/* Checks the settings before the file is opened; messages start with the name of the option. */
static int print_report(struct request *request, const char *path)
{
    struct orrery_sip_ml_figures metrics = {ORRERY_SIZED(orrery_sip_ml_figures)};
    const struct orr_output output = {.path = path, .write = write_metrics};
    bool standard = false;
    request->status = orrery_topology_sip_ml(request->topology, &request->input, &metrics);
    if (request->status == ORRERY_ERROR_INPUT) {
        orr_print_message("orrery topo: --%s\n", orrery_topology_error(request->topology));
        return ORR_EXIT_USAGE;
    }
    return request->status == ORRERY_OK
               ? orr_write_output(&output, &request, &standard)
               : orr_print_api_error(request->status, orrery_topology_error(request->topology));
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.sets = 0};
    int status = orr_parse_options(call, &argc, argv, &arguments);
    status = status == 0 ? check(&arguments) : status;
    if (status != 0) {
        return status;
    }
    const char *path = arguments.csv != NULL    ? arguments.csv
                       : arguments.json != NULL ? arguments.json
                                                : "-";
    struct request request = {.topology = orrery_topology_new(),
                              .input = {ORRERY_SIZED(orrery_sip_ml_input), .set = arguments.set,
                                        .set_count = arguments.sets},
                              .format = arguments.json != NULL  ? "json"
                                        : arguments.csv != NULL ? "csv"
                                                                : "text"};
    if (request.topology == NULL) {
        orr_print_message("orrery topo: out of memory\n");
        return 1;
    }
    const int result = print_report(&request, path);
    orrery_topology_free(request.topology);
    return result;
}

const struct orr_command orr_topo_sip_ml = {
    .name = "sip-ml",
    .parent = "topo",
    .summary = "hardware model of SiP-ML's fabrics",
    .about = "Hardware model of SiP-ML's fabrics (SIGCOMM'21), without a run: duty cycle, power "
             "budget, interfaces and their cost, optical circuit switches (OCSs) of few ports as a "
             "Clos network and as BCube, rows and columns of rings; and the pairs of GPUs that can "
             "have a circuit. Each default is the paper's, or [ours].",
    .rows = rows,
    .run = run_command};
