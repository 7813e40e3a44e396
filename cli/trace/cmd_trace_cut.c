/* orrery trace cut: one step of a trace, or of the traces of all ranks. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_words.h"
#include "report/report.h"

/* The files of a trace or set. */
struct set {
    const char *prefix;
    uint32_t ranks; /* 0: the prefix is one file */
};

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static bool ends_in_gz(const char *path)
{
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* What is read of a rank; NULL when memory is out. */
static const char *input_of(struct orr_arena *arena, const struct set *set, uint32_t rank)
{
    if (set->ranks == 0) {
        return set->prefix;
    }
    const char *plain = orr_arena_printf(arena, "%s.%" PRIu32 ".et", set->prefix, rank);
    return plain == NULL || is_file(plain) ? plain : orr_arena_printf(arena, "%s.gz", plain);
}

static const char *output_of(struct orr_arena *arena, const struct set *set,
                             const struct orr_trace_arguments *arguments, uint32_t rank)
{
    return set->ranks == 0 ? arguments->output
                           : orr_arena_printf(arena, "%s.%" PRIu32 ".et%s", arguments->output, rank,
                                              arguments->gzip ? ".gz" : "");
}

/* ---- the steps there are ---- */

static void print_steps(FILE *out, const struct orr_steps *steps)
{
    orr_print(out, "trace: %s\n%" PRIu32 " step%s\n", steps->trace->path, steps->steps,
              orr_plural(steps->steps));
    if (steps->steps == 0) {
        (void)fputs("no node's name marks one; --marker tells others than \"ProfilerStep#N\", "
                    "\"iteration N\" and \"step N\"\n",
                    out);
        return;
    }
    orr_print(out, "\n%10s %10s %10s  %s\n", "step", "nodes", "from id", "marker");
    for (uint32_t i = 0; i < steps->steps; i++) {
        const struct orr_step *step = &steps->step[i];
        const struct orr_node *marker = &steps->trace->node[step->marker];
        orr_print(out, "%10s %10" PRIu32 " %10" PRIu64 "  ", step->label, step->nodes, marker->id);
        orr_put_short(out, marker->name, ORR_MOST_NAME_BYTES);
        (void)fputc('\n', out);
    }
}

/* Of the first rank. */
static enum orr_status list_steps(struct orr_arena *arena, const struct set *set,
                                  const char *marker, struct orr_diag *diag)
{
    const struct orr_trace *trace;
    struct orr_steps steps;
    const char *path = input_of(arena, set, 0);
    enum orr_status status = path != NULL ? orr_et_read_file(arena, path, &trace, diag)
                                          : orr_diag_no_memory(diag, "a trace");
    if (status == ORR_OK) {
        status = orr_steps_find(arena, trace, marker, &steps, diag);
    }
    if (status == ORR_OK) {
        status = orr_steps_assign(arena, &steps, diag);
    }
    if (status == ORR_OK) {
        print_steps(stdout, &steps);
    }
    return status;
}

/* ---- cutting ---- */

struct sum {
    uint64_t nodes, of, edges, dropped, dropping, group_nodes;
};

static enum orr_status cut_rank(const struct set *set, const struct orr_trace_arguments *arguments,
                                uint32_t rank, struct sum *sum, struct orr_diag *diag)
{
    struct orr_arena *arena = orr_arena_create();
    const char *in = arena != NULL ? input_of(arena, set, rank) : NULL;
    const char *out = arena != NULL ? output_of(arena, set, arguments, rank) : NULL;
    const struct orr_cut cut = {.marker = arguments->marker,
                                .step = arguments->step,
                                .from = arguments->from,
                                .to = arguments->to,
                                .gzip = arguments->gzip || (out != NULL && ends_in_gz(out))};
    const struct orr_trace *trace;
    struct orr_cut_result result;
    enum orr_status status =
        in != NULL && out != NULL ? ORR_OK : orr_diag_no_memory(diag, "a trace");
    if (status == ORR_OK) {
        status = orr_et_read_file(arena, in, &trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_trace_cut(trace, &cut, out, &result, diag);
    }
    if (status == ORR_OK) {
        sum->nodes += result.nodes;
        sum->of += trace->nodes;
        sum->edges += result.edges;
        sum->dropped += result.dropped;
        sum->dropping += result.dropping;
        sum->group_nodes += result.group_nodes;
    }
    orr_arena_destroy(arena);
    return status;
}

/* PREFIX.groups.json goes with a set, as it is. */
static enum orr_status copy_groups(struct orr_arena *arena, const struct set *set,
                                   const char *output, bool *copied, struct orr_diag *diag)
{
    const char *from = orr_arena_printf(arena, "%s.groups.json", set->prefix);
    const char *to = orr_arena_printf(arena, "%s.groups.json", output);
    if (from == NULL || to == NULL) {
        return orr_diag_no_memory(diag, "communicator groups");
    }
    if (!is_file(from)) {
        return ORR_OK;
    }
    char buffer[4096];
    errno = 0;
    FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wb") : NULL;
    bool whole = in != NULL && out != NULL;
    for (size_t count = 1; whole && count != 0;) {
        count = fread(buffer, 1, sizeof buffer, in);
        whole = ferror(in) == 0 && fwrite(buffer, 1, count, out) == count;
    }
    whole = (in == NULL || fclose(in) == 0) && whole;
    whole = (out == NULL || fclose(out) == 0) && whole;
    const struct orr_place place = orr_place_file(to);
    *copied = whole;
    return whole ? ORR_OK
                 : orr_diag_fail(diag, ORR_ERR_IO, &place, "cannot be copied from %s: %s", from,
                                 strerror(errno));
}

static void print_sum(const struct orr_trace_arguments *arguments, const struct set *set,
                      const struct sum *sum, bool groups)
{
    const char *end = arguments->gzip ? ".gz" : "";
    if (set->ranks == 0) {
        orr_print(stdout, "wrote %s", arguments->output);
    } else {
        orr_print(stdout, "wrote %" PRIu32 " trace%s: %s.0.et%s", set->ranks,
                  orr_plural(set->ranks), arguments->output, end);
        if (set->ranks > 1) {
            orr_print(stdout, " to %s.%" PRIu32 ".et%s", arguments->output, set->ranks - 1, end);
        }
        orr_print(stdout, "%s", groups ? ", and the groups" : "");
    }
    orr_print(stdout,
              "\nnodes: %" PRIu64 " of %" PRIu64 "\ndependencies: %" PRIu64
              "; dropped, on nodes outside: %" PRIu64 ", of nodes: %" PRIu64 "\n",
              sum->nodes, sum->of, sum->edges, sum->dropped, sum->dropping);
    if (sum->group_nodes != 0) {
        orr_print(stdout, "nodes from outside kept, as they tell process groups: %" PRIu64 "\n",
                  sum->group_nodes);
    }
}

static enum orr_status cut_set(struct orr_arena *arena, const struct set *set,
                               const struct orr_trace_arguments *arguments, struct orr_diag *diag)
{
    struct sum sum = {0};
    bool groups = false;
    enum orr_status status = ORR_OK;
    for (uint32_t rank = 0; rank < (set->ranks != 0 ? set->ranks : 1) && status == ORR_OK; rank++) {
        status = cut_rank(set, arguments, rank, &sum, diag);
    }
    if (status == ORR_OK && set->ranks != 0) {
        status = copy_groups(arena, set, arguments->output, &groups, diag);
    }
    if (status == ORR_OK) {
        print_sum(arguments, set, &sum, groups);
    }
    return status;
}

static int check(const struct orr_trace_arguments *arguments, bool lists)
{
    if (lists && (arguments->to != NULL || arguments->output != NULL)) {
        return orr_usage_error("trace", "cut: say what to cut out: --step N, or --from NAME", NULL);
    }
    if (arguments->step != NULL && (arguments->from != NULL || arguments->to != NULL)) {
        return orr_usage_error("trace", "cut: --step and --from exclude each other", NULL);
    }
    if (arguments->from != NULL && arguments->marker != NULL) {
        return orr_usage_error("trace", "cut: --marker goes with --step", NULL);
    }
    return lists || arguments->output != NULL
               ? 0
               : orr_usage_error("trace", "cut: -o FILE is missing", NULL);
}

int orr_trace_cut_command(const struct orr_trace_arguments *arguments)
{
    const bool lists = arguments->step == NULL && arguments->from == NULL;
    const int usage = check(arguments, lists);
    if (usage != 0) {
        return usage;
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    struct set set = {.prefix = arguments->file[0]};
    set.ranks = is_file(set.prefix) ? 0 : orr_et_set_size(set.prefix);
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        (void)orr_diag_no_memory(&diag, "a trace");
    } else if (lists) {
        (void)list_steps(arena, &set, arguments->marker, &diag);
    } else {
        (void)cut_set(arena, &set, arguments, &diag);
    }
    orr_arena_destroy(arena);
    return orr_print_diag(&diag);
}
