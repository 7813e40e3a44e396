/* Files that are there whole or not at all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/whole_file.h"

static const char *text_of(const char *path)
{
    static char text[64];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void write_text(const char *path, const char *text, bool keep)
{
    struct orr_whole_file whole;
    assert_true(orr_whole_file_open(&whole, path));
    assert_true(fputs(text, whole.file) >= 0);
    if (keep) {
        assert_true(orr_whole_file_keep(&whole));
    } else {
        orr_whole_file_drop(&whole);
    }
}

static void test_kept_replaces_dropped_does_not(void **state)
{
    (void)state;
    write_text("a", "one", false);
    assert_null(text_of("a"));
    write_text("a", "one", true);
    assert_string_equal(text_of("a"), "one");
    write_text("a", "two", false);
    assert_string_equal(text_of("a"), "one");
    write_text("./a", "two", true);
    assert_string_equal(text_of("a"), "two");
}

static void test_links_and_rights_stay(void **state)
{
    (void)state;
    struct stat found;
    write_text("b", "one", true);
    assert_int_equal(chmod("b", 0600), 0);
    assert_int_equal(symlink("b", "link"), 0);
    write_text("link", "two", true);
    assert_string_equal(text_of("b"), "two");
    assert_int_equal(lstat("link", &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(stat("b", &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    write_text("dangling", "three", true);
    assert_string_equal(text_of("nowhere"), "three");
}

static void test_devices_and_missing_folders(void **state)
{
    (void)state;
    struct orr_whole_file whole;
    write_text("/dev/null", "one", true);
    assert_false(orr_whole_file_open(&whole, "no/such/folder"));
    assert_int_equal(errno, ENOENT);
    assert_true(orr_whole_file_open(&whole, "/dev/full"));
    assert_true(fputs("one", whole.file) >= 0);
    assert_false(orr_whole_file_keep(&whole));
    assert_int_equal(errno, ENOSPC);
}

static int enter(void **state)
{
    static char folder[] = "/tmp/whole_file.XXXXXX";
    *state = mkdtemp(folder);
    return *state != NULL && chdir(folder) == 0 ? 0 : 1;
}

static int leave(void **state)
{
    static const char *const names[] = {"a", "b", "link", "dangling", "nowhere"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)unlink(names[i]);
    }
    return chdir("/") == 0 && rmdir(*state) == 0 ? 0 : 1; /* nothing else was left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept_replaces_dropped_does_not),
                                       cmocka_unit_test(test_links_and_rights_stay),
                                       cmocka_unit_test(test_devices_and_missing_folders)};
    return cmocka_run_group_tests(tests, enter, leave);
}
