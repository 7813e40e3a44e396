/* Random task graphs: see task_graph_cases.h. */
#include "tests/property/task_graph_cases.h"

#include "core/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

uint32_t tg_below(struct tg_case *made, uint32_t bound)
{
    return (uint32_t)orr_rng_below(&made->rng, bound);
}

/* ---- tasks ---- */

struct habits {
    bool ties;      /* few runtimes and sizes */
    uint32_t local; /* of 4: how often tasks wait for those of their server */
    uint32_t max_prevs;
    bool whole_reduces;          /* all-reduces are of all servers in their order */
    uint32_t reduces, transfers; /* of 16 */
};

static float runtime_of(struct tg_case *made, const struct habits *habits)
{
    static const float few[] = {0, 0.001F, 0.001F, 0.5F, 0.01F};
    if (habits->ties) {
        return few[tg_below(made, 5)];
    }
    return tg_below(made, 6) == 0 ? 0 : (float)tg_below(made, 1000000) * 1e-6F;
}

static uint64_t bytes_of(struct tg_case *made, const struct habits *habits)
{
    static const uint64_t few[] = {0, 1, 1000, 20160, 1048576, 1048576, 100000};
    if (habits->ties) {
        return few[tg_below(made, 7)];
    }
    switch (tg_below(made, 8)) {
    case 0:
        return tg_below(made, 3);
    case 1:
        return tg_below(made, 20000);
    case 2:
        return 20000000u + tg_below(made, 50000000);
    default:
        return tg_below(made, 4000000);
    }
}

static void servers_of(struct tg_case *made, const struct habits *habits, struct tg_task *task)
{
    const uint32_t members =
        habits->whole_reduces ? made->servers : 1 + tg_below(made, made->servers);
    uint32_t server[TG_SERVERS];
    for (uint32_t i = 0; i < made->servers; i++) {
        server[i] = i;
    }
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t other = habits->whole_reduces ? i : i + tg_below(made, made->servers - i);
        task->next[i] = server[other];
        server[other] = server[i];
    }
    task->nexts = members;
    if (tg_below(made, 10) == 0) {
        task->next[task->nexts++] = task->next[tg_below(made, members)]; /* once more */
    }
    if (tg_below(made, 4) == 0) {
        task->bytes = (uint64_t)18000 * (members - 1) + tg_below(made, 3) - (members > 1);
    }
    task->from = task->to = task->next[0];
}

static void fill_inside(struct tg_case *made, struct tg_task *task)
{
    static const enum flexflow_task_type types[] = {FLEXFLOW_FORWARD, FLEXFLOW_BACKWARD,
                                                    FLEXFLOW_FORWARD, FLEXFLOW_BACKWARD,
                                                    FLEXFLOW_UPDATE,  FLEXFLOW_BARRIER};
    task->type = types[tg_below(made, made->dot ? 1 : 6)];
    task->device = !made->dot && tg_below(made, 4) == 0 ? FLEXFLOW_COMP_CPU : FLEXFLOW_COMP_GPU;
    if (!made->dot && tg_below(made, 8) == 0) {
        task->type = tg_below(made, 2) == 0 ? FLEXFLOW_COMM : FLEXFLOW_NOMINAL_COMM;
        task->device = 2 + tg_below(made, 11);
    }
    task->from = task->to = tg_below(made, made->servers);
}

static void fill_transfer(struct tg_case *made, struct tg_task *task)
{
    task->type = tg_below(made, 2) == 0 ? FLEXFLOW_COMM : FLEXFLOW_NOMINAL_COMM;
    task->device = tg_below(made, 2) == 0 ? FLEXFLOW_NW_COMM : FLEXFLOW_NW_NOMINAL;
    task->from = tg_below(made, made->servers);
    task->to = tg_below(made, made->servers);
}

static bool has_next(const struct tg_task *task, uint32_t next)
{
    bool has = false;
    for (uint32_t i = 0; i < task->nexts; i++) {
        has = has || task->next[i] == next;
    }
    return has;
}

/* `index` waits for `prev`. */
static void wait_for(struct tg_case *made, uint32_t prev, uint32_t index)
{
    struct tg_task *task = &made->task[prev];
    if (task->type == FLEXFLOW_ALLREDUCE || task->nexts == TG_NEXTS ||
        (made->dot && has_next(task, index))) {
        return;
    }
    const uint32_t at = tg_below(made, task->nexts + 1);
    task->next[task->nexts++] = task->next[at];
    task->next[at] = index;
}

static void add_prevs(struct tg_case *made, const struct habits *habits, uint32_t index)
{
    const struct tg_task *task = &made->task[index];
    const uint32_t prevs = tg_below(made, habits->max_prevs + 1);
    for (uint32_t i = 0; i < prevs && index != 0; i++) {
        const bool local = tg_below(made, 4) < habits->local;
        uint32_t prev = tg_below(made, index);
        for (uint32_t tries = 0; local && tries < 20 && made->task[prev].to != task->from;
             tries++) {
            prev = tg_below(made, index);
        }
        if (!local || made->task[prev].to == task->from || task->type == FLEXFLOW_ALLREDUCE) {
            wait_for(made, prev, index);
        }
    }
    if (task->type == FLEXFLOW_ALLREDUCE && tg_below(made, 2) == 0) {
        for (uint32_t prev = 0; prev < index; prev++) { /* as training has it */
            if (tg_below(made, 3) == 0) {
                wait_for(made, prev, index);
            }
        }
    }
}

/* Both ends of a transfer of DOT; of a server to itself there is none. */
static void add_ends(struct tg_case *made, const struct habits *habits)
{
    struct tg_task *send = &made->task[made->tasks];
    fill_transfer(made, send);
    if (send->from == send->to) {
        send->to = (send->from + 1) % made->servers;
    }
    send[1] = send[0];
    send[0].type = FLEXFLOW_SEND;
    send[0].to = send->from;
    send[1].type = FLEXFLOW_RECV;
    send[1].from = send[1].to;
    add_prevs(made, habits, made->tasks++);
    if (tg_below(made, 16) == 0) {
        return; /* without the other end */
    }
    if (tg_below(made, 2) == 0) {
        wait_for(made, made->tasks - 1, made->tasks);
    }
    if (tg_below(made, 3) == 0) {
        add_prevs(made, habits, made->tasks);
    }
    made->tasks++;
}

static void add_task(struct tg_case *made, const struct habits *habits)
{
    struct tg_task *task = &made->task[made->tasks];
    const uint32_t what = tg_below(made, 16);
    *task =
        (struct tg_task){.runtime_ms = runtime_of(made, habits), .bytes = bytes_of(made, habits)};
    if (what < habits->reduces && !made->dot) {
        task->type = FLEXFLOW_ALLREDUCE;
        servers_of(made, habits, task);
    } else if (what < habits->reduces + habits->transfers) {
        if (made->dot && made->servers > 1) {
            add_ends(made, habits);
            return;
        }
        fill_transfer(made, task);
    }
    if (task->type != FLEXFLOW_ALLREDUCE && (task->device == FLEXFLOW_COMP_GPU || made->dot)) {
        fill_inside(made, task);
    }
    add_prevs(made, habits, made->tasks++);
}

/* The order of the file. */
static void shuffle(struct tg_case *made)
{
    const bool as_made = tg_below(made, 3) == 0;
    for (uint32_t i = 0; i < made->tasks; i++) {
        made->place[i] = i;
    }
    for (uint32_t i = 0; i + 1 < made->tasks && !as_made; i++) {
        const uint32_t other = i + tg_below(made, made->tasks - i), kept = made->place[i];
        made->place[i] = made->place[other];
        made->place[other] = kept;
    }
}

/* ---- DOT ---- */

static void print(struct ff_buffer *bytes, const char *format, ...) ORR_PRINTF(2, 3);
static void print(struct ff_buffer *bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int count = vsnprintf((char *)bytes->data + bytes->count,
                                sizeof bytes->data - bytes->count, format, args);
    va_end(args);
    bytes->count += (size_t)count;
}

/* Of a graph that only tells when its tasks ran. */
static void print_times(struct tg_case *made, uint32_t index)
{
    static const char *const kinds[] = {"Forward", "Backward", "Comm", "Update", "Barrier"};
    const struct tg_task *task = &made->task[index];
    const uint32_t start = tg_below(made, 4) + index;
    print(&made->bytes,
          "n%" PRIu32 " [label=\"{ t%" PRIu32 " | %s | { %" PRIu32 " | %.9g } }\"];\n", index,
          index, kinds[tg_below(made, 5)], start, start + 4 * (double)task->runtime_ms);
}

static void print_task(struct tg_case *made, uint32_t index)
{
    const struct tg_task *task = &made->task[index];
    struct ff_buffer *bytes = &made->bytes;
    const bool sends = task->type == FLEXFLOW_SEND;
    if (!sends && task->type != FLEXFLOW_RECV) {
        print(bytes,
              "n%" PRIu32 " [label=\"{ npu_id=%" PRIu32 " | t%" PRIu32
              " | FORWARD | COMP_NODE | runtime=%.9g }\"];\n",
              index, task->from, index, (double)task->runtime_ms * 1e-3);
        return;
    }
    const struct tg_task *send = sends ? task : task - 1;
    const uint32_t to = sends ? (index + 1 < made->tasks && task[1].type == FLEXFLOW_RECV
                                     ? task[1].to
                                     : (task->from + 1) % made->servers)
                              : task->to;
    print(bytes,
          "n%" PRIu32 " [label=\"{ npu_id=%" PRIu32 " | x%" PRIu32
          " | COMM | COMM_SEND_RECV_NODE | src=%" PRIu32 " | dst=%" PRIu32 " | size=%" PRIu64
          " }\"];\n",
          index, task->from, index, send->from, to, task->bytes);
}

static void write_dot(struct tg_case *made)
{
    const bool times = tg_below(made, 4) == 0;
    print(&made->bytes, "digraph g {\n");
    for (uint32_t i = 0; i < made->tasks; i++) {
        (times ? print_times : print_task)(made, made->place[i]);
    }
    for (uint32_t i = 0; i < made->tasks; i++) {
        const struct tg_task *task = &made->task[made->place[i]];
        for (uint32_t n = 0; n < task->nexts; n++) {
            print(&made->bytes, "n%" PRIu32 " -> n%" PRIu32 ";\n", made->place[i], task->next[n]);
        }
    }
    print(&made->bytes, "}\n");
}

/* ---- FlatBuffers ---- */

/* Ids of devices say what they are: type and servers. */
static uint64_t device_of(const struct tg_task *task)
{
    return 1 + ((uint64_t)task->device * TG_SERVERS + task->from) * TG_SERVERS + task->to;
}

static void put_device(struct tg_case *made, size_t field, const struct tg_task *task)
{
    struct ff_buffer *bytes = &made->bytes;
    const size_t table = ff_table(bytes, 5);
    const uint64_t nodes = made->servers + made->switches;
    ff_link(bytes, field, table);
    ff_put(bytes, ff_at(table, 0), task->device, 2);
    ff_put(bytes, ff_at(table, 1), device_of(task), 8);
    ff_put(bytes, ff_at(table, 2), task->from, 8);
    ff_put(bytes, ff_at(table, 3), task->from * nodes + task->to, 8);
}

/* Those of the tasks, each once; the tasks may stand in any order. */
static void put_devices(struct tg_case *made, size_t root)
{
    const struct tg_task *first[TG_TASKS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < made->tasks; i++) {
        bool known = made->task[i].type == FLEXFLOW_ALLREDUCE;
        for (uint32_t k = 0; k < count; k++) {
            known = known || device_of(first[k]) == device_of(&made->task[i]);
        }
        if (!known) {
            first[count++] = &made->task[i];
        }
    }
    const size_t vector = ff_vector(&made->bytes, ff_at(root, 9), count, 4);
    for (uint32_t i = 0; i < count; i++) {
        put_device(made, vector + 4 + 4 * (size_t)i, first[i]);
    }
}

static void put_task(struct tg_case *made, size_t field, uint32_t index)
{
    const struct tg_task *task = &made->task[index];
    const bool reduces = task->type == FLEXFLOW_ALLREDUCE;
    struct ff_buffer *bytes = &made->bytes;
    const size_t table = ff_table(bytes, 6);
    ff_link(bytes, field, table);
    ff_put(bytes, ff_at(table, 0), task->type, 2);
    ff_put(bytes, ff_at(table, 1), 1000 + (uint64_t)index, 8);
    ff_put(bytes, ff_at(table, 2), reduces ? 0 : device_of(task), 8);
    ff_put_float(bytes, ff_at(table, 3), task->runtime_ms);
    ff_put(bytes, ff_at(table, 4), task->bytes, 8);
    const size_t vector = ff_vector(bytes, ff_at(table, 5), task->nexts, 8);
    for (uint32_t i = 0; i < task->nexts; i++) {
        ff_put(bytes, vector + 4 + 8 * (size_t)i, (reduces ? 0 : 1000u) + (uint64_t)task->next[i],
               8);
    }
}

static void write_flatbuffers(struct tg_case *made)
{
    struct ff_buffer *bytes = &made->bytes;
    bytes->count = 8;
    const size_t root = ff_table(bytes, 12);
    ff_link(bytes, 0, root);
    ff_put(bytes, ff_at(root, 0), 1, 4);
    ff_put(bytes, ff_at(root, 1), made->servers, 4);
    ff_put(bytes, ff_at(root, 2), made->switches, 4);
    ff_put_float(bytes, ff_at(root, 5), 12500000.0F);
    for (unsigned slot = 6; slot < 12; slot++) {
        (void)ff_vector(bytes, ff_at(root, slot), 0, 4);
    }
    put_devices(made, root);
    const size_t vector = ff_vector(bytes, ff_at(root, 8), made->tasks, 4);
    for (uint32_t i = 0; i < made->tasks; i++) {
        put_task(made, vector + 4 + 4 * (size_t)i, made->place[i]);
    }
    tg_own_network(made, root);
    (void)ff_align(bytes);
}

/* ---- a case ---- */

void tg_make(struct tg_case *made, uint64_t seed)
{
    memset(made, 0, sizeof *made);
    made->seed = seed;
    orr_rng_init(&made->rng, seed, 20);
    made->dot = tg_below(made, 4) == 0;
    made->servers = 1 + tg_below(made, tg_below(made, 3) == 0 ? 4 : TG_SERVERS);
    const uint32_t max = tg_below(made, 3) == 0 ? 6 : TG_MANY;
    const uint32_t tasks = tg_below(made, 16) == 0 ? TG_TASKS - 2 : 1 + tg_below(made, max);
    const struct habits habits = {.ties = tg_below(made, 2) == 0,
                                  .local = tg_below(made, 5),
                                  .max_prevs = 1 + tg_below(made, 3),
                                  .whole_reduces = tg_below(made, 3) == 0,
                                  .reduces = tg_below(made, 6),
                                  .transfers = tg_below(made, 8)};
    while (made->tasks < tasks) {
        add_task(made, &habits);
    }
    shuffle(made);
    tg_network(made);
    if (made->dot) {
        write_dot(made);
    } else {
        write_flatbuffers(made);
    }
}
