/* Exact answers of small collectives under both sets of rules: one line of results.csv each. The
 * inputs are written here from the line's columns. A change of an answer changes the table, on
 * purpose: ORRERY_GOLDEN_UPDATE=1 prints the lines as they are now instead of comparing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/parity/parity_support.h"

enum { LINE_BYTES = 1024, MAX_DIMS = 4, MINIMUM_LINES = 40 };

enum column {
    NAME,
    TOPOLOGY, /* lists are separated by spaces, one entry a dimension */
    NPUS,
    BANDWIDTH,
    LATENCY,
    KIND,
    BYTES,
    SPLITS,
    RULES,
    BACKEND,
    WALL_PS,
    COLUMNS
};

struct golden_line {
    char text[LINE_BYTES];
    const char *field[COLUMNS];
};

/* "[ a, b ]" of "a b". */
static void print_list(char *out, size_t capacity, const char *words)
{
    size_t length = (size_t)snprintf(out, capacity, "[ ");
    for (; *words != '\0'; words++) {
        assert_true(length + 4 < capacity);
        if (*words == ' ') {
            out[length++] = ',';
        }
        out[length++] = *words;
    }
    (void)snprintf(out + length, capacity - length, " ]");
}

static void write_network(const char *path, const struct golden_line *line)
{
    char topology[128], npus[128], bandwidth[256], latency[128];
    print_list(topology, sizeof topology, line->field[TOPOLOGY]);
    print_list(npus, sizeof npus, line->field[NPUS]);
    print_list(bandwidth, sizeof bandwidth, line->field[BANDWIDTH]);
    print_list(latency, sizeof latency, line->field[LATENCY]);
    parity_write(path, "topology: %s\nnpus_count: %s\nbandwidth: %s\nlatency: %s\n", topology, npus,
                 bandwidth, latency);
}

static bool is_power_of_two(unsigned long n)
{
    return (n & (n - 1)) == 0;
}

/* The algorithm that suits a block: ring on a ring, direct on a full mesh, halving-doubling through
 * a switch of 2^k NPUs and ring through any other. */
static const char *algorithm_of(const char *block, unsigned long npus)
{
    if (strncmp(block, "FullyConnected", strlen("FullyConnected")) == 0) {
        return "direct";
    }
    const bool doubles = strncmp(block, "Switch", strlen("Switch")) == 0 && is_power_of_two(npus);
    return doubles ? "halvingDoubling" : "ring";
}

static void print_algorithms(char *out, size_t capacity, const struct golden_line *line)
{
    const char *block = line->field[TOPOLOGY];
    char *npus = (char *)(uintptr_t)line->field[NPUS];
    size_t length = 0;
    for (unsigned d = 0; block != NULL && d < MAX_DIMS; d++) {
        const char *name = algorithm_of(block, strtoul(npus, &npus, 10));
        length +=
            (size_t)snprintf(out + length, capacity - length, "%s\"%s\"", d > 0 ? ", " : "", name);
        assert_true(length < capacity);
        block = strchr(block, ' ');
        block = block != NULL ? block + 1 : NULL;
    }
}

/* All-to-all has no halving-doubling. */
static const char *exchange_of(const char *list)
{
    return strstr(list, "halvingDoubling") != NULL ? "\"direct\"" : list;
}

static void write_system(const char *path, const struct golden_line *line)
{
    char list[256];
    print_algorithms(list, sizeof list, line);
    parity_write(path,
                 "{\"scheduling-policy\": \"FIFO\", \"endpoint-delay\": 10,\n"
                 " \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": %s,\n"
                 " \"all-reduce-implementation\": [%s],\n"
                 " \"all-gather-implementation\": [%s],\n"
                 " \"reduce-scatter-implementation\": [%s],\n"
                 " \"all-to-all-implementation\": [%s],\n"
                 " \"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600}\n",
                 line->field[SPLITS], list, list, list, exchange_of(list));
}

static int64_t wall_of(const struct parity_files *files, const struct golden_line *line)
{
    write_network(files->network, line);
    write_system(files->system, line);
    parity_write_collective(files->workload, parity_comm_of(line->field[KIND]),
                            strtoull(line->field[BYTES], NULL, 10));
    struct orrery_astra_sim inputs = parity_inputs(files);
    inputs.backend = line->field[BACKEND];
    inputs.default_rules = strcmp(line->field[RULES], "off") == 0;
    assert_true(inputs.default_rules || strcmp(line->field[RULES], "astra-sim") == 0);
    struct orrery *job = parity_run(&inputs);
    const int64_t wall_ps = orrery_wall_ps(job);
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        parity_assert_breakdown(job, rank);
    }
    orrery_free(job);
    return wall_ps;
}

/* False for comments, empty lines and the line of column names. */
static bool split_line(struct golden_line *line)
{
    line->text[strcspn(line->text, "\n")] = '\0';
    if (line->text[0] == '#' || line->text[0] == '\0' || strncmp(line->text, "name,", 5) == 0) {
        return false;
    }
    char *at = line->text;
    for (unsigned column = 0; column < COLUMNS; column++) {
        assert_non_null(at);
        line->field[column] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    assert_null(at);
    return true;
}

static void print_line(const struct golden_line *line, int64_t wall_ps)
{
    for (unsigned column = 0; column < WALL_PS; column++) {
        (void)printf("%s,", line->field[column]);
    }
    (void)printf("%" PRId64 "\n", wall_ps);
}

static bool is_update(void)
{
    const char *value = getenv("ORRERY_GOLDEN_UPDATE");
    return value != NULL && strcmp(value, "1") == 0;
}

/* Runs a line of the table; true when its answer is another. Comments pass through an update. */
static bool check_line(const struct parity_files *files, struct golden_line *line, unsigned *lines)
{
    char original[LINE_BYTES];
    memcpy(original, line->text, sizeof original);
    if (!split_line(line)) {
        if (is_update()) {
            (void)fputs(original, stdout);
        }
        return false;
    }
    (*lines)++;
    const int64_t actual_ps = wall_of(files, line);
    if (is_update()) {
        print_line(line, actual_ps);
        return false;
    }
    const int64_t expected_ps = strtoll(line->field[WALL_PS], NULL, 10);
    if (actual_ps != expected_ps) {
        print_error("%s: expected %" PRId64 " ps, got %" PRId64 " ps\n", line->field[NAME],
                    expected_ps, actual_ps);
    }
    return actual_ps != expected_ps;
}

static FILE *open_table(void)
{
    const char *source = getenv("ORRERY_SOURCE_DIR");
    char path[PARITY_PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/tests/golden/results.csv", source != NULL ? source : ".");
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        print_error("cannot open %s (set ORRERY_SOURCE_DIR)\n", path);
    }
    assert_non_null(file);
    return file;
}

static void test_run_each_line_takes_the_recorded_time(void **state)
{
    FILE *file = open_table();
    struct golden_line line;
    unsigned lines = 0, wrong = 0;
    while (fgets(line.text, sizeof line.text, file) != NULL) {
        wrong += check_line(*state, &line, &lines);
    }
    (void)fclose(file);
    assert_int_equal(wrong, 0);
    assert_true(lines >= MINIMUM_LINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        test_run_each_line_takes_the_recorded_time, parity_files_open, parity_files_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
