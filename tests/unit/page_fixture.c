/* See page_fixture.h. */
#include "tests/unit/page_fixture.h"

json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, 0, &error);
    assert_non_null(value);
    return value;
}

char *written(const struct orr_page *page)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(orr_page_write(out, page), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strlen(text), bytes);
    return text;
}
