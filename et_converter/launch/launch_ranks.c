/* Data-parallel ranks and batch of a job, from what all files say of its processes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/launch_build.h"

/* The largest degree that is taken: products of four of them fit. */
enum { MAX_DEGREE = 1 << 15 };

static uint64_t number_of(const struct launch_build *build, const char *path)
{
    const struct orr_launch_value *value = orr_launch_get(build->launch, path);
    return value != NULL ? strtoull(value->text, NULL, 10) : 0;
}

static uint64_t degree_of(struct launch_build *build, const char *path)
{
    const uint64_t degree = number_of(build, path);
    if (degree > MAX_DEGREE) {
        const struct orr_launch_value *value = orr_launch_get(build->launch, path);
        const struct orr_location place = orr_location_file(value->file);
        (void)orr_diag_fail(build->diag, ORR_ERR_INPUT, &place,
                            "%s: expected degrees of at most %d, got %s", value->key, MAX_DEGREE,
                            value->text);
        return 1;
    }
    return degree > 0 ? degree : 1;
}

void orr_launch_set_world(struct launch_build *build, uint64_t processes, const char *key)
{
    const char *file = build->launch->file[build->launch->files - 1].name;
    const char *own = orr_arena_strdup(build->arena, orr_launch_origin(build, key));
    if (build->world.number == 0) {
        build->world = (struct launch_world){processes, file, own};
    } else if (build->world.number != processes) {
        const char *a = orr_arena_printf(build->arena, "%" PRIu64, build->world.number);
        const char *b = orr_arena_printf(build->arena, "%" PRIu64, processes);
        if (own != NULL && a != NULL && b != NULL) {
            orr_launch_contradict(
                build, &(struct orr_launch_value){"npus", a, build->world.file, build->world.key},
                &(struct orr_launch_value){"npus", b, file, own});
        }
    }
}

/* Fails if the processes are no multiple of a product of degrees. */
static bool check_multiple(struct launch_build *build, uint64_t processes, const char *names,
                           uint64_t product)
{
    if (processes % product == 0) {
        return true;
    }
    const bool asked = build->launch->npus > 0;
    const struct orr_location place = orr_location_file(asked ? "--npus" : build->world.file);
    (void)orr_diag_fail(build->diag, ORR_ERR_INPUT, asked ? NULL : &place,
                        "%s: %" PRIu64 " processes are no multiple of %s = %" PRIu64,
                        asked ? "npus" : build->world.key, processes, names, product);
    return false;
}

/* The ranks of a job that runs on a given number of NPUs, whatever its files say. */
static void set_data_of_npus(struct launch_build *build, uint64_t data)
{
    struct orr_launch_value *value =
        (struct orr_launch_value *)(uintptr_t)orr_launch_get(build->launch, "parallel.data");
    const char *text = orr_arena_printf(build->arena, "%" PRIu64, data);
    const uint64_t npus = build->launch->npus;
    const struct orr_launch_value origin = {"parallel.data", text, "command line", "npus"};
    if (text == NULL) {
        (void)orr_diag_no_memory(build->diag, "a launch file");
        return;
    }
    if (build->world.number > 0 && build->world.number != npus) {
        const struct orr_location place = orr_location_file(build->world.file);
        orr_diag_warn(build->diag, &place,
                      "%s: %" PRIu64 " processes, but the job runs on %" PRIu64
                      " NPUs: %s data-parallel ranks",
                      build->world.key, build->world.number, npus, text);
    } else if (value != NULL && strcmp(value->text, text) != 0) {
        const struct orr_location place = orr_location_file(value->file);
        orr_diag_warn(build->diag, &place,
                      "%s: %s data-parallel ranks, on %" PRIu64 " NPUs there are %s", value->key,
                      value->text, npus, text);
    }
    if (value != NULL) {
        *value = origin;
    } else {
        orr_launch_set_from(build, "parallel.data", text, &origin);
    }
}

static void set_data(struct launch_build *build)
{
    const uint64_t tensor = degree_of(build, "parallel.tensor");
    const uint64_t pipeline = degree_of(build, "parallel.pipeline");
    const uint64_t split = tensor * pipeline * degree_of(build, "parallel.context");
    const uint64_t expert = degree_of(build, "parallel.expert");
    const uint64_t of_expert =
        expert * pipeline *
        (build->expert_tensor.number > 0 ? build->expert_tensor.number : tensor);
    const uint64_t npus = build->launch->npus;
    const uint64_t processes = npus > 0 ? npus : build->world.number;
    if (build->diag->status != ORR_OK || processes == 0 ||
        !check_multiple(build, processes, "tensor x pipeline x context", split) ||
        (expert > 1 &&
         !check_multiple(build, processes, "expert x expert tensor x pipeline", of_expert))) {
        return;
    }
    if (npus > 0) {
        set_data_of_npus(build, npus / split);
    } else if (build->world.number > 0) {
        const char *text = orr_arena_printf(build->arena, "%" PRIu64, processes / split);
        if (text != NULL) {
            orr_launch_set_from(
                build, "parallel.data", text,
                &(struct orr_launch_value){.file = build->world.file, .key = build->world.key});
        }
    }
}

void orr_launch_set_expert_tensor(struct launch_build *build, uint64_t ranks, const char *key)
{
    const char *own = orr_arena_strdup(build->arena, orr_launch_origin(build, key));
    if (ranks > 0) {
        build->expert_tensor =
            (struct launch_world){ranks, build->launch->file[build->launch->files - 1].name, own};
    }
}

/* Experts that other ranks share than layers are, or that are spread over context-parallel ranks,
 * as these frameworks do; where it makes no difference nothing is said. */
static void set_expert_tensor(struct launch_build *build)
{
    const struct orr_launch_value *expert = orr_launch_get(build->launch, "parallel.expert");
    const uint64_t tensor = degree_of(build, "parallel.tensor");
    const struct launch_world *given = &build->expert_tensor;
    const bool others = given->number > 0 && given->number != tensor &&
                        orr_launch_get(build->launch, "transformer.experts") != NULL;
    const bool spread =
        degree_of(build, "parallel.expert") > 1 && degree_of(build, "parallel.context") > 1;
    if (build->diag->status != ORR_OK || (!others && !spread)) {
        return;
    }
    const bool said = given->number > 0 || expert == NULL;
    const struct orr_launch_value origin = {.file = said ? given->file : expert->file,
                                            .key = said ? given->key : expert->key};
    const char *text =
        orr_arena_printf(build->arena, "%" PRIu64, given->number > 0 ? given->number : tensor);
    if (text != NULL) {
        orr_launch_set_from(build, "parallel.expert_tensor", text, &origin);
    }
}

/* The batch of a file that has only what a rank does of it: times the ranks, which another one
 * says. */
static void set_batch(struct launch_build *build)
{
    const uint64_t data = number_of(build, "parallel.data");
    if (build->samples_per_rank == 0 || orr_launch_get(build->launch, "training.batch") != NULL) {
        return;
    }
    if (data == 0) {
        orr_diag_warn(build->diag, NULL,
                      "no file says how many data-parallel ranks there are: the batch is not known "
                      "(%" PRIu64 " samples a rank)",
                      build->samples_per_rank);
        return;
    }
    orr_launch_set_number(build, "training.batch", build->samples_per_rank * data,
                          build->samples_key != NULL ? build->samples_key
                                                     : "gradient_accumulation_steps");
}

void orr_launch_finish_ranks(struct launch_build *build)
{
    set_data(build);
    set_expert_tensor(build);
    if (build->diag->status == ORR_OK) {
        set_batch(build);
    }
}
