/* List shorthand: several quantities with one unit in a text, as papers write them:
 * "1000_200_100_50 GB/s". */
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_private.h"

/* Length of the numbers: digits, points, exponents, signs and underscores. */
static size_t length_of_numbers(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && strchr("0123456789.+-_", text[length]) != NULL) {
        length++;
        const bool exponent = text[length] == 'e' || text[length] == 'E';
        if (exponent && text[length + 1] != '\0' && strchr("0123456789+-", text[length + 1])) {
            length++;
        }
    }
    return length;
}

/* One number with the unit; its column is exact if the text is unquoted. */
static struct orr_conf *piece(const struct orr_conf *node, size_t from, size_t length,
                              const char *unit)
{
    struct orr_conf *one = orr_arena_alloc(node->arena, sizeof *one);
    const char *text =
        orr_arena_printf(node->arena, "%.*s%s", (int)length, node->text + from, unit);
    if (one == NULL || text == NULL) {
        return NULL;
    }
    *one = *node;
    one->text = text;
    one->column += (unsigned)from + (node->quoted ? 1 : 0);
    return one;
}

enum orr_status orr_conf_expand_shorthand(const struct orr_conf *node, const struct orr_conf **out,
                                          struct orr_diag *diag)
{
    *out = node;
    const char *text = node->kind == ORR_CONF_SCALAR ? node->text : "";
    const size_t end = length_of_numbers(text);
    if (memchr(text, '_', end) == NULL || text[0] == '_' || text[end - 1] == '_') {
        return ORR_OK;
    }
    size_t count = 1;
    for (size_t i = 0; i < end; i++) {
        count += text[i] == '_' ? 1 : 0;
    }
    struct orr_conf *list = orr_arena_alloc(node->arena, sizeof *list);
    const struct orr_conf **items = orr_arena_array(node->arena, count, sizeof *items);
    bool complete = list != NULL && items != NULL;
    size_t from = 0;
    for (size_t i = 0; i < count && complete; i++) {
        const size_t length =
            strcspn(text + from, "_") < end - from ? strcspn(text + from, "_") : end - from;
        items[i] = piece(node, from, length, text + end);
        complete = items[i] != NULL;
        from += length + 1;
    }
    if (!complete) {
        return orr_diag_no_memory(diag, "a configuration list");
    }
    *list = *node;
    list->kind = ORR_CONF_LIST;
    list->text = NULL;
    list->count = count;
    list->item = items;
    *out = list;
    return ORR_OK;
}
