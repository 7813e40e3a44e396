/* Published models under strategies, with the published measurements: shared by tests that hold
 * them against published task graphs and times. */
#ifndef ORR_TESTS_UNIT_PUBLISHED_FIXTURE_H
#define ORR_TESTS_UNIT_PUBLISHED_FIXTURE_H

#include "et_converter/task_graph_input.h"
#include "tests/unit/conf_fixture.h"
#include "workload/model/model_read.h"
#include "workload/model/part_time.h"
#include "workload/strategy/lower.h"

enum { SERVERS = 16, GPUS = 4 };

struct published {
    const char *graph, *model, *profile;
    const char *more; /* operators behind those of the model, as its file has them; or NULL */
    bool searched;    /* split as the graph says; otherwise data-parallel */
    uint32_t transfers, reduces;
};

struct run {
    struct fixture *fixture;
    const struct published *what;
    struct model_graph model;
    struct model_profile profile;
    struct strategy strategy;
    struct conv_task_graph theirs;
    struct tg_graph ours;
};

static inline void check(const struct run *run, enum orr_status status)
{
    assert_string_equal(run->fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
}

static inline void read_model(struct run *run)
{
    struct fixture *fixture = run->fixture;
    const struct orr_conf *root = NULL;
    char path[256], text[16384];
    (void)snprintf(path, sizeof path, "inputs/models/%s.yml", run->what->model);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof text / 2, file);
    assert_int_equal(fclose(file), 0);
    bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "%s",
                              run->what->more != NULL ? run->what->more : "");
    check(run, orr_conf_parse(fixture->arena, text, bytes, path, &root, &fixture->diag));
    check(run,
          orr_model_read(fixture->arena, orr_conf_get(root, "model"), &run->model, &fixture->diag));
}

/* The path of a published file; false when it is not here. */
static inline bool find_published(char path[4096], const char *folder, const char *name,
                                  const char *extension)
{
    const char *shared = getenv("ORRERY_SHARED");
    (void)snprintf(path, 4096, "%s/data/flexflow/%s/%s.%s", shared != NULL ? shared : "", folder,
                   name, extension);
    FILE *file = fopen(path, "rb");
    return file != NULL && fclose(file) == 0;
}

static inline bool read_profile(struct run *run)
{
    struct fixture *fixture = run->fixture;
    char path[4096];
    if (!find_published(path, "profiles", run->what->profile, "json")) {
        return false;
    }
    check(run, orr_model_profile_load(fixture->arena, path, &run->profile, &fixture->diag));
    return true;
}

/* 200 Gb/s inside of a server: the constant of FlexNet. */
static inline void draft_strategy(const struct run *run, struct strategy_draft *draft)
{
    assert_true(orr_strategy_draft_init(draft, run->fixture->arena, &run->model, SERVERS, 1));
    draft->strategy.server = (struct strategy_server){.gpus = GPUS, .inside_bytes_per_s = 25e9};
}

static inline void lower(struct run *run)
{
    struct fixture *fixture = run->fixture;
    const uint32_t ops = run->model.ops;
    const struct model_speed speed = {.profile = &run->profile};
    uint64_t *forward = orr_arena_array(fixture->arena, ops, sizeof *forward);
    uint64_t *backward = orr_arena_array(fixture->arena, ops, sizeof *backward);
    for (uint32_t op = 0; op < ops; op++) {
        struct model_times times;
        check(run,
              orr_model_part_time(&run->model, op, orr_strategy_degrees(&run->strategy, op), &speed,
                                  orr_model_batch(&run->model, SERVERS), &times, &fixture->diag));
        forward[op] = (uint64_t)times.forward_ps;
        backward[op] = (uint64_t)times.backward_ps;
    }
    const struct strategy_times times = {forward, backward};
    check(run, orr_strategy_lower(fixture->arena, &run->model, &run->strategy, &times, &run->ours,
                                  &fixture->diag));
}

#endif
