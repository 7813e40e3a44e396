/* Fits to published times of 15 machines and of Perlmutter, by the interface for programs: how near
 * the fitted model is to sizes, and to numbers of nodes, that it has not seen. Skipped without the
 * data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "orrery/fit.h"

enum { MAX_LINE = 1024, MAX_FIELDS = 24, MAX_ROWS = 1000, MAX_TEXT = 1 << 17, MACHINES = 15 };

/* ---- machines ---- */

/* Data sheets: GB/s of an NPU each way, in a node and between nodes. */
static const struct machine {
    const char *name;
    bool prefix; /* all data sets whose names begin so */
    const char *gpu, *fabric;
    double inner, outer;
} machines[MACHINES] = {{"vtrain_a100_", true, "a100", "nvswitch", 300, 25},
                        {"vtrain_v100_", true, "v100", "dgx1", 150, 6.25},
                        {"dgxa100_16_hdr", false, "a100", "nvswitch", 300, 25},
                        {"dgxa100_32_ib", false, "a100", "nvswitch", 300, 25},
                        {"superbench_a100_8", false, "a100", "nvswitch", 300, 25},
                        {"oci_b4_a100_16", false, "a100", "nvswitch", 300, 25},
                        {"stas_a100_8", false, "a100", "nvswitch", 300, 25},
                        {"a100_80g_thanos_8", false, "a100", "nvswitch", 300, 25},
                        {"efa_p4d_16", false, "a100", "nvswitch", 300, 6.25},
                        {"dgx1_v100_16_ib", false, "v100", "dgx1", 150, 6.25},
                        {"deepops_roce_16", false, "v100", "dgx1", 150, 3.125},
                        {"oci_hpc_16", false, "h100", "nvswitch", 450, 50},
                        {"dgxh100_cnh_16", false, "h100", "nvswitch", 450, 50},
                        {"b200_vultr_8", false, "b200", "nvswitch", 900, 50},
                        {"b200_vultr_16", false, "b200", "nvswitch", 900, 50}};

static const char perlmutter[] =
    "network: {topology: FullyConnected(4)_Switch(256), bandwidth_is: npu,\n"
    "          dims: [{bandwidth: 300 GB/s}, {bandwidth: 25 GB/s}]}\n"
    "system: {library: {name: nccl, gpu: a100}}\n";

static const char *platform_of(const struct machine *machine)
{
    static char text[512];
    (void)snprintf(text, sizeof text,
                   "network: {topology: Switch(8)_Switch(4), bandwidth_is: npu,\n"
                   "          dims: [{bandwidth: %g GB/s}, {bandwidth: %g GB/s}]}\n"
                   "system: {library: {name: nccl, gpu: %s, fabric: %s}}\n",
                   machine->inner, machine->outer, machine->gpu, machine->fabric);
    return text;
}

/* ---- tables ---- */

/* The fields of a line, quotes taken off; how many there are. */
static unsigned split(char *line, char *field[MAX_FIELDS])
{
    unsigned count = 0;
    char *to = line;
    bool quoted = false;
    field[count++] = to;
    for (const char *from = line; *from != '\0' && *from != '\n' && *from != '\r'; from++) {
        if (*from == '"') {
            quoted = !quoted;
        } else if (*from == ',' && !quoted && count < MAX_FIELDS) {
            *to++ = '\0';
            field[count++] = to;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return count;
}

static FILE *open_data(const char *name)
{
    char path[4096];
    const char *shared = getenv("ORRERY_SHARED");
    (void)snprintf(path, sizeof path, "%s/data/measured/%s", shared != NULL ? shared : "", name);
    return fopen(path, "r");
}

struct table {
    char text[MAX_TEXT]; /* CSV as the reader takes it */
    size_t used, rows;
};

static void start(struct table *table)
{
    table->rows = 0;
    table->used =
        (size_t)snprintf(table->text, MAX_TEXT, "collective,npus,npus_per_node,bytes,time_us\n");
}

static void add(struct table *table, const char *collective, const char *npus, long per_node,
                const char *bytes, const char *us)
{
    table->used += (size_t)snprintf(table->text + table->used, MAX_TEXT - table->used,
                                    "%s,%s,%ld,%s,%s\n", collective, npus, per_node, bytes, us);
    table->rows++;
    assert_true(table->used < MAX_TEXT);
}

/* NPUs and nodes of a data set, which nccl_datasets.csv has. */
static bool find_groups(const char *dataset, char npus[16], long *nodes)
{
    FILE *file = open_data("nccl_datasets.csv");
    char line[4 * MAX_LINE], *field[MAX_FIELDS];
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = split(line, field) > 5 && strcmp(field[0], dataset) == 0;
    }
    (void)fclose(file);
    if (found) {
        (void)snprintf(npus, 16, "%s", field[4]);
        *nodes = strtol(field[5], NULL, 10);
    }
    return found;
}

static void take_machine(struct table *table, const struct machine *machine)
{
    FILE *file = open_data("nccl_bench.csv");
    char line[MAX_LINE], *field[MAX_FIELDS], npus[16];
    long nodes = 1;
    start(table);
    while (fgets(line, sizeof line, file) != NULL) {
        (void)split(line, field);
        const bool is = machine->prefix
                            ? strncmp(field[0], machine->name, strlen(machine->name)) == 0
                            : strcmp(field[0], machine->name) == 0;
        if (is && strcmp(field[1], "sendrecv") != 0) {
            assert_true(find_groups(field[0], npus, &nodes));
            add(table, field[1], npus, strtol(npus, NULL, 10) / nodes, field[2], field[3]);
        }
    }
    (void)fclose(file);
    assert_true(table->rows > 3);
}

static void take_perlmutter(struct table *table)
{
    FILE *file = open_data("nccl_perlmutter.csv");
    char line[MAX_LINE], *field[MAX_FIELDS];
    start(table);
    (void)fgets(line, sizeof line, file);
    while (fgets(line, sizeof line, file) != NULL) {
        (void)split(line, field);
        add(table, field[0], field[3], strtol(field[2], NULL, 10), field[4], field[5]);
    }
    (void)fclose(file);
    assert_int_equal(table->rows, 987);
}

/* ---- fits ---- */

/* Medians of |model / measured - 1| of rows that were held out; NaN: there are none. */
struct errors {
    double large, small;
};

static const char *text_of(struct orrery_fit *fit, const char *name, size_t row)
{
    struct orrery_value value;
    assert_int_equal(orrery_fit_result(fit, name, row, &value), ORRERY_OK);
    return value.text;
}

static double number_of(struct orrery_fit *fit, const char *name, size_t row)
{
    struct orrery_value value;
    assert_int_equal(orrery_fit_result(fit, name, row, &value), ORRERY_OK);
    return value.kind == ORRERY_VALUE_REAL ? value.real : (double)value.integer;
}

static struct errors errors_of(struct orrery_fit *fit)
{
    struct errors errors = {NAN, NAN};
    size_t rows;
    assert_int_equal(orrery_fit_rows(fit, "fit_errors", &rows), ORRERY_OK);
    for (size_t i = 0; i < rows; i++) {
        if (!(number_of(fit, "fit_errors.held_out", i) > 0) ||
            strcmp(text_of(fit, "fit_errors.collective", i), "all") != 0) {
            continue;
        }
        const char *sizes = text_of(fit, "fit_errors.sizes", i);
        const bool large = strcmp(sizes, ">= 1 MiB") == 0, small = strcmp(sizes, "< 1 MiB") == 0;
        const double median = number_of(fit, "fit_errors.median", i);
        errors.large = large ? median : errors.large;
        errors.small = small ? median : errors.small;
    }
    return errors;
}

static struct errors fit_table(const struct table *table, const char *platform, const char *holdout)
{
    struct orrery_fit *fit = orrery_fit_new();
    const struct orrery_measured data = {"rows.csv", table->text, table->used};
    const struct orrery_fit_collectives input = {ORRERY_SIZED(orrery_fit_collectives),
                                                 .text = platform, .data = &data, .files = 1,
                                                 .holdout = holdout};
    if (orrery_fit_collectives(fit, &input) != ORRERY_OK) {
        fail_msg("%s", orrery_fit_error(fit));
    }
    const struct errors errors = errors_of(fit);
    orrery_fit_free(fit);
    return errors;
}

static int by_value(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static struct table *skip_without_data(void)
{
    FILE *file = open_data("nccl_bench.csv");
    if (file == NULL) {
        print_message("skipped: there is no measured data; set ORRERY_SHARED\n");
        skip();
    }
    (void)fclose(file);
    struct table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    return table;
}

/* Medians over machines, and the worst machine's of sizes from 1 MiB on. */
static struct errors fit_machines(const char *holdout, double *worst)
{
    struct table *table = skip_without_data();
    double large[MACHINES], small[MACHINES];
    size_t larges = 0, smalls = 0;
    *worst = 0;
    for (unsigned i = 0; i < MACHINES; i++) {
        take_machine(table, &machines[i]);
        const struct errors errors = fit_table(table, platform_of(&machines[i]), holdout);
        print_message("%-20s %5.1f %% %5.1f %%\n", machines[i].name, 100 * errors.large,
                      100 * errors.small);
        if (!isnan(errors.large)) {
            large[larges++] = errors.large;
            *worst = fmax(*worst, errors.large);
        }
        if (!isnan(errors.small)) {
            small[smalls++] = errors.small;
        }
    }
    free(table);
    assert_int_equal(larges, MACHINES);
    assert_int_equal(smalls, 9);
    const struct errors medians = {median(large, larges), median(small, smalls)};
    print_message("%s: %.2f %%, %.2f %%, worst %.2f %%\n", holdout, 100 * medians.large,
                  100 * medians.small, 100 * *worst);
    return medians;
}

static void test_every_second_size_tells_the_others(void **state)
{
    (void)state;
    double worst;
    const struct errors medians = fit_machines("every:2", &worst);
    assert_true(medians.large <= 0.06);
    assert_true(medians.small <= 0.09);
    assert_true(worst <= 0.16);
}

static void test_every_fourth_size_does(void **state)
{
    (void)state;
    double worst;
    assert_true(fit_machines("every:4", &worst).large <= 0.09);
}

static void test_few_nodes_tell_of_many(void **state)
{
    (void)state;
    struct table *table = skip_without_data();
    take_perlmutter(table);
    const struct errors sizes = fit_table(table, perlmutter, "every:2");
    const clock_t from = clock();
    const struct errors nodes = fit_table(table, perlmutter, "column:nodes>8");
    print_message("Perlmutter: %.2f %% of the other sizes, %.2f %% above 8 nodes, in %.1f s\n",
                  100 * sizes.large, 100 * nodes.large, (double)(clock() - from) / CLOCKS_PER_SEC);
    free(table);
    assert_true(sizes.large <= 0.08);
    assert_true(nodes.large <= 0.10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_second_size_tells_the_others),
        cmocka_unit_test(test_every_fourth_size_does),
        cmocka_unit_test(test_few_nodes_tell_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
