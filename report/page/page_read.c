/* Results from files: a JSON value, or lines of JSON. */
#include <stdbool.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/file.h"
#include "report/page/page_private.h"

enum { MAX_MIB = 1024 };

static const char *kind_by_name(const char *file)
{
    static const struct {
        const char *end, *what;
    } known[] = {{".et", "an execution trace"}, {".et.gz", "an execution trace"},
                 {".yml", "a YAML file"},       {".yaml", "a YAML file"},
                 {".html", "a page"},           {".csv", "a table as CSV"},
                 {".svg", "a picture"}};
    const size_t length = file != NULL ? strlen(file) : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t end = strlen(known[i].end);
        if (length > end && strcmp(file + length - end, known[i].end) == 0) {
            return known[i].what;
        }
    }
    return NULL;
}

static enum orr_status fail_json(const char *file, const json_error_t *error, int line,
                                 struct orr_diag *diag)
{
    const struct orr_location location =
        file != NULL ? orr_location_text(file, (unsigned)(line > 0 ? line : 1),
                                         (unsigned)(error->column > 0 ? error->column : 1))
                     : orr_location_none();
    const char *what = kind_by_name(file);
    const enum orr_status status =
        orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                      "expected a result as JSON, as --json FILE writes it, got %s%s",
                      what != NULL ? what : "no JSON: ", what != NULL ? "" : error->text);
    if (file != NULL && what == NULL) {
        orr_conf_name_wrong(file, "a result of orrery run --json", diag);
    }
    return status;
}

/* One value a line. */
static enum orr_status read_lines(const char *text, const char *file, json_t *list,
                                  struct orr_diag *diag)
{
    int line = 0;
    for (const char *at = text, *end; *at != '\0'; at = *end == '\n' ? end + 1 : end) {
        json_error_t error;
        end = at + strcspn(at, "\n");
        line++;
        json_t *value = json_loadb(at, (size_t)(end - at), 0, &error);
        if (value == NULL) {
            return fail_json(file, &error, line, diag);
        }
        (void)json_array_append_new(list, value);
    }
    return ORR_OK;
}

/* True if the first line is a complete value and more lines follow. */
static bool is_lines(const char *text)
{
    const char *end = strchr(text, '\n');
    json_error_t error;
    json_t *first = end != NULL && end[1] != '\0' && text[0] == '{'
                        ? json_loadb(text, (size_t)(end - text), 0, &error)
                        : NULL;
    json_decref(first);
    return first != NULL;
}

enum orr_status orr_page_parse(const char *text, const char *file, json_t **result,
                               struct orr_diag *diag)
{
    json_error_t error;
    if (!is_lines(text)) {
        *result = json_loads(text, 0, &error);
        return *result != NULL ? ORR_OK : fail_json(file, &error, error.line, diag);
    }
    json_t *points = json_array();
    const enum orr_status status = read_lines(text, file, points, diag);
    *result = status == ORR_OK ? json_pack("{s:o}", "points", points) : NULL;
    if (status != ORR_OK) {
        json_decref(points);
    }
    return status;
}

enum orr_status orr_page_read(const char *file, json_t **result, struct orr_diag *diag)
{
    static const struct orr_file_kind kind = {"a result", "a result", MAX_MIB};
    char *data = NULL;
    size_t bytes = 0;
    *result = NULL;
    enum orr_status status = orr_file_read(file, &kind, &data, &bytes, diag);
    char *text = status == ORR_OK ? orr_heap_alloc(bytes + 1) : NULL;
    if (status == ORR_OK && text == NULL) {
        status = orr_diag_no_memory(diag, "a result");
    } else if (status == ORR_OK) {
        const json_error_t byte_0 = {.text = "a byte 0"};
        memcpy(text, data, bytes);
        text[bytes] = '\0';
        status = strlen(text) == bytes ? orr_page_parse(text, file, result, diag)
                                       : fail_json(file, &byte_0, 1, diag);
    }
    orr_heap_free(text);
    orr_heap_free(data);
    return status;
}
