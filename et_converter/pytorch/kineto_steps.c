/* Steps of a profile; see kineto_steps.h. */
#include "et_converter/pytorch/kineto_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "et_converter/pytorch/steps_private.h"

static const char mark[] = "ProfilerStep#";

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the steps of a profile");
}

/* The number of a step's row; false: the operator is none. */
static bool is_step(const struct kt_trace *kineto, const struct kt_op *op, int64_t *number)
{
    const char *name = kineto->strings->text[op->name];
    return op->is_annotation && strncmp(name, mark, sizeof mark - 1) == 0 &&
           orr_parse_integer(name + sizeof mark - 1, number);
}

static int compare_steps(const void *a, const void *b)
{
    const struct kt_step *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static bool has_number(const struct kt_steps *steps, int64_t number)
{
    for (uint32_t s = 0; s < steps->count; s++) {
        if (steps->step[s].number == number) {
            return true;
        }
    }
    return false;
}

static bool list_steps(const struct kt_trace *kineto, struct kt_steps *out)
{
    size_t capacity = 0;
    int64_t number;
    for (uint32_t i = 0; i < kineto->ops; i++) {
        const struct kt_op *op = &kineto->op[i];
        if (!is_step(kineto, op, &number) || has_number(out, number)) {
            continue;
        }
        struct kt_step *grown = orr_arena_grow(kineto->arena, out->step, &capacity,
                                               (size_t)out->count + 1, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        out->step = grown;
        grown[out->count++] = (struct kt_step){.number = number,
                                               .start_ns = op->start_ns,
                                               .end_ns = op->end_ns,
                                               .is_whole = !op->is_unfinished};
    }
    if (out->count > 1) {
        qsort(out->step, out->count, sizeof *out->step, compare_steps);
    }
    return true;
}

/* The last step that began by the time, unless it is the last of all and has ended before. */
static uint32_t step_at(const struct kt_steps *steps, int64_t time_ns)
{
    uint32_t low = 0, high = steps->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool begun = steps->step[middle].start_ns <= time_ns;
        low = begun ? middle + 1 : low;
        high = begun ? high : middle;
    }
    const bool behind = low == steps->count && low > 0 && steps->step[low - 1].end_ns < time_ns;
    return low == 0 || behind ? PT_NONE : low - 1;
}

static bool pair_works(const struct kt_trace *kineto, struct kt_steps *out)
{
    struct pt_builder builder = {
        .kineto = kineto,
        .work_of_call = orr_arena_array(kineto->arena, (size_t)kineto->calls + 1, sizeof(uint32_t)),
        .call_of_work =
            orr_arena_array(kineto->arena, (size_t)kineto->works + 1, sizeof(uint32_t))};
    builder.complete = builder.work_of_call != NULL && builder.call_of_work != NULL;
    if (builder.complete) {
        orr_pytorch_pair_works(&builder);
    }
    out->call_of_work = builder.call_of_work;
    return builder.complete;
}

enum orr_status orr_kineto_steps(const struct kt_trace *kineto, struct kt_steps *out,
                                 struct orr_diag *diag)
{
    *out = (struct kt_steps){0};
    out->of_work = orr_arena_array(kineto->arena, (size_t)kineto->works + 1, sizeof(uint32_t));
    if (out->of_work == NULL || !list_steps(kineto, out) || !pair_works(kineto, out)) {
        return no_memory(diag);
    }
    for (uint32_t w = 0; w < kineto->works; w++) {
        const uint32_t call = out->call_of_work[w];
        out->of_work[w] =
            step_at(out, call != PT_NONE ? kineto->call[call].start_ns : kineto->work[w].start_ns);
        if (out->of_work[w] != PT_NONE) {
            out->step[out->of_work[w]].works++;
        }
    }
    for (uint32_t s = 0; s < out->count; s++) {
        out->step[s].is_whole =
            out->step[s].is_whole && (out->step[s].works > 0 || kineto->works == 0);
    }
    return ORR_OK;
}

/* "3 to 5", or "none". */
static void describe(const struct kt_steps *steps, char *text, size_t bytes)
{
    if (steps->count == 0) {
        (void)snprintf(text, bytes, "it has no rows \"%sN\", call prof.step() behind each step",
                       mark);
    } else if (steps->count == 1) {
        (void)snprintf(text, bytes, "it has step %" PRId64, steps->step[0].number);
    } else {
        (void)snprintf(text, bytes, "it has steps %" PRId64 " to %" PRId64, steps->step[0].number,
                       steps->step[steps->count - 1].number);
    }
}

static enum orr_status find_step(const struct kt_trace *kineto, const struct kt_steps *steps,
                                 int64_t number, uint32_t *out, struct orr_diag *diag)
{
    for (*out = 0; *out < steps->count; (*out)++) {
        if (steps->step[*out].number == number) {
            *out = steps->count > 1 ? *out : PT_NONE;
            return ORR_OK;
        }
    }
    char has[128];
    const struct orr_location place = orr_location_file(kineto->path);
    describe(steps, has, sizeof has);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "--step %" PRId64 ": the profile has no such step: %s", number, has);
}

enum orr_status orr_kineto_pick_step(const struct kt_trace *kineto, const struct kt_steps *steps,
                                     const char *text, uint32_t *out, struct orr_diag *diag)
{
    int64_t number;
    *out = PT_NONE;
    if (text != NULL && strcmp(text, "all") == 0) {
        return ORR_OK;
    }
    if (text != NULL) {
        return orr_parse_integer(text, &number)
                   ? find_step(kineto, steps, number, out, diag)
                   : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                   "--step: expected the number of a step or \"all\", got \"%s\"",
                                   text);
    }
    for (uint32_t s = steps->count; s-- > 0 && steps->count > 1 && *out == PT_NONE;) {
        *out = steps->step[s].is_whole ? s : PT_NONE;
    }
    return ORR_OK;
}
