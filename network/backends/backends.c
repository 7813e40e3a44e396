/* The network backends by name. A new backend is one file and one line in backend_list.h. */
#include <stdio.h>
#include <string.h>

#include "core/diag.h"
#include "core/extensions.h"
#include "core/strings.h"
#include "network/capacity_changes.h"
#include "network/channel.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/net_backend.h"

#define ORR_BACKEND(name) extern const struct net_ops name;
#include "network/backends/backend_list.h"
#undef ORR_BACKEND

const struct net_ops *const orr_net_backends[] = {
#define ORR_BACKEND(name) &name,
#include "network/backends/backend_list.h"
#undef ORR_BACKEND
    NULL};

const char orr_net_backends_default[] = "analytical, and flow for a graph";

enum { BACKENDS = sizeof orr_net_backends / sizeof *orr_net_backends - 1, LIST_BYTES = 256 };

const struct net_ops *orr_net_backend_find(const char *name)
{
    for (size_t i = 0; i < BACKENDS; i++) {
        if (strcmp(orr_net_backends[i]->name, name) == 0) {
            return orr_net_backends[i];
        }
    }
    return orr_extension_find(ORR_EXTENSION_BACKEND, name);
}

const char *orr_net_backend_name(size_t index)
{
    return index < BACKENDS ? orr_net_backends[index]->name
                            : orr_extension_name(ORR_EXTENSION_BACKEND, index - BACKENDS);
}

static bool is_for_graphs(const struct net_ops *ops)
{
    return ops->links != NULL && ops->links->default_for_graphs;
}

const struct net_ops *orr_net_backend_default(bool graph)
{
    size_t usual = 0;
    while (graph && usual < BACKENDS - 1 && !is_for_graphs(orr_net_backends[usual])) {
        usual++;
    }
    return orr_net_backends[usual];
}

char *orr_net_backends_that(bool (*does)(const struct net_ops *ops), const char *last, char *text,
                            size_t bytes)
{
    const char *names[BACKENDS];
    size_t count = 0, used = 0;
    for (size_t i = 0; i < BACKENDS; i++) {
        if (does(orr_net_backends[i])) {
            names[count++] = orr_net_backends[i]->name;
        }
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && used < bytes; i++) {
        const char *joint = i == 0 ? "" : i + 1 < count ? ", " : last;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", joint, names[i]);
    }
    return text;
}

static enum orr_status unknown_backend(const char *name, struct orr_diag *diag)
{
    const char *names[BACKENDS];
    char list[LIST_BYTES] = "";
    for (size_t i = 0; i < BACKENDS; i++) {
        names[i] = orr_net_backends[i]->name;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    const char *nearest = orr_nearest_name(name, names, BACKENDS);
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network backend: expected one of %s; got \"%s\"%s%s%s", list, name,
                         nearest == NULL ? "" : " (did you mean ", nearest == NULL ? "" : nearest,
                         nearest == NULL ? "" : "?)");
}

static enum orr_status too_many(const struct net_config *config, uint64_t links,
                                struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network: the %s backend holds at most %d links, and this network has "
                         "%.3g; use the %s backend",
                         config->backend, NET_MAX_LINKS, (double)links, orr_net_backends[0]->name);
}

static bool supports_graphs(const struct net_ops *ops)
{
    return ops->links != NULL;
}

static enum orr_status check_channels(const struct net_config *config, const struct net_ops *ops,
                                      struct orr_diag *diag)
{
    char names[128];
    if (config->channels == 0 || ops->links != NULL) {
        return orr_net_channels_check(config, diag);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network.backend: messages that name channels need a backend that models "
                         "links, unlike %s; expected %s",
                         ops->name,
                         orr_net_backends_that(supports_graphs, " or ", names, sizeof names));
}

enum orr_status orr_net_create(struct net **out, const struct net_config *config,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag)
{
    *out = NULL;
    const struct net_ops *ops = orr_net_backend_find(config->backend);
    if (ops == NULL) {
        return unknown_backend(config->backend, diag);
    }
    if (orr_net_npus(config) == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network.dims: expected 1 to 2^31 NPUs in all dimensions together");
    }
    const uint64_t links = ops->links != NULL ? ops->links->count(config) : 0;
    if (links > NET_MAX_LINKS) {
        return too_many(config, links, diag);
    }
    enum orr_status status = check_channels(config, ops, diag);
    if (status == ORR_OK) {
        status = ops->create(out, config, queue, arena, diag);
    }
    return status == ORR_OK && ops->capacities != NULL && orr_net_changes(config)
               ? orr_net_control_create(*out, arena, diag)
               : status;
}

void orr_net_destroy(struct net *net)
{
    if (net != NULL) {
        orr_net_control_destroy(net->control);
    }
    if (net != NULL && net->ops->destroy != NULL) {
        net->ops->destroy(net);
    }
}
