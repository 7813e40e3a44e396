/* Goodput of random jobs: the simulation agrees with the closed form within 1 %, part by part. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/diag.h"
#include "core/rng.h"
#include "study/goodput/goodput_model.h"

enum { JOBS = 60, FAILURES = 250000 };

/* Between `low` and `high`, evenly on a logarithmic scale. */
static double draw(struct orr_rng *rng, double low, double high)
{
    return low * pow(high / low, orr_rng_unit(rng));
}

/* A job of a mean time between failures of an hour, whose few waits are for spare nodes: where many
 * of its nodes are out or it hardly gets anywhere, the closed form does not hold, or a simulation
 * takes long to tell. */
static struct orr_goodput_model random_job(struct orr_rng *rng)
{
    struct orr_goodput_model model = {.nodes = 1 << orr_rng_below(rng, 6), .slow_factor = 1};
    const double mtbf_s = 3600, broken = orr_rng_unit(rng);
    model.nodes *= 1000;
    model.broken_per_s = broken / mtbf_s;
    model.other_per_s = (1 - broken) / mtbf_s;
    model.write_s = draw(rng, 1, 200);
    model.stall_s = orr_rng_below(rng, 2) == 0 ? model.write_s : orr_rng_unit(rng) * model.write_s;
    model.work_s = draw(rng, fmax(model.write_s, 20), 2000);
    model.restart_s = draw(rng, 1, 1200);
    if (orr_rng_below(rng, 2) == 0) {
        model.repair_s = draw(rng, 60, 4 * 3600);
        model.spares = (uint32_t)(model.broken_per_s * model.repair_s + 1 + orr_rng_unit(rng) * 3);
    }
    if (orr_rng_below(rng, 2) == 0) {
        model.slow_per_s = draw(rng, 0.1, 2) / mtbf_s;
        model.slow_s = draw(rng, 10, 7200);
        model.slow_factor = 1 + orr_rng_unit(rng);
    }
    return model;
}

static void compare(unsigned job, const struct orr_goodput_model *model)
{
    struct orr_diag diag;
    struct orr_goodput_shares simulated, closed = orr_goodput_closed_form(model);
    double sum = 0;
    orr_diag_init(&diag);
    const double seconds = FAILURES / (model->broken_per_s + model->other_per_s);
    assert_int_equal(orr_goodput_simulate(model, seconds, 7, job, &simulated, &diag), ORR_OK);
    for (unsigned i = 0; i < ORR_GOODPUT_PARTS; i++) {
        sum += simulated.part[i];
        if (!(fabs(simulated.part[i] - closed.part[i]) <= 0.01)) {
            fail_msg("job %u, part %u: closed form %.6f, simulated %.6f", job, i, closed.part[i],
                     simulated.part[i]);
        }
    }
    const double expected = closed.part[ORR_GOODPUT_USEFUL] * closed.speed,
                 got = simulated.part[ORR_GOODPUT_USEFUL] * simulated.speed;
    if (!(fabs(got / expected - 1) <= 0.01) ||
        !(fabs(simulated.failures / closed.failures - 1) <= 0.01) || fabs(sum - 1) > 1e-9) {
        fail_msg("job %u: goodput %.6f, simulated %.6f; failures %.6g and %.6g a second; sum %.12f",
                 job, expected, got, closed.failures, simulated.failures, sum);
    }
}

static void test_simulation_agrees_with_closed_form(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 20, 1);
    for (unsigned i = 0; i < JOBS; i++) {
        const struct orr_goodput_model model = random_job(&rng);
        compare(i, &model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simulation_agrees_with_closed_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
