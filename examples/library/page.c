/* A page of a job, made by a program: where the time of an all-reduce goes, and what would help.
 *
 *   usage: page PAGE.html */
#include <orrery/page.h>

static const char *const set[] = {"network={topology: Ring(8)_Switch(4), dims: [{bandwidth: 200 "
                                  "GB/s, latency: 1 us}, {bandwidth: "
                                  "50 GB/s, latency: 2 us}]}",
                                  "system.chunks=8",
                                  "workload={generate: all_reduce, bytes: 256 MiB}"};

int main(int argc, char **argv)
{
    struct orrery *job = orrery_new();
    struct orrery_page *page = orrery_page_new("An all-reduce on 32 NPUs");
    const struct orrery_inputs inputs = {.set = set, .set_count = sizeof set / sizeof *set};
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    orrery_record(job, ORRERY_RECORD_NODES | ORRERY_RECORD_PATH);
    int status = (int)orrery_load(job, &inputs);
    if (status == ORRERY_OK)
        status = (int)orrery_run(job);
    if (status != ORRERY_OK)
        (void)fprintf(stderr, "%s\n", orrery_error(job));
    if (status == ORRERY_OK) {
        status = (int)orrery_page_add_job(page, job, &inputs, "all-reduce");
        if (status == ORRERY_OK)
            status = (int)orrery_page_write(page, out);
        if (status != ORRERY_OK)
            (void)fprintf(stderr, "%s\n", orrery_page_error(page));
    }
    if (out != NULL)
        (void)fclose(out);
    orrery_page_free(page), orrery_free(job);
    return status;
}
