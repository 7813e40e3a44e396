/* Nodes aggregated by operator; see trace_ops.h. */
#include "workload/trace/trace_ops.h"

#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "workload/trace/op_name.h"

const char *orr_device_name(enum orr_device device)
{
    static const char *const names[ORR_DEVICES] = {"CPU", "accelerator", "not said"};
    return names[device];
}

void orr_op_table_init(struct orr_op_table *table, struct orr_arena *arena)
{
    *table = (struct orr_op_table){.arena = arena};
    orr_strings_init(&table->keys, arena);
}

/* The row number of a node: by its kind, device and name with a '#' for each number. */
static uint32_t row_of(struct orr_op_table *table, const struct orr_node *node)
{
    char short_key[256], kernel[ORR_KERNEL_NAME_BYTES];
    const char *name = orr_kernel_name(node->name, kernel);
    size_t length = 0;
    const char *at = name;
    short_key[length++] = (char)('0' + node->kind);
    short_key[length++] = (char)('0' + orr_node_device(node));
    for (char c = '0'; c != '\0' && length < sizeof short_key; length++) {
        c = orr_op_name_next(name, &at);
        short_key[length] = c;
    }
    if (short_key[length - 1] == '\0') {
        return orr_strings_add(&table->keys, short_key, length - 1);
    }
    const char *plain = orr_op_name(table->arena, node->name);
    const char *key =
        plain != NULL ? orr_arena_printf(table->arena, "%.2s%s", short_key, plain) : NULL;
    return key != NULL ? orr_strings_add(&table->keys, key, strlen(key)) : UINT32_MAX;
}

static struct orr_op_row *add_row(struct orr_op_table *table, const struct orr_node *node)
{
    struct orr_op_row *grown = orr_arena_grow(table->arena, table->row, &table->capacity,
                                              table->rows + (size_t)1, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    table->row = grown;
    grown[table->rows] = (struct orr_op_row){.name = node->name,
                                             .kind = (enum orr_node_kind)node->kind,
                                             .device = orr_node_device(node),
                                             .shortest_ps = UINT64_MAX};
    return &grown[table->rows++];
}

static uint64_t capped_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

enum orr_status orr_op_table_add(struct orr_op_table *table, const struct orr_node *node,
                                 struct orr_diag *diag)
{
    const uint32_t index = row_of(table, node);
    struct orr_op_row *row = index == UINT32_MAX    ? NULL
                             : index == table->rows ? add_row(table, node)
                                                    : &table->row[index];
    if (row == NULL) {
        return orr_diag_no_memory(diag, "the operators of a trace");
    }
    if (!row->several_names &&
        (strcmp(row->name, node->name) != 0 || orr_is_kernel_name(node->name))) {
        row->several_names = true;
        row->name = table->keys.text[index] + 2;
    }
    row->nodes++;
    row->duration_ps = capped_sum(row->duration_ps, node->duration_ps);
    row->shortest_ps = node->duration_ps < row->shortest_ps ? node->duration_ps : row->shortest_ps;
    row->longest_ps = node->duration_ps > row->longest_ps ? node->duration_ps : row->longest_ps;
    row->operations = capped_sum(row->operations, node->kind == ORR_NODE_COMP ? node->amount : 0);
    row->bytes = capped_sum(row->bytes, orr_node_bytes(node));
    return ORR_OK;
}

static int descending(uint64_t a, uint64_t b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_rows(const void *a, const void *b)
{
    const struct orr_op_row *first = a, *second = b;
    int order = descending(first->duration_ps, second->duration_ps);
    order = order != 0 ? order : descending(first->operations, second->operations);
    order = order != 0 ? order : descending(first->nodes, second->nodes);
    order = order != 0 ? order : strcmp(first->name, second->name);
    order = order != 0 ? order : (int)first->kind - (int)second->kind;
    return order != 0 ? order : (int)first->device - (int)second->device;
}

void orr_op_table_sort(struct orr_op_table *table)
{
    if (table->rows != 0) {
        qsort(table->row, table->rows, sizeof *table->row, compare_rows);
    }
}
