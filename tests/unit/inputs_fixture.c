/* See inputs_fixture.h. */
#include "inputs_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COMMAND_BYTES = 4096 };

static char folder[] = "/tmp/orrery-inputs-XXXXXX";

int inputs_set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

int inputs_tear_down(void **state)
{
    char command[COMMAND_BYTES];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

/* All of a stream, to be freed. */
static char *read_all(FILE *in)
{
    char buffer[4096], *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(in);
    assert_non_null(out);
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, in)) != 0;) {
        assert_int_equal(fwrite(buffer, 1, count, out), count);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

char *inputs_command(const char *arguments)
{
    char command[COMMAND_BYTES];
    const char *orrery = getenv("ORRERY_BIN");
    (void)snprintf(command, sizeof command, "%s %s", orrery != NULL ? orrery : "orrery", arguments);
    FILE *in = popen(command, "r");
    char *text = read_all(in);
    if (pclose(in) != 0) {
        fail_msg("%s", command);
    }
    return text;
}

char *inputs_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = read_all(in);
    (void)fclose(in);
    return text;
}

void inputs_assert_printed(const char *arguments, const char *text)
{
    char *expected = inputs_command(arguments);
    assert_non_null(text);
    assert_true(expected[0] != '\0');
    assert_string_equal(text, expected);
    free(expected);
}

void inputs_assert_same_files(const char *one, const char *other)
{
    char command[COMMAND_BYTES];
    (void)snprintf(command, sizeof command, "cmp %s %s", one, other);
    assert_int_equal(system(command), 0);
}

struct inputs_stream inputs_open(void)
{
    return (struct inputs_stream){.out = tmpfile()};
}

void inputs_assert_stream(struct inputs_stream *stream, const char *arguments)
{
    rewind(stream->out);
    char *text = read_all(stream->out);
    inputs_assert_printed(arguments, text);
    free(text);
    (void)fclose(stream->out);
}
