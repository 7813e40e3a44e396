/* Reader of FlexFlow task graphs in DOT; see flexflow_dot.h. */
#include "et_converter/flexflow/flexflow_dot.h"

#include "core/conf/conf.h"
#include "core/library_lock.h"
#include "core/unconst.h"

#include <ctype.h>
#include <graphviz/cgraph.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "et_converter/flexflow/flexflow_label.h"
#include "et_converter/flexflow/flexflow_plan.h"

/* NPUs of a task in the ASTRA-sim form: its own, and the ends of its transfer. */
struct placement {
    uint64_t npu, src, dst;
};

/* Record attached to a node of libcgraph: its index. */
struct number {
    Agrec_t head;
    uint64_t index;
};

struct reader {
    struct orr_arena *arena;
    struct flexflow_graph *graph;
    struct placement *placement; /* [tasks] */
    const char *text;
    struct orr_diag *diag;
    size_t next_capacity;
};

/* ---- messages ---- */

static bool is_name_char(char at)
{
    return isalnum((unsigned char)at) || at == '_' || at == '"';
}

/* The line of a node's attributes, found in the text because libcgraph does not keep it; 0: not
 * found. */
static uint64_t line_of(const char *text, const char *name)
{
    const size_t length = strlen(name);
    uint64_t line = 1;
    const char *counted = text;
    for (const char *at = text; length > 0 && (at = strstr(at, name)) != NULL; at += length) {
        const char *after = at + length + (at[length] == '"');
        after += strspn(after, " \t\r\n");
        if (*after == '[' && (at == text || !is_name_char(at[-1]) || at[-1] == '"')) {
            for (; counted < at; counted++) {
                line += *counted == '\n';
            }
            return line;
        }
    }
    return 0;
}

static enum orr_status fail(struct reader *reader, size_t task, const char *expected,
                            const char *found)
{
    struct flexflow_task *at = &reader->graph->task[task];
    char text[128];
    size_t used = 0;
    at->place = line_of(reader->text, at->node);
    for (; found[used] != '\0' && used + 1 < sizeof text; used++) {
        text[used] = found[used] >= ' ' && found[used] <= '~' ? found[used] : '?';
    }
    text[used] = '\0';
    return orr_flexflow_fail(reader->graph, task, reader->diag, "expected %s, got \"%s\"", expected,
                             text);
}

/* ---- labels as FlexFlow writes them ---- */

static int type_of(const char *field)
{
    static const char *const names[] = {"Forward", "Backward", "Comm", "Update", "Barrier"};
    int type = 0;
    while (type < 5 && strcmp(names[type], field) != 0) {
        type++;
    }
    return type < 5 ? type : -1;
}

static enum orr_status read_times(struct reader *reader, size_t task, const char *start,
                                  const char *end)
{
    struct flexflow_task *at = &reader->graph->task[task];
    if (!orr_label_number(start, &at->start_ms) || at->start_ms < 0) {
        return fail(reader, task, "a start in ms that is not negative", start);
    }
    if (!orr_label_number(end, &at->end_ms) || at->end_ms < at->start_ms) {
        return fail(reader, task, "an end in ms that is not before the start", end);
    }
    at->runtime_ms = at->end_ms - at->start_ms;
    return ORR_OK;
}

static enum orr_status read_upstream(struct reader *reader, size_t task, const char *label,
                                     const struct label_fields *fields)
{
    struct flexflow_task *at = &reader->graph->task[task];
    const size_t count = fields->count;
    const bool shape = (count == 3 || count == 4) &&
                       fields->depth[count - 1] == fields->depth[0] + 1 &&
                       fields->depth[count - 2] == fields->depth[0] + 1 &&
                       fields->depth[count - 3] == fields->depth[0];
    if (!shape) {
        return fail(reader, task,
                    "a label \"{ [NAME |] TYPE | { START | END } }\" or \"npu_id=NPU | NAME | "
                    "TEXT | COMP_NODE | runtime=SECONDS\"",
                    label);
    }
    const int type = type_of(fields->field[count - 3]);
    if (type < 0) {
        return fail(reader, task, "Forward, Backward, Comm, Update or Barrier",
                    fields->field[count - 3]);
    }
    at->type = (uint8_t)type;
    at->name = count == 4 ? fields->field[0] : NULL;
    return read_times(reader, task, fields->field[count - 2], fields->field[count - 1]);
}

/* ---- labels of the ASTRA-sim form ---- */

/* Reads "KEY=NPU", an NPU below FLEXFLOW_MAX_SERVERS. */
static enum orr_status read_npu(struct reader *reader, size_t task, const char *field,
                                const char *key, uint64_t *out)
{
    const char *value = orr_label_value(field, key);
    char expected[80];
    if (value != NULL && orr_label_integer(value, out) && *out < FLEXFLOW_MAX_SERVERS) {
        return ORR_OK;
    }
    (void)snprintf(expected, sizeof expected, "%s= and an NPU from 0 to %d", key,
                   FLEXFLOW_MAX_SERVERS - 1);
    return fail(reader, task, expected, field);
}

static enum orr_status read_transfer(struct reader *reader, size_t task,
                                     const struct label_fields *fields)
{
    struct flexflow_task *at = &reader->graph->task[task];
    struct placement *placement = &reader->placement[task];
    enum orr_status status = read_npu(reader, task, fields->field[4], "src", &placement->src);
    if (status == ORR_OK) {
        status = read_npu(reader, task, fields->field[5], "dst", &placement->dst);
    }
    if (status != ORR_OK) {
        return status;
    }
    const char *size = orr_label_value(fields->field[6], "size");
    if (size == NULL || !orr_label_integer(size, &at->bytes)) {
        return fail(reader, task, "size= and a number of bytes", fields->field[6]);
    }
    if (placement->npu != placement->src && placement->npu != placement->dst) {
        return fail(reader, task, "npu_id to be that of src or of dst", fields->field[0]);
    }
    at->type = placement->npu == placement->src ? FLEXFLOW_SEND : FLEXFLOW_RECV;
    return ORR_OK;
}

static enum orr_status read_astra(struct reader *reader, size_t task, const char *label,
                                  const struct label_fields *fields)
{
    struct flexflow_task *at = &reader->graph->task[task];
    struct placement *placement = &reader->placement[task];
    enum orr_status status = read_npu(reader, task, fields->field[0], "npu_id", &placement->npu);
    if (status != ORR_OK) {
        return status;
    }
    const char *kind = fields->count > 3 ? fields->field[3] : "";
    at->name = fields->count > 1 ? fields->field[1] : NULL;
    if (strcmp(kind, "COMM_SEND_RECV_NODE") == 0 && fields->count == 7) {
        return read_transfer(reader, task, fields);
    }
    if (strcmp(kind, "COMP_NODE") != 0 || fields->count != 5) {
        return fail(reader, task,
                    "a label \"npu_id=NPU | NAME | TEXT | COMP_NODE | runtime=SECONDS\" or "
                    "\"npu_id=NPU | NAME | TEXT | COMM_SEND_RECV_NODE | src=NPU | dst=NPU | "
                    "size=BYTES\"",
                    label);
    }
    const char *runtime = orr_label_value(fields->field[4], "runtime");
    double seconds;
    if (runtime == NULL || !orr_label_number(runtime, &seconds) || seconds < 0) {
        return fail(reader, task, "runtime= and seconds that are not negative", fields->field[4]);
    }
    at->type = FLEXFLOW_FORWARD;
    at->runtime_ms = seconds * 1e3;
    return ORR_OK;
}

static enum orr_status read_node(struct reader *reader, size_t task, Agnode_t *node)
{
    struct flexflow_task *at = &reader->graph->task[task];
    const char *label = agget(node, orr_unconst("label")), *problem;
    struct label_fields fields;
    at->node = orr_arena_strdup(reader->arena, agnameof(node));
    if (at->node == NULL) {
        return orr_diag_no_memory(reader->diag, "a task graph");
    }
    if (label == NULL) {
        return fail(reader, task, "a label", "");
    }
    if (!orr_label_split(&fields, label, reader->arena, &problem)) {
        return fail(reader, task, "a label of up to 16 fields with matching braces", label);
    }
    const bool astra = orr_label_value(fields.field[0], "npu_id") != NULL;
    if (task == 0) {
        reader->graph->placed = astra;
    }
    if (reader->graph->placed != astra) {
        return fail(reader, task,
                    astra ? "a label without npu_id, as other nodes have it"
                          : "a label with npu_id, as other nodes have it",
                    label);
    }
    return astra ? read_astra(reader, task, label, &fields)
                 : read_upstream(reader, task, label, &fields);
}

/* ---- the graph ---- */

static enum orr_status read_nodes(struct reader *reader, Agraph_t *dot)
{
    struct flexflow_graph *graph = reader->graph;
    enum orr_status status = ORR_OK;
    size_t index = 0;
    for (Agnode_t *node = agfstnode(dot); node != NULL && status == ORR_OK;
         node = agnxtnode(dot, node), index++) {
        struct number *number = agbindrec(node, orr_unconst("task"), sizeof *number, 1);
        if (number == NULL) {
            return orr_diag_no_memory(reader->diag, "a task graph");
        }
        number->index = graph->task[index].id = index;
        status = read_node(reader, index, node);
    }
    return status;
}

static enum orr_status read_edges(struct reader *reader, Agraph_t *dot)
{
    struct flexflow_graph *graph = reader->graph;
    size_t index = 0;
    graph->next_count = 0;
    for (Agnode_t *node = agfstnode(dot); node != NULL; node = agnxtnode(dot, node), index++) {
        struct flexflow_task *task = &graph->task[index];
        task->first_next = graph->next_count;
        for (Agedge_t *edge = agfstout(dot, node); edge != NULL; edge = agnxtout(dot, edge)) {
            uint64_t *next = orr_arena_grow(reader->arena, graph->next, &reader->next_capacity,
                                            graph->next_count + 1, sizeof *next);
            if (next == NULL) {
                return orr_diag_no_memory(reader->diag, "a task graph");
            }
            graph->next = next;
            next[graph->next_count++] = ((const struct number *)AGDATA(aghead(edge)))->index;
        }
        task->next_count = graph->next_count - task->first_next;
    }
    return ORR_OK;
}

/* Creates a device for each NPU and for each transfer. */
static enum orr_status make_devices(struct reader *reader)
{
    struct flexflow_graph *graph = reader->graph;
    const struct placement *placement = reader->placement;
    uint64_t npus = 0;
    for (size_t i = 0; i < graph->tasks; i++) {
        npus = placement[i].npu >= npus ? placement[i].npu + 1 : npus;
        npus = placement[i].src >= npus ? placement[i].src + 1 : npus;
        npus = placement[i].dst >= npus ? placement[i].dst + 1 : npus;
    }
    graph->servers = (uint32_t)npus;
    graph->device = orr_arena_array(reader->arena, npus + graph->tasks, sizeof *graph->device);
    if (graph->device == NULL) {
        return orr_diag_no_memory(reader->diag, "a task graph");
    }
    for (uint64_t i = 0; i < npus; i++) {
        graph->device[i] =
            (struct flexflow_device){.id = i, .server = i, .type = FLEXFLOW_COMP_GPU};
    }
    graph->devices = npus;
    for (size_t i = 0; i < graph->tasks; i++) {
        struct flexflow_task *task = &graph->task[i];
        task->device = placement[i].npu;
        if (task->type == FLEXFLOW_SEND || task->type == FLEXFLOW_RECV) {
            task->device = graph->devices;
            graph->device[graph->devices++] =
                (struct flexflow_device){.id = task->device,
                                         .property = placement[i].src * npus + placement[i].dst,
                                         .type = FLEXFLOW_NW_NOMINAL};
        }
    }
    return ORR_OK;
}

static enum orr_status read_graph(struct reader *reader, Agraph_t *dot)
{
    struct flexflow_graph *graph = reader->graph;
    const struct orr_location place = orr_location_file(graph->file);
    if (!agisdirected(dot)) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "expected a digraph, got a graph whose edges have no direction");
    }
    graph->tasks = (size_t)agnnodes(dot);
    if (graph->tasks == 0) {
        return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                             "expected a graph with tasks, got none");
    }
    graph->task = orr_arena_array(reader->arena, graph->tasks, sizeof *graph->task);
    reader->placement = orr_arena_array(reader->arena, graph->tasks, sizeof *reader->placement);
    if (graph->task == NULL || reader->placement == NULL) {
        return orr_diag_no_memory(reader->diag, "a task graph");
    }
    enum orr_status status = read_nodes(reader, dot);
    if (status == ORR_OK) {
        status = read_edges(reader, dot);
    }
    if (status != ORR_OK) {
        return status;
    }
    return graph->placed ? make_devices(reader)
                         : orr_flexflow_place(graph, reader->arena, reader->diag);
}

/* Fails with libcgraph's own message, on one line. */
static enum orr_status fail_syntax(const struct reader *reader)
{
    const struct orr_location place = orr_location_file(reader->graph->file);
    char text[200] = "no graph";
    char *last = aglasterr();
    if (last != NULL && last[0] != '\0') {
        (void)snprintf(text, sizeof text, "%s", last);
    }
    free(last);
    size_t used = strcspn(text, "\n");
    text[used] = '\0';
    for (size_t i = 0; i < used; i++) {
        text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    return orr_diag_fail(reader->diag, ORR_ERR_INPUT, &place,
                         "expected a task graph as FlatBuffers or as DOT; as DOT: %s", text);
}

enum orr_status orr_flexflow_read_dot(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                      struct flexflow_graph *out, struct orr_diag *diag)
{
    const char *text = orr_arena_strndup(arena, bytes->data, bytes->count);
    struct reader reader = {.arena = arena, .graph = out, .text = text, .diag = diag};
    const struct orr_location place = orr_location_file(bytes->name);
    *out = (struct flexflow_graph){.file = bytes->name, .accelerators_per_server = 1};
    if (text == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    if (strlen(text) != bytes->count || strncmp(text, "digraph", 7) != 0) {
        if (orr_conf_identify_file(bytes->name, "a task graph", diag) != ORR_OK) {
            return ORR_ERR_INPUT;
        }
    }
    if (strlen(text) != bytes->count) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected text, got a zero byte at byte offset %zu", strlen(text));
    }
    orr_library_lock();
    const agerrlevel_t level = agseterr(AGMAX); /* or libcgraph prints */
    Agraph_t *dot = agmemread(text);
    const enum orr_status status = dot != NULL ? read_graph(&reader, dot) : fail_syntax(&reader);
    if (dot != NULL) {
        (void)agclose(dot);
    }
    (void)agseterr(level);
    orr_library_unlock();
    return status;
}
