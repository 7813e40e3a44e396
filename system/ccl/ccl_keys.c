/* The mapping system.library: name of the library, GPU, fabric, and scale factors of its constants.
 */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "system/ccl/ccl_private.h"

static const char *const fabrics[] = {"nvswitch", "mesh", "dgx1", NULL};

struct ccl_section {
    const char *name, *gpu;
    unsigned fabric;
    sim_time launch_ps;
    bool nvls, nvls_tree;
    double scale[SYS_CCL_SCALES];
};

/* "none", then the libraries. */
static const char *ccl_name(size_t index)
{
    return index == 0                             ? "none"
           : orr_sys_libraries[index - 1] != NULL ? orr_sys_libraries[index - 1]->name
                                                  : NULL;
}

/* The GPUs of all libraries in sequence. */
static const char *gpu_name(size_t index)
{
    for (size_t i = 0; orr_sys_libraries[i] != NULL; i++) {
        const struct sys_ccl_gpu *gpu = orr_sys_libraries[i]->gpus;
        for (; gpu->name != NULL; gpu++) {
            if (index-- == 0) {
                return gpu->name;
            }
        }
    }
    return NULL;
}

#define AT(member) offsetof(struct ccl_section, member)

/* Range far beyond any fit, which keeps times finite. */
#define SCALE(of, key, what)                                                                       \
    {                                                                                              \
        .name = (key), .type = ORR_KEY_NUMBER,                                                     \
        .offset = AT(scale) + (SYS_CCL_##of) * sizeof(double), .low = 0.001, .high = 1000,         \
        .default_text = "1", .doc = what                                                           \
    }

enum { FIRST_SCALE = 6 };

static const struct orr_key keys[] = {
    {.name = "name",
     .type = ORR_KEY_TEXT,
     .offset = AT(name),
     .names = ccl_name,
     .required = true,
     .example = "name: nccl",
     .doc = "the library; none: collectives run chunk by chunk, by system.algorithms"},
    {.name = "gpu",
     .type = ORR_KEY_TEXT,
     .offset = AT(gpu),
     .names = gpu_name,
     .needed_with = "name",
     .not_for = "none",
     .absent = "it has to be given",
     .example = "gpu: h100",
     .doc = "the GPUs, which say what share of a link's bandwidth the library gets and whether it "
            "has NVLS"},
    {.name = "fabric",
     .type = ORR_KEY_CHOICE,
     .offset = AT(fabric),
     .choices = fabrics,
     .absent = "mesh where the first dimension is FullyConnected, or links of a graph join NPUs; "
               "else nvswitch",
     .doc = "what joins the GPUs of a node: switches; links between all pairs, of which a group "
            "uses those among its GPUs; or the hybrid cube mesh of a DGX-1, in which rings are "
            "counted"},
    {.name = "launch",
     .type = ORR_KEY_TIME,
     .offset = AT(launch_ps),
     .low = 0,
     .high = 1e12,
     .default_text = "8 us",
     .doc = "of the host, in front of every collective; not counted where traces are replayed, "
            "whose CPU nodes hold it"},
    {.name = "nvls",
     .type = ORR_KEY_BOOL,
     .offset = AT(nvls),
     .absent = "as the GPU can",
     .doc = "all-reduces inside of a node may be reduced by its switches (NVLS)"},
    {.name = "nvls_tree",
     .type = ORR_KEY_BOOL,
     .offset = AT(nvls_tree),
     .absent = "as nvls",
     .doc = "the same in groups of several nodes, whose sums a tree adds up (NVLSTree)"},
    SCALE(INNER_BANDWIDTH, "inner_bandwidth", "scale of what collectives get of links in a node"),
    SCALE(OUTER_BANDWIDTH, "outer_bandwidth", "scale of what they get of links between nodes"),
    SCALE(INNER_LATENCY, "inner_latency", "scale of a step in a node"),
    SCALE(OUTER_LATENCY, "outer_latency", "scale of a step between nodes"),
    SCALE(TREE_LATENCY, "tree_latency", "scale of the steps of trees, in addition to both"),
    SCALE(TREE_BANDWIDTH, "tree_bandwidth", "scale of the bandwidth of trees"),
    SCALE(LL_LATENCY, "ll_latency", "scale of the steps of the protocol LL"),
    SCALE(LL_BANDWIDTH, "ll_bandwidth", "scale of its bandwidth"),
    SCALE(LL128_LATENCY, "ll128_latency", "scale of the steps of the protocol LL128"),
    SCALE(LL128_BANDWIDTH, "ll128_bandwidth", "scale of its bandwidth"),
    SCALE(NVLS_BANDWIDTH, "nvls_bandwidth", "scale of the bandwidth of NVLS"),
    SCALE(ALL_TO_ALL_LATENCY, "all_to_all_latency",
          "scale of the latency of all-to-alls, gathers and scatters"),
    SCALE(ALL_TO_ALL_NODE, "all_to_all_node", "scale of what each further node adds to that"),
    SCALE(ALL_TO_ALL_BANDWIDTH, "all_to_all_bandwidth", "scale of their bandwidth"),
};

const struct orr_key_table orr_sys_ccl_table = {"system.library", keys, sizeof keys / sizeof *keys,
                                                NULL};

const char *orr_sys_ccl_scale_name(enum sys_ccl_scale scale)
{
    return keys[FIRST_SCALE + scale].name;
}

/* ---- reading ---- */

static enum orr_status fail(const struct orr_conf *map, const char *key, const char *why,
                            struct orr_diag *diag)
{
    const struct orr_conf *given = orr_conf_get(map, key);
    const struct orr_conf *node = given != NULL ? given : map;
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s", node->path, why);
}

static const struct sys_ccl_ops *ccl_named(const char *name)
{
    size_t i = 0;
    while (orr_sys_libraries[i] != NULL && strcmp(orr_sys_libraries[i]->name, name) != 0) {
        i++;
    }
    return orr_sys_libraries[i];
}

static void list_gpus(const struct sys_ccl_ops *ops, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct sys_ccl_gpu *gpu = ops->gpus; gpu->name != NULL && used < bytes; gpu++) {
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? ", " : "", gpu->name);
    }
}

static enum orr_status find_gpu(const struct orr_conf *map, const char *name,
                                struct sys_ccl *library, struct orr_diag *diag)
{
    char expected[128], why[320];
    list_gpus(library->ops, expected, sizeof expected);
    if (name == NULL) {
        (void)snprintf(why, sizeof why,
                       "%s needs to know the GPUs; expected gpu: with one of %s, as in \"{name: "
                       "%s, gpu: %s}\"",
                       library->ops->name, expected, library->ops->name, library->ops->gpus->name);
        return fail(map, "gpu", why, diag);
    }
    for (const struct sys_ccl_gpu *gpu = library->ops->gpus; gpu->name != NULL; gpu++) {
        if (strcmp(gpu->name, name) == 0) {
            library->gpu = gpu;
            return ORR_OK;
        }
    }
    (void)snprintf(why, sizeof why, "%s does not run on %s; expected one of %s", library->ops->name,
                   name, expected);
    return fail(map, "gpu", why, diag);
}

static enum orr_status read_nvls(const struct orr_conf *map, const struct ccl_section *ccl_section,
                                 struct sys_ccl *library, struct orr_diag *diag)
{
    const bool supported = library->gpu->nvls_from != 0;
    const bool given = orr_conf_get(map, "nvls") != NULL;
    char why[160];
    library->nvls = given ? ccl_section->nvls : supported;
    library->nvls_tree =
        orr_conf_get(map, "nvls_tree") != NULL ? ccl_section->nvls_tree : library->nvls;
    if (supported || (!library->nvls && !library->nvls_tree)) {
        return ORR_OK;
    }
    (void)snprintf(why, sizeof why,
                   "%s has no NVLS (its switches do not reduce); GPUs from h100 on have", //
                   library->gpu->name);
    return fail(map, library->nvls ? "nvls" : "nvls_tree", why, diag);
}

/* On a graph links between NPUs are a mesh, of which a group uses those among its NPUs. */
static enum orr_status read_graph_fabric(const struct orr_conf *map,
                                         const struct ccl_section *ccl_section,
                                         const struct net_config *network, struct sys_ccl *library,
                                         struct orr_diag *diag)
{
    const bool given = orr_conf_get(map, "fabric") != NULL;
    library->fabric = given ? (enum sys_ccl_fabric)ccl_section->fabric
                      : orr_sys_ccl_graph_is_mesh(network->graph) ? SYS_FABRIC_MESH
                                                                  : SYS_FABRIC_NVSWITCH;
    if (library->fabric == SYS_FABRIC_MESH) { /* no switch that could reduce */
        library->nvls = library->nvls && orr_conf_get(map, "nvls") != NULL;
        library->nvls_tree = library->nvls_tree && orr_conf_get(map, "nvls_tree") != NULL;
    }
    return library->fabric != SYS_FABRIC_DGX1
               ? ORR_OK
               : fail(map, "fabric",
                      "dgx1 is a first dimension of 8 NPUs, got a graph; expected mesh or nvswitch",
                      diag);
}

static enum orr_status read_fabric(const struct orr_conf *map,
                                   const struct ccl_section *ccl_section,
                                   const struct net_config *network, struct sys_ccl *library,
                                   struct orr_diag *diag)
{
    if (library->home != NULL) {
        return read_graph_fabric(map, ccl_section, network, library, diag);
    }
    const struct net_dim *node = &network->dim[0];
    library->fabric = orr_conf_get(map, "fabric") != NULL ? (enum sys_ccl_fabric)ccl_section->fabric
                      : node->block == NET_FULLY_CONNECTED ? SYS_FABRIC_MESH
                                                           : SYS_FABRIC_NVSWITCH;
    if (library->fabric != SYS_FABRIC_DGX1 || node->npus == ORR_DGX1_GPUS) {
        return ORR_OK;
    }
    char why[128];
    (void)snprintf(why, sizeof why,
                   "dgx1 is a node of 8 GPUs; the first dimension of the network has %u NPUs",
                   node->npus);
    return fail(map, "fabric", why, diag);
}

/* The first backend with messages that hold a port for a given time. */
static const char *holding_backend(void)
{
    size_t i = 0;
    while (!orr_net_backends[i]->holds_ports) {
        i++;
    }
    return orr_net_backends[i]->name;
}

/* A CCL needs a graph, or a backend with port holds. */
static enum orr_status check_network(const struct orr_conf *map, const struct net_config *network,
                                     struct orr_diag *diag)
{
    char why[256];
    const struct net_ops *backend = orr_net_backend_find(network->backend);
    if (network->graph != NULL || backend->holds_ports) {
        return ORR_OK;
    }
    (void)snprintf(
        why, sizeof why,
        "a CCL needs the backend %s, got %s; expected network.backend: %s, or name: none",
        holding_backend(), backend->name, holding_backend());
    return fail(map, "name", why, diag);
}

enum orr_status orr_sys_ccl_read(struct orr_arena *arena, const struct orr_conf *map,
                                 const struct net_config *network, const struct sys_ccl **out,
                                 struct orr_diag *diag)
{
    struct ccl_section ccl_section = {.name = NULL};
    *out = NULL;
    enum orr_status status = orr_conf_read(map, orr_sys_ccl_table.owner, keys,
                                           orr_sys_ccl_table.count, &ccl_section, diag);
    if (status != ORR_OK || strcmp(ccl_section.name, "none") == 0) {
        return status;
    }
    struct sys_ccl *library = orr_arena_alloc(arena, sizeof *library);
    if (library == NULL) {
        return orr_diag_no_memory(diag, "the library");
    }
    library->ops = ccl_named(ccl_section.name);
    library->launch_ps = ccl_section.launch_ps;
    memcpy(library->scale, ccl_section.scale, sizeof library->scale);
    status = check_network(map, network, diag);
    if (status == ORR_OK && network->graph != NULL && !network->shaped) {
        status = orr_sys_ccl_graph_nodes(arena, network->graph, library, diag);
    }
    if (status == ORR_OK) {
        status = find_gpu(map, ccl_section.gpu, library, diag);
    }
    if (status == ORR_OK) {
        status = read_nvls(map, &ccl_section, library, diag);
    }
    if (status == ORR_OK) {
        status = read_fabric(map, &ccl_section, network, library, diag);
    }
    if (status == ORR_OK && network->graph != NULL) {
        orr_sys_ccl_graph_note(library, network, map, diag);
    }
    *out = status == ORR_OK ? library : NULL;
    return status;
}
