/* Parts that a program adds: they are found by name and run; an extension that is wrong in one part
 * adds none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "orrery/extend.h"
#include "orrery/parts.h"

/* A backend on which each message takes 1 us, whatever its bytes. */
struct microsecond_net {
    struct orrery_net *net;
    unsigned messages;
};

static struct microsecond_net nets[4];
static unsigned net_count, destroyed;

static void *create(void *user, struct orrery_net *net, const struct orrery_network *network)
{
    (void)user;
    assert_int_equal(network->npus, 4);
    assert_int_equal(network->dims, 1);
    assert_string_equal(network->dim[0].block, "ring");
    struct microsecond_net *self = &nets[net_count++ % 4];
    *self = (struct microsecond_net){net, 0};
    return self;
}

static void arrive(void *self, uint64_t id)
{
    struct microsecond_net *net = self;
    net->net->delivered(net->net, id);
}

static void send(void *self, const struct orrery_net_message *message)
{
    struct microsecond_net *net = self;
    net->messages++;
    assert_int_not_equal(message->from, message->to);
    net->net->schedule(net->net, net->net->now_ps(net->net) + 1000000, arrive, message->id);
}

static void destroy(void *self)
{
    (void)self;
    destroyed++;
}

static const struct orrery_backend backends[] = {
    {ORRERY_SIZED(orrery_backend), "microsecond", "1 us a message", NULL, create, destroy, send,
     NULL},
    {ORRERY_SIZED(orrery_backend), "analytical", "a name that is taken", NULL, create, destroy,
     send, NULL}};

static struct orrery *load(struct orrery_parts *parts, const char *backend)
{
    parts->platform = orrery_platform_new();
    parts->workload = orrery_workload_new();
    assert_int_equal(orrery_platform_parse(parts->platform,
                                           "network: {topology: Ring(4), bandwidth: 1 GB/s}\n"
                                           "system: {chunks: 1, algorithms: {all_reduce: ring}}"),
                     ORRERY_OK);
    assert_int_equal(orrery_platform_set(parts->platform, backend), ORRERY_OK);
    assert_int_equal(
        orrery_workload_parse(parts->workload, "workload: {generate: all_reduce, bytes: 1 MB}"),
        ORRERY_OK);
    return orrery_new();
}

static void end(struct orrery *job, const struct orrery_parts *parts)
{
    orrery_free(job);
    orrery_platform_free(parts->platform);
    orrery_workload_free(parts->workload);
}

static void test_extension_wrong_in_one_part_adds_none(void **state)
{
    (void)state;
    char error[256];
    const struct orrery_extension both = {ORRERY_SIZED(orrery_extension),
                                          ORRERY_EXTEND_VERSION,
                                          "both",
                                          backends,
                                          2,
                                          NULL,
                                          0,
                                          NULL,
                                          0};
    assert_int_equal(orrery_extend(&both, error, sizeof error), ORRERY_ERROR_INPUT);
    assert_string_equal(error,
                        "both: network backend analytical: there is one of this name already");
    struct orrery_parts parts = {ORRERY_SIZED(orrery_parts)};
    struct orrery *job = load(&parts, "network.backend=microsecond");
    assert_int_equal(orrery_load_parts(job, &parts), ORRERY_ERROR_INPUT);
    assert_non_null(
        strstr(orrery_error(job), "expected analytical, congestion or flow, got \"microsecond\""));
    end(job, &parts);
}

/* An all-reduce in a ring of 4: 6 steps of 1 us; 4 messages each. */
static void test_backend_of_a_program_runs(void **state)
{
    (void)state;
    char error[256] = "before";
    const struct orrery_extension one = {ORRERY_SIZED(orrery_extension),
                                         ORRERY_EXTEND_VERSION,
                                         "one",
                                         backends,
                                         1,
                                         NULL,
                                         0,
                                         NULL,
                                         0};
    assert_int_equal(orrery_extend(&one, error, sizeof error), ORRERY_OK);
    assert_string_equal(error, "");
    struct orrery_parts parts = {ORRERY_SIZED(orrery_parts)};
    struct orrery *job = load(&parts, "network.backend=microsecond");
    assert_int_equal(orrery_load_parts(job, &parts), ORRERY_OK);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_wall_ps(job), 6000000);
    assert_int_equal(orrery_messages(job), 24);
    assert_int_equal(nets[(net_count - 1) % 4].messages, 24);
    const unsigned before = destroyed;
    end(job, &parts);
    assert_int_equal(destroyed, before + 1);
    assert_int_equal(orrery_extend(&one, error, sizeof error), ORRERY_ERROR_INPUT);
    assert_string_equal(error,
                        "one: network backend microsecond: there is one of this name already");
}

static void test_wrong_extensions_are_refused(void **state)
{
    (void)state;
    char error[256];
    struct orrery_extension wrong = {ORRERY_SIZED(orrery_extension),
                                     ORRERY_EXTEND_VERSION + 1,
                                     "wrong",
                                     NULL,
                                     0,
                                     NULL,
                                     0,
                                     NULL,
                                     0};
    assert_int_equal(orrery_extend(NULL, error, sizeof error), ORRERY_ERROR_INPUT);
    assert_string_equal(error, "expected a struct orrery_extension, got NULL");
    assert_int_equal(orrery_extend(&wrong, error, sizeof error), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(error, "extension: its structs are of version 2, expected 1"));
    assert_int_equal(orrery_extend(&wrong, NULL, 0), ORRERY_ERROR_INPUT);
    wrong.version = ORRERY_EXTEND_VERSION;
    wrong.backends = ORRERY_MAX_PARTS + 1;
    assert_int_equal(orrery_extend(&wrong, error, sizeof error), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(error, "wrong: at most 8 parts of the kind network backend"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_extensions_are_refused),
                                       cmocka_unit_test(test_extension_wrong_in_one_part_adds_none),
                                       cmocka_unit_test(test_backend_of_a_program_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
