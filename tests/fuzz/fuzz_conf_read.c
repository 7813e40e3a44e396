/* Any bytes as a configuration: parsed, walked, read by a table with every type of key, changed as
 * --set does. The same bytes must give the same answer twice, and an error must have a message. */
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct target {
    const char *text;
    bool flag;
    int64_t integer;
    double number, bandwidth, rate;
    sim_time time_ps;
    uint64_t bytes;
    unsigned choice;
    const struct orr_conf *node;
    struct orr_conf_list integers, times, texts;
};

#define AT(member) offsetof(struct target, member)

static const char *const choices[] = {"ring", "direct", "switch", NULL};

static const struct orr_key keys[] = {
    {.name = "text", .type = ORR_KEY_TEXT, .offset = AT(text), .default_text = "none"},
    {.name = "flag", .type = ORR_KEY_BOOL, .offset = AT(flag), .default_text = "true"},
    {.name = "integer", .type = ORR_KEY_INTEGER, .offset = AT(integer), .low = -5, .high = 1e18},
    {.name = "number", .type = ORR_KEY_NUMBER, .offset = AT(number)},
    {.name = "bandwidth", .type = ORR_KEY_BANDWIDTH, .offset = AT(bandwidth)},
    {.name = "rate", .type = ORR_KEY_RATE, .offset = AT(rate), .low = 1, .high = 1e18},
    {.name = "time", .type = ORR_KEY_TIME, .offset = AT(time_ps), .low = 1, .high = 1e15},
    {.name = "bytes", .type = ORR_KEY_BYTES, .offset = AT(bytes)},
    {.name = "choice", .type = ORR_KEY_CHOICE, .offset = AT(choice), .choices = choices},
    {.name = "node", .type = ORR_KEY_NODE, .offset = AT(node)},
    {.name = "integers", .type = ORR_KEY_INTEGER, .offset = AT(integers), .list = true},
    {.name = "times",
     .type = ORR_KEY_TIME,
     .offset = AT(times),
     .list = true,
     .max = 4,
     .default_text = "[1 ns, 2 ns]"},
    {.name = "texts", .type = ORR_KEY_TEXT, .offset = AT(texts), .list = true, .min = 1},
    {.name = "colour", .type = ORR_KEY_IGNORED, .doc = "nobody reads it"},
};

static void check_tree(const struct orr_conf *node, unsigned depth)
{
    ORR_ASSERT(depth < 64 && node->path != NULL && node->file != NULL);
    ORR_ASSERT(node->line > 0 && node->column > 0);
    ORR_ASSERT((node->kind == ORR_CONF_SCALAR) == (node->text != NULL));
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == ORR_CONF_MAP) {
            /* Keys are unique, so that the first of this name is this one. */
            ORR_ASSERT(node->count > 1000 || orr_conf_get(node, node->key[i]) == node->item[i]);
            ORR_ASSERT(node->item[i]->key_line > 0 && node->item[i]->key_column > 0);
        }
        check_tree(node->item[i], depth + 1);
    }
}

static enum orr_status read(struct orr_arena *arena, const char *data, size_t size,
                            struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    struct target target = {0};
    orr_diag_init(diag);
    enum orr_status status = orr_conf_parse(arena, data, size, "fuzz", &root, diag);
    ORR_ASSERT((status == ORR_OK) == (root != NULL));
    if (status == ORR_OK) {
        check_tree(root, 0);
        status =
            orr_conf_read(root, "a fuzz file", keys, sizeof keys / sizeof *keys, &target, diag);
    }
    ORR_ASSERT(status == diag->status);
    ORR_ASSERT((status == ORR_OK) == (diag->message[0] == '\0'));
    ORR_ASSERT(status == ORR_OK || status == ORR_ERR_INPUT);
    return status;
}

/* The first line as PATH=VALUE over the rest of the text. */
static void set(struct orr_arena *arena, const char *data, size_t size, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL, *changed = NULL;
    const char *end = memchr(data, '\n', size);
    orr_diag_init(diag);
    if (end == NULL ||
        orr_conf_parse(arena, end, size - (size_t)(end - data), "fuzz", &root, diag) != ORR_OK) {
        return;
    }
    const char *assignment = orr_arena_strndup(arena, data, (size_t)(end - data));
    ORR_ASSERT(assignment != NULL);
    if (orr_conf_set(arena, root, assignment, &changed, diag) == ORR_OK) {
        struct target target = {0};
        ORR_ASSERT(changed != NULL);
        (void)orr_conf_read(changed, "a fuzz file", keys, sizeof keys / sizeof *keys, &target,
                            diag);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct orr_diag first, second; /* too large for some stacks; each run fills them anew */
    struct orr_arena *arena = orr_arena_create();
    const char *text = (const char *)data;
    if (arena == NULL) {
        return 0;
    }
    const enum orr_status status = read(arena, text, size, &first);
    ORR_ASSERT(read(arena, text, size, &second) == status);
    ORR_ASSERT(strcmp(first.message, second.message) == 0);
    set(arena, text, size, &first);
    orr_arena_destroy(arena);
    return 0;
}
