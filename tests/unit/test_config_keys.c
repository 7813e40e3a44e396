/* Every key of our own files: what the tables say about it, the exact message for each way to get
 * it wrong, and that its value and origin are explained.
 *
 *   test_config_keys FOLDER     writes the cases there instead, for the check of the JSON Schema:
 *                               N.yml, and the lines "N accepted|refused KIND PATH" of `cases` */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/keys.h"
#include "orrery/orrery.h"
#include "sim/load/config_keys.h"
#include "tests/unit/key_cases.h"

/* ---- the tables themselves ---- */

struct tally {
    unsigned keys, kinds[KEY_CASE_KINDS], failures;
};

static void check_key(void *context, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    struct tally *tally = context;
    tally->keys++;
    const bool described = key->doc != NULL && key->doc[0] != '\0' && table->owner != NULL;
    const bool typed = key->type != ORR_KEY_CHOICE || key->choices != NULL;
    const bool ranged = key->low <= key->high;
    const bool once = !key->required || key->default_text == NULL;
    if (!described || !typed || !ranged || !once) {
        tally->failures++;
        print_error("%s: needs a doc of one line, the choices of a CHOICE, low <= high, and not "
                    "both required and a fallback\n",
                    path);
    }
}

static void test_config_keys_every_key_is_described(void **state)
{
    (void)state;
    struct tally tally = {0};
    orr_keys_visit(&orr_wl_key_table, check_key, &tally);
    assert_int_equal(tally.failures, 0);
    assert_true(tally.keys >= 55); /* those there were when this was written */
}

/* ---- messages ---- */

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

struct explained {
    const char *wanted;
    bool found;
};

static void compare_line(void *user, const char *key, const char *value, const char *origin)
{
    struct explained *explained = user;
    char line[1024];
    (void)snprintf(line, sizeof line, "%s=%s@%s", key, value, origin);
    explained->found = explained->found || strcmp(line, explained->wanted) == 0;
}

static void check_case(void *context, const struct key_case *each)
{
    struct tally *tally = context;
    write_file("f.yml", each->text);
    struct orrery *job = orrery_new();
    assert_non_null(job);
    const struct orrery_inputs inputs = {.platform = "f.yml"};
    const enum orrery_status status = orrery_load(job, &inputs);
    struct explained explained = {.wanted = each->explained, .found = each->explained[0] == '\0'};
    if (status == ORRERY_OK) {
        orrery_explain(job, compare_line, &explained);
    }
    const bool as_expected = status == (each->message[0] == '\0' ? ORRERY_OK : ORRERY_ERROR_INPUT);
    if (!as_expected || strcmp(orrery_error(job), each->message) != 0 ||
        (status == ORRERY_OK && !explained.found)) {
        tally->failures++;
        print_error("%s, %s:\n%s", each->path, key_case_kinds[each->kind], each->text);
        print_error("  expected: %s\n  found:    %s\n", each->message, orrery_error(job));
        print_error("  to be explained: %s\n", each->explained);
    }
    tally->kinds[each->kind]++;
    orrery_free(job);
}

static void test_config_keys_every_mistake_has_its_message(void **state)
{
    (void)state;
    struct tally tally = {0};
    write_file("cluster.dot", "graph { a -- b [bandwidth=\"1 GB/s\"] }\n"); /* network.graph.file */
    key_cases(check_case, &tally);
    assert_int_equal(tally.failures, 0);
    for (unsigned kind = 0; kind < KEY_CASE_KINDS; kind++) {
        print_message("%-12s %u\n", key_case_kinds[kind], tally.kinds[kind]);
        assert_true(tally.kinds[kind] > 0);
    }
}

/* ---- explaining ---- */

enum { MAX_LINES = 512 };

struct lines {
    char path[MAX_LINES][128], origin[MAX_LINES][128];
    unsigned count, missing;
};

static void keep_line(void *user, const char *key, const char *value, const char *origin)
{
    struct lines *lines = user;
    assert_true(lines->count < MAX_LINES && value[0] != '\0' && origin[0] != '\0');
    (void)snprintf(lines->path[lines->count], sizeof *lines->path, "%s", key);
    (void)snprintf(lines->origin[lines->count], sizeof *lines->origin, "%s", origin);
    lines->count++;
}

/* The key's path with [] for the index stands in one of the lines. */
static void find_line(void *context, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    (void)table;
    struct lines *lines = context;
    char actual[256];
    const char *index = strstr(path, "[]");
    (void)snprintf(actual, sizeof actual, "%.*s%s%s",
                   index != NULL ? (int)(index - path) : (int)strlen(path), path,
                   index != NULL ? "[0]" : "", index != NULL ? index + 2 : "");
    for (unsigned i = 0; i < lines->count; i++) {
        if (strcmp(lines->path[i], actual) == 0) {
            return;
        }
    }
    /* Sections are explained by their keys, entries of lists and any names only where they are
     * given, and files that are joined by the values that come from them. */
    const bool listed = index == NULL || strncmp(path, "network.dims", (size_t)(index - path)) == 0;
    if (listed && key->table == NULL && !key->merge_only && strcmp(key->name, "NAME") != 0 &&
        strcmp(key->name, "PATH") != 0) {
        print_error("%s is not explained\n", actual);
        lines->missing++;
    }
}

static void test_config_keys_every_key_is_explained(void **state)
{
    (void)state;
    static struct lines lines;
    write_file("f.yml", "network: {dims: [{block: ring, npus: 4, bandwidth: 50 GB/s}]}\n"
                        "workload: {generate: barrier}\n");
    struct orrery *job = orrery_new();
    const struct orrery_inputs inputs = {.platform = "f.yml"};
    assert_int_equal(orrery_load(job, &inputs), ORRERY_OK);
    orrery_explain(job, keep_line, &lines);
    orr_keys_visit(&orr_wl_key_table, find_line, &lines);
    assert_int_equal(lines.missing, 0);
    orrery_free(job);
}

/* ---- cases for the schema ---- */

struct dump {
    FILE *list;
    unsigned count;
};

static void dump_case(void *context, const struct key_case *each)
{
    struct dump *dump = context;
    char name[32];
    (void)snprintf(name, sizeof name, "%u.yml", dump->count);
    FILE *file = fopen(name, "w");
    if (file != NULL) {
        (void)fputs(each->text, file);
        (void)fclose(file);
    }
    (void)fprintf(dump->list, "%u %s %s: %s\n", dump->count++,
                  each->message[0] == '\0' ? "accepted" : "refused", key_case_kinds[each->kind],
                  each->path);
}

static int dump_cases(const char *folder)
{
    struct dump dump = {.list = chdir(folder) == 0 ? fopen("cases", "w") : NULL};
    if (dump.list == NULL) {
        perror(folder);
        return 1;
    }
    key_cases(dump_case, &dump);
    return fclose(dump.list) == 0 ? 0 : 1;
}

/* ---- */

static char folder[] = "/tmp/orrery-keys-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    return remove("f.yml") == 0 && remove("cluster.dot") == 0 && chdir("/") == 0 &&
                   rmdir(folder) == 0
               ? 0
               : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_keys_every_key_is_described),
        cmocka_unit_test(test_config_keys_every_mistake_has_its_message),
        cmocka_unit_test(test_config_keys_every_key_is_explained)};
    return argc > 1 ? dump_cases(argv[1])
                    : cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
