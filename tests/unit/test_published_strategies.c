/* Models under strategies become the task graphs that TopoOpt's authors published for 16 servers,
 * task by task: data parallelism for BERT and VGG, and for DLRM and CANDLE the splits and places
 * that their search found, which the graphs themselves tell. */
#include <inttypes.h>

#include "tests/unit/published_fixture.h"

/* Transfers and all-reduces were counted in the FlatBuffers by another program. All-reduces of one
 * server, those of tables, do nothing and are left out: 62 - 16 of DLRM. */
static const struct published published[] = {
    {"100vgg_16", "topoopt/vgg", "vgg16", NULL, false, 0, 32},
    {"100transformer_16", "topoopt/bert_5_6", "transformer16", NULL, false, 0, 68},
    {"100dlrm_16", "topoopt/dlrm_5_6", "dlrm16", NULL, true, 496, 46},
    {"100candle_16", "topoopt/candle_5_6", "candle16",
     "    - dense: {out: 1, profile: Dense_1_1}\n", true, 456, 140},
};

static bool read_published(struct run *run)
{
    struct fixture *fixture = run->fixture;
    char path[4096];
    if (!find_published(path, "taskgraphs", run->what->graph, "fbuf")) {
        return false;
    }
    check(run, orr_convert_read_task_graph(fixture->arena, path, &run->theirs, &fixture->diag));
    return read_profile(run);
}

/* ---- their strategy ---- */

/* Times of the graphs are floats of milliseconds. */
static bool is_about(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= 1 + a / 5000000;
}

/* The next forward task from *at on. */
static const struct tg_task *next_forward(const struct tg_graph *graph, uint32_t *at)
{
    while (*at < graph->tasks && graph->task[*at].pass != TG_FORWARD) {
        (*at)++;
    }
    assert_true(*at < graph->tasks);
    return &graph->task[(*at)++];
}

/* The graph lists the parts of an operator behind each other, and operators as the model does. How
 * many parts there are is told by their time; of several that take it, the most. */
static uint32_t parts_of(const struct run *run, uint32_t op, uint64_t duration_ps)
{
    const uint32_t split[MODEL_MAX_SPLITS] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (uint32_t parts = SERVERS; parts > 0; parts /= 2) {
        const struct model_measure *measure =
            orr_model_profile_find(&run->profile, run->model.op[op].profile, parts, split);
        if (measure != NULL && is_about((uint64_t)measure->forward_ps, duration_ps)) {
            return parts;
        }
    }
    fail_msg("no number of parts of %s takes %" PRIu64 " ps", run->model.op[op].name, duration_ps);
    return 0;
}

static void take_strategy(const struct run *run, struct strategy_draft *draft)
{
    uint32_t at = 0;
    for (uint32_t op = 0; op < run->model.ops; op++) {
        uint32_t device[SERVERS], degree[MODEL_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
        const struct tg_task *task = next_forward(&run->theirs.graph, &at);
        degree[0] = parts_of(run, op, task->duration_ps);
        device[0] = task->from;
        for (uint32_t i = 1; i < degree[0]; i++) {
            device[i] = next_forward(&run->theirs.graph, &at)->from;
        }
        assert_true(orr_strategy_set(draft, op, degree, device));
    }
}

static void make_strategy(struct run *run)
{
    struct strategy_draft draft;
    draft_strategy(run, &draft);
    if (run->what->searched) {
        take_strategy(run, &draft);
    } else {
        assert_true(orr_strategy_data_parallel(&draft));
    }
    run->strategy = orr_strategy_drafted(&draft);
}

/* ---- comparison ---- */

/* What a task is, without its name and number. */
struct fact {
    uint8_t role, pass;
    uint32_t from, to; /* of all-reduces: a sum over their members, and how many */
    uint64_t bytes, duration_ps;
};

static bool is_nothing(const struct tg_task *task)
{
    return task->role == TG_ALL_REDUCE && task->to == 1;
}

static struct fact fact_of(const struct tg_graph *graph, const struct tg_task *task)
{
    struct fact fact = {task->role, task->pass,  task->from,
                        task->to,   task->bytes, task->duration_ps};
    if (task->role == TG_ALL_REDUCE) {
        fact.from = 0;
        for (uint32_t i = 0; i < task->to; i++) {
            fact.from += UINT32_C(1) << graph->member[task->from + i];
        }
    }
    fact.pass = task->role == TG_COMPUTE ? task->pass : 0;
    return fact;
}

#define ORDER(a, b) ((a) != (b)) return (a) < (b) ? -1 : 1

static int compare(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    if ORDER (a->role, b->role)
        ;
    if ORDER (a->pass, b->pass)
        ;
    if ORDER (a->from, b->from)
        ;
    if ORDER (a->to, b->to)
        ;
    if ORDER (a->bytes, b->bytes)
        ;
    if ORDER (a->duration_ps, b->duration_ps)
        ;
    return 0;
}

static struct fact *facts_of(struct fixture *fixture, const struct tg_graph *graph, uint32_t *count)
{
    struct fact *fact = orr_arena_array(fixture->arena, graph->tasks, sizeof *fact);
    *count = 0;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        if (!is_nothing(&graph->task[i])) {
            fact[(*count)++] = fact_of(graph, &graph->task[i]);
        }
    }
    qsort(fact, *count, sizeof *fact, compare);
    return fact;
}

static void assert_same_tasks(const struct run *run)
{
    uint32_t ours, theirs, role[TG_ROLES] = {0};
    const struct fact *a = facts_of(run->fixture, &run->ours, &ours);
    const struct fact *b = facts_of(run->fixture, &run->theirs.graph, &theirs);
    for (uint32_t i = 0; i < ours && i < theirs; i++) {
        assert_int_equal(a[i].role, b[i].role);
        assert_int_equal(a[i].pass, b[i].pass);
        assert_int_equal(a[i].from, b[i].from);
        assert_int_equal(a[i].to, b[i].to);
        assert_int_equal(a[i].bytes, b[i].bytes);
        assert_true(is_about(a[i].duration_ps, b[i].duration_ps));
        role[a[i].role]++;
    }
    assert_int_equal(ours, theirs);
    assert_int_equal(role[TG_TRANSFER], run->what->transfers);
    assert_int_equal(role[TG_ALL_REDUCE], run->what->reduces);
    print_message("%-18s %5" PRIu32 " tasks, %" PRIu32 " transfers, %" PRIu32 " all-reduces\n",
                  run->what->graph, ours, role[TG_TRANSFER], role[TG_ALL_REDUCE]);
}

static void test_published_task_graphs_are_models_under_strategies(void **state)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct run run = {.fixture = *state, .what = &published[i]};
        read_model(&run);
        if (!read_published(&run)) {
            skip();
        }
        make_strategy(&run);
        lower(&run);
        assert_same_tasks(&run);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_published_task_graphs_are_models_under_strategies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
