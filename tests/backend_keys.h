/* What backends' own keys say, from a line of the network section, such as "packet: 1000 B". */
#ifndef ORR_TESTS_BACKEND_KEYS_H
#define ORR_TESTS_BACKEND_KEYS_H

#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "network/net_config.h"
#include "network/net_config_read.h"

struct orr_arena;

static inline const struct net_backend_options *backend_keys(struct orr_arena *arena,
                                                             const char *line)
{
    char text[256];
    const struct orr_conf *root;
    struct net_config config;
    (void)snprintf(text, sizeof text, "topology: Ring(2)\nbandwidth: 1 GB/s\n%s\n", line);
    assert_int_equal(orr_conf_parse(arena, text, strlen(text), "keys", &root, NULL), ORR_OK);
    assert_int_equal(orr_net_config_read(arena, root, &config, NULL), ORR_OK);
    return config.own;
}

#endif
