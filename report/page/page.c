/* The page as an HTML file; see page.h. It holds its data once, as JSON with every '<' escaped, so
 * that no text of a result ends the script or begins a tag. A content security policy in its head
 * forbids requests. */
#include "report/page/page.h"

#include <string.h>

#include "core/conf/conf.h"
#include "core/file.h"
#include "orrery/orrery.h"
#include "report/basis_note.h"
#include "report/json_text.h"
#include "report/page/page_private.h"
#include "report/table_text.h"

enum { TITLE_BYTES = 1024, MAX_NAMED = 4 };

struct orr_page {
    json_t *results; /* of {name, kind, verdict, data} */
    json_t *command; /* NULL: left out */
    char title[TITLE_BYTES];
};

struct orr_page *orr_page_create(const char *title)
{
    struct orr_page *page = orr_heap_calloc(1, sizeof *page);
    if (page != NULL) {
        page->results = json_array();
        (void)snprintf(page->title, sizeof page->title, "%s", title != NULL ? title : "");
    }
    return page;
}

void orr_page_destroy(struct orr_page *page)
{
    if (page != NULL) {
        json_decref(page->results);
        json_decref(page->command);
        orr_heap_free(page);
    }
}

/* ---- adding ---- */

static enum orr_status fail_not_result(const json_t *result, const char *file,
                                       struct orr_diag *diag)
{
    const struct orr_location location =
        file != NULL ? orr_location_file(file) : orr_location_none();
    const char *key = json_is_object(result)
                          ? json_object_iter_key(json_object_iter((json_t *)(uintptr_t)result))
                          : NULL;
    const enum orr_status status =
        orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                      "expected a result of orrery run, whatif, sweep, plan, fit, "
                      "bench-collective, failures or diff as JSON (--json FILE), got %s%s%s",
                      key != NULL              ? "an object that begins with \""
                      : json_is_object(result) ? "an empty object"
                                               : "JSON that is no object",
                      key != NULL ? key : "", key != NULL ? "\"" : "");
    if (file != NULL) {
        orr_conf_name_wrong(file, "a result of orrery run --json", diag);
    }
    return status;
}

/* The name of a file without folders and extension; NULL if the result has no `key`. */
static json_t *stem_of(const json_t *result, const char *key)
{
    const char *file = json_string_value(json_object_get(result, key));
    size_t length = 0;
    const char *stem = file != NULL && *file != '\0' ? orr_stem(file, &length) : NULL;
    return stem != NULL && length > 0 ? json_stringn(stem, length) : NULL;
}

/* The name of a result: the given one, or that of its job. */
static json_t *name_of(const json_t *result, const char *name)
{
    static const char *const keys[] = {"platform", "model", "collective"};
    const char *own_name =
        json_string_value(json_object_get(json_object_get(result, "config"), "name"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys && (own_name == NULL || *own_name == '\0');
         i++) {
        own_name = json_string_value(json_object_get(result, keys[i]));
    }
    if (name != NULL || (own_name != NULL && *own_name != '\0')) {
        return orr_json_text(name != NULL ? name : own_name);
    }
    json_t *stem = stem_of(result, "taskgraph");
    stem = stem != NULL ? stem : stem_of(result, "file");
    stem =
        stem != NULL ? stem : stem_of(json_array_get(json_object_get(result, "runs"), 0), "file");
    return stem != NULL ? stem : json_string("result");
}

/* Warns if the compute times of a result were found in another way than those of the first of the
 * page that has some. */
static void warn_of_basis(const struct orr_page *page, const struct orr_named_result *added,
                          struct orr_diag *diag)
{
    for (size_t i = 0; i < json_array_size(page->results); i++) {
        const json_t *entry = json_array_get(page->results, i);
        const json_t *data = json_object_get(entry, "data");
        if (json_object_get(data, "compute_basis") != NULL) {
            const char *name = json_string_value(json_object_get(entry, "name"));
            orr_warn_of_bases((struct orr_named_result[]){{data, name}, *added}, diag);
            return;
        }
    }
}

enum orr_status orr_page_add(struct orr_page *page, json_t *result, const char *name,
                             const char *file, struct orr_diag *diag)
{
    const struct page_kind *kind = orr_page_kind_of(result);
    char verdict[ORR_VERDICT_BYTES] = "";
    if (kind == NULL) {
        const enum orr_status status = fail_not_result(result, file, diag);
        json_decref(result);
        return status;
    }
    kind->verdict(result, verdict);
    if (kind->cut != NULL) {
        kind->cut(result);
    }
    json_t *entry = json_object();
    (void)json_object_set_new(entry, "name", name_of(result, name));
    warn_of_basis(
        page, &(struct orr_named_result){result, json_string_value(json_object_get(entry, "name"))},
        diag);
    (void)json_object_set_new(entry, "kind", json_string(kind->name));
    (void)json_object_set_new(entry, "verdict", orr_json_text(verdict));
    (void)json_object_set_new(entry, "data", result);
    return json_array_append_new(page->results, entry) == 0 ? ORR_OK
                                                            : orr_diag_no_memory(diag, "a page");
}

enum orr_status orr_page_add_text(struct orr_page *page, const char *text, const char *name,
                                  struct orr_diag *diag)
{
    json_t *result = NULL;
    const enum orr_status status = orr_page_parse(text, NULL, &result, diag);
    return status == ORR_OK ? orr_page_add(page, result, name, NULL, diag) : status;
}

size_t orr_page_results(const struct orr_page *page)
{
    return json_array_size(page->results);
}

void orr_page_picture(struct orr_page *page, const char *title, const char *svg)
{
    json_t *entry = json_array_get(page->results, json_array_size(page->results) - 1);
    json_t *pictures = json_object_get(entry, "pictures");
    if (pictures == NULL) {
        pictures = json_array();
        (void)json_object_set_new(entry, "pictures", pictures);
    }
    (void)json_array_append_new(pictures, json_pack("{s:o, s:o}", "title", orr_json_text(title),
                                                    "svg", orr_json_text(svg)));
}

void orr_page_set_command(struct orr_page *page, const char *command)
{
    json_decref(page->command);
    page->command = orr_json_text(command);
}

/* ---- writing ---- */

/* Escapes '<', which can occur only in strings. */
static int put_data(const char *text, size_t bytes, void *out)
{
    size_t from = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '<') {
            (void)fwrite(text + from, 1, i - from, out);
            (void)fputs("\\u003c", out);
            from = i + 1;
        }
    }
    return fwrite(text + from, 1, bytes - from, out) == bytes - from ? 0 : -1;
}

/* The names of all results, or the first of them with the number of the others. */
static const char *title_of(const struct orr_page *page, char text[TITLE_BYTES])
{
    const size_t count = json_array_size(page->results);
    if (page->title[0] != '\0') {
        return page->title;
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && i < MAX_NAMED; i++) {
        const size_t used = strlen(text);
        const char *name =
            json_string_value(json_object_get(json_array_get(page->results, i), "name"));
        if (i > 0 && count > MAX_NAMED) {
            (void)snprintf(text + used, TITLE_BYTES - used, " and %zu more", count - 1);
            return text;
        }
        (void)snprintf(text + used, TITLE_BYTES - used, "%s%s",
                       i == 0           ? ""
                       : i == count - 1 ? " and "
                                        : ", ",
                       name);
    }
    return count > 0 ? text : "Orrery";
}

static void put_head(FILE *out, const char *title)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>",
                out);
    orr_markup_text(out, title);
    (void)fputs(" - Orrery</title>\n<style>\n", out);
    (void)fputs((const char *)orr_page_style, out);
    (void)fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the "
                "results</a>\n<header>\n<h1>",
                out);
    orr_markup_text(out, title);
    (void)fputs("</h1>\n", out);
}

static void put_verdicts(FILE *out, const struct orr_page *page)
{
    char several[ORR_VERDICT_BYTES] = "";
    orr_page_verdict_several(page->results, several);
    if (several[0] != '\0') {
        (void)fputs("<p class=\"verdict\">", out);
        orr_markup_text(out, several);
        (void)fputs("</p>\n", out);
        return;
    }
    for (size_t i = 0; i < json_array_size(page->results); i++) {
        const json_t *entry = json_array_get(page->results, i);
        (void)fputs("<p class=\"verdict\">", out);
        if (json_array_size(page->results) > 1) {
            orr_markup_text(out, json_string_value(json_object_get(entry, "name")));
            (void)fputs(": ", out);
        }
        orr_markup_text(out, json_string_value(json_object_get(entry, "verdict")));
        (void)fputs("</p>\n", out);
    }
}

int orr_page_write(FILE *out, const void *context)
{
    const struct orr_page *page = context;
    json_t *data = json_object();
    char named[TITLE_BYTES];
    const char *title = title_of(page, named);
    put_head(out, title);
    put_verdicts(out, page);
    (void)fputs("</header>\n<nav id=\"sections\" aria-label=\"Sections\"></nav>\n"
                "<main id=\"content\" tabindex=\"-1\"><noscript><p>The tables and pictures of this "
                "page are drawn by its own script, which is switched off.</p></noscript></main>\n"
                "<footer id=\"foot\"></footer>\n<script type=\"application/json\" id=\"data\">",
                out);
    (void)json_object_set_new(data, "orrery", json_string(orrery_version()));
    (void)json_object_set_new(data, "title", orr_json_text(title));
    (void)json_object_set(data, "command", page->command);
    (void)json_object_set(data, "results", page->results);
    const int result = json_dump_callback(data, put_data, out, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(data);
    (void)fputs("</script>\n<script>\n", out);
    (void)fputs((const char *)orr_page_script, out);
    (void)fputs("</script>\n</body>\n</html>\n", out);
    return result == 0 && ferror(out) == 0 ? 0 : 1;
}
