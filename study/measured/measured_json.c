/* Reader of the JSON of nccl-tests (-J): one object with `args`, `config` and `results`.
 * `config.devices` has one entry for each process, its first device. An aborted run leaves the text
 * unclosed after its last result. (NVIDIA/nccl-tests src/util.cu, 2.19.) */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "et_converter/pytorch/json_scan.h"
#include "study/measured/nccl_line.h"
#include "study/measured/nccl_run.h"

struct json_reader {
    struct orr_measured_build *build;
    struct nccl_run run;
    struct js_visitor visitor;
    bool has_config;
};

/* A result, for messages. */
struct json_item {
    const struct json_reader *reader;
    uint64_t index;
    struct js_value value;
};

static enum orr_status fail_item(const struct json_item *item, const char *path, const char *what)
{
    const struct js_visitor *visitor = &item->reader->visitor;
    return orr_measured_fail(item->reader->build, visitor->line, visitor->column,
                             "results[%" PRIu64 "]%s: expected %s", item->index, path, what);
}

/* ---- config ---- */

static bool small_number(struct js_value object, const char *name, uint32_t *out)
{
    int64_t number = 0;
    if (!orr_js_integer(orr_js_member(object, name), &number) || number < 0 || number > INT32_MAX) {
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

static enum orr_status read_devices(struct json_reader *reader, struct js_value devices)
{
    enum orr_status status = ORR_OK;
    uint32_t index = 0;
    for (struct js_value device = orr_js_first(devices);
         orr_js_kind_of(device) != JS_NONE && status == ORR_OK;
         device = orr_js_next(devices, device), index++) {
        int64_t pid = 0;
        struct nccl_member member = {0};
        const char *host = orr_js_text(orr_js_member(device, "hostname"));
        if (!small_number(device, "rank", &member.rank) || host == NULL) {
            return orr_measured_fail(reader->build, reader->visitor.line, reader->visitor.column,
                                     "config.devices[%" PRIu32 "]: expected a rank and a hostname",
                                     index);
        }
        (void)small_number(device, "group", &member.group);
        member.pid = orr_js_integer(orr_js_member(device, "pid"), &pid) ? (uint64_t)pid : 0;
        const char *gpu = orr_js_text(orr_js_member(device, "device_info"));
        status = gpu != NULL ? orr_nccl_check_gpu(reader->build, gpu, reader->visitor.line,
                                                  reader->visitor.column)
                             : ORR_OK;
        if (status == ORR_OK) {
            status = orr_nccl_add_member(reader->build, &reader->run, member, host);
        }
    }
    return status;
}

static enum orr_status read_config(struct json_reader *reader, struct js_value config)
{
    struct nccl_run *run = &reader->run;
    reader->has_config = true;
    run->processes = true;
    run->line = reader->visitor.line;
    run->column = reader->visitor.column;
    const struct js_value devices = orr_js_member(config, "devices");
    if (!small_number(config, "nthreads", &run->threads) ||
        !small_number(config, "ngpus", &run->gpus) || run->threads == 0 || run->gpus == 0 ||
        run->threads > UINT16_MAX || run->gpus > UINT16_MAX || orr_js_kind_of(devices) != JS_LIST) {
        return orr_measured_fail(reader->build, run->line, run->column,
                                 "config: expected nthreads, ngpus and devices");
    }
    return read_devices(reader, devices);
}

/* ---- results ---- */

/* Reads a number, also as a text. */
static bool read_number(struct js_value object, const char *name, struct measured_number *out)
{
    const char *text = orr_js_text(orr_js_member(object, name));
    return text != NULL && orr_measured_number(text, out);
}

static enum orr_status read_half(const struct json_item *item, struct js_value half,
                                 const char *name, struct nccl_result *result)
{
    char path[64];
    struct measured_number time;
    const bool cpu = orr_js_kind_of(orr_js_member(half, "cpu_time")) != JS_NONE;
    (void)snprintf(path, sizeof path, ".%s.%s", name, cpu ? "cpu_time" : "time");
    if (!read_number(half, cpu ? "cpu_time" : "time", &time) || !(time.value > 0)) {
        return fail_item(item, path, "microseconds above 0");
    }
    (void)snprintf(path, sizeof path, ".%s", name);
    if (!read_number(half, "alg_bw", &result->algbw) ||
        !read_number(half, "bus_bw", &result->busbw)) {
        return fail_item(item, path, "alg_bw and bus_bw in GB/s");
    }
    result->time_us = time.value;
    return cpu ? orr_nccl_note_cpu(item->reader->build, result->line) : ORR_OK;
}

static enum orr_status check_half(const struct json_item *item, struct js_value half)
{
    const char *wrong = orr_js_text(orr_js_member(half, "nwrong"));
    const struct js_visitor *visitor = &item->reader->visitor;
    const struct nccl_wrong found = {
        .text = wrong, .line = visitor->line, .column = visitor->column};
    return wrong != NULL ? orr_nccl_check_wrong(item->reader->build, &found) : ORR_OK;
}

static bool read_integer(struct js_value object, const char *name, uint64_t *out)
{
    const char *text = orr_js_text(orr_js_member(object, name));
    return text != NULL && orr_measured_integer(text, out);
}

static enum orr_status read_times(struct json_reader *reader, const struct json_item *item,
                                  struct nccl_result *result)
{
    const struct js_value out = orr_js_member(item->value, "out_of_place");
    const struct js_value in = orr_js_member(item->value, "in_place");
    const bool has_out = orr_js_kind_of(out) == JS_OBJECT, has_in = orr_js_kind_of(in) == JS_OBJECT;
    if (!has_out && !has_in) {
        return fail_item(item, "", "out_of_place or in_place");
    }
    enum orr_status status = has_out ? check_half(item, out) : ORR_OK;
    if (status == ORR_OK && has_in) {
        status = check_half(item, in);
    }
    if (status == ORR_OK) {
        status = read_half(item, has_out ? out : in, has_out ? "out_of_place" : "in_place", result);
    }
    return status == ORR_OK ? orr_nccl_add_result(reader->build, &reader->run, result) : status;
}

static enum orr_status read_result(struct json_reader *reader, uint64_t index,
                                   struct js_value value)
{
    const struct json_item item = {reader, index, value};
    struct nccl_result result = {.line = reader->visitor.line, .column = reader->visitor.column};
    const char *type = orr_js_text(orr_js_member(value, "type"));
    if (!reader->has_config) {
        return fail_item(&item, "", "config before it");
    }
    if (orr_js_kind_of(value) != JS_OBJECT || !read_integer(value, "size", &result.bytes) ||
        !read_integer(value, "count", &result.count)) {
        return fail_item(&item, "", "an object with size and count");
    }
    if (result.bytes == 0) {
        return orr_nccl_note_empty(reader->build, result.line);
    }
    result.type_bytes = type != NULL ? orr_nccl_type_bytes(type) : 0;
    return read_times(reader, &item, &result);
}

/* ---- the file ---- */

static enum orr_status on_member(void *user, const char *name, struct js_value value,
                                 struct orr_diag *diag)
{
    (void)diag;
    struct json_reader *reader = user;
    return strcmp(name, "config") == 0 ? read_config(reader, value) : ORR_OK;
}

/* Callback for an item of a list. The program is the first of `args`. */
static enum orr_status on_item(void *user, const char *name, uint64_t index, struct js_value value,
                               struct orr_diag *diag)
{
    (void)diag;
    struct json_reader *reader = user;
    const char *text = orr_js_text(value);
    if (strcmp(name, "args") == 0 && index == 0 && text != NULL) {
        reader->run.name = orr_measured_name_in(text);
    }
    return strcmp(name, "results") == 0 ? read_result(reader, index, value) : ORR_OK;
}

/* Accepts a truncated text, with a warning, if it has a complete result. */
static enum orr_status accept_truncated(const struct json_reader *reader,
                                        const struct orr_diag *json_diag)
{
    const struct orr_measured_build *build = reader->build;
    if (reader->run.results == 0) {
        return orr_measured_fail_at(build, json_diag->place,
                                    "the file ends before its first whole result: was the run "
                                    "aborted?");
    }
    orr_diag_warn(build->diag, &json_diag->place,
                  "the file is cut off: was the run aborted? Its %zu whole result%s taken",
                  reader->run.results, reader->run.results == 1 ? " is" : "s are");
    return ORR_OK;
}

static enum orr_status read_file(struct json_reader *reader)
{
    struct orr_measured_build *build = reader->build;
    const struct js_source source = {
        .path = build->path, .data = build->data, .bytes = build->bytes};
    struct orr_diag json_diag;
    orr_diag_init(&json_diag);
    enum orr_status status = orr_js_read(&source, &reader->visitor, &json_diag);
    if (json_diag.status != ORR_OK) { /* an error of the text, not of a callback */
        status = reader->visitor.ended_early ? accept_truncated(reader, &json_diag)
                                             : orr_diag_forward(build->diag, &json_diag);
    }
    if (status == ORR_OK && !reader->has_config) {
        status = orr_measured_fail(build, 0, 0,
                                   "expected the JSON of nccl-tests (-J), with config and results");
    }
    return status == ORR_OK ? orr_nccl_run_end(build, &reader->run) : status;
}

enum orr_status orr_measured_read_json(struct orr_measured_build *build)
{
    struct json_reader *reader = orr_arena_alloc(build->arena, sizeof *reader);
    if (reader == NULL) {
        return orr_measured_no_memory(build);
    }
    reader->build = build;
    reader->visitor = (struct js_visitor){.member = on_member, .item = on_item, .user = reader};
    orr_nccl_run_init(&reader->run, build->arena);
    return read_file(reader);
}
