/* The network of a loaded job as SVG text: what `orrery topo draw` draws of the same platform. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/diag.h"
#include "inputs_fixture.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"
#include "report/pictures/pictures.h"
#include "sim/load/platform_network.h"
#include "tests/unit/inputs_fixture.h"

/* The picture of a platform of that network, whose drawing by the command is in `file`. */
static void assert_drawn(const char *network, const char *name, const char *command)
{
    char text[512];
    struct orrery_platform *platform = orrery_platform_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform};
    struct orrery *job = orrery_new();
    struct orr_diag diag;
    (void)snprintf(text, sizeof text,
                   "network: %s\nworkload: {generate: all_reduce, bytes: 8000 B}\n", network);
    assert_int_equal(orrery_platform_parse(platform, text), ORRERY_OK);
    if (orrery_load_parts(job, &parts) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    FILE *out = fopen("job.svg", "w");
    assert_non_null(out);
    orr_diag_init(&diag);
    assert_int_equal(orr_network_svg(out, orr_job_network(job), name, &diag), ORR_OK);
    assert_int_equal(fclose(out), 0);
    free(inputs_command(command));
    inputs_assert_same_files("job.svg", "command.svg");
    orrery_free(job);
    orrery_platform_free(platform);
}

static void test_network_of_a_job_is_drawn_as_by_the_command(void **state)
{
    (void)state;
    assert_drawn(
        "{topology: Ring(4)_Switch(2), dims: [{bandwidth: 50 GB/s, latency: 1 us}, "
        "{bandwidth: 25 GB/s, latency: 2 us}]}",
        "a stack",
        "topo draw 'Ring(4)_Switch(2)' --bandwidth '50 GB/s,25 GB/s' --latency '1 us,2 us' "
        "-o command.svg");
    assert_drawn("{graph: {fabric: 'fat-tree:4', npus: 16, bandwidth: 100 Gb/s, latency: 1 us}}",
                 "fat-tree:4",
                 "topo draw fat-tree:4 --npus 16 --bandwidth '100 Gb/s' --latency '1 us' "
                 "-o command.svg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_of_a_job_is_drawn_as_by_the_command),
    };
    return cmocka_run_group_tests(tests, inputs_set_up, inputs_tear_down);
}
