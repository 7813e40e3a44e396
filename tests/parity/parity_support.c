/* See parity_support.h. Traces are encoded here by hand (protobuf: a varint tag, then a varint or a
 * length and bytes), so that parity does not rest on the project's own writer. */
#include "parity_support.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static const char *const comm_names[PARITY_COMM_KINDS] = {
    [PARITY_ALL_REDUCE] = "all_reduce",
    [PARITY_REDUCE] = "reduce",
    [PARITY_ALL_GATHER] = "all_gather",
    [PARITY_GATHER] = "gather",
    [PARITY_SCATTER] = "scatter",
    [PARITY_BROADCAST] = "broadcast",
    [PARITY_ALL_TO_ALL] = "all_to_all",
    [PARITY_REDUCE_SCATTER] = "reduce_scatter",
    [PARITY_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [PARITY_BARRIER] = "barrier"};

unsigned parity_comm_of(const char *name)
{
    for (unsigned kind = 0; kind < PARITY_COMM_KINDS; kind++) {
        if (strcmp(comm_names[kind], name) == 0) {
            return kind;
        }
    }
    fail_msg("there is no collective \"%s\"", name);
    return 0;
}

void parity_find_data(const char *relative, char *path)
{
    const char *shared = getenv("ORRERY_SHARED");
    const int length = snprintf(path, PARITY_PATH_BYTES, "%s/data/%s",
                                shared != NULL ? shared : "../shared", relative);
    assert_in_range(length, 1, PARITY_PATH_BYTES - 1);
    if (access(path, R_OK) != 0) {
        (void)printf("skipped: no recorded data at %s (set ORRERY_SHARED)\n", path);
        exit(SKIPPED);
    }
}

/* ---- temporary input files ---- */

int parity_files_open(void **state)
{
    struct parity_files *files = calloc(1, sizeof *files);
    if (files == NULL) {
        return -1;
    }
    const char *base = getenv("TMPDIR");
    (void)snprintf(files->folder, sizeof files->folder, "%s/orrery-test-XXXXXX",
                   base != NULL ? base : "/tmp");
    if (mkdtemp(files->folder) == NULL) {
        free(files);
        return -1;
    }
    (void)snprintf(files->workload, sizeof files->workload, "%s/workload.et", files->folder);
    (void)snprintf(files->system, sizeof files->system, "%s/system.json", files->folder);
    (void)snprintf(files->network, sizeof files->network, "%s/network.yml", files->folder);
    *state = files;
    return 0;
}

int parity_files_close(void **state)
{
    struct parity_files *files = *state;
    DIR *folder = opendir(files->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[PARITY_PATH_BYTES + 300];
        (void)snprintf(path, sizeof path, "%s/%s", files->folder, entry->d_name);
        (void)unlink(path);
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    const int result = rmdir(files->folder);
    free(files);
    return result;
}

void parity_write(const char *path, const char *format, ...)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    va_list arguments;
    va_start(arguments, format);
    assert_true(vfprintf(file, format, arguments) >= 0);
    va_end(arguments);
    assert_int_equal(fclose(file), 0);
}

struct message {
    unsigned char byte[256];
    size_t count;
};

static void put_varint(struct message *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        message->byte[message->count++] = (unsigned char)(value | 0x80);
    }
    message->byte[message->count++] = (unsigned char)value;
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, (uint64_t)field << 3);
    put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *data, size_t count)
{
    put_varint(message, (uint64_t)field << 3 | 2);
    put_varint(message, count);
    memcpy(message->byte + message->count, data, count);
    message->count += count;
}

/* Node.attr {name, int64_val} */
static void put_attribute(struct message *node, const char *name, uint64_t value)
{
    struct message attribute = {.count = 0};
    put_bytes(&attribute, 1, name, strlen(name));
    put_number(&attribute, 9, value);
    put_bytes(node, 10, attribute.byte, attribute.count);
}

/* A file is a sequence of records, each its length and its bytes; the first, empty one is the
 * metadata. */
void parity_write_collective(const char *path, unsigned comm, uint64_t bytes)
{
    struct message node = {.count = 0};
    put_number(&node, 1, 1);
    put_bytes(&node, 2, "collective", strlen("collective"));
    put_number(&node, 3, 7);
    put_attribute(&node, "comm_type", comm);
    put_attribute(&node, "comm_size", bytes);
    struct message frame = {.count = 0};
    put_varint(&frame, 0);
    put_varint(&frame, node.count);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(frame.byte, 1, frame.count, file), frame.count);
    assert_int_equal(fwrite(node.byte, 1, node.count, file), node.count);
    assert_int_equal(fclose(file), 0);
}

struct orrery_astra_sim parity_inputs(const struct parity_files *files)
{
    return (struct orrery_astra_sim){
        .workload = files->workload, .system = files->system, .network = files->network};
}

/* ---- running ---- */

struct orrery *parity_run(const struct orrery_astra_sim *inputs)
{
    struct orrery *job = orrery_new();
    assert_non_null(job);
    enum orrery_status status = orrery_load_astra_sim(job, inputs);
    if (status == ORRERY_OK) {
        status = orrery_run(job);
    }
    if (status != ORRERY_OK) {
        print_error("%s\n", orrery_error(job));
    }
    assert_int_equal(status, ORRERY_OK);
    return job;
}

int64_t parity_finish_ps(const struct orrery *job, uint32_t rank)
{
    struct orrery_times times;
    assert_int_equal(orrery_npu_times(job, rank, &times), ORRERY_OK);
    return times.finish_ps;
}

int64_t parity_exposed_ps(const struct orrery *job, uint32_t rank)
{
    struct orrery_times times;
    assert_int_equal(orrery_npu_times(job, rank, &times), ORRERY_OK);
    return times.finish_ps - times.accelerator_compute_ps;
}

unsigned parity_wrong_ranks(const struct orrery *job, const char *name, int64_t cycles)
{
    unsigned wrong = 0;
    for (uint32_t rank = 0; rank < orrery_npus(job); rank++) {
        const int64_t actual_ps = parity_finish_ps(job, rank);
        if (actual_ps != cycles * PARITY_PS_PER_CYCLE && wrong++ == 0) {
            print_error("%s: rank %u: expected %lld cycles, got %lld ps\n", name, rank,
                        (long long)cycles, (long long)actual_ps);
        }
    }
    return wrong;
}

void parity_assert_breakdown(const struct orrery *job, uint32_t rank)
{
    struct orrery_times times;
    assert_int_equal(orrery_npu_times(job, rank, &times), ORRERY_OK);
    const int64_t parts[] = {times.compute_ps,
                             times.cpu_ps,
                             times.waiting_ps,
                             times.exposed_local_memory_ps,
                             times.exposed_remote_memory_ps,
                             times.exposed_communication_ps,
                             times.idle_ps};
    int64_t sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_true(parts[i] >= 0);
        sum += parts[i];
    }
    assert_int_equal(sum, orrery_wall_ps(job));
}
