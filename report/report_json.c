/* Results as JSON and CSV; the fields are described in docs/user-guide.md. */
#include <inttypes.h>
#include <jansson.h>

#include "core/core.h"
#include "report/json_text.h"
#include "report/report_summary.h"
#include "report/run_report.h"
#include "sim/sim.h"

static void set_integer(json_t *object, const char *key, int64_t value)
{
    (void)json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *times_object(const struct orrery_times *times)
{
    json_t *object = json_object();
    set_integer(object, "finish_ps", times->finish_ps);
    set_integer(object, "compute_ps", times->compute_ps);
    set_integer(object, "cpu_ps", times->cpu_ps);
    set_integer(object, "exposed_local_memory_ps", times->exposed_local_memory_ps);
    set_integer(object, "exposed_remote_memory_ps", times->exposed_remote_memory_ps);
    set_integer(object, "exposed_communication_ps", times->exposed_communication_ps);
    set_integer(object, "waiting_ps", times->waiting_ps);
    set_integer(object, "idle_ps", times->idle_ps);
    return object;
}

static json_t *class_object(const struct orr_class *class)
{
    const size_t bytes = orr_format_ranks(class->rank, class->members, NULL, 0);
    char *ranks = orr_heap_alloc(bytes);
    json_t *object = json_object();
    json_t *times = times_object(&class->times);
    if (ranks != NULL) {
        (void)orr_format_ranks(class->rank, class->members, ranks, bytes);
        (void)json_object_set_new(object, "ranks", json_string(ranks));
    }
    (void)json_object_update(object, times);
    json_decref(times);
    orr_heap_free(ranks);
    return object;
}

static json_t *classes_array(const struct orrery *job, bool per_npu)
{
    json_t *array = json_array();
    struct orr_classes classes;
    if (!orr_classes_init(&classes, job)) {
        return array;
    }
    for (uint32_t c = 0; c < classes.count && !per_npu; c++) {
        (void)json_array_append_new(array, class_object(&classes.item[c]));
    }
    for (uint32_t rank = 0; per_npu && rank < orrery_npus(job); rank++) {
        struct orr_class one = {.rank = &rank, .members = 1};
        (void)orrery_npu_times(job, rank, &one.times);
        (void)json_array_append_new(array, class_object(&one));
    }
    orr_classes_fini(&classes);
    return array;
}

static json_t *dims_array(const struct orrery *job)
{
    json_t *array = json_array();
    for (unsigned d = 0; d < orrery_dims(job); d++) {
        struct orrery_dim_stats dim;
        if (orrery_dim(job, d, &dim) != ORRERY_OK) {
            continue;
        }
        json_t *object = json_object();
        const double offered = (double)dim.servers * (double)orrery_wall_ps(job);
        (void)json_object_set_new(object, "block", json_string(dim.block));
        set_integer(object, "npus", dim.npus);
        (void)json_object_set_new(object, "bandwidth_bytes_per_s",
                                  json_real(dim.bandwidth_bytes_per_s));
        set_integer(object, "latency_ps", dim.latency_ps);
        (void)json_object_set_new(object, "messages", orr_json_sum(dim.messages));
        (void)json_object_set_new(object, "bytes", orr_json_sum(dim.bytes));
        (void)json_object_set_new(object, "utilization",
                                  json_real(offered > 0 ? (double)dim.busy_ps / offered : 0));
        (void)json_array_append_new(array, object);
    }
    return array;
}

static void add_value(void *user, const char *key, const char *value, const char *origin)
{
    (void)origin;
    (void)json_object_set_new(user, key, orr_json_text(value != NULL ? value : ""));
}

/* The values in force; of own files only. */
static void add_config(json_t *root, const struct orrery *job)
{
    json_t *config = json_object();
    orrery_explain(job, add_value, config);
    if (json_object_size(config) != 0) {
        (void)json_object_set(root, "config", config);
    }
    json_decref(config);
}

/* Only where there are some. */
static void add_warnings(json_t *root, const struct orrery *job)
{
    json_t *warnings = json_array();
    for (size_t i = 0; orrery_warning(job, i) != NULL; i++) {
        (void)json_array_append_new(warnings, orr_json_text(orrery_warning(job, i)));
    }
    if (json_array_size(warnings) != 0) {
        (void)json_object_set(root, "warnings", warnings);
    }
    json_decref(warnings);
}

int orr_report_json(FILE *out, const struct orrery *job, bool per_npu)
{
    json_t *root = json_object();
    set_integer(root, "wall_ps", orrery_wall_ps(job));
    set_integer(root, "npus", orrery_npus(job));
    set_integer(root, "events", (int64_t)orrery_events(job));
    (void)json_object_set_new(root, "messages", orr_json_sum(orrery_messages(job)));
    (void)json_object_set_new(root, "classes", classes_array(job, per_npu));
    (void)json_object_set_new(root, "dims", dims_array(job));
    if (orrery_links(job) != 0) {
        (void)json_object_set_new(root, "bandwidth_tax", json_real(orrery_bandwidth_tax(job)));
    }
    orr_json_add_summary(root, job);
    add_config(root, job);
    add_warnings(root, job);
    const int result = orr_json_write(root, out, JSON_INDENT(2));
    json_decref(root);
    return result == 0 && fputc('\n', out) != EOF ? 0 : 1;
}

int orr_report_csv(FILE *out, const struct orrery *job)
{
    (void)fputs("rank,finish_ps,compute_ps,cpu_ps,exposed_local_memory_ps,"
                "exposed_remote_memory_ps,exposed_communication_ps,waiting_ps,idle_ps\n",
                out);
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        struct orrery_times times;
        (void)orrery_npu_times(job, rank, &times);
        (void)fprintf(out,
                      "%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                      ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
                      rank, times.finish_ps, times.compute_ps, times.cpu_ps,
                      times.exposed_local_memory_ps, times.exposed_remote_memory_ps,
                      times.exposed_communication_ps, times.waiting_ps, times.idle_ps);
    }
    return ferror(out) != 0 ? 1 : 0;
}
