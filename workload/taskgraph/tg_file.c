/* Detects the form of a task graph's file; see tg_file.h. */
#include "workload/taskgraph/tg_file.h"

#include <errno.h>
#include <string.h>

#include "core/strings.h"
#include "core/text_escape.h"
#include "workload/taskgraph/tg_file_private.h"

bool orr_tg_is_file(const void *data, size_t count, enum tg_form *form)
{
    const char *text = data;
    size_t at = 0;
    if (count >= 4 && memcmp(text, TG_MAGIC, 4) == 0) {
        *form = TG_BINARY; /* possibly damaged */
        return true;
    }
    while (at < count && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') {
        at++;
    }
    *form = TG_JSON;
    return at < count && text[at] == '{';
}

enum orr_status orr_tg_read(struct orr_arena *arena, const struct tg_bytes *bytes,
                            struct tg_graph *out, struct orr_diag *diag)
{
    enum tg_form form;
    if (!orr_tg_is_file(bytes->data, bytes->count, &form)) {
        const struct orr_location location = orr_location_file(bytes->name);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "expected a task graph, binary or as JSON");
    }
    return form == TG_BINARY ? orr_tg_read_binary(arena, bytes, out, diag)
                             : orr_tg_read_json(arena, bytes, out, diag);
}

/* ---- names ---- */

static uint32_t keep(struct orr_strings *strings, const char *text)
{
    char *clean = orr_text_escape_copy(text, false);
    const uint32_t number =
        clean != NULL ? orr_strings_add(strings, clean, strlen(clean)) : UINT32_MAX;
    orr_heap_free(clean);
    return number;
}

static bool number_names(struct tg_names *names, const struct tg_graph *graph)
{
    struct orr_strings strings;
    orr_strings_init(&strings, names->arena);
    bool kept = orr_strings_add(&strings, "", 0) == 0;
    for (uint32_t i = 0; i < graph->tasks && kept; i++) {
        const uint32_t name = graph->task[i].name;
        if (name != 0 && names->number[name] == 0) {
            names->number[name] = keep(&strings, graph->name[name]);
            kept = names->number[name] != UINT32_MAX;
        }
    }
    names->text = strings.text;
    names->count = strings.count;
    return kept;
}

bool orr_tg_names_init(struct tg_names *names, const struct tg_graph *graph)
{
    *names = (struct tg_names){.arena = orr_arena_create()};
    if (names->arena == NULL) {
        return false;
    }
    names->number = orr_arena_array(names->arena, (size_t)graph->names + 1, sizeof *names->number);
    return names->number != NULL && number_names(names, graph);
}

void orr_tg_names_fini(struct tg_names *names)
{
    orr_arena_destroy(names->arena);
}

/* ---- writing ---- */

enum orr_status orr_tg_write(const struct tg_graph *graph, enum tg_form form, FILE *out,
                             struct orr_diag *diag)
{
    struct tg_names names;
    const bool kept = orr_tg_names_init(&names, graph);
    if (kept && form == TG_BINARY) {
        orr_tg_write_binary(graph, &names, out);
    } else if (kept) {
        orr_tg_write_json(graph, &names, out);
    }
    orr_tg_names_fini(&names);
    if (!kept) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    return ferror(out) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "cannot be written: %s", strerror(errno));
}

enum orr_status orr_tg_write_file(const struct tg_graph *graph, enum tg_form form, const char *path,
                                  struct orr_diag *diag)
{
    const struct orr_location location = orr_location_file(path);
    FILE *out = fopen(path, "wb");
    enum orr_status status = out != NULL ? orr_tg_write(graph, form, out, NULL) : ORR_ERR_IO;
    if (out != NULL && fclose(out) != 0 && status == ORR_OK) {
        status = ORR_ERR_IO;
    }
    if (status == ORR_ERR_MEMORY) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    return status == ORR_OK ? ORR_OK
                            : orr_diag_fail(diag, ORR_ERR_IO, &location, "cannot be written: %s",
                                            strerror(errno));
}
