/* Measured tables as CSV, and what all forms share: tables, rows alike. */
#include "tests/unit/measured_fixture.h"

#include <unistd.h>

static void test_columns_any_order_rows(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured =
        measured_of(fixture, "t.csv",
                    "time_us, machine ,bytes,npus_per_node,collective,npus\n"
                    "60.5,a,1048576,8,all_reduce,16\n"
                    "1.5e2,\"b, the \"\"old\"\" one\",2097152,8,AllGather,16\n");
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "all_reduce 16 8 1048576 60.5 @2:1");
    measured_row_is(measured, 1, "all_gather 16 8 2097152 150 @3:1");
    assert_int_equal(measured->columns, 1);
    assert_string_equal(measured->column[0], "machine");
    assert_string_equal(measured->row[0].extra[0], "a");
    assert_string_equal(measured->row[1].extra[0], "b, the \"old\" one");
    assert_int_equal(measured->files, 1);
    assert_int_equal(measured->file[0].form, ORR_MEASURED_CSV);
    assert_int_equal(measured->file[0].rows, 2);
    assert_int_equal(fixture->warnings, 0);
    assert_int_equal(measured->notes, 0);
}

static void test_odd_lines_read(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured =
        measured_of(fixture, "t.csv",
                    "\xEF\xBB\xBF"
                    "collective,npus,npus_per_node,bytes,time_us,note\r\n"
                    "\r\n"
                    "  all_reduce , 8 ,8, 1024 , 20.0 ,\"two\r\nlines\" \r\n"
                    "   \r\n"
                    "reduce,8,8,1e6,3,");
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "all_reduce 8 8 1024 20 @3:3");
    assert_string_equal(measured->row[0].extra[0], "two\r\nlines");
    measured_row_is(measured, 1, "reduce 8 8 1000000 3 @6:1");
    assert_string_equal(measured->row[1].extra[0], "");
    /* CR alone ends lines too. */
    measured = measured_of(fixture, "t.csv",
                           "collective,npus,npus_per_node,bytes,time_us\rgather,4,2,8,1\r");
    measured_row_is(measured, 0, "gather 4 2 8 1 @2:1");
}

static void test_names_of_collectives(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum coll_kind kind;
    } names[] = {{"all_reduce", COLL_ALL_REDUCE},
                 {"ALL-REDUCE", COLL_ALL_REDUCE},
                 {"allreduce", COLL_ALL_REDUCE},
                 {"all_reduce_perf", COLL_ALL_REDUCE},
                 {"all_reduce_perf_mpi", COLL_ALL_REDUCE},
                 {"AllGather", COLL_ALL_GATHER},
                 {"reduce_scatter", COLL_REDUCE_SCATTER},
                 {"ReduceScatter", COLL_REDUCE_SCATTER},
                 {"all_to_all", COLL_ALL_TO_ALL},
                 {"alltoall", COLL_ALL_TO_ALL},
                 {"alltoall_perf", COLL_ALL_TO_ALL},
                 {"broadcast", COLL_BROADCAST},
                 {"Reduce", COLL_REDUCE},
                 {"gather", COLL_GATHER},
                 {"scatter_perf", COLL_SCATTER}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum coll_kind kind = COLL_BARRIER;
        assert_true(orr_measured_kind(names[i].name, &kind));
        assert_int_equal(kind, names[i].kind);
    }
    static const char *const others[] = {"", "sendrecv", "alltoallv", "all", "perf", "barrier"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        enum coll_kind kind = COLL_BARRIER;
        assert_false(orr_measured_kind(others[i], &kind));
        assert_int_equal(kind, COLL_BARRIER);
    }
}

static void test_collectives_without_model_noted(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured = measured_of(fixture, "t.csv",
                                                      CSV_HEAD "sendrecv,8,8,1024,5\n"
                                                               "reduce,8,8,1024,5\n"
                                                               "sendrecv,8,8,2048,6\n"
                                                               "hypercube,8,8,2048,6\n");
    assert_int_equal(measured->rows, 1);
    assert_int_equal(measured->notes, 2);
    assert_string_equal(measured->note[0].text,
                        "of sendrecv left out: it is no collective that Orrery has");
    assert_int_equal(measured->note[0].count, 2);
    assert_int_equal(measured->note[0].line, 2);
    assert_string_equal(measured->note[1].text,
                        "of hypercube left out: it is no collective that Orrery has");
    measured_refused(fixture, "t.csv", CSV_HEAD "sendrecv,8,8,1024,5\nsendrecv,8,8,2048,5\n",
                     "t.csv: there is no row to use: 2 rows of sendrecv left out: it is no "
                     "collective that Orrery has");
}

/* ---- bad headers ---- */

static void test_header_misses_columns_named(void **state)
{
    struct measured_fixture *fixture = *state;
    measured_refused(fixture, "t.csv", "collective,npus,npus_per_node,bytes\nreduce,8,8,8\n",
                     "t.csv:1:1: the header misses the column time_us: it has collective, npus, "
                     "npus_per_node, bytes");
    measured_refused(fixture, "t.csv",
                     "dataset,collective,size_bytes,oop_time_us,oop_algbw_GBps\n"
                     "a,reduce,8,8,8\n",
                     "t.csv:1:1: the header misses the columns npus, npus_per_node, bytes and "
                     "time_us: it has dataset, collective, size_bytes, oop_time_us, "
                     "oop_algbw_GBps; rename size_bytes to bytes, oop_time_us to time_us");
    measured_refused(fixture, "t.csv", "collective,gpus,npu_per_node,Bytes,time_ms\n",
                     "t.csv:1:1: the header misses the columns npus, npus_per_node, bytes and "
                     "time_us: it has collective, gpus, npu_per_node, Bytes, time_ms; rename gpus "
                     "to npus, npu_per_node to npus_per_node, Bytes to bytes");
}

static void test_header_missing_told(void **state)
{
    struct measured_fixture *fixture = *state;
    measured_refused(fixture, "t.csv", "all_reduce,8,8,1024,5\n",
                     "t.csv:1:1: expected a header with the columns collective, npus, "
                     "npus_per_node, bytes and time_us, got a row: \"8\" is a number");
    measured_refused(fixture, "t.csv", "collective;npus;npus_per_node;bytes;time_us\n",
                     "t.csv:1:1: expected commas between the columns, got semicolons");
    measured_refused(fixture, "t.csv", "collective\tnpus\tnpus_per_node\tbytes\ttime_us\n",
                     "t.csv:1:1: expected commas between the columns, got tabs");
    measured_refused(fixture, "t.txt", "\n  Hello.\n",
                     "t.txt:2:3: expected a table as CSV with the header "
                     "\"collective,npus,npus_per_node,bytes,time_us\", or what nccl-tests print or "
                     "write as JSON");
}

static void test_header_names_bad(void **state)
{
    struct measured_fixture *fixture = *state;
    measured_refused(fixture, "t.csv", "collective,npus,npus_per_node,bytes,time_us,\n",
                     "t.csv:1:45: column 6 of the header has no name");
    measured_refused(fixture, "t.csv", "collective,npus,npus_per_node,bytes,time_us,npus\n",
                     "t.csv:1:45: the column npus is there twice");
    char text[1024] = "collective,npus,npus_per_node,bytes,time_us";
    for (int i = 0; i < 65; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, ",c%d", i);
    }
    measured_refused(
        fixture, "t.csv", text,
        "t.csv:1:291: there are more than 64 columns in addition to the five known ones");
    for (int i = 0; i < 20; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, ",d%d", i);
    }
    measured_refused(fixture, "t.csv", text, "t.csv:1:1: the header has 90 columns, more than 80");
}

static void test_given_values_stand_for_columns(void **state)
{
    struct measured_fixture *fixture = *state;
    fixture->inputs = (struct orr_measured_inputs){.collective = "allgather", .npus_per_node = 4};
    const struct orr_measured *measured =
        measured_of(fixture, "t.csv", "npus,bytes,time_us\n8,1024,5\n");
    measured_row_is(measured, 0, "all_gather 8 4 1024 5 @2:1");
    /* What the file says comes first. */
    measured = measured_of(fixture, "t.csv", CSV_HEAD "reduce,8,8,1024,5\n");
    measured_row_is(measured, 0, "reduce 8 8 1024 5 @2:1");
    measured_refused(fixture, "t.csv", "npus,bytes,time_us\n6,1024,5\n",
                     "t.csv:2:1: 6 NPUs are no whole number of nodes of 4 NPUs");
    fixture->inputs = (struct orr_measured_inputs){.collective = "sendrecv"};
    measured_refused(fixture, "t.csv", "npus,npus_per_node,bytes,time_us\n6,6,1024,5\n",
                     "t.csv: there is no row to use: 1 row of sendrecv left out: it is no "
                     "collective that Orrery has");
    fixture->inputs = (struct orr_measured_inputs){.collective = "allredoce"};
    measured_refused(fixture, "t.csv", CSV_HEAD,
                     "there is no collective \"allredoce\", did you mean \"all_reduce\"?; they are "
                     "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, "
                     "gather and scatter");
    fixture->inputs = (struct orr_measured_inputs){.npus = 1};
    measured_refused(fixture, "t.csv", CSV_HEAD,
                     "npus: expected at least 2 for a collective, got 1");
    fixture->inputs = (struct orr_measured_inputs){.npus = 12, .npus_per_node = 8};
    measured_refused(fixture, "t.csv", CSV_HEAD, "12 NPUs are no whole number of nodes of 8 NPUs");
}

/* ---- bad values ---- */

static void test_bad_values_have_place(void **state)
{
    static const struct {
        const char *row, *message;
    } bad[] = {
        {"allredoce,8,8,1024,5",
         "t.csv:2:1: collective: there is no \"allredoce\", did you mean \"all_reduce\"?"},
        {"xyz,8,8,1024,5",
         "t.csv:2:1: collective: expected all_reduce, all_gather, reduce_scatter, all_to_all, "
         "broadcast, reduce, gather or scatter, got \"xyz\""},
        {"reduce,1,1,1024,5", "t.csv:2:8: npus: expected a whole number of at least 2, got \"1\""},
        {"reduce,8.5,1,1024,5",
         "t.csv:2:8: npus: expected a whole number of at least 2, got \"8.5\""},
        {"reduce,99999999999,1,1024,5",
         "t.csv:2:8: npus: expected a whole number of at least 2, got \"99999999999\""},
        {"reduce,8,0,1024,5",
         "t.csv:2:10: npus_per_node: expected a whole number of at least 1, got \"0\""},
        {"reduce,12,8,1024,5", "t.csv:2:11: 12 NPUs are no whole number of nodes of 8 NPUs"},
        {"reduce,4,8,1024,5", "t.csv:2:10: 4 NPUs are no whole number of nodes of 8 NPUs"},
        {"reduce,8,8,0,5",
         "t.csv:2:12: bytes: expected a whole number above 0, such as 1048576, got \"0\""},
        {"reduce,8,8,10.5,5",
         "t.csv:2:12: bytes: expected a whole number above 0, such as 1048576, got \"10.5\""},
        {"reduce,8,8,-4,5",
         "t.csv:2:12: bytes: expected a whole number above 0, such as 1048576, got \"-4\""},
        {"reduce,8,8,99999999999999999999999,5",
         "t.csv:2:12: bytes: expected a whole number above 0, such as 1048576, got "
         "\"99999999999999999999999\""},
        {"reduce,8,8,1 MiB,5",
         "t.csv:2:12: bytes: expected a number without a unit, got \"1 MiB\": write 1048576"},
        {"reduce,8,8,,5",
         "t.csv:2:12: bytes: expected a whole number above 0, such as 1048576, got \"\""},
        {"reduce,8,8,1024,60us",
         "t.csv:2:17: time_us: expected a number without a unit, got \"60us\": write 60"},
        {"reduce,8,8,1024,1.5 ms",
         "t.csv:2:17: time_us: expected a number without a unit, got \"1.5 ms\": write 1500"},
        {"reduce,8,8,1024,0",
         "t.csv:2:17: time_us: expected microseconds above 0, such as 60.5, got \"0\""},
        {"reduce,8,8,1024,-3",
         "t.csv:2:17: time_us: expected microseconds above 0, such as 60.5, got \"-3\""},
        {"reduce,8,8,1024,inf",
         "t.csv:2:17: time_us: expected microseconds above 0, such as 60.5, got \"inf\""},
        {"reduce,8,8,1024,nan",
         "t.csv:2:17: time_us: expected microseconds above 0, such as 60.5, got \"nan\""},
        {"reduce,8,8,1024,1e999",
         "t.csv:2:17: time_us: expected microseconds above 0, such as 60.5, got \"1e999\""},
        {"reduce,8,8,1024,1e308",
         "t.csv:2:1: expected a time from 1 ps to 106 days, got 1e+308 us"},
        {"reduce,8,8,1024,1e-320",
         "t.csv:2:1: expected a time from 1 ps to 106 days, got 9.99989e-321 us"},
        {"reduce,8,8,1024", "t.csv:2:1: the row has 4 fields where the header has 5"},
        {"reduce", "t.csv:2:1: the row has 1 field where the header has 5"},
        {"reduce,8,8,1024,5,x", "t.csv:2:1: the row has 6 fields where the header has 5"},
        {"\"reduce,8,8,1024,5", "t.csv:2:1: the quote is not closed"},
        {"\"reduce\"x,8,8,1024,5", "t.csv:2:9: expected a comma behind the closing quote"},
        {"", "t.csv: there is no row"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, CSV_HEAD "%s\n", bad[i].row);
        measured_refused(*state, "t.csv", text, bad[i].message);
    }
}

static void test_no_table_refused(void **state)
{
    struct measured_fixture *fixture = *state;
    measured_refused(fixture, "t.csv", "", "t.csv: the file is empty");
    measured_refused(fixture, "t.csv", " \n\t\r\n", "t.csv: the file is empty");
    const struct orr_measured_source binary = {"t.bin", "a\0b", 3};
    assert_int_equal(measured_try(fixture, &binary, 1), ORR_ERR_INPUT);
    assert_string_equal(fixture->diag.message, "the file is binary: expected a table as CSV, or "
                                               "what nccl-tests print or write as JSON");
    const struct orr_measured_source folder = {"tests", NULL, 0}, none = {"no-such-file", NULL, 0};
    assert_int_equal(measured_try(fixture, &folder, 1), ORR_ERR_IO);
    assert_string_equal(fixture->diag.message, "cannot be read: Is a directory");
    assert_int_equal(measured_try(fixture, &none, 1), ORR_ERR_IO);
    assert_string_equal(fixture->diag.message, "cannot open: No such file or directory");
    assert_int_equal(measured_try(fixture, NULL, 0), ORR_ERR_INPUT);
    assert_string_equal(fixture->diag.message, "there is no row");
}

/* ---- tables ---- */

static void test_tables_sorted(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured = measured_of(fixture, "t.csv",
                                                      CSV_HEAD "reduce,8,8,4096,9\n"
                                                               "all_reduce,16,8,1024,5\n"
                                                               "reduce,8,8,1024,5\n"
                                                               "reduce,8,4,1024,5\n"
                                                               "reduce,8,8,2048,7\n"
                                                               "reduce,8,8,1024,6\n");
    assert_int_equal(measured->tables, 3);
    static const uint32_t order[] = {2, 5, 4, 0, 1, 3};
    assert_memory_equal(measured->order, order, sizeof order);
    static const uint32_t tables[] = {0, 1, 0, 2, 0, 0};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(measured->row[i].table, tables[i]);
    }
    const struct orr_measured_table *first = &measured->table[0];
    assert_int_equal(first->kind, COLL_REDUCE);
    assert_int_equal(first->npus, 8);
    assert_int_equal(first->npus_per_node, 8);
    assert_int_equal(first->first, 0);
    assert_int_equal(first->count, 4);
    assert_int_equal(orr_measured_row_of(measured, first, 3)->bytes, 4096);
    assert_int_equal(measured->table[2].npus_per_node, 4);
    assert_int_equal(measured->table[2].first, 5);
    assert_int_equal(fixture->warnings, 0);
}

static void test_rows_alike_far_apart_warned(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured_source sources[] = {
        {"a.csv", CSV_HEAD "reduce,8,8,1024,10\nreduce,8,8,4096,10\n", 0},
        {"b.csv", CSV_HEAD "reduce,8,8,4096,20\nreduce,8,8,1024,20.5\n", 0}};
    struct orr_measured_source both[2];
    for (size_t i = 0; i < 2; i++) {
        both[i] = sources[i];
        both[i].bytes = strlen(sources[i].data);
    }
    assert_int_equal(measured_try(fixture, both, 2), ORR_OK);
    assert_int_equal(fixture->measured.rows, 4);
    assert_int_equal(fixture->warnings, 1); /* twice as long is not more than twice */
    assert_string_equal(fixture->warning,
                        "b.csv:3:1: warning: reduce of 1024 bytes on 8 NPUs takes 20.5 us here and "
                        "10 us at a.csv:2:1, which differ by more than a factor of 2; both are "
                        "kept");
    /* Not more than eight are told. */
    char text[1024] = CSV_HEAD;
    for (unsigned i = 0; i < 20; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "reduce,8,8,%u,%u\n", 8 + i / 2,
                       1 + i % 2 * 2);
    }
    (void)measured_of(fixture, "t.csv", text);
    assert_int_equal(fixture->warnings, 9);
    assert_string_equal(fixture->warning,
                        "warning: 2 more sizes were measured several times with results that "
                        "differ by more than a factor of 2: are the rows of one machine?");
}

static void test_further_columns_of_files_joined(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char *const text[] = {
        "collective,npus,npus_per_node,bytes,time_us,a,b\nreduce,8,8,1024,10,1,2\n",
        CSV_HEAD "reduce,8,8,2048,10\n",
        "c,b,collective,npus,npus_per_node,bytes,time_us\n3,4,reduce,8,8,4096,10\n"};
    struct orr_measured_source sources[3];
    for (size_t i = 0; i < 3; i++) {
        sources[i] = (struct orr_measured_source){"t.csv", text[i], strlen(text[i])};
    }
    assert_int_equal(measured_try(fixture, sources, 3), ORR_OK);
    static const char *const expected[3][3] = {{"1", "2", ""}, {"", "", ""}, {"", "4", "3"}};
    assert_int_equal(fixture->measured.columns, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fixture->measured.row[i].file, i);
        for (size_t c = 0; c < 3; c++) {
            assert_string_equal(fixture->measured.row[i].extra[c], expected[i][c]);
        }
    }
}

static void test_own_bytes(void **state)
{
    (void)state;
    struct orr_measured_row row = {.kind = COLL_ALL_GATHER, .npus = 8, .bytes = 1024};
    assert_int_equal(orr_measured_coll_bytes(&row), 128);
    row.bytes = 1025;
    assert_int_equal(orr_measured_coll_bytes(&row), 129);
    row.kind = COLL_GATHER;
    assert_int_equal(orr_measured_coll_bytes(&row), 129);
    row.kind = COLL_REDUCE_SCATTER;
    assert_int_equal(orr_measured_coll_bytes(&row), 1025);
}

/* ---- published tables, where they are there ---- */

/* Skips the test where the table is not there. */
static void find_published(const char *name, char *path, size_t bytes)
{
    const char *shared = getenv("ORRERY_SHARED");
    (void)snprintf(path, bytes, "%s/data/measured/%s", shared != NULL ? shared : "../shared", name);
    if (access(path, R_OK) != 0) {
        skip();
    }
}

static void test_published_headers_told(void **state)
{
    struct measured_fixture *fixture = *state;
    char path[512];
    find_published("nccl_bench.csv", path, sizeof path);
    const struct orr_measured_source source = {path, NULL, 0};
    assert_int_equal(measured_try(fixture, &source, 1), ORR_ERR_INPUT);
    assert_int_equal(fixture->diag.place.line, 1);
    assert_string_equal(fixture->diag.message,
                        "the header misses the columns npus, npus_per_node, bytes and time_us: it "
                        "has dataset, collective, size_bytes, oop_time_us, oop_algbw_GBps, "
                        "oop_busbw_GBps, ip_time_us, ip_algbw_GBps, ip_busbw_GBps, derived; rename "
                        "size_bytes to bytes, oop_time_us to time_us");
}

/* A published table under the names that are read. */
static void test_published_rows_read(void **state)
{
    static const char head[] = "collective,nodes,npus_per_node,npus,bytes,time_us,oop_algbw,"
                               "oop_busbw,ip_time_us,ip_algbw,ip_busbw,source\n";
    struct measured_fixture *fixture = *state;
    char path[512];
    static char text[1 << 18];
    find_published("nccl_perlmutter.csv", path, sizeof path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file)); /* its own header */
    memcpy(text, head, sizeof head);
    const size_t bytes = fread(text + sizeof head - 1, 1, sizeof text - sizeof head, file);
    text[sizeof head - 1 + bytes] = '\0';
    assert_int_equal(fclose(file), 0);
    const struct orr_measured *measured = measured_of(fixture, path, text);
    assert_int_equal(measured->rows, 987);
    assert_int_equal(measured->tables, 52);
    assert_int_equal(measured->columns, 7);
    measured_row_is(measured, 0, "all_gather 128 1 32768 770.9 @2:1");
    struct orr_measured_split split;
    assert_int_equal(
        orr_measured_select(measured, "column:nodes>8", fixture->arena, &split, &fixture->diag),
        ORR_OK);
    for (size_t i = 0; i < measured->rows; i++) {
        const struct orr_measured_row *row = &measured->row[i];
        assert_int_equal(split.held[i], row->npus / row->npus_per_node > 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns_any_order_rows, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_odd_lines_read, measured_setup, measured_teardown),
        cmocka_unit_test(test_names_of_collectives),
        cmocka_unit_test_setup_teardown(test_collectives_without_model_noted, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_header_misses_columns_named, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_header_missing_told, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_header_names_bad, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_given_values_stand_for_columns, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_bad_values_have_place, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_no_table_refused, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_tables_sorted, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_rows_alike_far_apart_warned, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_further_columns_of_files_joined, measured_setup,
                                        measured_teardown),
        cmocka_unit_test(test_own_bytes),
        cmocka_unit_test_setup_teardown(test_published_headers_told, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_published_rows_read, measured_setup,
                                        measured_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
