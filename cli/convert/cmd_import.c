/* orrery import: what a model's files say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convert/import_profile.h"
#include "cli/options.h"
#include "cli/study_output.h"
#include "cli/write_output.h"
#include "core/conf/conf.h"
#include "et_converter/converter.h"
#include "orrery/convert.h"
#include "orrery/import.h"
#include "report/table_text.h"

struct arguments {
    struct orr_texts files;
    struct orrery_import given;
    const char *json, *csv, *output;
};

static const struct orr_option rows[] = {
    {NULL, "FILE", ORR_INPUT | ORR_POSITIONAL | ORR_REPEATED,
     "a model's config.json (Hugging Face), arguments of Megatron (a command line, a script, a "
     "log, a recipe), NeMo, torchtitan or Hugging Face's Trainer, a configuration of DeepSpeed or "
     "accelerate; or profiles of torch.profiler: files, a folder, a 'PATTERN'",
     ORR_LIST(struct arguments, files)},
    {"sequence", "N", ORR_VALUE,
     "tokens at which operations are counted (default: the files', else 4096)",
     ORR_NUMBER(struct arguments, given.sequence, 1, 1 << 30)},
    {"npus", "N", ORR_VALUE,
     "NPUs that the job runs on: its data-parallel ranks are what tensor, pipeline and context "
     "leave (default: the processes that the files say)",
     ORR_NUMBER(struct arguments, given.npus, 1, INT32_MAX)},
    ORR_HEAD("Output:"),
    {"output", "JOB.yml", ORR_OUTPUT,
     "the model as a workload file; of profiles the traces JOB.RANK.et too; of another trace that "
     "orrery convert takes the prefix of its files",
     ORR_TEXT(struct arguments, output)},
    ORR_ROW_JSON(struct arguments, json, "the file's kind, what was understood, and the model",
                 ORR_DASH),
    ORR_ROW_CSV(struct arguments, csv, "a line for each value of a workload file, with its origin"),
    ORR_ROWS_END};

/* The workload as a text, made before anything is written. */
struct text {
    char *text;
    size_t bytes;
};

static int write_text(FILE *out, const void *text)
{
    const struct text *of = text;
    return fwrite(of->text, 1, of->bytes, out) == of->bytes ? 0 : 1;
}

static int write_workload(const char *path, struct orrery_study *study, bool *quiet)
{
    struct text text = {NULL, 0};
    FILE *memory = open_memstream(&text.text, &text.bytes);
    if (memory == NULL) {
        orr_print_message("orrery import: out of memory\n");
        return 1;
    }
    const enum orrery_status status = orrery_import_workload(study, memory);
    const bool closed = fclose(memory) == 0;
    const struct orr_output output = {path, write_text};
    const int result = status != ORRERY_OK ? orr_print_api_error(status, orrery_study_error(study))
                       : closed            ? orr_write_output(&output, &text, quiet)
                                           : 1;
    free(text.text);
    return result;
}

/* Converts a trace of another program; `output` is the prefix of its files. */
static int convert(const struct arguments *arguments, const struct orr_converter *converter)
{
    const bool traces = (converter->options & CONV_TRACES) != 0;
    const char *const *file = arguments->files.text;
    const struct orrery_convert what = {ORRERY_SIZED(orrery_convert),  .format = converter->name,
                                        .files = traces ? NULL : file, .file_count = traces ? 0 : 1,
                                        .et = traces ? file[0] : NULL, .out = arguments->output};
    struct orrery_conversion *conversion = orrery_conversion_new();
    if (conversion == NULL) {
        orr_print_message("orrery import: out of memory\n");
        return 1;
    }
    orrery_conversion_on_warning(conversion, orr_print_warning, NULL);
    enum orrery_status status = orrery_convert(conversion, &what);
    if (status == ORRERY_OK) {
        status = orrery_conversion_write(conversion, stdout, false);
    }
    const int result =
        status == ORRERY_OK ? 0 : orr_print_api_error(status, orrery_conversion_error(conversion));
    orrery_conversion_free(conversion);
    return result;
}

/* The converter of a trace for which an output is asked; NULL: the file is none. */
static const struct orr_converter *converter_of(const struct arguments *arguments)
{
    const char *what = NULL, *where = NULL;
    return arguments->output != NULL && arguments->files.count == 1 &&
                   orr_conf_what_is(arguments->files.text[0], &what, &where)
               ? orr_converter_for(what)
               : NULL;
}

static int report(const struct arguments *arguments, struct orrery_study *study)
{
    bool quiet = false;
    int result = arguments->output != NULL ? write_workload(arguments->output, study, &quiet) : 0;
    result = result == 0 ? orr_write_study_files(study, arguments->json, arguments->csv, &quiet)
                         : result;
    return result != 0 || quiet || arguments->output != NULL ? result
                                                             : orr_write_study_table(stdout, study);
}

static void warn(void *user, const char *text)
{
    orr_print_warning(user, text);
}

static int run_command(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.given = {ORRERY_SIZED(orrery_import), .warn = warn}};
    const int usage = orr_parse_options(call, &argc, argv, &arguments);
    if (usage != 0) {
        return usage;
    }
    if (orr_import_is_profile(&arguments.files)) {
        const struct orr_import_profile import = {.files = &arguments.files,
                                                  .output = arguments.output,
                                                  .json = arguments.json,
                                                  .csv = arguments.csv};
        return orr_import_profile(&import);
    }
    arguments.given.file = arguments.files.text;
    arguments.given.files = arguments.files.count;
    const struct orr_converter *converter = converter_of(&arguments);
    if (converter != NULL) {
        return convert(&arguments, converter);
    }
    struct orrery_study *study = orrery_study_new();
    if (study == NULL) {
        orr_print_message("orrery import: out of memory\n");
        return 1;
    }
    const enum orrery_status status = orrery_import(study, &arguments.given);
    const int result = status == ORRERY_OK ? report(&arguments, study)
                                           : orr_print_api_error(status, orrery_study_error(study));
    orrery_study_free(study);
    return result;
}

const struct orr_command orr_command_import = {
    .name = "import",
    .summary = "what a model's or launch files, or profiles, say",
    .about =
        "Says what files are that describe a model or how it is trained, what was understood "
        "of them and what was not; counts the model's parameters and the operations of a "
        "token; writes a workload file. Several files are read together; where they contradict "
        "each other the first one counts. Of profiles of torch.profiler it tells each rank's GPU "
        "time, and with -o makes the job of them. Says what another file is, and converts a trace.",
    .rows = rows,
    .run = run_command};
