/* Warnings about differences between backends: dimensions where they account for a link's bandwidth
 * differently, so that their results differ even without contention, and the factor. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/fold.h"
#include "network/coordinates.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "sim/fold/fold_job.h"
#include "sim/orrery_private.h"
#include "system/collectives/program.h"
#include "system/sys_config.h"
#include "workload/trace/trace.h"

/* Links by which an NPU sends in a ring, or in a fully connected dimension, of three or more. */
static unsigned links_of(const struct net_dim *dim)
{
    return net_passes_on(dim->block) ? 2 : dim->npus - 1;
}

/* Whether these links share the NPU's bandwidth in the dimension. */
static bool shares(const struct net_dim *dim)
{
    return dim->per_npu && dim->npus > 2 && dim->block != NET_SWITCH;
}

/* ---- algorithms by name ---- */

static bool keeps_one_busy(const struct coll_algorithm *algorithm, const struct net_dim *dim)
{
    return net_passes_on(dim->block) ? algorithm->around && algorithm->lanes == 1
                                     : dim->block == NET_FULLY_CONNECTED && !algorithm->at_once;
}

enum { NAMES_BYTES = 128 };

static bool models_links(const struct net_ops *ops)
{
    return ops->links != NULL;
}

static bool models_ports(const struct net_ops *ops)
{
    return ops->links == NULL;
}

/* With bandwidth per NPU, a link of a ring or a fully connected dimension has a share of it on
 * backends that model links, but all of it on the analytical one. An algorithm chosen by name that
 * keeps one link busy takes that factor longer there. So do the rings of by_block (Table I of a
 * paper whose network is the analytical backend); with that backend they are as intended. */
static void warn_share(struct orrery *job, const char *key, const struct sys_algorithm *named,
                       unsigned d)
{
    const struct net_dim *dim = &job->network.dim[d];
    const bool by_block = named->algorithm == NULL && named->choice == SYS_BY_BLOCK &&
                          orr_net_backend_find(job->network.backend)->links != NULL;
    const struct coll_algorithm *algorithm =
        by_block && net_passes_on(dim->block) ? orr_coll_for(COLL_FOR_RING) : named->algorithm;
    const struct orr_conf *system = orr_conf_get(job->files.platform, "system");
    const struct orr_conf *given = system != NULL ? orr_conf_get(system, "algorithms") : NULL;
    const struct orr_conf *node = given != NULL ? orr_conf_get(given, key) : NULL;
    if (algorithm == NULL || !shares(dim) || !keeps_one_busy(algorithm, dim) || node == NULL) {
        return;
    }
    const struct orr_location place = orr_conf_location(node);
    char links[NAMES_BYTES], ports[NAMES_BYTES];
    orr_diag_warn(&job->diag, &place,
                  "%s: %s sends over one of the %u links that share an NPU's bandwidth in "
                  "dimension %u (bandwidth_is: npu), which is 1/%u of it on the %s backends, but "
                  "all of it on the %s one",
                  node->path, algorithm->name, links_of(dim), d + 1, links_of(dim),
                  orr_net_backends_that(models_links, " and ", links, sizeof links),
                  orr_net_backends_that(models_ports, " or ", ports, sizeof ports));
}

void orr_warn_bandwidth(struct orrery *job)
{
    const struct sys_config *config = &job->system.config;
    const struct sys_algorithm usual = {.choice = config->choice};
    const unsigned dims = job->network.graph == NULL ? job->network.dims : 0;
    for (unsigned kind = 0; kind < SYS_LISTED_KINDS; kind++) {
        const struct sys_algorithm_list *list = &config->algorithms[kind];
        for (unsigned d = 0; d < list->count && d < dims; d++) {
            warn_share(job, orr_coll_kind_name((enum coll_kind)kind), &list->items[d], d);
        }
    }
    for (unsigned d = 0; d < dims; d++) {
        warn_share(job, "default", &usual, d);
    }
}

/* ---- messages between two NPUs ---- */

/* Links and dimensions that the sends of a job use. */
struct sends {
    uint32_t shared;  /* bit d: a dimension whose links share an NPU's bandwidth */
    unsigned links;   /* largest number of links of a message */
    uint32_t through; /* the dimensions of that message */
};

/* The dimensions (bits) in which the ends differ, and the number of links of a path through them.
 */
static uint32_t dims_between(const struct net_config *network, uint32_t src, uint32_t dst,
                             unsigned *links)
{
    uint32_t mask = 0;
    *links = 0;
    for (unsigned d = 0; d < network->dims; d++) {
        const uint32_t n = network->dim[d].npus;
        if (src % n != dst % n) {
            const struct net_config line = {.dims = 1, .dim = &network->dim[d]};
            mask |= UINT32_C(1) << d;
            *links += orr_net_route(&line, src % n, dst % n).hops;
        }
        src /= n;
        dst /= n;
    }
    return mask;
}

static void count_sends(const struct orrery *job, uint32_t rank, struct sends *sends)
{
    const struct orr_trace *trace = wl_trace_of(&job->source, orr_rank(rank));
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        if (node->kind == ORR_NODE_SEND) {
            const uint32_t peer = orr_node_peer(node, rank, job->npus);
            unsigned links = 0;
            const uint32_t mask = peer < job->npus && node->amount != 0
                                      ? dims_between(&job->network, rank, peer, &links)
                                      : 0;
            sends->shared |= mask;
            sends->through = links > sends->links ? mask : sends->through;
            sends->links = links > sends->links ? links : sends->links;
        }
    }
}

/* Counts each trace for its first and last rank: an offset to a peer can lead into another
 * dimension from there. */
static void find_sends(const struct orrery *job, struct sends *sends)
{
    const struct wl_traces *source = &job->source;
    const uint32_t last = job->npus - 1;
    if (source->layout != NULL) {
        for (uint32_t i = 0; i < source->count; i++) {
            const uint32_t first = orr_gen_class_first(source->layout, i);
            count_sends(job, first, sends);
            count_sends(job, last - first, sends);
        }
        return;
    }
    const uint32_t step = source->count == 1 && last > 0 ? last : 1;
    for (uint32_t rank = 0; rank <= last; rank += step) {
        const bool ends = rank == 0 || rank == last || source->count == 1 ||
                          source->trace[rank] != source->trace[rank - 1] ||
                          source->trace[rank] != source->trace[rank + 1];
        if (ends) {
            count_sends(job, rank, sends);
        }
    }
}

/* The key of the dimension, or that of all dimensions. */
static const struct orr_conf *bandwidth_is(const struct orrery *job, unsigned d)
{
    const struct orr_conf *network = orr_conf_get(job->files.platform, "network");
    const struct orr_conf *dims = orr_conf_get(network, "dims");
    const struct orr_conf *own =
        dims != NULL && d < dims->count ? orr_conf_get(dims->item[d], "bandwidth_is") : NULL;
    return own != NULL ? own : orr_conf_get(network, "bandwidth_is");
}

static void warn_shared_dim(struct orrery *job, unsigned d)
{
    const struct net_dim *dim = &job->network.dim[d];
    const struct orr_conf *node = bandwidth_is(job, d);
    if (node != NULL) {
        const struct orr_location place = orr_conf_location(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: npu: a message from one NPU to another goes over one of the %u links "
                      "that share an NPU's bandwidth in dimension %u, which is 1/%u of it on the "
                      "congestion and flow backends, but all of it on the analytical one",
                      node->path, links_of(dim), d + 1, links_of(dim));
    }
}

/* Warns about store-and-forward: the congestion backend forwards only complete messages, the others
 * cut through. */
static void warn_store_and_forward(struct orrery *job, const struct sends *sends)
{
    const struct orr_conf *network = orr_conf_get(job->files.platform, "network");
    const struct orr_conf *node = orr_conf_get(network, "backend");
    char dims[NET_MAX_DIMS * 4] = "";
    size_t used = 0;
    for (unsigned d = 0; d < job->network.dims; d++) {
        if ((sends->through >> d & 1) != 0) {
            used += (size_t)snprintf(dims + used, sizeof dims - used, "%s%u", used > 0 ? ", " : "",
                                     d + 1);
        }
    }
    if (node != NULL) {
        const struct orr_location place = orr_conf_location(node);
        orr_diag_warn(&job->diag, &place,
                      "%s: %s: a message from one NPU to another passes %u links in "
                      "dimension%s %s, each as a whole, which takes up to %u times as long as on "
                      "the other backends; network.packet, such as 64 KiB, splits it",
                      node->path, job->network.backend, sends->links,
                      strchr(dims, ',') != NULL ? "s" : "", dims, sends->links);
    }
}

void orr_warn_send_bandwidth(struct orrery *job)
{
    const struct net_config *network = &job->network;
    const struct net_ops *ops = orr_net_backend_find(network->backend);
    const bool whole = ops->links != NULL && ops->links->is_store_and_forward != NULL &&
                       ops->links->is_store_and_forward(network);
    struct sends sends = {0};
    bool any = whole;
    for (unsigned d = 0; d < network->dims; d++) {
        any = any || shares(&network->dim[d]);
    }
    if (!any || network->graph != NULL || network->free_ports || job->compute.replay_only) {
        return;
    }
    find_sends(job, &sends);
    for (unsigned d = 0; d < network->dims; d++) {
        if (shares(&network->dim[d]) && (sends.shared >> d & 1) != 0) {
            warn_shared_dim(job, d);
        }
    }
    if (whole && sends.links > 1) {
        warn_store_and_forward(job, &sends);
    }
}
