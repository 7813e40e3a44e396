/* Values of a recipe in YAML by their paths; see launch_words.h. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "core/diag.h"
#include "et_converter/launch/launch_words.h"

enum { VALUE_BYTES = 1 << 14, MAX_DEPTH = 8 };

static void add_values(const struct orr_conf *node, struct orr_arena *arena,
                       struct launch_arguments *arguments)
{
    for (size_t i = 0; node->kind == ORR_CONF_MAP && i < node->count; i++) {
        add_values(node->item[i], arena, arguments);
    }
    if (node->kind == ORR_CONF_SCALAR) {
        orr_launch_add_argument(arguments, arena, node->path, node->text);
    } else if (node->kind == ORR_CONF_LIST || node->count == 0) {
        char *text = orr_arena_array(arena, VALUE_BYTES, 1);
        if (text == NULL) {
            arguments->no_memory = true;
            return;
        }
        orr_launch_add_argument(arguments, arena, node->path,
                                orr_conf_format(node, text, VALUE_BYTES));
    }
}

/* ---- references ---- */

/* The value that ${PATH} stands for; ${.NAME} is beside the argument. NULL: not there. */
static const struct launch_argument *referred(const struct launch_arguments *arguments,
                                              const struct launch_argument *from)
{
    char path[512];
    const size_t length = from->value != NULL ? strlen(from->value) : 0;
    if (length < 4 || length >= 256 || strncmp(from->value, "${", 2) != 0 ||
        from->value[length - 1] != '}' || strchr(from->value + 2, '$') != NULL) {
        return NULL;
    }
    const int inner = (int)length - 3;
    if (from->value[2] == '.') {
        const char *dot = strrchr(from->path, '.');
        const int outer = dot != NULL ? (int)(dot - from->path) : 0;
        (void)snprintf(path, sizeof path, "%.*s%.*s", outer < 200 ? outer : 200, from->path,
                       inner - (outer == 0 ? 1 : 0), from->value + 2 + (outer == 0 ? 1 : 0));
    } else {
        (void)snprintf(path, sizeof path, "%.*s", inner, from->value + 2);
    }
    return orr_launch_find_argument(arguments, path);
}

static void put_in_references(struct launch_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
            const struct launch_argument *other = referred(arguments, &arguments->argument[i]);
            if (other == NULL || other == &arguments->argument[i]) {
                break;
            }
            arguments->argument[i].value = other->value;
        }
    }
}

bool orr_launch_collect_recipe(const char *name, const char *text, struct orr_arena *arena,
                               struct launch_arguments *arguments, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct orr_diag own;
    orr_diag_init(&own);
    if (orr_conf_parse(arena, text, strlen(text), name, &root, &own) != ORR_OK) {
        if (own.status == ORR_ERR_MEMORY) {
            arguments->no_memory = true;
        } else if (own.status == ORR_ERR_INPUT && diag != NULL) {
            orr_diag_warn(diag, &own.place, "not read as YAML but line by line: %s", own.message);
        }
        return false;
    }
    if (root->kind != ORR_CONF_MAP) {
        return false;
    }
    add_values(root, arena, arguments);
    put_in_references(arguments);
    return true;
}
