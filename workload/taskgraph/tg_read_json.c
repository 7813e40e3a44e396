/* Reads task graphs as JSON, with the configuration reader; see docs/file-formats.md. */
#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/time.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_file_private.h"

struct file {
    const char *format;
    int64_t version, npus, copies;
    const struct orr_conf *tasks;
    struct orr_conf_list order; /* int64_t */
    bool first_come;
};

struct entry {
    unsigned role, pass;
    const char *name;
    int64_t npu, from, to;
    struct orr_conf_list members, next; /* int64_t */
    uint64_t bytes;
    sim_time time;
    bool across;
};

static const char *const roles[] = {"compute", "compute-cpu", "delay",      "transfer",
                                    "send",    "receive",     "all-reduce", NULL};
static const char *const passes[] = {"none", "forward", "backward", "update", "barrier", NULL};

/* The bound of numbers before the graph's size is known. */
#define MAX_NUMBER (TG_NONE - 1.0)

static const struct orr_key entry_keys[] = {
    {.name = "role",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct entry, role),
     .required = true,
     .choices = roles,
     .doc = "what the task does"},
    {.name = "pass",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct entry, pass),
     .choices = passes,
     .default_text = "none",
     .doc = "what it is for"},
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct entry, name),
     .doc = "what its nodes are called"},
    {.name = "npu",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct entry, npu),
     .low = 0,
     .high = TG_MAX_NPUS,
     .doc = "the NPU of a task that moves nothing"},
    {.name = "from",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct entry, from),
     .low = 0,
     .high = TG_MAX_NPUS,
     .doc = "the NPU that a transfer leaves"},
    {.name = "to",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct entry, to),
     .low = 0,
     .high = TG_MAX_NPUS,
     .doc = "the NPU that a transfer reaches"},
    {.name = "members",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct entry, members),
     .low = 0,
     .high = TG_MAX_NPUS,
     .list = true,
     .min = 1,
     .max = TG_MAX_NPUS,
     .doc = "the NPUs of an all-reduce, in the order of rings"},
    {.name = "bytes",
     .type = ORR_KEY_BYTES,
     .offset = offsetof(struct entry, bytes),
     .doc = "of a transfer or an all-reduce"},
    {.name = "time",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct entry, time),
     .doc = "of a task that computes or waits; of an all-reduce inside of its servers"},
    {.name = "across",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct entry, across),
     .doc = "an all-reduce among the members of all groups"},
    {.name = "next",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct entry, next),
     .low = 0,
     .high = MAX_NUMBER,
     .list = true,
     .doc = "the tasks that wait for it, in the order in which they begin"},
};

static const struct orr_key_table entry_table = {
    .owner = "a task",
    .keys = entry_keys,
    .count = sizeof entry_keys / sizeof *entry_keys,
};

static const struct orr_key file_keys[] = {
    {.name = "format",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct file, format),
     .required = true,
     .example = "\"format\": \"" TG_FORMAT "\"",
     .doc = "\"" TG_FORMAT "\""},
    {.name = "version",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct file, version),
     .required = true,
     .low = TG_VERSION,
     .high = TG_VERSION,
     .doc = "of the format"},
    {.name = "npus",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct file, npus),
     .required = true,
     .low = 1,
     .high = TG_MAX_NPUS,
     .doc = "of all groups"},
    {.name = "copies",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct file, copies),
     .low = 1,
     .high = TG_MAX_NPUS,
     .default_text = "1",
     .doc = "equal groups; the tasks are those of the first"},
    {.name = "first_come",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct file, first_come),
     .default_text = "false",
     .doc = "ties: tasks that become ready for an NPU in one instant go in event order, not by "
            "number"},
    {.name = "tasks",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct file, tasks),
     .required = true,
     .list = false,
     .table = &entry_table,
     .example = "\"tasks\": [{\"role\": \"compute\", \"npu\": 0, \"time\": \"1 ms\"}]",
     .doc = "the tasks, numbered from 0 on"},
    {.name = "order",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct file, order),
     .low = 0,
     .high = MAX_NUMBER,
     .list = true,
     .doc = "an order of the tasks"},
};

struct reader {
    struct orr_arena *arena;
    struct tg_builder *builder;
    const struct orr_conf *tasks;
    struct orr_diag *diag;
};

/* Tasks have line numbers. */
static struct orr_location location_of(const void *context, uint32_t task, uint64_t *byte)
{
    const struct orr_conf *tasks = context;
    (void)byte;
    return orr_conf_location(tasks->item[task]);
}

/* Fails on keys that the role does not have, or needs. */
static enum orr_status check_keys(const struct orr_conf *node, unsigned role, struct orr_diag *diag)
{
    static const struct {
        const char *key;
        unsigned needed, possible; /* bits of roles */
    } rules[] = {
        {"npu", 1u << TG_COMPUTE | 1u << TG_COMPUTE_CPU | 1u << TG_DELAY, 0},
        {"from", 1u << TG_TRANSFER | 1u << TG_SEND | 1u << TG_RECEIVE, 0},
        {"to", 1u << TG_TRANSFER | 1u << TG_SEND | 1u << TG_RECEIVE, 0},
        {"bytes", 1u << TG_TRANSFER | 1u << TG_SEND | 1u << TG_RECEIVE | 1u << TG_ALL_REDUCE, 0},
        {"members", 1u << TG_ALL_REDUCE, 0},
        {"time", 1u << TG_COMPUTE | 1u << TG_COMPUTE_CPU | 1u << TG_DELAY, 1u << TG_ALL_REDUCE},
        {"across", 0, 1u << TG_ALL_REDUCE},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct orr_conf *present = orr_conf_get(node, rules[i].key);
        const bool needed = (rules[i].needed >> role & 1) != 0;
        const bool possible = needed || (rules[i].possible >> role & 1) != 0;
        if (present != NULL ? possible : !needed) {
            continue;
        }
        const struct orr_location place =
            present != NULL ? orr_conf_key_location(present) : orr_conf_location(node);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected %s`%s` of a task that is %s", node->path,
                             present != NULL ? "no " : "", rules[i].key, roles[role]);
    }
    return ORR_OK;
}

static uint32_t add_reduce(const struct reader *reader, const struct tg_task *task,
                           const struct orr_conf_list *list)
{
    const int64_t *value = list->values;
    uint32_t *members = orr_arena_array(reader->arena, list->count, sizeof *members);
    for (size_t i = 0; members != NULL && i < list->count; i++) {
        members[i] = (uint32_t)value[i];
    }
    return members != NULL
               ? orr_tg_builder_all_reduce(reader->builder, task, members, (uint32_t)list->count)
               : TG_NONE;
}

static enum orr_status read_task(const struct reader *reader, uint32_t index)
{
    const struct orr_conf *node = reader->tasks->item[index];
    struct entry entry = {.role = 0};
    enum orr_status status = orr_conf_read(node, entry_table.owner, entry_table.keys,
                                           entry_table.count, &entry, reader->diag);
    if (status == ORR_OK) {
        status = check_keys(node, entry.role, reader->diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    struct tg_task task = {.bytes = entry.bytes,
                           .duration_ps = (uint64_t)entry.time,
                           .from = (uint32_t)(entry.from + entry.npu),
                           .to = (uint32_t)(entry.to + entry.npu),
                           .role = (uint8_t)entry.role,
                           .pass = (uint8_t)entry.pass,
                           .across = entry.across};
    if (entry.name != NULL) {
        task.name = orr_tg_builder_name(reader->builder, entry.name);
    }
    const uint32_t number = entry.role == TG_ALL_REDUCE
                                ? add_reduce(reader, &task, &entry.members)
                                : orr_tg_builder_add(reader->builder, &task);
    const int64_t *next = entry.next.values;
    for (size_t i = 0; i < entry.next.count; i++) {
        if (next[i] >= (int64_t)reader->tasks->count) {
            const struct orr_conf *list = orr_conf_get(node, "next");
            return orr_conf_expected(list->kind == ORR_CONF_LIST ? list->item[i] : list,
                                     "the number of a task", reader->diag);
        }
        orr_tg_builder_wait(reader->builder, (uint32_t)next[i], index);
    }
    return number == index ? ORR_OK : orr_diag_no_memory(reader->diag, "a task graph");
}

static enum orr_status read_order(const struct reader *reader, const struct orr_conf *root,
                                  const struct orr_conf_list *list)
{
    const int64_t *value = list->values;
    uint32_t *order = orr_arena_array(reader->arena, list->count + 1, sizeof *order);
    if (orr_conf_get(root, "order") == NULL) {
        return ORR_OK;
    }
    if (list->count != reader->tasks->count) {
        return orr_conf_expected(orr_conf_get(root, "order"), "each task once", reader->diag);
    }
    for (size_t i = 0; order != NULL && i < list->count; i++) {
        order[i] = (uint32_t)value[i];
    }
    if (order != NULL) {
        orr_tg_builder_order(reader->builder, order);
    }
    return order != NULL ? ORR_OK : orr_diag_no_memory(reader->diag, "a task graph");
}

static enum orr_status read_file(struct reader *reader, const struct orr_conf *root,
                                 const struct file *file, const char *name, struct tg_graph *out)
{
    const struct tg_origin origin = {.place = location_of, .context = file->tasks};
    enum orr_status status = ORR_OK;
    reader->tasks = file->tasks;
    reader->builder = orr_tg_builder_create((uint32_t)file->npus, (uint32_t)file->copies);
    if (reader->builder == NULL) {
        return orr_diag_no_memory(reader->diag, "a task graph");
    }
    orr_tg_builder_set_origin(reader->builder, name, &origin);
    if (file->first_come) {
        orr_tg_builder_first_come(reader->builder);
    }
    for (uint32_t i = 0; i < file->tasks->count && status == ORR_OK; i++) {
        status = read_task(reader, i);
    }
    if (status == ORR_OK) {
        status = read_order(reader, root, &file->order);
    }
    if (status == ORR_OK) {
        status = orr_tg_builder_finish(reader->builder, reader->arena, out, reader->diag);
    }
    orr_tg_builder_destroy(reader->builder);
    return status;
}

static enum orr_status check_file(const struct orr_conf *root, const struct file *file,
                                  struct orr_diag *diag)
{
    if (strcmp(file->format, TG_FORMAT) != 0) {
        return orr_conf_expected(orr_conf_get(root, "format"), "\"" TG_FORMAT "\"", diag);
    }
    if (file->npus % file->copies != 0) {
        return orr_conf_expected(orr_conf_get(root, "copies"), "copies that divide the NPUs", diag);
    }
    return file->tasks->kind == ORR_CONF_LIST && file->tasks->count != 0
               ? ORR_OK
               : orr_conf_expected(file->tasks, "a list of tasks", diag);
}

enum orr_status orr_tg_read_json(struct orr_arena *arena, const struct tg_bytes *bytes,
                                 struct tg_graph *out, struct orr_diag *diag)
{
    struct reader reader = {.arena = arena, .diag = diag};
    struct file file = {.version = 0};
    const struct orr_conf *root = NULL;
    enum orr_status status =
        orr_conf_parse(arena, bytes->data, bytes->count, bytes->name, &root, diag);
    if (status == ORR_OK) {
        status = orr_conf_read(root, "a task graph", file_keys,
                               sizeof file_keys / sizeof *file_keys, &file, diag);
    }
    if (status == ORR_OK) {
        status = check_file(root, &file, diag);
    }
    return status == ORR_OK ? read_file(&reader, root, &file, bytes->name, out) : status;
}
