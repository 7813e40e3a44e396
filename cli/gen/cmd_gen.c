/* orrery gen: execution traces of a generated workload. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/gen/gen_model.h"
#include "cli/import_job.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "report/table_text.h"
#include "workload/gen/generate.h"

struct arguments {
    struct orr_gen gen;
    struct orr_gen_file file; /* path NULL: a kind is generated */
    struct orr_import_job import;
    const char *out;
    bool gzip, has_bytes;
};

enum { MAX_KINDS = 32 };

static int parse_flops(const char *option, const char *text, uint64_t *out)
{
    double value;
    if (!orr_parse_number(text, &value) || value < 1 || value > 9e18) {
        return orr_reject_value("gen", option, "a number of operations such as 2e12", text, "");
    }
    *out = (uint64_t)value;
    return 0;
}

static int set_forward(void *context, const char *text)
{
    return parse_flops("forward-flops", text, &((struct arguments *)context)->gen.forward_flops);
}

static int set_backward(void *context, const char *text)
{
    return parse_flops("backward-flops", text, &((struct arguments *)context)->gen.backward_flops);
}

static int set_bytes(void *context, const char *text)
{
    struct arguments *arguments = context;
    arguments->has_bytes = true;
    return orr_parse_bytes(text, &arguments->gen.bytes)
               ? 0
               : orr_reject_quantity("gen", "bytes", ORR_QUANTITY_BYTES, text);
}

static const struct orr_option rows[] = {
    {NULL, "KIND", ORR_WORKLOAD | ORR_POSITIONAL | ORR_OPTIONAL,
     "a kind, or a workload file (or the name of a model that ships, such as gpt3_175b), which is "
     "described: parameters, operations, memory and communication of an NPU; with -o its traces "
     "are written, and PREFIX.groups.json",
     ORR_TEXT(struct arguments, gen.kind)},
    {"npus", "N", ORR_VALUE, "number of NPUs",
     ORR_NUMBER(struct arguments, gen.npus, 1, INT32_MAX)},
    ORR_ROW_FROM(struct arguments, import),
    {"bytes", "SIZE", ORR_VALUE,
     "e.g. \"1 MiB\": data of the collective or message; mlp: parameters of one layer (not for "
     "barrier)",
     ORR_CALL(set_bytes)},
    {"output", "PREFIX", ORR_PREFIX, "where the files go; the folder must exist",
     ORR_TEXT(struct arguments, out)},
    {"repeat", "K", ORR_VALUE, "K of them, one after the other; mlp: training steps (default 1)",
     ORR_NUMBER(struct arguments, gen.repeat, 1, INT32_MAX)},
    {"root", "RANK", ORR_VALUE, "root of broadcast, reduce, gather and scatter (default 0)",
     ORR_NUMBER(struct arguments, gen.root, 0, INT32_MAX)},
    {"gzip", NULL, ORR_FLAG, "compress: PREFIX.RANK.et.gz", ORR_TRUE(struct arguments, gzip)},
    ORR_ROW_SET(struct arguments, file.set,
                " of a workload file, such as workload.parallel.tensor=8"),
    ORR_HEAD("Options of mlp (and --forward-flops of p2p: the work of a stage, default none):"),
    {"layers", "L", ORR_VALUE, "layers (default 1)",
     ORR_NUMBER(struct arguments, gen.layers, 1, INT32_MAX)},
    {"batch", "B", ORR_VALUE, "samples per NPU (default 1)",
     ORR_NUMBER(struct arguments, gen.batch, 1, INT32_MAX)},
    {"element-bytes", "E", ORR_VALUE, "bytes of a parameter (default 2)",
     ORR_NUMBER(struct arguments, gen.element_bytes, 1, INT32_MAX)},
    {"forward-flops", "F", ORR_VALUE, "operations of a layer (default 2 x batch x parameters)",
     ORR_CALL(set_forward)},
    {"backward-flops", "F", ORR_VALUE, "operations of a layer (default twice the forward ones)",
     ORR_CALL(set_backward)},
    {"optimizer", NULL, ORR_FLAG, "update each layer's parameters behind its all-reduce",
     ORR_TRUE(struct arguments, gen.optimizer)},
    ORR_ROWS_END};

static bool kind_at(size_t index, struct orr_word *word)
{
    size_t count;
    const struct orr_gen_kind *kinds = orr_gen_kinds(&count);
    if (index < count) {
        *word = (struct orr_word){kinds[index].name, kinds[index].summary};
    }
    return index < count;
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
    if (arguments->file.set.count > 0) {
        return orr_usage_error("gen", "--set is for workload files, not for ", gen->kind);
    }
    if (gen->bytes == 0 && strcmp(gen->kind, "barrier") != 0 && !arguments->has_bytes) {
        return orr_usage_error("gen", "--bytes is missing, such as --bytes \"1 MiB\"", NULL);
    }
    return arguments->out != NULL
               ? 0
               : orr_usage_error("gen", "-o PREFIX is missing: where the traces go", NULL);
}

/* Imports the workload of --from. */
static int import_workload(struct arguments *arguments)
{
    struct orr_gen_file *file = &arguments->file;
    if (arguments->gen.kind != NULL) {
        return orr_usage_error("gen", "--from goes without a kind or workload, got ",
                               arguments->gen.kind);
    }
    file->path = arguments->import.name;
    file->text = arguments->import.text;
    file->out = arguments->out;
    file->gzip = arguments->gzip;
    return orr_import_job(&arguments->import, arguments->gen.npus);
}

/* Finds what is generated: a kind, which is set, or a workload. */
static int find_workload(struct arguments *arguments, const char **kind)
{
    *kind = NULL;
    if (arguments->import.from.count > 0) {
        return import_workload(arguments);
    }
    if (arguments->gen.kind == NULL) {
        return orr_usage_error("gen", "the kind of workload is missing", NULL);
    }
    *kind = find_kind(arguments->gen.kind);
    return *kind == NULL ? resolve_file(arguments) : 0;
}

/* Checks the arguments; 0 or an exit status. */
static int check_arguments(struct arguments *arguments)
{
    const char *kind;
    const int status = find_workload(arguments, &kind);
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

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.out = NULL};
    int status = orr_parse_options(call, &argc, argv, &arguments);
    status = status == 0 ? check_arguments(&arguments) : status;
    if (status != 0) {
        return status;
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
    .name = "gen",
    .summary = "generate the execution traces of a training job",
    .about =
        "Writes one execution trace per NPU, PREFIX.0.et to PREFIX.(N-1).et. A workload file is "
        "described, and its traces written with -o.",
    .forms = "KIND --npus --bytes --output [options]\n"
             "WORKLOAD.yml --npus [--set] [--output] [--gzip]\n"
             "--from --npus [--set] [--output] [--gzip]",
    .rows = rows,
    .word = kind_at,
    .words = "Kinds",
    .run = run_command};
