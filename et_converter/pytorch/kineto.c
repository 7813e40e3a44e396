/* Reader of Kineto profiles; see kineto.h. */
#include "et_converter/pytorch/kineto_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/strings.h"
#include "et_converter/pytorch/json_scan.h"
#include "workload/gpu/comm_kernel.h"

enum kernel_kind { KERNEL_UNKNOWN, KERNEL_OTHER, KERNEL_COMM, KERNEL_NCCL };

/* ---- numbers ---- */

/* Exact conversion, because times since 1970 have more digits than a double. */
bool orr_kineto_read_ns(struct js_value value, int64_t *out)
{
    const char *text = orr_js_text(value);
    if (text == NULL) {
        return false;
    }
    char *end;
    const int64_t micros = strtoll(text, &end, 10);
    int64_t part = 0, unit = 100;
    const int64_t max = INT64_MAX / 2000; /* the year 2116 */
    if (end == text || micros < 0 || micros >= max) {
        return false;
    }
    if (*end == '.') {
        for (end++; *end >= '0' && *end <= '9'; end++) {
            part += unit > 0 ? (*end - '0') * unit : 0;
            part += unit == 0 && *end >= '5' ? 1 : 0; /* the first digit that is left out */
            unit = unit > 0 ? unit / 10 : -1;
        }
    }
    if (*end == 'e' || *end == 'E') {
        const double micros_real = strtod(text, &end);
        const bool fits = *end == '\0' && micros_real >= 0 && micros_real < (double)max;
        *out = fits ? (int64_t)(micros_real * 1000) : 0;
        return fits;
    }
    *out = micros * 1000 + part;
    return *end == '\0';
}

/* ---- growing ---- */

#define GROW(reader, array, count, capacity)                                                       \
    ((reader)->kineto->count < PT_NONE - 1                                                         \
         ? orr_arena_grow((reader)->kineto->arena, (reader)->kineto->array,                        \
                          &(reader)->kineto->capacity, (size_t)(reader)->kineto->count + 1,        \
                          sizeof *(reader)->kineto->array)                                         \
         : NULL)

static uint32_t thread_of(struct kt_reader *reader, int64_t number)
{
    struct kt_trace *kineto = reader->kineto;
    for (uint32_t t = 0; t < kineto->threads; t++) {
        if (kineto->thread[t] == number) {
            return t;
        }
    }
    int64_t *grown = GROW(reader, thread, threads, thread_capacity);
    if (grown == NULL) {
        return PT_NONE;
    }
    kineto->thread = grown;
    grown[kineto->threads] = number;
    return kineto->threads++;
}

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "a Kineto profile");
}

/* ---- events ---- */

/* Operators that had not ended have "finished": "false". */
static bool is_false(struct js_value value)
{
    const char *text = orr_js_text(value);
    return orr_js_kind_of(value) == JS_FALSE || (text != NULL && strcmp(text, "false") == 0);
}

static enum orr_status add_op(struct kt_reader *reader, const struct kt_event *event,
                              struct orr_diag *diag)
{
    struct kt_trace *kineto = reader->kineto;
    const int64_t thread_number = orr_kineto_integer_or(orr_js_member(event->value, "tid"), -1);
    const uint32_t thread = thread_of(reader, thread_number);
    uint32_t record = PT_NONE;
    const bool complete = !reader->alone || orr_kineto_add_record(reader, event, &record);
    struct kt_op *grown = GROW(reader, op, ops, op_capacity);
    if (grown == NULL || thread == PT_NONE || !complete) {
        return no_memory(diag);
    }
    if (kineto->ops == 0) {
        kineto->pid = orr_kineto_integer_or(orr_js_member(event->value, "pid"), -1);
    }
    kineto->op = grown;
    grown[kineto->ops++] = (struct kt_op){
        .start_ns = event->start_ns,
        .end_ns = event->end_ns,
        .rf_id =
            (uint64_t)orr_kineto_integer_or(orr_js_member(event->args, "Record function id"), 0),
        .sequence = orr_kineto_integer_or(orr_js_member(event->args, "Sequence number"), -1),
        .external_id = orr_kineto_integer_or(orr_js_member(event->args, "External id"), -1),
        .index = kineto->ops - 1,
        .name = event->name_number,
        .thread = thread,
        .node = PT_NONE,
        .comm = record,
        .is_annotation = strcmp(event->category, "user_annotation") == 0,
        .is_unfinished = is_false(orr_js_member(event->args, "finished"))};
    if (reader->alone) {
        orr_kineto_set_shapes(event, &grown[kineto->ops - 1]);
    }
    return ORR_OK;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether a call affects order, and its kind. */
static bool call_kind(const char *name, uint8_t *kind)
{
    static const char *const launches[] = {
        "cudaLaunch",      "cuLaunch",           "cudaMemcpy",    "cudaMemset", "cudaGraphLaunch",
        "cuMemcpy",        "cuMemset",           "cuGraphLaunch", "hipLaunch",  "hipExtLaunch",
        "hipModuleLaunch", "hipExtModuleLaunch", "hipMemcpy",     "hipMemset",  "hipGraphLaunch"};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        if (begins(name, launches[i])) {
            *kind = KT_LAUNCH;
            return true;
        }
    }
    *kind = strstr(name, "StreamWaitEvent") != NULL ? KT_STREAM_WAIT : KT_SYNC;
    return *kind == KT_STREAM_WAIT || strstr(name, "Synchronize") != NULL ||
           begins(name, "cudaFree") || begins(name, "cudaMalloc") || begins(name, "hipFree") ||
           begins(name, "hipMalloc");
}

static enum orr_status add_record(struct kt_reader *reader, const struct kt_event *event,
                                  struct orr_diag *diag)
{
    struct kt_trace *kineto = reader->kineto;
    struct kt_record *grown = GROW(reader, record, records, record_capacity);
    if (grown == NULL) {
        return no_memory(diag);
    }
    kineto->record = grown;
    grown[kineto->records++] = (struct kt_record){
        orr_kineto_integer_or(orr_js_member(event->args, "correlation"), -1), event->start_ns};
    return ORR_OK;
}

static enum orr_status add_call(struct kt_reader *reader, const struct kt_event *event,
                                struct orr_diag *diag)
{
    uint8_t kind;
    struct kt_trace *kineto = reader->kineto;
    if (!call_kind(event->name, &kind)) {
        return strstr(event->name, "EventRecord") != NULL ? add_record(reader, event, diag)
                                                          : ORR_OK;
    }
    const uint32_t thread =
        thread_of(reader, orr_kineto_integer_or(orr_js_member(event->value, "tid"), -1));
    struct kt_call *grown = GROW(reader, call, calls, call_capacity);
    if (grown == NULL || thread == PT_NONE) {
        return no_memory(diag);
    }
    kineto->call = grown;
    grown[kineto->calls++] = (struct kt_call){
        .start_ns = event->start_ns,
        .end_ns = event->end_ns,
        .correlation = orr_kineto_integer_or(orr_js_member(event->args, "correlation"), -1),
        .thread = thread,
        .name = event->name_number,
        .kind = kind};
    return ORR_OK;
}

/* What a kernel is, by its name; asked once for each name. NULL: no memory. */
static uint8_t *kernel_of(struct kt_reader *reader, const struct kt_event *event)
{
    uint8_t *grown = orr_arena_grow(reader->kineto->arena, reader->kernel, &reader->kernel_capacity,
                                    (size_t)event->name_number + 1, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    reader->kernel = grown;
    if (grown[event->name_number] == KERNEL_UNKNOWN) {
        grown[event->name_number] = orr_kernel_is_nccl(event->name)   ? KERNEL_NCCL
                                    : orr_kernel_is_comm(event->name) ? KERNEL_COMM
                                                                      : KERNEL_OTHER;
    }
    return &grown[event->name_number];
}

static enum orr_status add_work(struct kt_reader *reader, const struct kt_event *event,
                                struct orr_diag *diag)
{
    struct kt_trace *kineto = reader->kineto;
    uint8_t *kernel = kernel_of(reader, event);
    const bool is_nccl = kernel != NULL && *kernel == KERNEL_NCCL;
    uint32_t nccl = PT_NONE;
    const bool complete = !is_nccl || orr_kineto_add_nccl(reader, event, &nccl);
    struct kt_work *grown = GROW(reader, work, works, work_capacity);
    if (!complete || grown == NULL || kernel == NULL) {
        return no_memory(diag);
    }
    kineto->work = grown;
    grown[kineto->works++] = (struct kt_work){
        .start_ns = event->start_ns,
        .end_ns = event->end_ns,
        .correlation = orr_kineto_integer_or(orr_js_member(event->args, "correlation"), -1),
        .stream =
            orr_kineto_integer_or(orr_js_member(event->args, "stream"),
                                  orr_kineto_integer_or(orr_js_member(event->value, "tid"), 0)),
        .bytes = (uint64_t)orr_kineto_integer_or(orr_js_member(event->args, "bytes"), 0),
        .name = event->name_number,
        .device = (uint32_t)orr_kineto_integer_or(orr_js_member(event->args, "device"), 0),
        .nccl = nccl,
        .is_nccl = is_nccl,
        .is_copy = strcasecmp(event->category, "kernel") != 0,
        .is_comm = is_nccl || *kernel == KERNEL_COMM};
    return ORR_OK;
}

static enum orr_status add_wait(struct kt_reader *reader, const struct kt_event *event,
                                struct orr_diag *diag)
{
    struct kt_trace *kineto = reader->kineto;
    const struct kt_wait wait = {
        .correlation = orr_kineto_integer_or(orr_js_member(event->args, "correlation"), -1),
        .stream = orr_kineto_integer_or(orr_js_member(event->args, "stream"), -1),
        .for_stream = orr_kineto_integer_or(orr_js_member(event->args, "wait_on_stream"), -1),
        .record = orr_kineto_integer_or(
            orr_js_member(event->args, "wait_on_cuda_event_record_corr_id"), -1)};
    if (wait.correlation < 0 || wait.stream < 0 || wait.for_stream < 0) {
        return ORR_OK;
    }
    struct kt_wait *grown = GROW(reader, wait, waits, wait_capacity);
    if (grown == NULL) {
        return no_memory(diag);
    }
    kineto->wait = grown;
    grown[kineto->waits++] = wait;
    return ORR_OK;
}

typedef enum orr_status (*event_adder)(struct kt_reader *, const struct kt_event *,
                                       struct orr_diag *);

static bool ends(const char *text, const char *with)
{
    const size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcasecmp(text + length - tail, with) == 0;
}

/* Categories of PyTorch 1.8 to 1.10 are "Operator", "Kernel", "Memcpy", "Memset" and "Runtime";
 * other devices than NVIDIA's have "hip_runtime" and the like. */
static event_adder adder_of(const char *category)
{
    static const struct {
        const char *category;
        event_adder add;
    } adders[] = {{"cpu_op", add_op},       {"user_annotation", add_op}, {"kernel", add_work},
                  {"gpu_memcpy", add_work}, {"gpu_memset", add_work},    {"cuda_sync", add_wait},
                  {"operator", add_op},     {"memcpy", add_work},        {"memset", add_work},
                  {"runtime", add_call}};
    for (size_t i = 0; i < sizeof adders / sizeof *adders; i++) {
        if ((*category | ' ') == *adders[i].category &&
            strcasecmp(category, adders[i].category) == 0) {
            return adders[i].add;
        }
    }
    return ends(category, "_runtime") || ends(category, "_driver") ? add_call : NULL;
}

/* Adds an end of a link between threads; `phase` is "s" or "f". */
static enum orr_status add_link_end(struct kt_reader *reader, struct js_value value,
                                    const char *phase, struct orr_diag *diag)
{
    struct kt_trace *kineto = reader->kineto;
    struct kt_link_end end = {.id = orr_kineto_integer_or(orr_js_member(value, "id"), -1),
                              .is_start = *phase == 's'};
    if (end.id < 0 || !orr_kineto_read_ns(orr_js_member(value, "ts"), &end.at_ns)) {
        return ORR_OK;
    }
    end.thread = thread_of(reader, orr_kineto_integer_or(orr_js_member(value, "tid"), -1));
    struct kt_link_end *grown = GROW(reader, link_end, link_ends, link_end_capacity);
    if (grown == NULL || end.thread == PT_NONE) {
        return no_memory(diag);
    }
    kineto->link_end = grown;
    grown[kineto->link_ends++] = end;
    return ORR_OK;
}

static enum orr_status read_event(struct kt_reader *reader, uint64_t index, struct js_value value,
                                  struct orr_diag *diag)
{
    struct kt_event event = {.value = value,
                             .category = orr_js_text(orr_js_member(value, "cat")),
                             .name = orr_js_text(orr_js_member(value, "name"))};
    const char *phase = orr_js_text(orr_js_member(value, "ph"));
    if (phase != NULL && (*phase == 's' || *phase == 'f') && event.category != NULL &&
        strcmp(event.category, "fwdbwd") == 0) {
        return add_link_end(reader, value, phase, diag);
    }
    if (phase == NULL || strcmp(phase, "X") != 0 || event.category == NULL || event.name == NULL) {
        return ORR_OK;
    }
    const event_adder add = adder_of(event.category);
    int64_t duration = 0;
    if (add == NULL) {
        return ORR_OK;
    }
    (void)orr_kineto_read_ns(orr_js_member(value, "dur"), &duration);
    if (!orr_kineto_read_ns(orr_js_member(value, "ts"), &event.start_ns)) {
        const struct orr_location place = orr_location_file(reader->kineto->path);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "item %" PRIu64 " of \"traceEvents\" (%s): expected \"ts\", its start "
                             "in microseconds",
                             index, event.name);
    }
    event.end_ns = event.start_ns + (duration > 0 ? duration : 0);
    event.args = orr_js_member(value, "args");
    event.name_number = orr_strings_add(reader->kineto->strings, event.name, strlen(event.name));
    return event.name_number != UINT32_MAX ? add(reader, &event, diag) : no_memory(diag);
}

/* ---- the file ---- */

static enum orr_status read_member(void *user, const char *name, struct js_value value,
                                   struct orr_diag *diag)
{
    struct kt_reader *reader = user;
    if (strcmp(name, "baseTimeNanoseconds") == 0) {
        (void)orr_js_integer(value, &reader->kineto->base_ns);
    }
    if (strcmp(name, "distributedInfo") != 0) {
        return ORR_OK;
    }
    reader->kineto->rank = orr_kineto_integer_or(orr_js_member(value, "rank"), -1);
    reader->kineto->world = orr_kineto_integer_or(orr_js_member(value, "world_size"), -1);
    return orr_pytorch_trace_add_groups(reader->trace, orr_js_member(value, "pg_config"))
               ? ORR_OK
               : no_memory(diag);
}

static enum orr_status read_item(void *user, const char *name, uint64_t index,
                                 struct js_value value, struct orr_diag *diag)
{
    return strcmp(name, "traceEvents") == 0 ? read_event(user, index, value, diag) : ORR_OK;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_ops(const void *a, const void *b)
{
    const struct kt_op *x = a, *y = b;
    const int thread = ORDER(x->thread, y->thread), start = ORDER(x->start_ns, y->start_ns);
    const int id = ORDER(x->external_id, y->external_id), end = ORDER(y->end_ns, x->end_ns);
    const int before = thread != 0 ? thread : start != 0 ? start : id != 0 ? id : end;
    return before != 0 ? before : ORDER(x->index, y->index);
}

static int compare_calls(const void *a, const void *b)
{
    const struct kt_call *x = a, *y = b;
    const int thread = ORDER(x->thread, y->thread);
    return thread != 0 ? thread : ORDER(x->start_ns, y->start_ns);
}

static int compare_works(const void *a, const void *b)
{
    const struct kt_work *x = a, *y = b;
    const int start = ORDER(x->start_ns, y->start_ns);
    return start != 0 ? start : ORDER(x->end_ns, y->end_ns);
}

static int compare_waits(const void *a, const void *b)
{
    const struct kt_wait *x = a, *y = b;
    return ORDER(x->correlation, y->correlation);
}

static int compare_records(const void *a, const void *b)
{
    const struct kt_record *x = a, *y = b;
    return ORDER(x->correlation, y->correlation);
}

static int compare_link_ends(const void *a, const void *b)
{
    const struct kt_link_end *x = a, *y = b;
    const int id = ORDER(x->id, y->id);
    return id != 0 ? id : ORDER(y->is_start, x->is_start);
}

static void sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1) {
        qsort(array, count, size, compare);
    }
}

/* Makes times relative to the first event. */
static void set_origin(struct kt_trace *kineto)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < kineto->ops; i++) {
        first = kineto->op[i].start_ns < first ? kineto->op[i].start_ns : first;
    }
    for (uint32_t i = 0; i < kineto->calls; i++) {
        first = kineto->call[i].start_ns < first ? kineto->call[i].start_ns : first;
    }
    if (first == INT64_MAX && kineto->works > 0) {
        first = kineto->work[0].start_ns; /* nothing of the host */
    }
    kineto->origin_ns = first;
    for (uint32_t i = 0; i < kineto->ops; i++) {
        kineto->op[i].start_ns -= first;
        kineto->op[i].end_ns -= first;
    }
    for (uint32_t i = 0; i < kineto->calls; i++) {
        kineto->call[i].start_ns -= first;
        kineto->call[i].end_ns -= first;
    }
    for (uint32_t i = 0; i < kineto->records; i++) {
        kineto->record[i].start_ns -= first;
    }
    for (uint32_t i = 0; i < kineto->link_ends; i++) {
        kineto->link_end[i].at_ns -= first;
    }
    for (uint32_t i = 0; i < kineto->works; i++) {
        kineto->work[i].start_ns -= first;
        kineto->work[i].end_ns -= first;
    }
}

static enum orr_status read_profile(struct pt_trace *trace, const struct js_source *source,
                                    bool alone, struct kt_trace *out, struct orr_diag *diag)
{
    *out = (struct kt_trace){.path = source->path,
                             .arena = trace->arena,
                             .strings = trace->strings,
                             .pid = -1,
                             .rank = -1,
                             .world = -1};
    struct kt_reader reader = {.kineto = out, .trace = trace, .alone = alone};
    struct js_visitor visitor = {.member = read_member, .item = read_item, .user = &reader};
    const enum orr_status status = orr_js_read(source, &visitor, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (out->ops == 0 && out->works == 0) {
        const struct orr_location place = orr_location_file(source->path);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "expected a Kineto profile, with operators (\"cat\": \"cpu_op\") or "
                             "kernels in \"traceEvents\"");
    }
    sort(out->op, out->ops, sizeof *out->op, compare_ops);
    sort(out->call, out->calls, sizeof *out->call, compare_calls);
    sort(out->work, out->works, sizeof *out->work, compare_works);
    sort(out->wait, out->waits, sizeof *out->wait, compare_waits);
    sort(out->record, out->records, sizeof *out->record, compare_records);
    sort(out->link_end, out->link_ends, sizeof *out->link_end, compare_link_ends);
    set_origin(out);
    return ORR_OK;
}

enum orr_status orr_kineto_trace_read(struct pt_trace *trace, const struct js_source *source,
                                      struct kt_trace *out, struct orr_diag *diag)
{
    return read_profile(trace, source, false, out, diag);
}

enum orr_status orr_kineto_alone_read(struct pt_trace *trace, const struct js_source *source,
                                      struct kt_trace *out, struct orr_diag *diag)
{
    return read_profile(trace, source, true, out, diag);
}
