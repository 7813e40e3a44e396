/* orrery gen: execution traces of a generated workload. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/gen/gen_model.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "report/table_text.h"
#include "workload/gen/generate.h"

enum gen_option {
    OPT_NPUS = 256,
    OPT_BYTES,
    OPT_OUT,
    OPT_REPEAT,
    OPT_ROOT,
    OPT_LAYERS,
    OPT_BATCH,
    OPT_ELEMENT_BYTES,
    OPT_FORWARD_FLOPS,
    OPT_BACKWARD_FLOPS,
    OPT_OPTIMIZER,
    OPT_GZIP,
    OPT_SET,
    OPT_HELP
};

static const struct option options[] = {
    {"npus", required_argument, NULL, OPT_NPUS},
    {"bytes", required_argument, NULL, OPT_BYTES},
    {"output", required_argument, NULL, OPT_OUT},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"root", required_argument, NULL, OPT_ROOT},
    {"layers", required_argument, NULL, OPT_LAYERS},
    {"batch", required_argument, NULL, OPT_BATCH},
    {"element-bytes", required_argument, NULL, OPT_ELEMENT_BYTES},
    {"forward-flops", required_argument, NULL, OPT_FORWARD_FLOPS},
    {"backward-flops", required_argument, NULL, OPT_BACKWARD_FLOPS},
    {"optimizer", no_argument, NULL, OPT_OPTIMIZER},
    {"gzip", no_argument, NULL, OPT_GZIP},
    {"set", required_argument, NULL, OPT_SET},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static const char help_head[] =
    "usage: orrery gen KIND --npus N --bytes SIZE -o PREFIX [options]\n"
    "       orrery gen WORKLOAD.yml --npus N [--set PATH=VALUE] [-o PREFIX] [--gzip]\n"
    "\n"
    "Writes one execution trace per NPU, PREFIX.0.et to PREFIX.(N-1).et. A workload file (or the\n"
    "name of a model that ships, such as gpt3_175b) is described: parameters, operations, memory\n"
    "and communication of an NPU; with -o its traces are written, and PREFIX.groups.json.\n"
    "\n"
    "Kinds:\n";

static const char help_tail[] =
    "\n"
    "Options:\n"
    "  --npus N              number of NPUs\n"
    "  --bytes SIZE          e.g. \"1 MiB\": data of the collective or message; mlp: parameters\n"
    "                        of one layer (not for barrier)\n"
    "  -o, --output PREFIX   where the files go; the folder must exist\n"
    "  --repeat K            K of them, one after the other; mlp: training steps (default 1)\n"
    "  --root RANK           root of broadcast, reduce, gather and scatter (default 0)\n"
    "  --gzip                compress: PREFIX.RANK.et.gz\n"
    "  --set PATH=VALUE      of a workload file, such as workload.parallel.tensor=8\n"
    "\n"
    "Options of mlp (and --forward-flops of p2p: the work of a stage, default none):\n"
    "  --layers L            layers (default 1)\n"
    "  --batch B             samples per NPU (default 1)\n"
    "  --element-bytes E     bytes of a parameter (default 2)\n"
    "  --forward-flops F     operations of a layer (default 2 x batch x parameters)\n"
    "  --backward-flops F    operations of a layer (default twice the forward ones)\n"
    "  --optimizer           update each layer's parameters behind its all-reduce\n"
    "\n"
    "Exit status: 0 done, 1 internal error, 2 bad usage or input.\n";

struct arguments {
    struct orr_gen gen;
    struct orr_gen_file file; /* path NULL: a kind is generated */
    const char *out;
    bool gzip, has_bytes;
};

enum { MAX_KINDS = 32 };

static int print_help(void)
{
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    (void)fputs(help_head, stdout);
    for (size_t i = 0; i < count; i++) {
        orr_print(stdout, "  %-15s %s\n", kinds[i].name, kinds[i].summary);
    }
    (void)fputs(help_tail, stdout);
    return 0;
}

static int bad_value(const char *option, const char *expected, const char *value)
{
    orr_print_message("orrery gen: --%s: expected %s, got \"%s\"\n", option, expected, value);
    return ORR_EXIT_USAGE;
}

static int parse_count(const char *option, const char *text, int64_t min, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < min || value > INT32_MAX) {
        return bad_value(option,
                         min == 0 ? "a whole number from 0 to 2147483647"
                                  : "a whole number from 1 to 2147483647",
                         text);
    }
    *out = (uint32_t)value;
    return 0;
}

static int parse_flops(const char *option, const char *text, uint64_t *out)
{
    double value;
    if (!orr_parse_number(text, &value) || value < 1 || value > 9e18) {
        return bad_value(option, "a number of operations such as 2e12", text);
    }
    *out = (uint64_t)value;
    return 0;
}

static int parse_size(const char *text, uint64_t *out)
{
    return orr_parse_bytes(text, out)
               ? 0
               : orr_reject_quantity("gen", "bytes", ORR_QUANTITY_BYTES, text);
}

static int apply(int option, const char *value, struct arguments *arguments)
{
    struct orr_gen *gen = &arguments->gen;
    switch (option) {
    case OPT_NPUS:
        return parse_count("npus", value, 1, &gen->npus);
    case OPT_BYTES:
        arguments->has_bytes = true;
        return parse_size(value, &gen->bytes);
    case OPT_OUT:
    case 'o':
        arguments->out = value;
        return 0;
    case OPT_REPEAT:
        return parse_count("repeat", value, 1, &gen->repeat);
    case OPT_ROOT:
        return parse_count("root", value, 0, &gen->root);
    case OPT_LAYERS:
        return parse_count("layers", value, 1, &gen->layers);
    case OPT_BATCH:
        return parse_count("batch", value, 1, &gen->batch);
    case OPT_ELEMENT_BYTES:
        return parse_count("element-bytes", value, 1, &gen->element_bytes);
    case OPT_FORWARD_FLOPS:
        return parse_flops("forward-flops", value, &gen->forward_flops);
    case OPT_BACKWARD_FLOPS:
        return parse_flops("backward-flops", value, &gen->backward_flops);
    case OPT_OPTIMIZER:
        gen->optimizer = true;
        return 0;
    case OPT_SET:
        if (arguments->file.sets == ORR_GEN_MAX_SETS) {
            return orr_usage_error("gen", "too many --set", NULL);
        }
        arguments->file.set[arguments->file.sets++] = value;
        return 0;
    default:
        arguments->gzip = true;
        return 0;
    }
}

/* The kind with this name, in its canonical spelling; NULL: none. */
static const char *find_kind(const char *name)
{
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        if (orr_same_name(kinds[i].name, name)) {
            return kinds[i].name;
        }
    }
    return NULL;
}

/* Rejects a name that is neither a kind nor a workload; suggests the nearest kind, or else the
 * nearest workload that ships. */
static int reject_kind(const char *name)
{
    const char *names[MAX_KINDS];
    char suggestion[ORR_SUGGESTION_BYTES], found[ORR_INPUT_PATH_BYTES];
    size_t count;
    int status = 0;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    ORR_ASSERT(count <= MAX_KINDS);
    for (size_t i = 0; i < count; i++) {
        names[i] = kinds[i].name;
    }
    if (orr_suggest_name(name, names, count, suggestion, sizeof suggestion)[0] == '\0') {
        (void)orr_input_file("workloads", name, found, &status);
        orr_print_message("Kinds of traces: orrery gen --help.\n");
        return status;
    }
    orr_print_message("orrery gen: unknown kind \"%s\"%s\ntry 'orrery gen --help'\n", name,
                      suggestion);
    return ORR_EXIT_USAGE;
}

/* Resolves a name that is not a kind: a file, or a workload that ships. */
static int resolve_file(struct arguments *arguments)
{
    const char *name = arguments->gen.kind;
    struct orr_gen_file *file = &arguments->file;
    if (orr_ships_input("workloads", name, file->found)) {
        file->path = file->found;
    } else if (strpbrk(name, "./") != NULL) {
        file->path = name;
    } else {
        return reject_kind(name);
    }
    file->npus = arguments->gen.npus;
    file->out = arguments->out;
    file->gzip = arguments->gzip;
    return 0;
}

/* Checks the arguments of a kind. */
static int check_kind(const struct arguments *arguments)
{
    const struct orr_gen *gen = &arguments->gen;
    if (arguments->file.sets > 0) {
        return orr_usage_error("gen", "--set is for workload files, not for ", gen->kind);
    }
    if (gen->bytes == 0 && strcmp(gen->kind, "barrier") != 0 && !arguments->has_bytes) {
        return orr_usage_error("gen", "--bytes is missing, such as --bytes \"1 MiB\"", NULL);
    }
    return arguments->out != NULL
               ? 0
               : orr_usage_error("gen", "-o PREFIX is missing: where the traces go", NULL);
}

/* Checks the arguments; 0 or an exit status. */
static int check_arguments(int argc, char **argv, struct arguments *arguments)
{
    if (optind == argc) {
        return orr_usage_error("gen", "the kind of workload is missing", NULL);
    }
    arguments->gen.kind = argv[optind];
    if (optind + 1 < argc) {
        return orr_usage_error("gen", "unexpected argument ", argv[optind + 1]);
    }
    const char *kind = find_kind(arguments->gen.kind);
    const int status = kind == NULL ? resolve_file(arguments) : 0;
    if (status != 0) {
        return status;
    }
    if (arguments->gen.npus == 0) {
        return orr_usage_error("gen", "--npus is missing, such as --npus 8", NULL);
    }
    arguments->file.npus = arguments->gen.npus;
    if (kind == NULL) {
        return 0;
    }
    arguments->gen.kind = kind;
    return check_kind(arguments);
}

/* 0 to go on, < 0 for help, else an exit status. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == OPT_HELP || option == 'h') {
            return -1;
        }
        const int status = option == '?' || option == ':'
                               ? orr_reject_option("gen", options, option, argv[optind - 1])
                               : apply(option, optarg, arguments);
        if (status != 0) {
            return status;
        }
    }
    return check_arguments(argc, argv, arguments);
}

static int run_command(int argc, char **argv)
{
    struct arguments arguments = {.out = NULL};
    const int parsed = parse_arguments(argc, argv, &arguments);
    if (parsed != 0) {
        return parsed < 0 ? print_help() : parsed;
    }
    if (arguments.file.path != NULL) {
        return orr_gen_from_file(&arguments.file);
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_gen_write(&arguments.gen, arguments.out, arguments.gzip, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    const char *end = arguments.gzip ? ".gz" : "";
    orr_print(stdout, "wrote %" PRIu32 " trace%s: %s.0.et%s", arguments.gen.npus,
              orr_plural(arguments.gen.npus), arguments.out, end);
    if (arguments.gen.npus > 1) {
        orr_print(stdout, " to %s.%" PRIu32 ".et%s", arguments.out, arguments.gen.npus - 1, end);
    }
    orr_print(stdout, "\n");
    return 0;
}

const struct orr_command orr_command_gen = {
    "gen", "generate the execution traces of a training job", run_command};
