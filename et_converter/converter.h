/* Converters. Each reads one foreign format, writes PREFIX.<rank>.et for every rank and
 * PREFIX.groups.json (trace_output.h), and fills a report (conversion_report.h). To add one, write
 * a file and a line of converter_list.h. */
#ifndef ORR_ET_CONVERTER_CONVERTER_H
#define ORR_ET_CONVERTER_CONVERTER_H

#include "et_converter/conversion_report.h"

struct net_config;
struct orr_diag;

/* Callback for the progress of a converter; show NULL: none. */
struct conv_progress {
    void (*show)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void *user;
};

/* What stands in for ranks of a job that no file is of: nothing, so that they are an error; the
 * recorded times of what they take part in; copies of the nearest given ranks. */
enum conv_missing { CONV_MISSING_REFUSED, CONV_MISSING_REPLAY, CONV_MISSING_COPY };

/* `replay` or `copy`; false: neither. */
bool orr_conv_missing_of(const char *text, enum conv_missing *out);

/* Arguments of a conversion, borrowed during the call. */
struct conv_job {
    const char *const *files; /* [file_count] positional arguments */
    size_t file_count;
    const char *out; /* prefix of the output files; NULL: only the model is written */
    bool gzip;
    const struct net_config *platform; /* NULL: not given */
    /* paths, with {rank} in them for several ranks; or NULL. Profiles without traces are also
     * folders and patterns, and files behind them */
    const char *et, *kineto;
    const char *step; /* of profiles without traces: a number, "all"; NULL: the last whole one */
    uint32_t ranks;   /* 0: not given */
    enum conv_missing missing;
    uint32_t passes;   /* over the model; 0: not given, 1 */
    double batch_size; /* 0: not given */
    const char *model; /* model file to write; NULL: none */
    struct conv_progress progress;
};

/* Arguments that a converter supports in addition to files and prefix. */
enum conv_option {
    CONV_NEEDS_PLATFORM = 1u << 0, /* --platform is required; others compare its NPUs */
    CONV_TRACES = 1u << 1,         /* --et, --kineto and --ranks; files are further profiles */
    CONV_PASSES = 1u << 2,         /* --passes */
    CONV_BATCH_SIZE = 1u << 3,     /* --batch-size */
    CONV_MODEL = 1u << 4           /* --model; the prefix is then optional */
};

struct orr_converter {
    const char *name, *summary;
    const char *reads; /* what its files are, as the recogniser of files calls them; NULL: the
                        * converter asks it itself */
    const char *alone; /* likewise of a file that it takes alone, where `reads` is NULL */
    unsigned options;  /* enum conv_option */
    size_t max_files;  /* at least one, except with CONV_TRACES */
    /* Errors name the location in the input, the expected and the actual value. After an error,
     * incomplete output files may remain. */
    enum orr_status (*run)(const struct conv_job *job, struct conv_report *report,
                           struct orr_diag *diag);
};

/* The table of converters; sets *count. */
const struct orr_converter *const *orr_converters(size_t *count);

/* Runs a converter; an error of a file of another format says which that is. */
enum orr_status orr_converter_run(const struct orr_converter *converter, const struct conv_job *job,
                                  struct conv_report *report, struct orr_diag *diag);

/* The converter of profiles of torch.profiler. */
const struct orr_converter *orr_converter_of_profiles(void);

/* The converter of this name; NULL: none. */
const struct orr_converter *orr_converter_find(const char *name);

/* The converter that takes a file alone, by what the recogniser calls it; NULL: none. */
const struct orr_converter *orr_converter_for(const char *what);

/* Why a format rejects the arguments of a conversion. */
enum conv_usage_error {
    CONV_USAGE_OK,
    CONV_NOT_FOR,     /* the option `name` belongs to other formats */
    CONV_NO_TRACE,    /* --et is missing */
    CONV_NO_FILE,     /* no input file */
    CONV_TOO_MANY,    /* too many files; the first is `name` */
    CONV_NO_PLATFORM, /* the required --platform is missing */
    CONV_NO_OUT
};
struct conv_check_result {
    enum conv_usage_error error;
    const char *name;
};

/* Checks the arguments against what the format supports and needs; `platform`: --platform is
 * given. */
struct conv_check_result orr_converter_check(const struct orr_converter *converter,
                                             const struct conv_job *job, bool platform);

enum { CONV_MAX_PASSES = 1000000, CONV_MAX_BATCH = 1000000000 };

/* Adds a note if the platform called `name` has not as many NPUs as there are traces. */
void orr_convert_check_npus(struct conv_report *report, const struct net_config *network,
                            const char *name);

/* PyTorch execution traces and Kineto profiles (pytorch/). */
enum orr_status orr_convert_pytorch(const struct conv_job *job, struct conv_report *report,
                                    struct orr_diag *diag);

/* ASTRA-sim 1.0 text workloads (text/text.c). */
enum orr_status orr_convert_text(const struct conv_job *job, struct conv_report *report,
                                 struct orr_diag *diag);

/* Chakra execution traces, legacy layouts included (chakra/chakra.c). */
enum orr_status orr_convert_chakra(const struct conv_job *job, struct conv_report *report,
                                   struct orr_diag *diag);

/* FlexFlow task graphs; also writes PREFIX.topology.yml (flexflow/flexflow.c). */
enum orr_status orr_convert_flexflow(const struct conv_job *job, struct conv_report *report,
                                     struct orr_diag *diag);

#endif
