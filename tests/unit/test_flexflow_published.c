/* The published graphs, where they are: tasks, bytes and dependencies of the traces are those of
 * the files. The numbers were counted from the FlatBuffers without this reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/arena.h"
#include "et_converter/converter.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_graph.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "et_converter/input_bytes.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_traces.h"
#include "workload/trace/trace.h"

struct published {
    const char *file;
    uint64_t tasks, edges;                 /* dependencies, as given */
    uint64_t transfer_bytes, reduce_bytes; /* of tasks */
    uint64_t repeated;                     /* of the dependencies */
};

static const struct published published[] = {
    {"100vgg_16.fbuf", 768, 1584, 0, 1157409952, 0},
    {"100candle_16.fbuf", 1580, 3020, 18522046464, 4752687116, 0},
    {"100transformer_16.fbuf", 2020, 5488, 0, 226569220, 832},
    {"100dlrm_16.fbuf", 1278, 2712, 1073741824, 164146343940, 0},
    {"400transformer_16.fbuf", 2100, 5576, 6442450944, 226569220, 800},
    {"100dlrm_128.fbuf.gz", 22446, 46968, 10603200512, 328905056260, 0},
};

struct sums {
    uint64_t sent, received, reduced; /* bytes; reduced: each all-reduce once */
    uint64_t edges, delays;
};

static void add_trace(const struct orr_trace *trace, struct sums *sums)
{
    sums->edges += trace->edges;
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        sums->sent += node->kind == ORR_NODE_SEND ? node->amount : 0;
        sums->received += node->kind == ORR_NODE_RECV ? node->amount : 0;
        sums->delays += (node->flags & ORR_NODE_IS_CPU) != 0;
    }
}

static bool is_reduce(const struct tg_task *task, bool alone)
{
    return task->role == TG_ALL_REDUCE && (task->to == 1) == alone;
}

/* Bytes of all-reduces that are left: those of more than one server. */
static uint64_t reduced(const struct tg_graph *tasks, uint64_t *alone)
{
    uint64_t bytes = 0;
    *alone = 0;
    for (uint32_t i = 0; i < tasks->tasks; i++) {
        bytes += is_reduce(&tasks->task[i], false) ? tasks->task[i].bytes : 0;
        *alone += is_reduce(&tasks->task[i], true) ? tasks->task[i].bytes : 0;
    }
    return bytes;
}

/* Dependencies that the traces keep: each once; those of an all-reduce of one server are gone, a
 * transfer has one to its sending and one from its receiving; a delay before a collective adds one.
 */
static uint64_t edges_kept(const struct tg_graph *tasks, uint64_t delays)
{
    uint64_t edges = delays;
    for (uint32_t e = 0; e < tasks->nexts; e++) {
        edges += !is_reduce(&tasks->task[tasks->next[e]], true);
    }
    return edges;
}

static void check(const struct published *expected, const char *path)
{
    struct conv_source source;
    struct flexflow_graph graph;
    struct flexflow_plan plan;
    struct tg_traces traces;
    struct sums sums = {0};
    const struct conv_progress nobody = {NULL, NULL};
    struct orr_arena *arena = orr_arena_create();
    assert_int_equal(orr_convert_source_read(&source, path, INT32_MAX, &nobody, NULL), ORR_OK);
    const struct flexflow_bytes bytes = {path, source.data, source.count};
    assert_int_equal(orr_flexflow_read(arena, &bytes, &graph, NULL), ORR_OK);
    assert_int_equal(orr_flexflow_plan_make(&plan, &graph, arena, NULL), ORR_OK);
    assert_int_equal(orr_tg_traces_make(&traces, &plan.tasks, arena, NULL, NULL), ORR_OK);
    for (uint32_t i = 0; i < plan.tasks.npus; i++) {
        add_trace(traces.trace[i], &sums);
    }
    uint64_t alone;
    assert_int_equal(graph.tasks, expected->tasks);
    assert_int_equal(plan.edges, expected->edges);
    assert_int_equal(sums.sent, expected->transfer_bytes);
    assert_int_equal(sums.received, expected->transfer_bytes);
    sums.reduced = reduced(&plan.tasks, &alone);
    assert_int_equal(sums.reduced + alone, expected->reduce_bytes);
    assert_int_equal(sums.edges, edges_kept(&plan.tasks, sums.delays));
    assert_int_equal(plan.edges - plan.tasks.nexts, expected->repeated);
    assert_int_equal(traces.signals, 0);
    orr_convert_source_free(&source);
    orr_arena_destroy(arena);
}

static void test_published_graphs_keep_tasks_bytes_and_dependencies(void **state)
{
    (void)state;
    const char *shared = getenv("ORRERY_SHARED");
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/data/flexflow/taskgraphs/%s",
                       shared != NULL ? shared : "", published[i].file);
        FILE *file = fopen(path, "rb");
        if (file == NULL) {
            skip();
        }
        (void)fclose(file);
        check(&published[i], path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_graphs_keep_tasks_bytes_and_dependencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
