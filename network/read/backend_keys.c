/* Backend-specific keys of the network section; see backend_keys.h. */
#include "network/read/backend_keys.h"

#include "core/conf/conf.h"
#include "core/conf/keys.h"
#include "network/net_backend.h"
#include "network/net_config.h"

#include <string.h>

static size_t count_backends(void)
{
    size_t count = 0;
    while (orr_net_backends[count] != NULL) {
        count++;
    }
    return count;
}

const struct orr_key_table *orr_net_backend_keys_table(size_t index)
{
    static const struct orr_key_table none = {.count = 0};
    const struct net_ops *ops = orr_net_backends[index];
    return ops == NULL ? NULL : ops->own == NULL ? &none : &ops->own->table;
}

void *const *orr_net_backend_keys_create(struct orr_arena *arena)
{
    const size_t count = count_backends();
    void **values = orr_arena_array(arena, count + 1, sizeof *values);
    for (size_t i = 0; i < count && values != NULL; i++) {
        const struct net_backend_keys *own = orr_net_backends[i]->own;
        values[i] = own != NULL ? orr_arena_alloc(arena, own->bytes) : NULL;
        if (own != NULL && values[i] == NULL) {
            return NULL;
        }
    }
    return values;
}

enum orr_status orr_net_backend_keys_check(const struct orr_conf *map, void *const *values,
                                           struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (size_t i = 0; orr_net_backends[i] != NULL && status == ORR_OK; i++) {
        const struct net_backend_keys *own = orr_net_backends[i]->own;
        if (own != NULL && own->check != NULL) {
            status = own->check(map, values[i], diag);
        }
    }
    return status;
}

enum orr_status orr_net_backend_keys_check_backend(const struct orr_conf *map, void *const *values,
                                                   const char *backend, struct orr_diag *diag)
{
    for (size_t i = 0; orr_net_backends[i] != NULL; i++) {
        const struct net_ops *ops = orr_net_backends[i];
        const char *key =
            ops->own != NULL && ops->own->needed != NULL ? ops->own->needed(values[i]) : NULL;
        if (key != NULL && strcmp(ops->name, backend) != 0) {
            const struct orr_conf *node = orr_conf_get(map, key);
            const struct orr_location place = orr_conf_key_location(node);
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: the %s backend does not support it; expected "
                                 "network.backend: %s",
                                 node->path, backend, ops->name);
        }
    }
    return ORR_OK;
}

const struct net_backend_options *orr_net_backend_keys_list(struct orr_arena *arena,
                                                            void *const *values)
{
    struct net_backend_options *list = orr_arena_array(arena, count_backends() + 1, sizeof *list);
    for (size_t i = 0, at = 0; orr_net_backends[i] != NULL && list != NULL; i++) {
        if (orr_net_backends[i]->own != NULL) {
            list[at++] =
                (struct net_backend_options){.ops = orr_net_backends[i], .values = values[i]};
        }
    }
    return list;
}
