/* The utilization of a network; see network_use.h. */
#include "report/network_use.h"

#include "core/diag.h"
#include "core/fold.h"
#include "core/strings.h"
#include "core/sum.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_rotation.h"
#include "report/results/result.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_ROWS = 16384 }; /* of the matrix as CSV: up to 2 GiB */

struct orr_network_use orr_network_use_of(const struct orrery *job)
{
    return (struct orr_network_use){
        .job = job, .duration_ps = orrery_wall_ps(job), .servers = orrery_npus(job)};
}

struct title_parts {
    char platform[96], workload[96];
};

/* Copies the file's name, without folders and extension, of an origin such as
 * "inputs/gpt.yml:3". */
static void copy_file_stem(const char *origin, char *text, size_t bytes)
{
    const char *colon = strchr(origin, ':');
    const char *begin = origin;
    for (const char *c = origin; colon != NULL && c < colon; c++) {
        begin = *c == '/' ? c + 1 : begin;
    }
    const char *dot = strchr(begin, '.');
    if (colon != NULL && dot != NULL && dot < colon && strncmp(origin, "command line", 12) != 0) {
        (void)snprintf(text, bytes, "%.*s", (int)(dot - begin), begin);
    }
}

/* Sets the title from the file that describes the generated workload; else from a key of the
 * workload other than the model; without a file from the kind of the workload. */
static void set_title_part(void *user, const char *key, const char *value, const char *origin)
{
    struct title_parts *title_parts = user;
    const bool of_workload = strncmp(key, "workload.", 9) == 0;
    if (strcmp(key, "name") == 0 && strcmp(origin, "default") != 0) {
        (void)snprintf(title_parts->platform, sizeof title_parts->platform, "%s", value);
    } else if (strcmp(key, "workload.generate") == 0 && strcmp(origin, "default") != 0) {
        (void)snprintf(title_parts->workload, sizeof title_parts->workload, "%s", value);
        copy_file_stem(origin, title_parts->workload, sizeof title_parts->workload);
    } else if (of_workload && strstr(origin, "/models/") == NULL &&
               title_parts->workload[0] == '\0') {
        copy_file_stem(origin, title_parts->workload, sizeof title_parts->workload);
    }
}

const char *orr_job_title(const struct orrery *job, char *text)
{
    struct title_parts title_parts = {.platform = ""};
    orrery_explain(job, set_title_part, &title_parts);
    const bool both = title_parts.workload[0] != '\0' && title_parts.platform[0] != '\0';
    if (both || title_parts.workload[0] != '\0' || title_parts.platform[0] != '\0') {
        (void)snprintf(text, ORR_TITLE_BYTES, "%s%s%s", title_parts.workload, both ? " on " : "",
                       title_parts.platform);
    } else {
        (void)snprintf(text, ORR_TITLE_BYTES, "a job of %" PRIu32 " NPU%s", orrery_npus(job),
                       orr_plural(orrery_npus(job)));
    }
    return text;
}

enum orr_status orr_link_stats_check(const struct orrery *job, struct orr_diag *diag)
{
    return orrery_links(job) != 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "the platform's network is a stack of dimensions; links need "
                               "network.graph");
}

/* A path's bytes count once for each host that sends them: the source and the hosts that
 * forward. */
struct orr_network_bytes orr_network_bytes(const struct orr_network_use *use)
{
    const double each = use->fold != NULL ? use->fold->class_size : 1;
    struct orr_network_bytes bytes = {.demand = 0};
    struct net_path_use path;
    for (size_t i = 0; orr_net_flows_path(use->flows, i, &path); i++) {
        const struct net_route_links route = {.link = path.link, .hops = path.hops};
        uint32_t senders = 1;
        for (uint32_t h = 0; h < path.hops; h++) {
            senders += net_passes_host(use->network, &route, h);
        }
        bytes.demand += (double)path.bytes * each;
        bytes.sent += (double)path.bytes * each * senders;
    }
    return bytes;
}

double orr_bandwidth_tax(const struct orr_network_use *use)
{
    const struct orr_network_bytes bytes = orr_network_bytes(use);
    return bytes.demand > 0 ? bytes.sent / bytes.demand : 1;
}

struct orr_forwarded orr_network_forwarded(const struct orr_network_use *use,
                                           double limit_bytes_per_s)
{
    const uint32_t hosts = use->network->npus + use->network->servers;
    const bool limited = limit_bytes_per_s > 0;
    uint64_t *bytes = limited ? orr_heap_calloc((size_t)hosts + 1, sizeof *bytes) : NULL;
    struct orr_forwarded all = {.bytes = 0};
    struct net_path_use path;
    for (size_t i = 0; bytes != NULL && orr_net_flows_path(use->flows, i, &path); i++) {
        const struct net_route_links route = {.link = path.link, .hops = path.hops};
        for (uint32_t h = 0; h < path.hops; h++) {
            if (net_passes_host(use->network, &route, h)) {
                uint64_t *host_bytes = &bytes[use->network->link[path.link[h]].to];
                *host_bytes = orr_capped_sum(*host_bytes, path.bytes);
                all.bytes = orr_capped_sum(all.bytes, path.bytes);
                all.max = *host_bytes > all.max ? *host_bytes : all.max;
            }
        }
    }
    orr_heap_free(bytes);
    const double could = limit_bytes_per_s * (double)use->duration_ps / 1e12;
    all.utilization = could > 0 ? (double)all.max / could : 0;
    return all;
}

/* ---- links ---- */

_Static_assert((int)NET_NODE_BYTES <= (int)ORR_NODE_NAME_BYTES, "a number of a node fits");

/* With a fold each link has the bytes of its class's representative. False: no memory. */
static bool spread_over_classes(const struct orr_network_use *use, uint64_t *bytes)
{
    uint32_t *stands = orr_heap_calloc((size_t)use->network->links + 1, sizeof *stands);
    const bool good =
        stands != NULL && orr_net_graph_representatives(use->network, use->fold, stands) == ORR_OK;
    for (uint32_t i = 0; good && i < use->network->links; i++) {
        bytes[i] = bytes[stands[i]]; /* the representative comes before its class */
    }
    orr_heap_free(stands);
    return good;
}

/* Bytes over each link, owned by the caller; NULL: no memory. */
static uint64_t *bytes_of_links(const struct orr_network_use *use)
{
    const bool folded = use->fold != NULL && !use->fold->none;
    struct net_path_use path;
    uint64_t *bytes = orr_heap_calloc((size_t)use->network->links + 1, sizeof *bytes);
    for (size_t i = 0; bytes != NULL && orr_net_flows_path(use->flows, i, &path); i++) {
        for (uint32_t h = 0; h < path.hops; h++) {
            bytes[path.link[h]] += path.bytes;
        }
    }
    if (bytes != NULL && folded && !spread_over_classes(use, bytes)) {
        orr_heap_free(bytes);
        return NULL;
    }
    return bytes;
}

static const char *name_of(const struct orr_network_use *use, uint32_t node, char *text)
{
    const char *name = use->job != NULL ? orrery_node_name(use->job, node) : NULL;
    if (use->job == NULL) {
        return orr_net_node_name(use->network, node, text);
    }
    (void)snprintf(text, NET_NODE_BYTES, "%" PRIu32, node);
    return name != NULL ? name : text;
}

void orr_link_row(const struct orr_network_use *use, const struct orrery_link *link,
                  struct orr_link_row *row)
{
    row->of = *link;
    row->from = name_of(use, link->from, row->name[0]);
    row->to = name_of(use, link->to, row->name[1]);
    row->utilization = link->offered_bytes > 0 ? (double)link->bytes / link->offered_bytes : 0;
}

static void write_link(FILE *out, const struct orr_network_use *use, const struct orrery_link *link)
{
    struct orr_link_row row;
    orr_link_row(use, link, &row);
    orr_result_csv_line(out, &orr_link_results, &row);
    (void)fputc('\n', out);
}

int orr_link_stats_write(FILE *out, const void *context)
{
    const struct orr_network_use *use = context;
    uint64_t *bytes = use->job == NULL ? bytes_of_links(use) : NULL;
    struct orrery_link link;
    if (use->job == NULL && bytes == NULL) {
        return 1;
    }
    orr_result_csv_head(out, &orr_link_results);
    (void)fputc('\n', out);
    for (size_t i = 0; use->job != NULL && orrery_link(use->job, i, &link) == ORRERY_OK; i++) {
        write_link(out, use, &link);
    }
    for (uint32_t i = 0; use->job == NULL && i < use->network->links; i++) {
        const struct net_link *from = &use->network->link[i];
        link = (struct orrery_link){.from = from->from,
                                    .to = from->to,
                                    .count = from->count,
                                    .bandwidth_bytes_per_s = from->bytes_per_s,
                                    .latency_ps = from->latency_ps,
                                    .bytes = bytes[i],
                                    .offered_bytes =
                                        orr_net_link_offered(use->network, i, use->duration_ps)};
        write_link(out, use, &link);
    }
    orr_heap_free(bytes);
    return ferror(out) ? 1 : 0;
}

/* ---- traffic ---- */

bool orr_traffic_pair(const struct orr_network_use *use, size_t index, struct orrery_pair *pair)
{
    struct net_path_use path;
    if (use->matrix != NULL) {
        const uint64_t servers = use->servers;
        const bool there = index < servers * servers;
        *pair = there ? (struct orrery_pair){.from = (uint32_t)(index / servers),
                                             .to = (uint32_t)(index % servers),
                                             .bytes = use->matrix[index]}
                      : (struct orrery_pair){.from = 0};
        return there;
    }
    if (use->job != NULL) {
        return orrery_pair(use->job, index, pair) == ORRERY_OK;
    }
    if (!orr_net_flows_path(use->flows, index, &path)) {
        return false;
    }
    const uint32_t from = use->network->link[path.link[0]].from;
    const uint32_t to = use->network->link[path.link[path.hops - 1]].to;
    const bool counts = from < use->servers && to < use->servers;
    *pair = counts ? (struct orrery_pair){.from = from, .to = to, .bytes = path.bytes}
                   : (struct orrery_pair){.from = 0};
    return true;
}

/* Bytes from each server (row) to each server (column), owned by the caller; NULL: no memory. */
static uint64_t *traffic_matrix(const struct orr_network_use *use)
{
    const size_t servers = use->servers;
    uint64_t *bytes = orr_heap_calloc(servers * servers + 1, sizeof *bytes);
    struct orrery_pair pair;
    for (size_t i = 0; bytes != NULL && orr_traffic_pair(use, i, &pair); i++) {
        bytes[pair.from * servers + pair.to] += pair.bytes;
    }
    return bytes;
}

int orr_traffic_csv_write(FILE *out, const void *context)
{
    const struct orr_network_use *use = context;
    const uint32_t servers = use->servers;
    uint64_t *bytes = traffic_matrix(use);
    if (bytes == NULL) {
        return 1;
    }
    (void)fputs("from\\to", out);
    for (uint32_t i = 0; i < servers; i++) {
        (void)fprintf(out, ",%" PRIu32, i);
    }
    for (uint32_t i = 0; i < servers; i++) {
        (void)fprintf(out, "\n%" PRIu32, i);
        for (uint32_t j = 0; j < servers; j++) {
            (void)fprintf(out, ",%" PRIu64, bytes[(size_t)i * servers + j]);
        }
    }
    (void)fputc('\n', out);
    orr_heap_free(bytes);
    return ferror(out) ? 1 : 0;
}

static bool is_picture(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".svg") == 0;
}

enum orr_status orr_traffic_check(const char *path, uint32_t servers, struct orr_diag *diag)
{
    if (path == NULL || is_picture(path) || servers <= MAX_ROWS) {
        return ORR_OK;
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "expected at most %d servers for CSV, got %" PRIu32
                         "; a file that ends in .svg takes more",
                         MAX_ROWS, servers);
}

struct orr_output orr_traffic_output(const char *path)
{
    const bool picture = path != NULL && is_picture(path);
    return (struct orr_output){path, picture ? orr_traffic_svg_write : orr_traffic_csv_write};
}
