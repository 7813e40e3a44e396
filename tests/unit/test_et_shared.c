/* Real traces, read in place from the shared data; skipped where they are missing. */
#include <dirent.h>
#include <sys/stat.h>

#include "tests/unit/et_bytes.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_query.h"

enum { PATH_BYTES = 4096 };

static void shared_path(char *path, const char *name)
{
    const char *root = getenv("ORRERY_SHARED");
    (void)snprintf(path, PATH_BYTES, "%s/data/%s", root != NULL ? root : "../shared", name);
    struct stat info;
    if (stat(path, &info) != 0) {
        print_message("skipped: %s is missing; set ORRERY_SHARED\n", path);
        skip();
    }
}

/* What is seen on the way through the traces of a folder. */
struct tally {
    unsigned files;
    uint64_t nodes, kinds[ORR_NODE_KINDS];
};

static void read_and_count(const char *path, struct tally *tally)
{
    const struct orr_trace *trace = NULL;
    struct orr_trace_summary summary;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    if (orr_et_read_file(arena, path, &trace, &diag) != ORR_OK) {
        fail_msg("%s: %s", path, diag.message);
    }
    assert_int_equal(orr_trace_summarize(arena, trace, &summary, &diag), ORR_OK);
    tally->files++;
    tally->nodes += trace->nodes;
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        tally->kinds[kind] += summary.nodes[kind];
    }
    orr_arena_destroy(arena);
}

static void walk(const char *folder, struct tally *tally)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[PATH_BYTES + 300];
        struct stat info;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const size_t length = strlen(path);
        if (entry->d_name[0] == '.' || stat(path, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode)) {
            walk(path, tally);
        } else if (length > 3 && strcmp(path + length - 3, ".et") == 0) {
            read_and_count(path, tally);
        }
    }
    assert_int_equal(closedir(dir), 0);
}

/* Its control dependencies are numbered differently: 1277 name no node and the others form cycles.
 * Of 21 collectives, 14 are the CPU operators that launch them, which become computations. */
static void test_read_chakra_trace_has_its_nodes(void **state)
{
    (void)state;
    char path[PATH_BYTES], warning[1024] = "";
    shared_path(path, "chakra/chakra.0.et.gz");
    const struct orr_trace *trace = NULL;
    struct orr_trace_summary summary;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    diag.warn = keep_warning;
    diag.warn_user = warning;
    assert_int_equal(orr_et_read_file(arena, path, &trace, &diag), ORR_OK);
    assert_int_equal(orr_trace_summarize(arena, trace, &summary, &diag), ORR_OK);
    assert_int_equal(trace->nodes, 3664);
    assert_int_equal(trace->edges, 181878);
    assert_int_equal(summary.nodes[ORR_NODE_COMP], 3657);
    assert_int_equal(summary.nodes[ORR_NODE_COLL], 7);
    assert_int_equal(summary.comm_nodes[ORR_COMM_ALL_REDUCE], 5);
    assert_int_equal(summary.comm_nodes[ORR_COMM_BROADCAST], 2);
    assert_non_null(strstr(warning, "ignored all control dependencies: there are 1277 "));
    orr_arena_destroy(arena);
}

/* A fragment: node 435 is a collective on the accelerator that says neither what nor how much. */
static void test_read_small_json_names_incomplete_node(void **state)
{
    (void)state;
    char path[PATH_BYTES];
    shared_path(path, "chakra/small_chakra.0.json");
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    assert_int_equal(orr_et_read_file(arena, path, &trace, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message,
                        "node 435 (ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, uns...): "
                        "a COMM_COLL_NODE needs the attribute \"comm_type\"");
    orr_arena_destroy(arena);
}

static void test_read_astra_sim_examples_all_are_valid(void **state)
{
    (void)state;
    char path[PATH_BYTES];
    struct tally tally = {0};
    shared_path(path, "astra_sim/examples");
    walk(path, &tally);
    assert_int_equal(tally.files, 120);
}

static void test_read_parity_workloads_all_are_valid(void **state)
{
    (void)state;
    char path[PATH_BYTES];
    struct tally tally = {0};
    shared_path(path, "parity/workloads");
    walk(path, &tally);
    assert_int_equal(tally.files, 424); /* 53 workloads of 8 ranks */
    assert_int_equal(tally.kinds[ORR_NODE_SEND], tally.kinds[ORR_NODE_RECV]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_chakra_trace_has_its_nodes),
        cmocka_unit_test(test_read_small_json_names_incomplete_node),
        cmocka_unit_test(test_read_astra_sim_examples_all_are_valid),
        cmocka_unit_test(test_read_parity_workloads_all_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
