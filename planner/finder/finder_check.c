/* Checks of a demand and its options: errors for which no topology exists. */
#include <inttypes.h>

#include "core/arena.h"
#include "core/divide.h"
#include "planner/finder/finder_private.h"

#define FAIL(finder, ...) orr_diag_fail((finder)->diag, ORR_ERR_INPUT, NULL, __VA_ARGS__)

static enum orr_status check_degree(const struct finder *finder)
{
    const uint32_t n = finder->demand->servers, degree = finder->options->degree;
    if (n < 2 || n > FINDER_MAX_SERVERS) {
        return FAIL(finder, "servers: expected from 2 to %d servers, got %" PRIu32,
                    FINDER_MAX_SERVERS, n);
    }
    if (degree == 0 || degree > n - 1) {
        return FAIL(finder,
                    "degree: expected from 1 to %" PRIu32 " interfaces of each of %" PRIu32
                    " servers, got %" PRIu32,
                    n - 1, n, degree);
    }
    if (finder->options->ring_degree > degree) {
        return FAIL(finder,
                    "ring_degree: expected at most the %" PRIu32
                    " interfaces of a server for rings, got %" PRIu32,
                    degree, finder->options->ring_degree);
    }
    return ORR_OK;
}

static enum orr_status check_links(const struct finder *finder)
{
    const uint32_t n = finder->demand->servers;
    if (finder->options->links == NET_ONE_WAY) {
        return ORR_OK;
    }
    if (n % 2 != 0 && !finder->options->any_port) {
        return FAIL(finder,
                    "links: duplex cables cannot use all interfaces of %" PRIu32
                    " servers, an odd number: panel i joins the interfaces i in pairs and leaves "
                    "one server out, so that a ring of them all has no two panels. Expected an "
                    "even number of servers, one-way links, or cables between any ports",
                    n);
    }
    if (finder->options->degree < 2 && n > 2) {
        return FAIL(finder, "degree: expected at least 2 interfaces of a server, since a ring of "
                            "duplex cables takes two, got 1; one-way links need one");
    }
    return ORR_OK;
}

static enum orr_status check_jump(const struct finder *finder, uint32_t at)
{
    const struct net_jumps *all = &finder->options->all;
    const uint32_t n = finder->demand->servers, jump = all->jump[at];
    if (jump == 0 || jump >= n || orr_gcd(jump, n) != 1) {
        return FAIL(
            finder,
            "jumps: expected jumps from 1 that are coprime with the number of servers, %" PRIu32
            ", got %" PRIu32,
            n, jump);
    }
    for (uint32_t i = 0; i < at; i++) {
        const bool back = finder->options->links == NET_DUPLEX && all->jump[i] + jump == n;
        if (all->jump[i] == jump || back) {
            return FAIL(finder,
                        "jumps: expected each ring once, got %" PRIu32 " and %" PRIu32
                        " among %" PRIu32 " servers",
                        all->jump[i], jump, n);
        }
    }
    return ORR_OK;
}

static enum orr_status check_group(const struct finder *finder, uint32_t number,
                                   uint32_t *last_group)
{
    const struct finder_group *group = &finder->demand->group[number];
    const uint32_t n = finder->demand->servers;
    if (group->members < 2) {
        return FAIL(finder,
                    "groups[%" PRIu32 "]: expected at least 2 servers that reduce, got %" PRIu32,
                    number, group->members);
    }
    for (uint32_t i = 0; i < group->members; i++) {
        if (group->member[i] >= n || last_group[group->member[i]] == number + 1) {
            return FAIL(finder,
                        "groups[%" PRIu32 "]: expected servers from 0 to %" PRIu32
                        ", each once, got %" PRIu32,
                        number, n - 1, group->member[i]);
        }
        last_group[group->member[i]] = number + 1;
    }
    return ORR_OK;
}

enum orr_status orr_finder_check(const struct finder *finder)
{
    enum orr_status status = check_degree(finder);
    status = status == ORR_OK ? check_links(finder) : status;
    for (uint32_t i = 0; i < finder->options->all.jumps && status == ORR_OK; i++) {
        status = check_jump(finder, i);
    }
    uint32_t *last_group =
        status == ORR_OK
            ? orr_arena_array(finder->arena, finder->demand->servers, sizeof *last_group)
            : NULL;
    if (status == ORR_OK && last_group == NULL) {
        return orr_finder_no_memory(finder);
    }
    for (uint32_t i = 0; i < finder->demand->groups && status == ORR_OK; i++) {
        status = check_group(finder, i, last_group);
    }
    return status;
}
