/* What would help an all-reduce most, and which pair of bandwidths is worth its cost: a what-if and
 * a sweep from a program, without a file. */
#include <orrery/study.h>

static const char platform_text[] =
    "network:\n"
    "  topology: Ring(8)_Switch(16)\n"
    "  dims: [{bandwidth: 200 GB/s, latency: 1 us}, {bandwidth: 50 GB/s, latency: 2 us}]\n"
    "workload: {generate: all_reduce, bytes: 1 GiB}\n";

static const char sweep_text[] =
    "sweep:\n"
    "  set:\n"
    "    network: {topology: Ring(8)_Switch(16), latency: 1 us, dims: [{}, {}]}\n"
    "    workload: {generate: all_reduce, bytes: 1 GiB}\n"
    "  axes:\n"
    "    network.dims[0].bandwidth: [100 GB/s, 200 GB/s, 400 GB/s]\n"
    "    network.dims[1].bandwidth: [25 GB/s, 50 GB/s, 100 GB/s]\n"
    "  cost: dims[0].bandwidth / 1 GB/s + 4 * dims[1].bandwidth / 1 GB/s\n";

static struct orrery_value value_of(struct orrery_study *study, const char *name, size_t row)
{
    struct orrery_value value;
    if (orrery_study_result(study, name, row, &value) != ORRERY_OK)
        (void)fprintf(stderr, "%s: %s\n", name, orrery_study_error(study));
    return value;
}

int main(void)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_study *study = orrery_study_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform};
    const struct orrery_whatif whatif = {ORRERY_SIZED(orrery_whatif), .parts = &parts};
    const struct orrery_sweep sweep = {ORRERY_SIZED(orrery_sweep), .text = sweep_text};
    size_t rows = 0;
    orrery_platform_parse(platform, platform_text);
    int status = (int)orrery_whatif(study, &whatif);
    if (status == ORRERY_OK)
        status = (int)orrery_study_write(study, stdout, ORRERY_FORM_TABLE);
    if (status == ORRERY_OK)
        status = (int)orrery_sweep(study, &sweep);
    if (status == ORRERY_OK)
        status = (int)orrery_study_rows(study, "pareto", &rows);
    for (size_t row = 0; row < rows; row++) {
        (void)printf("%6.3f ms for %4.0f: ", value_of(study, "pareto.wall_s", row).real * 1e3,
                     value_of(study, "pareto.cost", row).real);
        (void)printf("%s and ", value_of(study, "pareto.network.dims[0].bandwidth", row).text);
        (void)printf("%s\n", value_of(study, "pareto.network.dims[1].bandwidth", row).text);
    }
    if (status != ORRERY_OK)
        (void)fprintf(stderr, "%s\n", orrery_study_error(study));
    orrery_study_free(study), orrery_platform_free(platform);
    return status;
}
