/* orrery topo sip-ml: hardware model of SiP-ML's fabrics. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/topo/topo_views.h"
#include "cli/write_output.h"
#include "orrery/orrery.h"
#include "orrery/topology.h"
#include "report/table_text.h"

enum { OPT_SETTING = 256, OPT_JSON, OPT_CSV };
enum { MAX_SETTINGS = 64 };

/* Settings are passed to the library as "NAME=VALUE". */
static const struct option options[] = {
    {"gpus", required_argument, NULL, OPT_SETTING},
    {"bandwidth", required_argument, NULL, OPT_SETTING},
    {"ocs", required_argument, NULL, OPT_SETTING},
    {"wavelengths", required_argument, NULL, OPT_SETTING},
    {"group", required_argument, NULL, OPT_SETTING},
    {"hold", required_argument, NULL, OPT_SETTING},
    {"reconfiguration", required_argument, NULL, OPT_SETTING},
    {"budget-db", required_argument, NULL, OPT_SETTING},
    {"coupler-db", required_argument, NULL, OPT_SETTING},
    {"ring-db", required_argument, NULL, OPT_SETTING},
    {"ocs-db", required_argument, NULL, OPT_SETTING},
    {"ocs-ports", required_argument, NULL, OPT_SETTING},
    {"radix", required_argument, NULL, OPT_SETTING},
    {"rows", required_argument, NULL, OPT_SETTING},
    {"wavelength-bandwidth", required_argument, NULL, OPT_SETTING},
    {"interface-wavelengths", required_argument, NULL, OPT_SETTING},
    {"run-euros", required_argument, NULL, OPT_SETTING},
    {"run-chips", required_argument, NULL, OPT_SETTING},
    {"dollars-per-euro", required_argument, NULL, OPT_SETTING},
    {"mass-factor", required_argument, NULL, OPT_SETTING},
    {"electronics-dollars", required_argument, NULL, OPT_SETTING},
    {"optics-dollars", required_argument, NULL, OPT_SETTING},
    {"sr-dollars", required_argument, NULL, OPT_SETTING},
    {"ocs-port-dollars", required_argument, NULL, OPT_SETTING},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", required_argument, NULL, OPT_CSV},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

static const char usage[] =
    "usage: orrery topo sip-ml [options]\n"
    "\n"
    "Hardware model of SiP-ML's fabrics (SIGCOMM'21), without a run: duty cycle, power budget,\n"
    "interfaces and their cost, optical circuit switches (OCSs) of few ports as a Clos network "
    "and\n"
    "as BCube, rows and columns of rings; and the pairs of GPUs that can have a circuit.\n"
    "\n";

static const char help[] =
    "SiP-ML's hardware (topo sip-ml; each default is the paper's, or [ours]):\n"
    "  --gpus N                 number of GPUs (1024)\n"
    "  --bandwidth B            of a GPU each way (8192 Gb/s)\n"
    "  --ocs Q                  SiP-OCS: circuits of a GPU, an OCS each (16)\n"
    "  --wavelengths W          SiP-Ring: wavelengths of a GPU (as its bandwidth needs)\n"
    "  --group K                GPUs of a model-parallel group (16)\n"
    "  --hold LIST              hold times of circuits, such as '100 us,220 us' (multiples of\n"
    "                           the dark time)\n"
    "  --reconfiguration TIME   reconfiguration time, in which light is dark (25 us)\n"
    "  --budget-db DB           power budget: maximum loss of light (10)\n"
    "  --coupler-db DB          loss into and out of a node (0.5)\n"
    "  --ring-db DB             loss of a node's micro-rings (0.125)\n"
    "  --ocs-db DB              loss of an OCS (2 [ours])\n"
    "  --ocs-ports P            ports of an OCS (384 [ours])\n"
    "  --radix N                BCube: maximum number of GPUs of an OCS (--ocs-ports)\n"
    "  --rows LIST              of rows and columns of rings (nearly as many as columns)\n"
    "  --wavelength-bandwidth B     of a micro-ring (25 Gb/s)\n"
    "  --interface-wavelengths N    of a chip (80)\n"
    "  --run-euros E            cost of a small run of chips (80000)\n"
    "  --run-chips N            chips of a small run (20)\n"
    "  --dollars-per-euro D     (1.102, which makes 4408 dollars a chip)\n"
    "  --mass-factor F          how much less a chip costs in mass production (10)\n"
    "  --electronics-dollars D  electronics of a chip (300)\n"
    "  --optics-dollars D       a Gb/s of pluggable optics with SiP (1)\n"
    "  --sr-dollars D           the same without SiP (3)\n"
    "  --ocs-port-dollars D     cost of an OCS port (520 [ours])\n"
    "  --csv FILE               as CSV: table,row,figure,value; - for standard output\n"
    "  --json                   as JSON\n";

struct arguments {
    const char *set[MAX_SETTINGS], *csv;
    char text[MAX_SETTINGS][256];
    size_t sets;
    bool json;
};

static int apply(struct arguments *arguments, int option, const char *name)
{
    char *text = arguments->text[arguments->sets < MAX_SETTINGS ? arguments->sets : 0];
    switch (option) {
    case OPT_JSON:
        arguments->json = true;
        return 0;
    case OPT_CSV:
        arguments->csv = optarg;
        return 0;
    default:
        if (arguments->sets == MAX_SETTINGS || strlen(optarg) > 200) {
            return orr_usage_error("topo", "too many or too long options", NULL);
        }
        (void)snprintf(text, sizeof arguments->text[0], "%s=%s", name, optarg);
        arguments->set[arguments->sets++] = text;
        return 0;
    }
}

/* 0 to go on, < 0 for help. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
    int index = 0;
    opterr = 0;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, &index)) != -1;) {
        if (option == 'h') {
            return -1;
        }
        const int status = option == '?' || option == ':'
                               ? orr_reject_option("topo", options, option, argv[optind - 1])
                               : apply(arguments, option, options[index].name);
        if (status != 0) {
            return status;
        }
    }
    if (argc - optind != 1) {
        return orr_usage_error("topo", "unexpected argument ", argv[optind + 1]);
    }
    return arguments->json && arguments->csv != NULL
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

static int run_view(int argc, char **argv)
{
    struct arguments arguments = {.sets = 0};
    const int status = parse(&arguments, argc, argv);
    if (status < 0) {
        (void)fputs(usage, stdout);
        (void)fputs(help, stdout);
        (void)fputs("\nExit status: 0 done, 1 internal error, 2 bad usage or input.\n", stdout);
    }
    if (status != 0) {
        return status < 0 ? 0 : status;
    }
    struct request request = {.topology = orrery_topology_new(),
                              .input = {ORRERY_SIZED(orrery_sip_ml_input), .set = arguments.set,
                                        .set_count = arguments.sets},
                              .format = arguments.json          ? "json"
                                        : arguments.csv != NULL ? "csv"
                                                                : "text"};
    if (request.topology == NULL) {
        orr_print_message("orrery topo: out of memory\n");
        return 1;
    }
    const int result = print_report(&request, arguments.csv != NULL ? arguments.csv : "-");
    orrery_topology_free(request.topology);
    return result;
}

const struct orr_topo_view orr_topo_view_sip_ml = {
    .name = "sip-ml",
    .usage = "       orrery topo sip-ml [options]\n",
    .summary = "  sip-ml  hardware model of SiP-ML's fabrics: see below\n",
    .help = help,
    .run = run_view};
