/* What pages say first of results that are no runs, what they call them, and texts of programs that
 * are no results. */
#include "core/diag.h"
#include "report/page/page.h"
#include "tests/unit/page_fixture.h"

/* A task graph and a file of jobs are called by their files, without folders and end. */
static void test_page_names_a_result_by_its_file(void **state)
{
    static const struct {
        const char *text, *heading;
    } cases[] = {
        {"{\"taskgraph\": \"/data/graphs/vgg.fbuf\", \"wall_ps\": 1}", "<h1>vgg</h1>"},
        {"{\"file\": \"day/jobs.yml\", \"jobs\": [], \"servers\": 4}", "<h1>jobs</h1>"},
        {"{\"runs\": [{\"file\": \"jobs.yml\", \"jobs\": []}]}", "<h1>jobs</h1>"},
        {"{\"predicted_ps\": 1}", "<h1>result</h1>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_diag diag;
        struct orr_page *page = orr_page_create(NULL);
        orr_diag_init(&diag);
        assert_int_equal(orr_page_add_text(page, cases[i].text, NULL, &diag), ORR_OK);
        char *text = written(page);
        assert_non_null(strstr(text, cases[i].heading));
        free(text);
        orr_page_destroy(page);
    }
}

static void test_verdict_of_kinds(void **state)
{
    static const struct {
        const char *text, *verdict;
    } cases[] = {
        {"{\"points\": [{\"point\": 0, \"status\": \"ok\", \"wall_ps\": 5000}]}",
         "1 of 1 point ran; it takes 5.000 ns."},
        {"{\"points\": [{\"point\": 0, \"status\": \"failed\"}, {\"point\": 1}]}",
         "0 of 2 points ran."},
        {"{\"healthy_ps\": 5000, \"failures\": [{\"link\": \"0-1\", \"disconnected\": true}]}",
         "The job takes 5.000 ns with all links; 1 of 1 failures parts the network."},
        {"{\"healthy_ps\": 5000, \"failures\": [{\"link\": \"0-1\", \"slowdown\": 1.5}, "
         "{\"link\": \"1-2\", \"slowdown\": 1.25}]}",
         "The job takes 5.000 ns with all links; without link 0-1, the worst of 2, it takes 1.500 "
         "times as long."},
        {"{\"wall_ps_a\": 2000, \"wall_ps_b\": 1000, \"settings\": []}",
         "The first takes 2.000 ns, the second 1.000 ns (0.500 times as long); no setting "
         "differs."},
        {"{\"wall_ps_a\": 2000, \"wall_ps_b\": 1000, \"settings\": [{}]}",
         "The first takes 2.000 ns, the second 1.000 ns (0.500 times as long); 1 setting "
         "differs."},
        {"{\"jobs\": [{}], \"servers\": 1, \"mean_ps\": 1000, \"p99_ps\": 2000}",
         "1 job on 1 server: an iteration takes 1.000 ns on average, and 99 % of them at most "
         "2.000 ns."},
        {"{\"jobs\": [{}, {}], \"servers\": 8, \"mean_ps\": 1000, \"p99_ps\": 2000, \"queue\": "
         "\"fifo\", \"wait_mean_ps\": 3000, \"makespan_ps\": 9000}",
         "2 jobs on 8 servers: an iteration takes 1.000 ns on average, and 99 % of them at most "
         "2.000 ns; a job waits 3.000 ns on average, and all are done after 9.000 ns."},
        {"{\"runs\": [{\"name\": \"a\", \"mean_ps\": 3000, \"jobs\": []}, {\"name\": \"b\", "
         "\"mean_ps\": 2000, \"jobs\": []}]}",
         "Of 2 variants of the jobs, an iteration is shortest with \"b\": 2.000 ns on average, "
         "against 3.000 ns with \"a\" (1.50 times as long)."},
        {"{\"runs\": [{\"mean_ps\": 3000, \"jobs\": []}, {\"mean_ps\": 3000, \"jobs\": []}]}",
         "In each of 2 variants an iteration takes 3.000 ns on average."},
        {"{\"taskgraph\": \"g\", \"wall_ps\": 1000, \"servers\": 8, \"fabric\": \"fat-tree\"}",
         "An iteration takes 1.000 ns on 8 servers (fat-tree)."},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *result = parsed(cases[i].text);
        char verdict[ORR_VERDICT_BYTES] = "";
        orr_page_kind_of(result)->verdict(result, verdict);
        assert_string_equal(verdict, cases[i].verdict);
        json_decref(result);
    }
}

/* Of different kinds on one page each sentence says of which result it is. */
static void test_page_of_kinds_names_each_sentence(void **state)
{
    struct orr_diag diag;
    struct orr_page *page = orr_page_create(NULL);
    (void)state;
    orr_diag_init(&diag);
    assert_int_equal(orr_page_add_text(page, "{\"predicted_ps\": 1000}", "<a>", &diag), ORR_OK);
    assert_int_equal(orr_page_add_text(page, "{\"points\": []}", "b", &diag), ORR_OK);
    char *text = written(page);
    assert_non_null(
        strstr(text, "<p class=\"verdict\">&lt;a&gt;: An iteration takes 1.000 ns as predicted."));
    assert_non_null(strstr(text, "<p class=\"verdict\">b: 0 of 0 points ran."));
    free(text);
    orr_page_destroy(page);
}

/* A program's text has no file to name. */
static void test_add_of_text_refuses_without_a_file(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"{\"hello\": 1}", "got an object that begins with \"hello\""},
                 {"{\"wall_ps\":", "got no JSON: "},
                 {"{\"a\": 1}\n{\"a\":\n", "got no JSON: "},
                 {"{", "got no JSON: "},
                 {"[1]", "got JSON that is no object"},
                 {"", "got no JSON: "}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_diag diag;
        struct orr_page *page = orr_page_create(NULL);
        orr_diag_init(&diag);
        assert_int_equal(orr_page_add_text(page, cases[i].text, NULL, &diag), ORR_ERR_INPUT);
        assert_non_null(strstr(diag.message, cases[i].message));
        assert_int_equal(diag.place.kind, ORR_LOCATION_NONE);
        assert_int_equal(orr_page_results(page), 0);
        orr_page_destroy(page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_names_a_result_by_its_file),
        cmocka_unit_test(test_verdict_of_kinds),
        cmocka_unit_test(test_page_of_kinds_names_each_sentence),
        cmocka_unit_test(test_add_of_text_refuses_without_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
