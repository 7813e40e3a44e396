/* Whether memory and network agree on the path that they share; see shared_path.h. ASTRA-sim 2.0,
 * Table V: a GPU has one path of the smaller of in-node fabric and remote group. */
#include "sim/load/shared_path.h"

#include "core/conf/conf.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

static const struct orr_conf *key_of(const struct orr_conf *node, const char *key)
{
    return node != NULL && node->kind == ORR_CONF_MAP ? orr_conf_get(node, key) : NULL;
}

static double bandwidth_of(const struct orr_conf *node)
{
    double value = 0;
    return node != NULL && node->kind == ORR_CONF_SCALAR && orr_parse_bandwidth(node->text, &value)
               ? value
               : 0;
}

/* The bandwidth of the only dimension; NULL: there are several, or it is given otherwise. */
static const struct orr_conf *network_bandwidth(const struct orr_conf *network)
{
    const struct orr_conf *dims = key_of(network, "dims");
    if (dims != NULL) {
        return dims->kind == ORR_CONF_LIST && dims->count == 1 ? key_of(dims->item[0], "bandwidth")
                                                               : NULL;
    }
    const struct orr_conf *topology = key_of(network, "topology");
    const bool one = topology != NULL && topology->kind == ORR_CONF_SCALAR &&
                     strchr(topology->text, '_') == NULL;
    return one ? key_of(network, "bandwidth") : NULL;
}

bool orr_warn_shared_path(const struct orr_conf *root, struct orr_diag *diag)
{
    const struct orr_conf *pool = key_of(key_of(root, "memory"), "pool");
    const struct orr_conf *path = key_of(pool, "path"), *shape = key_of(pool, "hierarchical");
    const struct orr_conf *network = network_bandwidth(key_of(root, "network"));
    const double fabric = bandwidth_of(key_of(shape, "fabric_bandwidth")),
                 group = bandwidth_of(key_of(shape, "group_bandwidth")),
                 each_way = bandwidth_of(network);
    const double whole = fabric < group ? fabric : group;
    const bool shared =
        path != NULL && path->kind == ORR_CONF_SCALAR && strcmp(path->text, "shared") == 0;
    if (!shared || !(whole > 0) || !(each_way > 0) || fabs(2 * each_way - whole) <= 1e-6 * whole) {
        return false;
    }
    const struct orr_location place = orr_conf_location(network);
    orr_diag_warn(diag, &place,
                  "%s: memory and network share one half-duplex path of %.6g GB/s an NPU "
                  "(memory.pool.path), so that the network has %.6g GB/s each way, not %.6g; "
                  "set: {\"%s\": min(memory.pool.hierarchical.fabric_bandwidth, "
                  "memory.pool.hierarchical.group_bandwidth) / 2} couples them",
                  network->path, whole / 1e9, whole / 2e9, each_way / 1e9, network->path);
    return true;
}
