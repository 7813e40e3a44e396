/* What no topology can be found for. */
#include <inttypes.h>

#include "planner/finder/finder_private.h"

#define FAIL(finding, ...) orr_diag_fail((finding)->diag, ORR_ERR_INPUT, NULL, __VA_ARGS__)

static enum orr_status check_degree(const struct finding *finding)
{
    const uint32_t n = finding->demand->servers, degree = finding->options->degree;
    if (n < 2 || n > FINDER_MAX_SERVERS) {
        return FAIL(finding, "servers: expected from 2 to %d servers, got %" PRIu32,
                    FINDER_MAX_SERVERS, n);
    }
    if (degree == 0 || degree > n - 1) {
        return FAIL(finding,
                    "degree: expected from 1 to %" PRIu32 " interfaces of each of %" PRIu32
                    " servers, got %" PRIu32,
                    n - 1, n, degree);
    }
    if (finding->options->ring_degree > degree) {
        return FAIL(finding,
                    "ring_degree: expected at most the %" PRIu32
                    " interfaces of a server for rings, got %" PRIu32,
                    degree, finding->options->ring_degree);
    }
    return ORR_OK;
}

static enum orr_status check_links(const struct finding *finding)
{
    const uint32_t n = finding->demand->servers;
    if (finding->options->links == NET_ONE_WAY) {
        return ORR_OK;
    }
    if (n % 2 != 0 && !finding->options->any_port) {
        return FAIL(finding,
                    "links: duplex cables cannot use all interfaces of %" PRIu32
                    " servers, an odd number: panel i joins the interfaces i in pairs and leaves "
                    "one server out, so that a ring of them all has no two panels. Expected an "
                    "even number of servers, one-way links, or cables between any ports",
                    n);
    }
    if (finding->options->degree < 2 && n > 2) {
        return FAIL(finding, "degree: expected at least 2 interfaces of a server, since a ring of "
                             "duplex cables takes two, got 1; one-way links need one");
    }
    return ORR_OK;
}

static enum orr_status check_jump(const struct finding *finding, uint32_t at)
{
    const struct net_jumps *all = &finding->options->all;
    const uint32_t n = finding->demand->servers, jump = all->jump[at];
    if (jump == 0 || jump >= n || orr_gcd(jump, n) != 1) {
        return FAIL(finding,
                    "jumps: expected jumps that lead around all %" PRIu32
                    " servers, from 1 and without a common divisor with them, got %" PRIu32,
                    n, jump);
    }
    for (uint32_t i = 0; i < at; i++) {
        const bool back = finding->options->links == NET_DUPLEX && all->jump[i] + jump == n;
        if (all->jump[i] == jump || back) {
            return FAIL(finding,
                        "jumps: expected each ring once, got %" PRIu32 " and %" PRIu32
                        " among %" PRIu32 " servers",
                        all->jump[i], jump, n);
        }
    }
    return ORR_OK;
}

static enum orr_status check_group(const struct finding *finding, uint32_t number,
                                   uint32_t *last_seen)
{
    const struct finder_group *group = &finding->demand->group[number];
    const uint32_t n = finding->demand->servers;
    if (group->members < 2) {
        return FAIL(finding,
                    "groups[%" PRIu32 "]: expected at least 2 servers that reduce, got %" PRIu32,
                    number, group->members);
    }
    for (uint32_t i = 0; i < group->members; i++) {
        if (group->member[i] >= n || last_seen[group->member[i]] == number + 1) {
            return FAIL(finding,
                        "groups[%" PRIu32 "]: expected servers from 0 to %" PRIu32
                        ", each once, got %" PRIu32,
                        number, n - 1, group->member[i]);
        }
        last_seen[group->member[i]] = number + 1;
    }
    return ORR_OK;
}

enum orr_status orr_finder_check(const struct finding *finding)
{
    enum orr_status status = check_degree(finding);
    status = status == ORR_OK ? check_links(finding) : status;
    for (uint32_t i = 0; i < finding->options->all.jumps && status == ORR_OK; i++) {
        status = check_jump(finding, i);
    }
    uint32_t *last_seen =
        status == ORR_OK
            ? orr_arena_array(finding->arena, finding->demand->servers, sizeof *last_seen)
            : NULL;
    if (status == ORR_OK && last_seen == NULL) {
        return orr_finder_no_memory(finding);
    }
    for (uint32_t i = 0; i < finding->demand->groups && status == ORR_OK; i++) {
        status = check_group(finding, i, last_seen);
    }
    return status;
}
