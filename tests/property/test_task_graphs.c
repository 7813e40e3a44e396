/* Random task graphs on random networks take the same time, to the picosecond, as what they are
 * converted to: traces on the same platform; and as other code has once answered. Those that are
 * refused, or cannot finish, are so in both. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/property/property_support.h"
#include "tests/property/task_graph_answers.h"
#include "tests/property/task_graph_cases.h"

#include "orrery/convert.h"

enum { CASES = 400, LONG_CASES = 20000, MESSAGE = ORR_DIAG_MESSAGE_BYTES };

struct outcome {
    int status;
    int64_t wall_ps;
    char message[MESSAGE];
};

/* ---- files ---- */

static void write_file(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static const char *graph_name(const struct tg_case *made)
{
    return made->dot ? "g.dot" : "g.fbuf";
}

/* The engine of the answers had one ring on fabrics that list none: they say so. */
static const char *ring_choice(const struct tg_case *made)
{
    static const char *const without_rings[] = {"full-mesh", "torus:", "hypercube", "expander:"};
    for (size_t i = 0; i < sizeof without_rings / sizeof *without_rings; i++) {
        char start[48];
        (void)snprintf(start, sizeof start, "graph: {fabric: \"%s", without_rings[i]);
        if (strstr(made->network, start) != NULL) {
            return "rings: own, ";
        }
    }
    return "";
}

static void write_platform(const struct tg_case *made)
{
    static const char graph[] = "graph: {";
    char text[TG_TEXT + 256];
    const char *choice = ring_choice(made), *at = strstr(made->network, graph);
    const int before = at != NULL ? (int)(at - made->network + (ptrdiff_t)strlen(graph)) : 0;
    (void)snprintf(text, sizeof text, "network: {%.*s%s%s}\n", before, made->network, choice,
                   made->network + before);
    write_file("p.yml", text, strlen(text));
}

static void write_case(const struct tg_case *made)
{
    char text[TG_TEXT + 256];
    write_file(graph_name(made), made->bytes.data, made->bytes.count);
    write_platform(made);
    (void)snprintf(text, sizeof text, "workload: {taskgraph: %s, all_reduce: \"%s\"}\n",
                   graph_name(made), made->all_reduce);
    write_file("w.yml", text, strlen(text));
    (void)snprintf(text, sizeof text,
                   "workload: {traces: t, groups_file: t.groups.json, all_reduce: \"%s\"}\n",
                   made->all_reduce);
    write_file("v.yml", text, strlen(text));
}

/* ---- runs ---- */

static struct outcome run_new(const char *platform, const char *workload, bool fold)
{
    struct outcome out = {.status = 0};
    struct orrery *job = orrery_new();
    const struct orrery_inputs inputs = {.platform = platform, .workload = workload};
    assert_non_null(job);
    orrery_fold(job, fold);
    enum orrery_status status = orrery_load(job, &inputs);
    if (status == ORRERY_OK) {
        status = orrery_run(job);
    }
    out.status = (int)status;
    out.wall_ps = orrery_wall_ps(job);
    (void)snprintf(out.message, sizeof out.message, "%s", orrery_error(job));
    orrery_free(job);
    return out;
}

static struct outcome convert(const struct tg_case *made)
{
    const char *file = graph_name(made);
    const struct orrery_convert what = {
        .size = sizeof what, .format = "flexflow", .files = &file, .file_count = 1, .out = "t"};
    struct orrery_conversion *conversion = orrery_conversion_new();
    for (uint32_t rank = 0; rank <= TG_SERVERS; rank++) {
        char name[32]; /* none of a case before */
        (void)snprintf(name, sizeof name, "t.%" PRIu32 ".et", rank);
        (void)remove(name);
    }
    struct outcome out = {.status = (int)orrery_convert(conversion, &what)};
    (void)snprintf(out.message, sizeof out.message, "%s", orrery_conversion_error(conversion));
    orrery_conversion_free(conversion);
    return out;
}

/* ---- cases ---- */

static void tell(const struct tg_case *made, const char *what, const struct outcome *want,
                 const struct outcome *found)
{
    print_message("seed %" PRIu64 " (%s, %" PRIu32 " servers, %" PRIu32 " tasks): %s\n"
                  "network %s\nall-reduce %s\nexpected %d %" PRId64 " ps %s\ngot %d %" PRId64
                  " ps %s\n",
                  made->seed, graph_name(made), made->servers, made->tasks, what,
                  made->own ? "of the graph" : made->network, made->all_reduce, want->status,
                  want->wall_ps, want->message, found->status, found->wall_ps, found->message);
}

static bool same(const struct outcome *want, const struct outcome *found)
{
    return want->status == found->status && (want->status != 0 || want->wall_ps == found->wall_ps);
}

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const void *data, size_t count)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Of all that a case is: compilers evaluate what makes it in orders of their own, so that a seed
 * means another case to another compiler. */
static uint32_t digest_of(const struct tg_case *made)
{
    uint64_t hash = digest(UINT64_C(0xcbf29ce484222325), made->bytes.data, made->bytes.count);
    hash = made->own ? hash : digest(hash, made->network, strlen(made->network));
    hash = digest(hash, made->all_reduce, strlen(made->all_reduce));
    return (uint32_t)(hash ^ hash >> 32);
}

/* The answer that is kept of a case; < 0: there is none. */
static int64_t kept_answer(const struct tg_case *made, uint64_t seed)
{
    for (size_t i = 0; i < sizeof tg_answers / sizeof *tg_answers; i++) {
        if (tg_answers[i].seed == seed && tg_answers[i].digest == digest_of(made)) {
            return tg_answers[i].wall_ps;
        }
    }
    return -1;
}

static bool check(struct tg_case *made, uint64_t seed, unsigned *run)
{
    tg_make(made, seed);
    write_case(made);
    const struct outcome graph =
        made->own ? run_new("w.yml", NULL, true) : run_new("p.yml", "w.yml", true);
    const struct outcome kept = {.status = 0, .wall_ps = kept_answer(made, seed)};
    bool good = true;
    if (kept.wall_ps >= 0 && !same(&kept, &graph)) {
        tell(made, "the answer that is kept", &kept, &graph);
        good = false;
    }
    const struct outcome converted = convert(made);
    if (converted.status != 0) {
        if (graph.status == 0) {
            tell(made, "conversion", &graph, &converted);
        }
        return good && graph.status != 0;
    }
    const struct outcome traces =
        run_new(made->own ? "t.topology.yml" : "p.yml", "v.yml", made->seed % 2 == 0);
    const bool other = strstr(traces.message, "no file t.") != NULL || /* the platform is larger */
                       strstr(graph.message, "the task graph needs") != NULL; /* or smaller */
    if (!other && !same(&graph, &traces)) {
        tell(made, "traces", &graph, &traces);
        good = false;
    }
    *run += graph.status == 0;
    return good;
}

static void test_task_graphs_take_the_time_of_their_traces(void **state)
{
    const unsigned usual = getenv("ORRERY_LONG") != NULL ? LONG_CASES : CASES;
    const unsigned cases = prop_cases(usual);
    struct tg_case *made = malloc(sizeof *made);
    unsigned run = 0, bad = 0;
    (void)state;
    assert_non_null(made);
    for (unsigned i = 0; i < cases; i++) {
        bad += !check(made, prop_first_seed() + i, &run);
    }
    free(made);
    print_message("%u of %u cases ran, %u differ\n", run, cases, bad);
    assert_int_equal(bad, 0);
    assert_true(cases < 100 || run > cases / 2);
}

/* ---- a folder of its own ---- */

static char folder[] = "/tmp/orrery_task_graphs_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static int tear_down(void **state)
{
    char command[sizeof folder + 16];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_task_graphs_take_the_time_of_their_traces),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
