/* Formats of files that Orrery does not read where they are given: tables of their keys and first
 * bytes, and shapes of their text. See foreign_formats.h. */
#include "core/conf/foreign_formats.h"

#include <stdio.h>
#include <string.h>

/* The examples of the advice; each works as it stands (tests/cli/test_foreign_files.sh). */
#define LINKS                                                                                      \
    "network: {graph: {npus: 2, latency: 1 us, links: [{from: 0, to: 1, bandwidth: 50 GB/s}]}}"
#define DIMENSIONS "network: {topology: Switch(8)_Ring(2), bandwidth: 100_25 GB/s, latency: 1 us}"
#define MACHINE                                                                                    \
    "{network: {topology: Switch(8), bandwidth: 450 GB/s}, memory: {local: {bandwidth: 3350 "      \
    "GB/s}}, compute: {peak: 989 TFLOP/s}}"
#define CUSTOM                                                                                     \
    "write its sends and receives as a trace of each rank, PREFIX.RANK.et, and give them in a "    \
    "system file of ASTRA-sim, --system-configuration FILE, as "                                   \
    "{\"all-reduce-implementation-custom\": [\"PREFIX\"]}"

static const char astra1_network[] = "a network of ASTRA-sim 1.0";
static const char astra1_network_where[] =
    "such files are not read; write its dimensions as " DIMENSIONS;
static const char calculon_where[] =
    "such files are not read; write its model and layout as workload: {transformer: {layers: 12, "
    "hidden: 768, heads: 12, sequence: 2048, vocabulary: 51200}, parallel: {tensor: 4}} and its "
    "system as " MACHINE " (orrery run --list-inputs lists platforms that ship)";
static const char serving_cluster[] = "a cluster of LLMServingSim";
static const char serving_where[] = "serving is not simulated; write its machine as " MACHINE;
static const char nsys_where[] =
    "such files are not read; a PyTorch profile of the run is: orrery convert pytorch --et ET "
    "--kineto FILE -o PREFIX";
static const char links_where[] = "such files are not read; write its links as " LINKS;

/* Each example of these works as it stands (tests/cli/test_advice.sh). */
#define DEEPSPEED                                                                                  \
    "orrery import FILE says what it holds; its stage, train_batch_size and "                      \
    "train_micro_batch_size_per_gpu go with a model, such as --set workload.parallel.zero=3 "      \
    "--set workload.training.batch=1024 "                                                          \
    "--set workload.training.micro_batch=1"

#define HUGGING_FACE "a model's config.json of Hugging Face", orr_hugging_face_where
const char orr_hugging_face_where[] =
    "orrery import FILE -o JOB.yml makes a workload of it; or write its numbers as one, such as ";

const struct orr_foreign_keys orr_foreign_by_keys[] = {
    {{"topologies-per-dim"}, NULL, astra1_network, astra1_network_where},
    {{"topology-name", "dimensions-count"}, NULL, astra1_network, astra1_network_where},
    {{"logical-dims"},
     NULL,
     "a logical topology of ASTRA-sim's ns-3 front end",
     "ns-3 is not built in; write the dimensions as " DIMENSIONS ", or the links as " LINKS},
    {{"matrix", "mem1"}, NULL, "a system of Calculon", calculon_where},
    {{"attn_heads", "num_blocks"}, NULL, "a model of Calculon", calculon_where},
    {{"tensor_par", "pipeline_par"}, NULL, "an execution of Calculon", calculon_where},
    {{"num_nodes", "link_bw"}, NULL, serving_cluster, serving_where},
    {{"npu_mem", "num_npus"}, NULL, serving_cluster, serving_where},
    {{"collective", "protocol", "gpus"},
     NULL,
     "an execution plan of MSCCL++",
     "such plans are not read; " CUSTOM},
    {{"topology", "npus_count"},
     "a network file",
     "a network file of ASTRA-sim",
     "it goes with --network-configuration FILE; a platform of ours has it as " DIMENSIONS},
    {{"scheduling-policy"},
     "a system file",
     "a system file of ASTRA-sim",
     "it goes with --system-configuration FILE"},
    {{"all-reduce-implementation"},
     "a system file",
     "a system file of ASTRA-sim",
     "it goes with --system-configuration FILE"},
    {{"memory-type"},
     "a remote memory file",
     "a remote memory file of ASTRA-sim",
     "it goes with --remote-memory-configuration FILE"},
    {{"devices", "instances"},
     NULL,
     "an InfraGraph",
     "InfraGraphs are not read; write its nodes and links as " LINKS ", or as DOT"},
    {{"traceEvents"},
     NULL,
     "a profile or timeline of events (Kineto, Perfetto)",
     "orrery trace info FILE tells what it recorded; orrery convert pytorch --kineto FILE -o "
     "PREFIX "
     "makes traces of it"},
    {{"schemaVersion", "deviceProperties"},
     NULL,
     "a profile or timeline of events (Kineto, Perfetto)",
     "orrery trace info FILE tells what it recorded; orrery convert pytorch --kineto FILE -o "
     "PREFIX "
     "makes traces of it"},
    {{"schema", "nodes"},
     NULL,
     "an execution trace of PyTorch",
     "orrery convert pytorch --et FILE -o PREFIX makes traces of it"},
    {{"nodes", "links"},
     NULL,
     "a graph as node-link JSON",
     "such graphs are not read; write its links as " LINKS ", or as DOT"},
    {{"wall_ps"},
     NULL,
     "a result of orrery run --json",
     "orrery diff A.json B.json compares results"},
    {{"num_hidden_layers"}, NULL, HUGGING_FACE},
    {{"model_type", "hidden_size"}, NULL, HUGGING_FACE},
    {{"n_layer", "n_head"}, NULL, HUGGING_FACE},
    {{"n_layer", "hidden_size"}, NULL, HUGGING_FACE},
    {{"d_model", "num_heads"}, NULL, HUGGING_FACE},
    {{"d_model", "n_heads"}, NULL, HUGGING_FACE},
    {{"d_model", "decoder_layers"}, NULL, HUGGING_FACE},
    {{"architectures", "model_type"}, NULL, HUGGING_FACE},
    {{"zero_optimization"}, NULL, "a configuration of DeepSpeed", DEEPSPEED},
    {{"train_batch_size"}, NULL, "a configuration of DeepSpeed", DEEPSPEED},
    {{"$schema", "properties"}, NULL, "a JSON Schema", "editors check files by it (orrery schema)"},
    {{"sweep"}, "a sweep", "a sweep", "orrery sweep FILE runs it"},
    {{"cluster", "jobs"}, NULL, "jobs on a cluster", "orrery run --cluster FILE runs them"},
    {{"plan"},
     NULL,
     "a planning job",
     "orrery plan topoopt FILE or orrery plan sip-ml FILE runs it"},
    {{"model"},
     NULL,
     "a model",
     "orrery model show FILE shows it; workload: {model: FILE} runs it"},
    {{"strategy"},
     NULL,
     "a strategy of a model",
     "workload: {model: MODEL.yml, strategy: FILE} takes it"},
    {{"network"},
     "a platform with its workload",
     "a platform",
     "orrery run FILE WORKLOAD.yml runs a workload on it"},
    {{"workload"},
     "a platform with its workload",
     "a workload",
     "orrery run PLATFORM.yml FILE runs it"},
};

static const char trace_where[] =
    "workload: {traces: PREFIX} or --workload-configuration PREFIX runs the traces PREFIX.RANK.et";

const struct orr_foreign_head orr_foreign_by_text[] = {
    {NULL, ".et", "an execution trace", trace_where},
    {NULL, ".et.gz", "an execution trace", trace_where},
    {"{\"version\":", ".et", "an execution trace", trace_where},
    {NULL, ".fbuf", "a task graph of FlexFlow", "--taskgraph FILE runs it"},
    {NULL, ".otg", "a task graph", "--taskgraph FILE runs it"},
    {"PK\x03\x04", NULL, "a ZIP archive", NULL},
    {"\x89PNG", NULL, "a picture (PNG)", NULL},
    {"%PDF", NULL, "a document (PDF)", NULL},
    {"\x7f"
     "ELF",
     NULL, "a program", NULL},
    {"<system", NULL, "a topology of NCCL (XML)",
     "such files are not read; write the machine as " LINKS},
    {"<graphs", NULL, "a file of NCCL's graphs (XML)",
     "such files are not read; its trees, each by the parents of ranks 0, 1, 2, 3 and - for the "
     "root, go as system: {algorithms: {all_reduce: trees}, trees: [\"- 0 1 2\", \"1 2 3 -\"]}, "
     "its "
     "links and rings as network: {graph: {npus: 4, latency: 1 us, bandwidth: 50 GB/s, links: "
     "[{from: 0, to: 1}, {from: 1, to: 2}, {from: 2, to: 3}, {from: 3, to: 0}], rings: [{members: "
     "[0, 1, 2, 3]}]}}"},
    {"<graphml", NULL, "a graph as GraphML",
     "such graphs are not read; write its links as " LINKS ", or as DOT"},
    {"<algo", NULL, "an algorithm of MSCCL (XML)", "such files are not read; " CUSTOM},
    {"<!DOCTYPE html", NULL, "a web page (HTML)", NULL},
    {"<html", NULL, "a web page (HTML)", NULL},
    {"<svg", NULL, "a picture (SVG)", NULL},
    {"<?xml", NULL, "an XML file", NULL},
    {"digraph", NULL, "a graph as DOT",
     "a network goes with network: {graph: {file: FILE}} or orrery topo show FILE, FlexFlow's task "
     "graph with --taskgraph FILE"},
    {"graph ", NULL, "a graph as DOT",
     "it goes with network: {graph: {file: FILE}}, or orrery topo show FILE"},
    {"# nThread", NULL, "what nccl-tests printed",
     "it goes with orrery bench-collective PLATFORM.yml --measured FILE, or orrery fit collectives "
     "FILE"},
    {"SQLite format 3", NULL, "a database (SQLite), as Nsight Systems exports", nsys_where},
    {"num_ranks ", NULL, "a GOAL schedule (LogGOPSim, ATLAHS)",
     "such files are not read; orrery convert makes traces of PyTorch's, Chakra's and FlexFlow's"},
    {"HYBRID_", NULL, "a text workload of ASTRA-sim 1.0",
     "orrery convert text FILE --platform PLATFORM.yml -o PREFIX makes traces of it"},
};

const size_t orr_foreign_keys_count = sizeof orr_foreign_by_keys / sizeof *orr_foreign_by_keys;
const size_t orr_foreign_heads_count = sizeof orr_foreign_by_text / sizeof *orr_foreign_by_text;

/* ---- by the shape of the text ---- */

static bool begins_with(const char *head, const char *text)
{
    return strncmp(head, text, strlen(text)) == 0;
}

/* Whether a line begins with the text. */
static bool has_line(const char *head, const char *text)
{
    for (const char *at = head; (at = strstr(at, text)) != NULL; at++) {
        if (at == head || at[-1] == '\n') {
            return true;
        }
    }
    return false;
}

/* Skips lines of comments and empty ones. */
static const char *skip_comments(const char *head)
{
    while (*head == '#' || *head == '\n' || *head == '\r') {
        head += strcspn(head, "\n");
        head += *head == '\n' ? 1 : 0;
    }
    return head;
}

/* "10 4 2 0 8 H100": nodes, GPUs of a server, switches of two kinds, links, the kind of GPU. */
static bool is_simai_topology(const char *head)
{
    unsigned number[5];
    char kind = '\0';
    return sscanf(head, "%u %u %u %u %u %c", &number[0], &number[1], &number[2], &number[3],
                  &number[4], &kind) == 6 &&
           kind >= 'A' && kind <= 'Z';
}

/* Numbers of nodes, switches and links; the switches; and lines "0 8 400Gbps 0.0005ms 0". */
static bool is_ns3_topology(const char *head)
{
    unsigned number[3];
    int used = 0;
    return sscanf(head, "%u %u %u%n", &number[0], &number[1], &number[2], &used) == 3 &&
           (head[used] == '\n' || head[used] == '\r' || begins_with(head + used, " \n")) &&
           strstr(head, "bps ") != NULL;
}

/* The configuration of ns-3's simulation: "CC_MODE 12". */
static bool is_ns3_configuration(const char *head)
{
    return has_line(head, "PACKET_PAYLOAD_SIZE ") || has_line(head, "ENABLE_QCN ") ||
           has_line(head, "CC_MODE ") || has_line(head, "TOPOLOGY_FILE ");
}

/* "allreduce,: 300", below TP:, DP:, ... */
static bool is_simai_busbw(const char *head)
{
    return strstr(head, "allreduce,:") != NULL || strstr(head, "allgather,:") != NULL ||
           strstr(head, "alltoall,:") != NULL;
}

static bool is_htsim_topology(const char *head)
{
    const char *at = skip_comments(head);
    return begins_with(at, "Nodes ") &&
           (has_line(at, "Tiers ") || has_line(at, "Podsize ") || has_line(at, "Tier "));
}

static bool is_htsim_matrix(const char *head)
{
    const char *at = skip_comments(head);
    return begins_with(at, "Nodes ") && has_line(at, "Connections ");
}

/* "num_sockets_per_node = 2" */
static bool is_flexflow_machine(const char *head)
{
    return has_line(head, "machine_model_version") || has_line(head, "num_sockets_per_node") ||
           has_line(head, "num_gpus_per_socket");
}

/* Its keys in lines, and algorithms as words, where later versions have JSON with lists. */
static bool is_astra1_system(const char *head)
{
    static const char *const keys[] = {
        "all-reduce-implementation:", "all-to-all-implementation:", "all-gather-implementation:"};
    bool words = has_line(head, "scheduling-policy:");
    for (size_t i = 0; words && i < sizeof keys / sizeof *keys; i++) {
        const char *at = strstr(head, keys[i]);
        at = at != NULL ? at + strlen(keys[i]) : "";
        at += strspn(at, " \t");
        words = *at != '[' && *at != '\n';
    }
    return words;
}

static bool is_nsys(const char *head)
{
    return strstr(head, "Total Time (ns)") != NULL ||
           (strstr(head, "Start (ns)") != NULL && strstr(head, "Duration (ns)") != NULL);
}

/* The matrix of `nvidia-smi topo -m`, with or without colors. */
static bool is_nvidia_smi(const char *head)
{
    return strstr(head, "GPU0") != NULL &&
           (strstr(head, "CPU Affinity") != NULL || strstr(head, "NUMA Affinity") != NULL ||
            strstr(head, "X    = Self") != NULL ||
            (strstr(head, "GPU1") != NULL && strstr(head, "\tX") != NULL) ||
            (strstr(head, "GPU1") != NULL && strstr(head, " X ") != NULL));
}

static const struct {
    bool (*is)(const char *head);
    const char *what, *where;
} by_shape[] = {
    {is_simai_topology, "a topology of SimAI", links_where},
    {is_ns3_topology, "a topology of ns-3 (HPCC, ASTRA-sim)", links_where},
    {is_ns3_configuration, "a configuration of ns-3 (HPCC, ASTRA-sim, SimAI)",
     "ns-3 is not built in; messages on links are simulated by network: {backend: flow, topology: "
     "Switch(8), bandwidth: 50 GB/s, latency: 1 us}, or by the backend congestion"},
    {is_simai_busbw, "a table of bus bandwidths of SimAI",
     "such files are not read; write bandwidths as " DIMENSIONS
     ", or take measured times with orrery bench-collective PLATFORM.yml --measured FILE.csv"},
    {is_htsim_topology, "a topology of htsim", links_where},
    {is_htsim_matrix, "a connection matrix of htsim",
     "such files are not read; orrery run --taskgraph FILE runs a task graph of transfers"},
    {is_flexflow_machine, "a machine model of FlexFlow",
     "such files are not read; write its machine as " MACHINE},
    {is_astra1_system, "a system file of ASTRA-sim 1.0",
     "such files are not read; write its choices as system: {chunks: 64, algorithms: {all_reduce: "
     "ring}}, or as the JSON of ASTRA-sim 2.0"},
    {is_nsys, "a table of Nsight Systems (nsys stats)", nsys_where},
    {is_nvidia_smi, "the output of nvidia-smi topo -m",
     "such files are not read; write its links as " LINKS ", or take a platform that ships (orrery "
     "run --list-inputs)"},
};

/* A list of events, as chrome://tracing reads it too. */
static bool is_event_list(const char *head)
{
    return *head == '[' && strstr(head, "\"ph\"") != NULL && strstr(head, "\"name\"") != NULL &&
           (strstr(head, "\"ts\"") != NULL || strstr(head, "\"pid\"") != NULL);
}

bool orr_foreign_by_shape(const char *head, struct orr_foreign *out)
{
    head += strspn(head, " \t\r\n");
    if (is_event_list(head)) {
        *out = (struct orr_foreign){
            "a profile or timeline of events (Kineto, Perfetto) as a bare list",
            "a bare list is not read; as {\"traceEvents\": LIST} orrery trace info FILE tells what "
            "it "
            "recorded, and orrery convert pytorch --kineto FILE -o PREFIX makes traces of it"};
        return true;
    }
    if (*head == '{' || *head == '[' || *head == '<') {
        return false; /* JSON and XML are told by their keys and tags */
    }
    for (size_t i = 0; i < sizeof by_shape / sizeof *by_shape; i++) {
        if (by_shape[i].is(head)) {
            *out = (struct orr_foreign){by_shape[i].what, by_shape[i].where};
            return true;
        }
    }
    return false;
}
