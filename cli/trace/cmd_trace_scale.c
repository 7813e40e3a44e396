/* orrery trace scale: data-parallel traces for another number of ranks. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace/trace_command.h"
#include "report/report.h"
#include "workload/workload.h"

/* A number of ranks; false when the text is none. */
static bool parse_ranks(const char *text, uint32_t *out)
{
    int64_t value;
    if (!orr_parse_integer(text, &value) || value < 1 || value > INT32_MAX) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static int bad_ranks(const char *option, const char *text)
{
    orr_say("orrery trace: --%s: expected a number of ranks from 1 to 2147483647, got \"%s\"\n",
            option, text);
    return ORR_EXIT_USAGE;
}

/* Fills in N and M; 0 or an exit status. */
static int read_ranks(const struct orr_trace_arguments *arguments, struct orr_trace_scale *scale)
{
    if (arguments->to == NULL || arguments->output == NULL) {
        return orr_usage_error("trace", "scale: --to M and -o PREFIX are needed", NULL);
    }
    if (!parse_ranks(arguments->to, &scale->to)) {
        return bad_ranks("to", arguments->to);
    }
    const uint32_t files = orr_et_set_size(scale->prefix);
    scale->from = files;
    if (arguments->from != NULL && !parse_ranks(arguments->from, &scale->from)) {
        return bad_ranks("from", arguments->from);
    }
    if (files == 0 && arguments->from == NULL) {
        orr_say("%s: no file %s.0.et or %s.0.et.gz; of one file for all ranks, --from tells how "
                "many they are\n",
                scale->prefix, scale->prefix, scale->prefix);
        return ORR_EXIT_USAGE;
    }
    if (files != 0 && files != scale->from) {
        orr_say("%s: --from says %" PRIu32 " rank%s, but there are traces of %" PRIu32 "\n",
                scale->prefix, scale->from, orr_plural(scale->from), files);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static void print_result(const struct orr_trace_scale *scale,
                         const struct orr_trace_scale_result *result)
{
    const char *end = scale->gzip ? ".gz" : "";
    orr_print(stdout,
              "wrote %" PRIu32 " traces of %" PRIu32 " node%s: %s.0.et%s to %s.%" PRIu32
              ".et%s%s\n",
              scale->to, result->nodes, orr_plural(result->nodes), scale->out, end, scale->out,
              scale->to - 1, end, result->group_file ? ", and the groups" : "");
    orr_print(stdout,
              "%" PRIu32 " rank%s to %" PRIu32
              ", each with the work of one: the job's batch grows with them\n",
              scale->from, orr_plural(scale->from), scale->to);
    if (result->gathers != 0) {
        orr_print(stdout,
                  "all-gathers of a rank: %" PRIu32
                  ", of the same whole in shards of another size; rounded up: %" PRIu32 "\n",
                  result->gathers, result->rounded);
    }
    if (result->gathers + result->scatters != 0) {
        orr_print(stdout,
                  "computation on shards (a sharded optimizer) is not scaled: no trace tells "
                  "which it is\n");
    }
    if (result->untimed != 0) {
        orr_print(stdout,
                  "recorded durations of collectives left out, as they are of %" PRIu32
                  " ranks: %" PRIu32 " of a rank\n",
                  scale->from, result->untimed);
    }
    if (result->groups_left != 0) {
        orr_print(stdout, "groups of some ranks left out, as no node uses them: %" PRIu32 "\n",
                  result->groups_left);
    }
}

int orr_trace_scale_command(const struct orr_trace_arguments *arguments)
{
    struct orr_trace_scale scale = {
        .prefix = arguments->file[0], .out = arguments->output, .gzip = arguments->gzip};
    const int usage = read_ranks(arguments, &scale);
    if (usage != 0) {
        return usage;
    }
    struct orr_diag diag;
    struct orr_trace_scale_result result;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    if (orr_trace_scale(&scale, &result, &diag) == ORR_OK) {
        print_result(&scale, &result);
    }
    return orr_print_diag(&diag);
}
