/* Writes configuration trees as YAML; see plan_yaml.h. Mappings of scalars and lists of scalars are
 * written on one line, all others on several lines. */
#include "planner/plan_file/plan_yaml.h"

#include "core/conf/conf.h"

#include <stdbool.h>
#include <string.h>

enum { STEP = 2 };

static bool is_plain(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strlen(text);
    return length > 0 && strspn(text, letters) > 0 && text[length - 1] != ' ' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+- ") ==
               length;
}

static void write_quoted(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char letter = (unsigned char)*text;
        if (letter < 0x20 || letter == 0x7f) {
            (void)fprintf(out, "\\x%02x", letter);
        } else {
            (void)fprintf(out, letter == '"' || letter == '\\' ? "\\%c" : "%c", letter);
        }
    }
    (void)fputc('"', out);
}

void orr_plan_yaml_text(FILE *out, const char *text)
{
    if (is_plain(text)) {
        (void)fputs(text, out);
    } else {
        write_quoted(out, text);
    }
}

static void write_scalar(FILE *out, const struct orr_conf *node)
{
    if (node->quoted) {
        write_quoted(out, node->text);
    } else if (node->text[0] != '\0') {
        orr_plan_yaml_text(out, node->text);
    }
}

/* Whether a node is a scalar, or contains only scalars. */
static bool is_short(const struct orr_conf *node)
{
    for (size_t i = 0; node->kind != ORR_CONF_SCALAR && i < node->count; i++) {
        if (node->item[i]->kind != ORR_CONF_SCALAR) {
            return false;
        }
    }
    return true;
}

static void write_short(FILE *out, const struct orr_conf *node)
{
    const bool map = node->kind == ORR_CONF_MAP;
    if (node->kind == ORR_CONF_SCALAR) {
        write_scalar(out, node);
        return;
    }
    (void)fputc(map ? '{' : '[', out);
    for (size_t i = 0; i < node->count; i++) {
        (void)fputs(i > 0 ? ", " : "", out);
        if (map) {
            orr_plan_yaml_text(out, node->key[i]);
            (void)fputs(": ", out);
        }
        write_scalar(out, node->item[i]);
    }
    (void)fputc(map ? '}' : ']', out);
}

static void write_items(FILE *out, const struct orr_conf *node, unsigned indent)
{
    for (size_t i = 0; i < node->count; i++) {
        const struct orr_conf *item = node->item[i];
        if (node->kind == ORR_CONF_MAP) {
            orr_plan_yaml(out, node->key[i], item, indent);
        } else if (is_short(item)) {
            (void)fprintf(out, "%*s- ", (int)indent, "");
            write_short(out, item);
            (void)fputc('\n', out);
        } else {
            (void)fprintf(out, "%*s-\n", (int)indent, "");
            write_items(out, item, indent + STEP);
        }
    }
}

void orr_plan_yaml(FILE *out, const char *key, const struct orr_conf *node, unsigned indent)
{
    (void)fprintf(out, "%*s", (int)indent, "");
    orr_plan_yaml_text(out, key);
    if (is_short(node)) {
        (void)fputs(": ", out);
        write_short(out, node);
        (void)fputc('\n', out);
    } else {
        (void)fputs(":\n", out);
        write_items(out, node, indent + STEP);
    }
}
