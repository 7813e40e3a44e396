/* Arguments and actions of orrery trace. Each action prints and returns an exit status. */
#ifndef ORR_CLI_TRACE_TRACE_COMMAND_H
#define ORR_CLI_TRACE_TRACE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

struct orr_trace_arguments {
    char **file; /* [files] */
    int files;
    bool gzip;
    const char *json;                      /* file, "-"; NULL: not given */
    uint32_t top;                          /* rows of a table; UINT32_MAX: all */
    const char *output;                    /* -o */
    const char *step, *marker, *from, *to; /* of cut, step of info; or NULL */
    uint32_t npus, traces;                 /* of scale; 0: not given */
    const char *csv, *report;              /* of info; NULL: not given */
    const char *line;                      /* the command as it was given */
};

int orr_trace_profile_command(const struct orr_trace_arguments *arguments);
int orr_trace_stats_command(const struct orr_trace_arguments *arguments);
int orr_trace_cut_command(const struct orr_trace_arguments *arguments);
int orr_trace_scale_command(const struct orr_trace_arguments *arguments);

#endif
