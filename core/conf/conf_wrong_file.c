/* File type detection: what a file is that is not the expected one, by its first bytes (of
 * compressed files those of the content) or its top-level keys, and where it belongs. Runs only
 * after a file could not be read, so a wrong guess rejects no valid file. The formats are in
 * foreign_formats.c. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"
#include "core/conf/foreign_formats.h"

enum { HEAD_BYTES = 16384 };

const char orr_conf_command_line[] = "command line"; /* not a file */

/* ---- reading ---- */

/* Reads the first bytes of a file, of compressed ones those of the content; false: it cannot be
 * read. */
static bool read_head(const char *path, char head[HEAD_BYTES], bool *compressed)
{
    gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    const int taken = gzread(file, head, HEAD_BYTES - 1);
    head[taken > 0 ? taken : 0] = '\0';
    *compressed = gzdirect(file) == 0;
    (void)gzclose(file);
    return taken > 0;
}

/* ---- errors ---- */

/* The advice, with an example made of the file's numbers where it teaches one; in `text` then. */
static const char *advice(const char *path, const char *where, char text[HEAD_BYTES])
{
    char head[HEAD_BYTES];
    bool compressed;
    if (where != orr_hugging_face_where || !read_head(path, head, &compressed)) {
        return where;
    }
    const int length = snprintf(text, HEAD_BYTES, "%s", where);
    orr_hugging_face_example(head, text + length, HEAD_BYTES - (size_t)length);
    return text;
}

static enum orr_status fail_wrong_file(const char *path, const char *what, const char *where,
                                       const char *expected, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    char text[HEAD_BYTES];
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "this is %s, not %s: %s", what, expected,
                         where != NULL ? advice(path, where, text)
                                       : "orrery run --list-inputs lists the installed "
                                         "inputs");
}

/* ---- by keys ---- */

static const struct orr_conf *find(const struct orr_conf *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->key[i], key) == 0) {
            return map->item[i];
        }
    }
    return NULL;
}

static bool has_keys(const struct orr_conf *map, const struct orr_foreign_keys *foreign_keys)
{
    for (size_t k = 0; k < ORR_FOREIGN_MAX_KEYS && foreign_keys->key[k] != NULL; k++) {
        if (find(map, foreign_keys->key[k]) == NULL) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_conf_identify_map(const struct orr_conf *map, const char *owner,
                                      struct orr_diag *diag)
{
    if (map == NULL || map->path[0] != '\0' || map->kind != ORR_CONF_MAP) {
        return ORR_OK;
    }
    for (size_t i = 0; i < orr_foreign_keys_count; i++) {
        const struct orr_foreign_keys *foreign_keys = &orr_foreign_by_keys[i];
        if (!has_keys(map, foreign_keys)) {
            continue;
        }
        /* Of merged files, the one that has the key. */
        const char *file = find(map, foreign_keys->key[0])->file;
        char head[HEAD_BYTES];
        bool compressed;
        struct orr_foreign foreign;
        if (read_head(file, head, &compressed) && orr_foreign_by_shape(head, &foreign)) {
            return fail_wrong_file(file, foreign.what, foreign.where, owner, diag);
        }
        return strcmp(file, orr_conf_command_line) == 0 ||
                       (foreign_keys->owner != NULL && strcmp(foreign_keys->owner, owner) == 0)
                   ? ORR_OK
                   : fail_wrong_file(file, foreign_keys->what, foreign_keys->where, owner, diag);
    }
    return ORR_OK;
}

/* ---- by the text ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool begins_with(const char *head, const char *text)
{
    return strncmp(head, text, strlen(text)) == 0;
}

/* Skips an XML prolog, comments and blanks, which do not identify a file. */
static const char *skip_prolog(const char *head)
{
    const char *at = head + strspn(head, " \t\r\n");
    while (begins_with(at, "<?xml") || begins_with(at, "<!--")) {
        const char *end = strstr(at, begins_with(at, "<?xml") ? "?>" : "-->");
        if (end == NULL) {
            return at;
        }
        at = strchr(end, '>') + 1;
        at += strspn(at, " \t\r\n");
    }
    return *at != '\0' ? at : head;
}

/* Whether the first line has commas, and no colon before the end. */
static bool is_csv(const char *head)
{
    const size_t line = strcspn(head, "\r\n");
    const char *comma = memchr(head, ',', line);
    return comma != NULL && memchr(head, ':', line) == NULL && head[0] != '{' && head[0] != '[' &&
           head[line] != '\0';
}

/* Whether the text has the key at the start of a line (YAML) or in quotes (JSON). */
static bool has_key_text(const char *head, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = head; (at = strstr(at, key)) != NULL; at += length) {
        const bool plain = (at == head || at[-1] == '\n') && at[length] == ':';
        const bool quoted = at != head && at[-1] == '"' && at[length] == '"';
        if (plain || quoted) {
            return true;
        }
    }
    return false;
}

/* Finds a format by its keys; a model's name in a table is no key. */
static const struct orr_foreign_keys *find_keys(const char *head)
{
    for (size_t i = 0; i < orr_foreign_keys_count; i++) {
        bool all = true;
        for (size_t k = 0; k < ORR_FOREIGN_MAX_KEYS && orr_foreign_by_keys[i].key[k] != NULL; k++) {
            all = all && has_key_text(head, orr_foreign_by_keys[i].key[k]);
        }
        if (all) {
            return &orr_foreign_by_keys[i];
        }
    }
    return NULL;
}

/* Finds a format by the text, not by keys. */
static bool find_head(const char *path, const char *head, struct orr_foreign *out)
{
    static const struct orr_foreign table = {
        "a table (CSV)", "measured times go with --measured FILE, or orrery fit"};
    const char *start = skip_prolog(head);
    for (size_t i = 0; i < orr_foreign_heads_count; i++) {
        const struct orr_foreign_head *file_head = &orr_foreign_by_text[i];
        if ((file_head->text == NULL || begins_with(start, file_head->text)) &&
            (file_head->ending == NULL || ends_with(path, file_head->ending))) {
            *out = (struct orr_foreign){file_head->what, file_head->where};
            return true;
        }
    }
    if (orr_foreign_by_shape(head, out)) {
        return true;
    }
    *out = table;
    return is_csv(head);
}

static enum orr_status identify_head(const char *path, const char *head, const char *expected,
                                     struct orr_diag *diag)
{
    struct orr_foreign foreign;
    return find_head(path, head, &foreign) && !begins_with(expected, foreign.what)
               ? fail_wrong_file(path, foreign.what, foreign.where, expected, diag)
               : ORR_OK; /* the expected type: something else is wrong */
}

bool orr_conf_what_is(const char *path, const char **what, const char **where)
{
    char head[HEAD_BYTES];
    bool compressed;
    struct orr_foreign foreign;
    if (!read_head(path, head, &compressed)) {
        return false;
    }
    const struct orr_foreign_keys *keys = find_keys(head);
    if (orr_foreign_by_shape(head, &foreign)) {
        keys = NULL;
    } else if (keys != NULL) {
        foreign = (struct orr_foreign){keys->what, keys->where};
    } else if (!find_head(path, head, &foreign)) {
        return false;
    }
    *what = foreign.what;
    *where = foreign.where;
    return true;
}

enum orr_status orr_conf_identify_file(const char *path, const char *expected,
                                       struct orr_diag *diag)
{
    char head[HEAD_BYTES];
    bool compressed;
    struct orr_foreign foreign;
    if (!read_head(path, head, &compressed)) {
        return ORR_OK;
    }
    if (orr_foreign_by_shape(head, &foreign)) {
        return fail_wrong_file(path, foreign.what, foreign.where, expected, diag);
    }
    const struct orr_foreign_keys *foreign_keys = find_keys(head);
    if (foreign_keys != NULL && strcmp(foreign_keys->what, expected) == 0) {
        return ORR_OK; /* the expected type: something else is wrong */
    }
    return foreign_keys != NULL
               ? fail_wrong_file(path, foreign_keys->what, foreign_keys->where, expected, diag)
               : identify_head(path, head, expected, diag);
}

/* Whether a compressed file is a configuration that some reader takes. */
static bool holds_configuration(const char *path)
{
    char head[HEAD_BYTES];
    bool compressed;
    struct orr_foreign foreign;
    if (!read_head(path, head, &compressed) || orr_foreign_by_shape(head, &foreign)) {
        return false;
    }
    const struct orr_foreign_keys *keys = find_keys(head);
    return keys != NULL && keys->owner != NULL;
}

enum orr_status orr_conf_identify_text(const struct orr_conf_source *source, struct orr_diag *diag)
{
    static const char expected[] = "a configuration in YAML";
    char head[HEAD_BYTES];
    const bool gzip = source->bytes > 2 && memcmp(source->data, "\x1f\x8b", 2) == 0;
    if (gzip) {
        return !holds_configuration(source->name) &&
                       orr_conf_identify_file(source->name, expected, diag) != ORR_OK
                   ? ORR_ERR_INPUT
                   : fail_wrong_file(source->name, "compressed with gzip",
                                     "configurations are plain text: gunzip it first", expected,
                                     diag);
    }
    const size_t taken = source->bytes < sizeof head ? source->bytes : sizeof head - 1;
    memcpy(head, source->data, taken);
    head[taken] = '\0';
    return identify_head(source->name, head, expected, diag);
}

/* ---- after an error ---- */

/* Whether the file is of a format that no reader takes. */
static bool is_unread(const char *head, struct orr_foreign *out)
{
    static const char unread[] = " not "; /* read, simulated, built in */
    if (orr_foreign_by_shape(head, out)) {
        return true;
    }
    const struct orr_foreign_keys *keys = find_keys(head);
    const char *start = skip_prolog(head);
    if (keys != NULL) {
        *out = (struct orr_foreign){keys->what, keys->where};
        return keys->owner == NULL && strstr(keys->where, unread) != NULL;
    }
    for (size_t i = 0; i < orr_foreign_heads_count; i++) {
        const struct orr_foreign_head *one = &orr_foreign_by_text[i];
        if (one->text != NULL && one->ending == NULL && one->where != NULL &&
            begins_with(start, one->text) && strstr(one->where, unread) != NULL) {
            *out = (struct orr_foreign){one->what, one->where};
            return true;
        }
    }
    return false;
}

static void replace(struct orr_diag *diag, const struct orr_location *place, const char *message)
{
    diag->place = *place;
    (void)snprintf(diag->message, sizeof diag->message, "%s", message);
}

void orr_conf_name_wrong(const char *path, const char *expected, struct orr_diag *diag)
{
    struct orr_diag named;
    orr_diag_init(&named);
    if (diag != NULL && diag->status == ORR_ERR_INPUT && !begins_with(diag->message, "this is ") &&
        orr_conf_identify_file(path, expected, &named) != ORR_OK) {
        replace(diag, &named.place, named.message);
    }
}

static void name_foreign(struct orr_diag *diag)
{
    char head[HEAD_BYTES];
    bool compressed;
    struct orr_foreign foreign;
    if (diag->status != ORR_ERR_INPUT || diag->place.kind == ORR_LOCATION_NONE ||
        begins_with(diag->message, "this is ") || !read_head(diag->place.file, head, &compressed) ||
        !is_unread(head, &foreign)) {
        return;
    }
    char message[ORR_DIAG_MESSAGE_BYTES];
    const struct orr_location place = orr_location_file(diag->place.file);
    char text[HEAD_BYTES];
    (void)snprintf(message, sizeof message, "this is %s: %.3800s", foreign.what,
                   advice(diag->place.file, foreign.where, text));
    replace(diag, &place, message);
}

int orr_conf_render_error(const struct orr_diag *diag, char *text, size_t bytes)
{
    struct orr_diag named = *diag;
    name_foreign(&named);
    return orr_diag_render(&named, text, bytes);
}
