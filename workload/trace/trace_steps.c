/* The steps of a trace; see trace_steps.h. */
#include "workload/trace/trace_steps.h"

#include "core/diag.h"
#include "core/strings.h"
#include "workload/trace/trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The pattern of marker names. */
struct pattern {
    const char *text; /* NULL: the default pattern */
    regex_t regex;
    bool has_regex;
};

/* The match in a name; end 0: no match. */
struct span {
    size_t begin, end;
};

/* ---- names ---- */

/* "ProfilerStep#12", "iteration 12", "iter_12", "step 12 layer 3", but not "step_size". */
static struct span match_default(const char *name)
{
    static const char *const words[] = {"iteration", "iter", "step"};
    const char *profiler = strstr(name, "ProfilerStep#");
    if (profiler != NULL && isdigit((unsigned char)profiler[13]) != 0) {
        const size_t begin = (size_t)(profiler - name);
        return (struct span){begin, begin + 13};
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if (strncasecmp(name, words[i], length) == 0) {
            const size_t end = length + strspn(name + length, " _#:=-");
            if (isdigit((unsigned char)name[end]) != 0) {
                return (struct span){0, end};
            }
        }
    }
    return (struct span){0, 0};
}

static struct span match_name(const struct pattern *pattern, const char *name)
{
    if (pattern->text == NULL) {
        return match_default(name);
    }
    const char *found = strstr(name, pattern->text);
    if (found != NULL) {
        const size_t begin = (size_t)(found - name);
        return (struct span){begin, begin + strlen(pattern->text)};
    }
    regmatch_t match;
    if (pattern->has_regex && regexec(&pattern->regex, name, 1, &match, 0) == 0 &&
        match.rm_eo > match.rm_so) {
        return (struct span){(size_t)match.rm_so, (size_t)match.rm_eo};
    }
    return (struct span){0, 0};
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

/* The number that names the step: *length of its digits, 0 for none. */
static const char *find_label(const char *name, struct span span, size_t *length)
{
    const char *at = name + span.end;
    *length = digits_at(at);
    if (*length != 0) {
        while (at > name && isdigit((unsigned char)at[-1]) != 0 &&
               (size_t)(at - name) > span.begin) {
            at--;
            ++*length;
        }
        return at;
    }
    for (size_t i = span.end; i > span.begin; i--) {
        if (isdigit((unsigned char)name[i - 1]) != 0) {
            while (i > span.begin + 1 && isdigit((unsigned char)name[i - 2]) != 0) {
                i--;
            }
            *length = digits_at(name + i - 1);
            return name + i - 1;
        }
    }
    at += strcspn(at, "0123456789");
    *length = digits_at(at);
    return at;
}

/* ---- markers ---- */

struct finder {
    struct orr_arena *arena;
    struct orr_strings labels; /* one for each step */
    struct orr_steps *steps;
    size_t capacity;
    uint32_t without_number;
};

/* Adds a marker to the step of its label, which is created if it is new; false when memory is out.
 */
static bool add_marker(struct finder *finder, uint32_t node, struct span span)
{
    struct orr_steps *steps = finder->steps;
    char count[16];
    size_t length;
    const char *label = find_label(steps->trace->node[node].name, span, &length);
    if (length == 0) {
        label = count;
        length = (size_t)snprintf(count, sizeof count, "%" PRIu32, finder->without_number++);
    }
    const uint32_t index = orr_strings_add(&finder->labels, label, length);
    if (index == steps->steps) {
        struct orr_step *grown = orr_arena_grow(finder->arena, steps->step, &finder->capacity,
                                                index + (size_t)1, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        steps->step = grown;
        grown[steps->steps++] =
            (struct orr_step){.label = finder->labels.text[index], .marker = node};
    }
    steps->of[node] = index + 1;
    return index != UINT32_MAX;
}

static enum orr_status steps_init(struct orr_arena *arena, const struct orr_trace *trace,
                                  struct orr_steps *out, struct orr_diag *diag)
{
    *out = (struct orr_steps){.trace = trace,
                              .of = orr_arena_array(arena, trace->nodes, sizeof *out->of)};
    return out->of != NULL ? ORR_OK : orr_diag_no_memory(diag, "the steps of a trace");
}

enum orr_status orr_steps_find(struct orr_arena *arena, const struct orr_trace *trace,
                               const char *text, struct orr_steps *out, struct orr_diag *diag)
{
    enum orr_status status = steps_init(arena, trace, out, diag);
    struct finder finder = {.arena = arena, .steps = out};
    struct pattern pattern = {.text = text};
    orr_strings_init(&finder.labels, arena);
    pattern.has_regex = text != NULL && regcomp(&pattern.regex, text, REG_EXTENDED) == 0;
    for (uint32_t i = 0; i < trace->nodes && status == ORR_OK; i++) {
        const struct span span = match_name(&pattern, trace->node[i].name);
        if (span.end != 0 && !add_marker(&finder, i, span)) {
            status = orr_diag_no_memory(diag, "the steps of a trace");
        }
    }
    if (pattern.has_regex) {
        regfree(&pattern.regex);
    }
    return status;
}

/* ---- between two nodes ---- */

/* The first node from `first` on with this name, else the first that contains it; UINT32_MAX: none.
 */
static uint32_t find_node(const struct orr_trace *trace, uint32_t first, const char *name)
{
    uint32_t holds = UINT32_MAX;
    for (uint32_t i = first; i < trace->nodes; i++) {
        if (strcmp(trace->node[i].name, name) == 0) {
            return i;
        }
        if (holds == UINT32_MAX && strstr(trace->node[i].name, name) != NULL) {
            holds = i;
        }
    }
    return holds;
}

static enum orr_status add_named(struct orr_steps *steps, uint32_t first, const char *name,
                                 struct orr_diag *diag)
{
    const struct orr_trace *trace = steps->trace;
    const uint32_t node = find_node(trace, first, name);
    if (node == UINT32_MAX) {
        const struct orr_location location = orr_location_file(trace->path);
        return steps->steps == 0
                   ? orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                   "no node is named \"%s\", nor contains it in its name", name)
                   : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                   "no node after node %" PRIu64
                                   " is named \"%s\", nor contains it in its name",
                                   trace->node[first - 1].id, name);
    }
    steps->step[steps->steps++] = (struct orr_step){.label = name, .marker = node};
    steps->of[node] = steps->steps;
    return ORR_OK;
}

enum orr_status orr_steps_between(struct orr_arena *arena, const struct orr_trace *trace,
                                  const char *from, const char *to, struct orr_steps *out,
                                  struct orr_diag *diag)
{
    enum orr_status status = steps_init(arena, trace, out, diag);
    if (status != ORR_OK) {
        return status;
    }
    out->step = orr_arena_array(arena, 2, sizeof *out->step);
    if (out->step == NULL) {
        return orr_diag_no_memory(diag, "the steps of a trace");
    }
    status = add_named(out, 0, from, diag);
    return status == ORR_OK && to != NULL ? add_named(out, out->step[0].marker + 1, to, diag)
                                          : status;
}

/* ---- all nodes ---- */

static bool has_cpu_operations(const struct orr_trace *trace)
{
    uint32_t i = 0;
    while (i < trace->nodes && (trace->node[i].flags & ORR_NODE_IS_CPU) == 0) {
        i++;
    }
    return i < trace->nodes;
}

/* Assigns by markers and ids; parents are considered later. */
static void assign_by_id(struct orr_steps *steps)
{
    const struct orr_trace *trace = steps->trace;
    const bool has_cpu = has_cpu_operations(trace);
    uint32_t begun = 0; /* steps whose first marker has been reached */
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        begun += begun < steps->steps && steps->step[begun].marker == i ? 1 : 0;
        const bool launched = has_cpu && (node->flags & ORR_NODE_IS_CPU) == 0 &&
                              node->kind != ORR_NODE_METADATA && trace->parents[i] != 0;
        if (steps->of[i] == 0 && !launched) {
            steps->of[i] = begun;
        }
    }
}

enum orr_status orr_steps_assign(struct orr_arena *arena, struct orr_steps *steps,
                                 struct orr_diag *diag)
{
    const struct orr_trace *trace = steps->trace;
    const uint32_t *order;
    const enum orr_status status = orr_trace_order(arena, trace, &order, diag);
    if (status != ORR_OK) {
        return status;
    }
    assign_by_id(steps);
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const uint32_t node = order[i], of = steps->of[node];
        if (of != 0) {
            steps->step[of - 1].nodes++;
        }
        for (uint32_t e = trace->node[node].first_child; e < orr_trace_child_end(trace, node);
             e++) {
            uint32_t *child = &steps->of[trace->children[e]];
            *child = of > *child ? of : *child;
        }
    }
    return ORR_OK;
}
