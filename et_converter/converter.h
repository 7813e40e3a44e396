/* Converters: each reads one foreign format and writes PREFIX.<rank>.et for every rank, with
 * PREFIX.groups.json beside them (trace_output.h), and fills a report (conversion_report.h). A new
 * one is a file and a line of the table in converters.c. */
#ifndef ORR_ET_CONVERTER_CONVERTER_H
#define ORR_ET_CONVERTER_CONVERTER_H

#include "et_converter/conversion_report.h"
#include "network/network.h"

/* Tells how far a converter is; NULL: nobody wants to know. */
struct conv_progress {
    void (*show)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void *user;
};

/* What is to be converted. Everything is borrowed for the call. */
struct conv_job {
    const char *const *files; /* [file_count] what stands without an option */
    size_t file_count;
    const char *out; /* prefix of the files to be written; NULL: only the model */
    bool gzip;
    const struct net_config *platform; /* NULL: not given */
    const char *et, *kineto;           /* paths, with {rank} in them for several ranks; or NULL */
    uint32_t ranks;                    /* 0: not given */
    uint32_t passes;                   /* over the model; 0: not given, 1 */
    double batch_size;                 /* 0: not given */
    const char *model;                 /* file of a model to be written; NULL: none */
    struct conv_progress progress;
};

/* What a converter takes beside files and prefix. */
enum conv_option {
    CONV_NEEDS_PLATFORM =
        1u << 0,               /* --platform must be given; others say whether it has the NPUs */
    CONV_TRACES = 1u << 1,     /* --et, --kineto and --ranks instead of files */
    CONV_PASSES = 1u << 2,     /* --passes */
    CONV_BATCH_SIZE = 1u << 3, /* --batch-size */
    CONV_MODEL = 1u << 4       /* --model, with which the prefix may be missing */
};

struct orr_converter {
    const char *name, *summary;
    unsigned options; /* enum conv_option */
    size_t max_files; /* at least one, unless it takes CONV_TRACES */
    /* Errors name the place in the input, what was expected and what was found; files that were
     * begun may then be left behind. */
    enum orr_status (*run)(const struct conv_job *job, struct conv_report *report,
                           struct orr_diag *diag);
};

/* The table; *count is set. */
const struct orr_converter *orr_converters(size_t *count);

/* By name; NULL when there is none. */
const struct orr_converter *orr_converter_find(const char *name);

/* What a job asks for or lacks that its format does not take or needs. */
enum conv_usage_error {
    CONV_USAGE_OK,
    CONV_NOT_FOR,     /* of other formats: `name` */
    CONV_NO_TRACE,    /* et is missing */
    CONV_NO_FILE,     /* no file */
    CONV_TOO_MANY,    /* a file too many: `name` */
    CONV_NO_PLATFORM, /* which it needs */
    CONV_NO_OUT
};
struct conv_check_result {
    enum conv_usage_error error;
    const char *name;
};

/* `platform`: whether one is given. */
struct conv_check_result orr_converter_check(const struct orr_converter *converter,
                                             const struct conv_job *job, bool platform);

enum { CONV_MAX_PASSES = 1000000, CONV_MAX_BATCH = 1000000000 };

/* Notes a platform, by its name, that is not for as many ranks as there are traces. */
void orr_convert_check_npus(struct conv_report *report, const struct net_config *network,
                            const char *name);

/* PyTorch's execution traces and Kineto profiles (pytorch/). */
enum orr_status orr_convert_pytorch(const struct conv_job *job, struct conv_report *report,
                                    struct orr_diag *diag);

/* ASTRA-sim 1.0 text workloads (text/text.c). */
enum orr_status orr_convert_text(const struct conv_job *job, struct conv_report *report,
                                 struct orr_diag *diag);

/* Execution traces of Chakra, old layouts too (chakra/chakra.c). */
enum orr_status orr_convert_chakra(const struct conv_job *job, struct conv_report *report,
                                   struct orr_diag *diag);

/* FlexFlow task graphs; writes PREFIX.topology.yml too (flexflow/flexflow.c). */
enum orr_status orr_convert_flexflow(const struct conv_job *job, struct conv_report *report,
                                     struct orr_diag *diag);

/* SiP-ML profiles, one file per batch size (sipml/sipml.c). */
enum orr_status orr_convert_sipml(const struct conv_job *job, struct conv_report *report,
                                  struct orr_diag *diag);

#endif
