/* Pages from results written by hand: which command they are of, the sentence that each gets, what
 * of a long result stays, and that no text of a result gets out of its place. */
#include "core/diag.h"
#include "report/page/page.h"
#include "tests/unit/page_fixture.h"

/* ---- kinds ---- */

static void test_kind_of_what_commands_write(void **state)
{
    static const struct {
        const char *text, *kind; /* NULL: none */
    } cases[] = {
        {"{\"wall_ps\": 1, \"classes\": []}", "run"},
        {"{\"wall_ps\": 1, \"changes\": []}", "whatif"},
        {"{\"points\": []}", "sweep"},
        {"{\"collective\": \"all_reduce\", \"runs\": []}", "bench"},
        {"{\"healthy_ps\": 1, \"failures\": []}", "failures"},
        {"{\"wall_ps_a\": 1, \"wall_ps_b\": 2, \"settings\": []}", "diff"},
        {"{\"platform\": \"p\", \"parameters\": [], \"rows\": []}", "fit"},
        {"{\"model\": \"m\", \"devices\": 4, \"points\": []}", "sip_ml"},
        {"{\"model\": \"m\", \"servers\": 4, \"topology\": {}}", "topoopt"},
        {"{\"jobs\": [], \"servers\": 4}", "cluster"},
        {"{\"runs\": [{\"name\": \"a\", \"jobs\": []}]}", "beside"},
        {"{\"runs\": []}", NULL},
        {"{\"runs\": [{\"jobs\": []}, {\"results\": []}]}", NULL},
        {"{}", NULL},
        {"{\"wall_ps\": 1}", NULL},
        {"[]", NULL},
        {"[{\"wall_ps\": 1, \"classes\": []}]", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *result = parsed(cases[i].text);
        const struct page_kind *kind = orr_page_kind_of(result);
        if (cases[i].kind == NULL) {
            assert_null(kind);
        } else {
            assert_non_null(kind);
            assert_string_equal(kind->name, cases[i].kind);
        }
        json_decref(result);
    }
}

static void test_class_counts_its_ranks(void **state)
{
    static const struct {
        const char *text;
        double npus;
    } cases[] = {{"{\"ranks\": \"0\"}", 1},
                 {"{\"ranks\": \"0-3,8\"}", 5},
                 {"{\"ranks\": \"0-3,8,10-11\"}", 7},
                 {"{\"ranks\": \"0-1048575\"}", 1048576},
                 {"{\"ranks\": \"\"}", 0},
                 {"{\"ranks\": \"all\"}", 0},
                 {"{\"ranks\": 7}", 0},
                 {"{}", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *value = parsed(cases[i].text);
        assert_true(orr_page_class_npus(value) >= cases[i].npus &&
                    orr_page_class_npus(value) <= cases[i].npus);
        json_decref(value);
    }
}

/* ---- verdicts ---- */

static void assert_verdict(const char *text, const char *verdict)
{
    json_t *result = parsed(text);
    char found[ORR_VERDICT_BYTES] = "";
    orr_page_kind_of(result)->verdict(result, found);
    assert_string_equal(found, verdict);
    json_decref(result);
}

/* Of 3 NPUs one computes all of 2 ms, two compute half of it and wait for the rest: 2 + 2 x 1 ms of
 * 6 ms. */
static void test_verdict_of_a_run_weighs_classes_by_their_npus(void **state)
{
    (void)state;
    assert_verdict("{\"wall_ps\": 2000000000, \"npus\": 3, \"classes\": ["
                   "{\"ranks\": \"0\", \"compute_ps\": 2000000000, \"waiting_ps\": 0},"
                   "{\"ranks\": \"1-2\", \"compute_ps\": 1000000000, \"waiting_ps\": 1000000000}]}",
                   "The job takes 2.000 ms on 3 NPUs. The NPUs spend 66.7 % of the time computing, "
                   "33.3 % waiting for others.");
    assert_verdict("{\"wall_ps\": 5000, \"npus\": 1, \"model_flops_utilization\": 0.4567, "
                   "\"classes\": [{\"ranks\": \"0\", \"compute_ps\": 5000}]}",
                   "The job takes 5.000 ns on 1 NPU, at 45.7 % of their peak (MFU). The NPUs spend "
                   "100.0 % of the time computing.");
    assert_verdict("{\"wall_ps\": 0, \"npus\": 2, \"classes\": []}",
                   "The job takes 0 ps on 2 NPUs. ");
}

/* A bound is no change: it saves more, and is not what helps. */
static void test_verdict_of_a_whatif_is_the_best_that_is_no_bound(void **state)
{
    (void)state;
    assert_verdict("{\"wall_ps\": 1000000, \"npus\": 4, \"changes\": ["
                   "{\"what\": \"communication free\", \"saved_ps\": 900000, \"bound\": true},"
                   "{\"what\": \"2x compute\", \"saved_ps\": 100000, \"bound\": false},"
                   "{\"what\": \"2x bandwidth\", \"saved_ps\": 250000, \"bound\": false}]}",
                   "The job takes 1.000 us on 4 NPUs. Best change tried: 2x bandwidth, "
                   "which saves 25.0 % (250.000 ns).");
    assert_verdict(
        "{\"wall_ps\": 1000, \"npus\": 1, \"changes\": [{\"what\": \"x\", \"saved_ps\": 0}]}",
        "The job takes 1.000 ns on 1 NPU. None of the changes tried makes it faster.");
    assert_verdict(
        "{\"wall_ps\": 1000, \"npus\": 1, \"changes\": [{\"what\": 7, \"saved_ps\": 5}]}",
        "The job takes 1.000 ns on 1 NPU. Best change tried: a change, which saves "
        "0.5 % (5 ps).");
}

static void test_verdict_of_a_sweep_leaves_out_what_failed(void **state)
{
    (void)state;
    assert_verdict("{\"points\": [{\"point\": 0, \"status\": \"ok\", \"wall_ps\": 3000},"
                   "{\"point\": 1, \"status\": \"failed\", \"wall_ps\": 1},"
                   "{\"point\": 2, \"status\": \"ok\", \"wall_ps\": 2000}]}",
                   "2 of 3 points ran; the fastest (point 2) takes 2.000 ns, the slowest (point 0) "
                   "3.000 ns.");
    assert_verdict("{\"points\": []}", "0 of 0 points ran.");
}

static void test_verdict_of_several_names_the_fastest(void **state)
{
    char text[ORR_VERDICT_BYTES] = "";
    json_t *results =
        parsed("[{\"name\": \"a\", \"kind\": \"run\", \"data\": {\"wall_ps\": 4000}},"
               "{\"name\": \"b\", \"kind\": \"run\", \"data\": {\"wall_ps\": 1000}},"
               "{\"name\": \"c\", \"kind\": \"run\", \"data\": {\"wall_ps\": 2000}}]");
    (void)state;
    orr_page_verdict_several(results, text);
    assert_string_equal(text,
                        "b is the fastest of 3: 1.000 ns, against 4.000 ns of a (4.00 times as "
                        "long).");
    (void)json_array_remove(results, 2);
    (void)json_array_remove(results, 1);
    text[0] = '\0';
    orr_page_verdict_several(results, text);
    assert_string_equal(text, "");
    json_decref(results);
}

/* Numbers of 300 digits and a name of 4,000 bytes. */
static void test_verdict_keeps_within_its_bytes(void **state)
{
    char text[6000], what[4001], found[ORR_VERDICT_BYTES + 8];
    (void)state;
    memset(what, 'A', sizeof what - 1);
    what[sizeof what - 1] = '\0';
    (void)snprintf(
        text, sizeof text,
        "{\"wall_ps\": 1, \"npus\": 1e300, \"model_flops_utilization\": 1e300, \"classes\": [], "
        "\"whatif\": {\"wall_ps\": 1, \"npus\": 1, \"changes\": [{\"what\": \"%s\", "
        "\"saved_ps\": 1}]}}",
        what);
    json_t *result = parsed(text);
    memset(found, '#', sizeof found);
    found[0] = '\0';
    orr_page_kind_of(result)->verdict(result, found);
    assert_int_equal(strlen(found), ORR_VERDICT_BYTES - 1);
    assert_memory_equal(found + ORR_VERDICT_BYTES, "########", 8);
    json_decref(result);
}

/* ---- pages ---- */

/* The data of a page, as its script reads them. */
static json_t *data_of(const char *page)
{
    const char *begin = strstr(page, "id=\"data\">");
    assert_non_null(begin);
    begin += strlen("id=\"data\">");
    const char *end = strstr(begin, "</script>");
    assert_non_null(end);
    json_error_t error;
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, &error);
    assert_non_null(data);
    return data;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        count++;
    }
    return count;
}

static void test_page_keeps_texts_in_their_places(void **state)
{
    static const char evil[] = "</script><script>x</script><!--<img src=x> \"q\" & 'a'";
    struct orr_diag diag;
    struct orr_page *page = orr_page_create(evil);
    (void)state;
    orr_diag_init(&diag);
    json_t *result = parsed("{\"wall_ps\": 1, \"classes\": []}");
    (void)json_object_set_new(result, evil, json_string(evil));
    assert_int_equal(orr_page_add(page, result, evil, NULL, &diag), ORR_OK);
    orr_page_set_command(page, evil);
    char *text = written(page);
    assert_int_equal(count_of(text, "</script>"), 2);
    assert_int_equal(count_of(text, "<!--"), 0);
    assert_null(strstr(text, "<img"));
    assert_non_null(
        strstr(text, "<h1>&lt;/script&gt;&lt;script&gt;x&lt;/script&gt;&lt;!--&lt;img src=x&gt; "
                     "&quot;q&quot; &amp; 'a'</h1>"));
    json_t *data = data_of(text);
    assert_string_equal(json_string_value(json_object_get(data, "title")), evil);
    assert_string_equal(json_string_value(json_object_get(data, "command")), evil);
    const json_t *entry = json_array_get(json_object_get(data, "results"), 0);
    assert_string_equal(json_string_value(json_object_get(entry, "name")), evil);
    assert_string_equal(json_string_value(json_object_get(json_object_get(entry, "data"), evil)),
                        evil);
    json_decref(data);
    free(text);
    orr_page_destroy(page);
}

/* Of 1,000 steps that take 0 to 999 ps, mixed, the 400 longest stay, in their order. */
static void test_page_keeps_the_longest_steps(void **state)
{
    enum { STEPS = 1000, KEPT = 400 };
    struct orr_diag diag;
    struct orr_page *page = orr_page_create(NULL);
    json_t *result =
        parsed("{\"wall_ps\": 1, \"classes\": [], \"critical_path\": {\"parts\": []}}");
    json_t *steps = json_array();
    (void)state;
    orr_diag_init(&diag);
    for (int i = 0; i < STEPS; i++) {
        const int duration = i * 7 % STEPS;
        (void)json_array_append_new(steps,
                                    json_pack("{s:i,s:i}", "npu", i, "duration_ps", duration));
    }
    (void)json_object_set_new(json_object_get(result, "critical_path"), "steps", steps);
    assert_int_equal(orr_page_add(page, result, "x", NULL, &diag), ORR_OK);
    char *text = written(page);
    json_t *data = data_of(text);
    const json_t *path = json_object_get(
        json_object_get(json_array_get(json_object_get(data, "results"), 0), "data"),
        "critical_path");
    const json_t *kept = json_object_get(path, "steps");
    assert_int_equal(json_array_size(kept), KEPT);
    assert_int_equal(json_integer_value(json_object_get(path, "steps_count")), STEPS);
    json_int_t last = -1;
    for (size_t i = 0; i < KEPT; i++) {
        const json_t *step = json_array_get(kept, i);
        const json_int_t npu = json_integer_value(json_object_get(step, "npu"));
        assert_true(npu > last);
        assert_true(json_integer_value(json_object_get(step, "duration_ps")) >= STEPS - KEPT);
        last = npu;
    }
    json_decref(data);
    free(text);
    orr_page_destroy(page);
}

static void test_page_without_a_title_names_its_results(void **state)
{
    static const char *const titles[] = {"<h1>Orrery</h1>", "<h1>r0</h1>", "<h1>r0 and r1</h1>",
                                         "<h1>r0, r1 and r2</h1>"};
    (void)state;
    for (unsigned results = 0; results < sizeof titles / sizeof *titles; results++) {
        struct orr_diag diag;
        struct orr_page *page = orr_page_create(NULL);
        orr_diag_init(&diag);
        for (unsigned i = 0; i < results; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "r%u", i);
            assert_int_equal(
                orr_page_add_text(page, "{\"wall_ps\": 1, \"classes\": []}", name, &diag), ORR_OK);
        }
        char *text = written(page);
        assert_non_null(strstr(text, titles[results]));
        free(text);
        orr_page_destroy(page);
    }
}

/* ---- texts ---- */

static void test_parse_takes_a_value_or_lines(void **state)
{
    struct orr_diag diag;
    json_t *result = NULL;
    (void)state;
    orr_diag_init(&diag);
    assert_int_equal(orr_page_parse("{\n\"a\": 1\n}\n", NULL, &result, &diag), ORR_OK);
    assert_int_equal(json_integer_value(json_object_get(result, "a")), 1);
    json_decref(result);
    assert_int_equal(orr_page_parse("{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n", NULL, &result, &diag),
                     ORR_OK);
    const json_t *points = json_object_get(result, "points");
    assert_int_equal(json_array_size(points), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(points, 2), "a")), 3);
    json_decref(result);
    assert_int_equal(orr_page_parse("{\"a\": 1}\n", NULL, &result, &diag), ORR_OK);
    assert_null(json_object_get(result, "points"));
    json_decref(result);
}

static void test_parse_names_the_line(void **state)
{
    struct orr_diag diag;
    json_t *result = NULL;
    (void)state;
    orr_diag_init(&diag);
    assert_int_equal(orr_page_parse("{\"a\": 1}\n{\"a\": 2}\n{\"a\":\n", "p.jsonl", &result, &diag),
                     ORR_ERR_INPUT);
    assert_null(result);
    assert_int_equal(diag.place.line, 3);
    orr_diag_init(&diag);
    assert_int_equal(orr_page_parse("{\n\"a\": ,\n}", "p.json", &result, &diag), ORR_ERR_INPUT);
    assert_int_equal(diag.place.line, 2);
    assert_non_null(strstr(diag.message, "expected a result as JSON"));
}

static void test_add_refuses_what_is_no_result(void **state)
{
    static const struct {
        const char *text, *end;
    } cases[] = {{"{\"hello\": 1}", "got an object that begins with \"hello\""},
                 {"{}", "got an empty object"},
                 {"[1]", "got JSON that is no object"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_diag diag;
        struct orr_page *page = orr_page_create(NULL);
        orr_diag_init(&diag);
        assert_int_equal(orr_page_add(page, parsed(cases[i].text), "x", "x.json", &diag),
                         ORR_ERR_INPUT);
        assert_non_null(strstr(diag.message, cases[i].end));
        orr_page_destroy(page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kind_of_what_commands_write),
        cmocka_unit_test(test_class_counts_its_ranks),
        cmocka_unit_test(test_verdict_of_a_run_weighs_classes_by_their_npus),
        cmocka_unit_test(test_verdict_of_a_whatif_is_the_best_that_is_no_bound),
        cmocka_unit_test(test_verdict_of_a_sweep_leaves_out_what_failed),
        cmocka_unit_test(test_verdict_of_several_names_the_fastest),
        cmocka_unit_test(test_verdict_keeps_within_its_bytes),
        cmocka_unit_test(test_page_keeps_texts_in_their_places),
        cmocka_unit_test(test_page_keeps_the_longest_steps),
        cmocka_unit_test(test_page_without_a_title_names_its_results),
        cmocka_unit_test(test_parse_takes_a_value_or_lines),
        cmocka_unit_test(test_parse_names_the_line),
        cmocka_unit_test(test_add_refuses_what_is_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
