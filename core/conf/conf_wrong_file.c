/* File type detection: what a file is that is not the expected configuration, by its first bytes or
 * its top-level keys, and where it belongs. Runs only after a file could not be read, so a wrong
 * guess rejects no valid file. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf_private.h"

enum { MAX_KEYS = 3, HEAD_BYTES = 2048 };

const char orr_conf_command_line[] = "command line"; /* not a file */

struct known_format {
    const char *key[MAX_KEYS]; /* all of these at the top level */
    const char *owner;         /* owner of the readers that accept it; or NULL */
    const char *what, *where;
};

static const struct known_format by_keys[] = {
    {{"topology", "npus_count"},
     "a network file",
     "a network file of ASTRA-sim",
     "it goes with --network-configuration FILE; a platform of ours has it as network: {topology: "
     "..., bandwidth: ...}"},
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
     "InfraGraphs are not read; write its nodes and links as network: {graph: {npus: N, links: "
     "[...]}}, or as DOT"},
    {{"traceEvents"},
     NULL,
     "a profile or timeline of events (Kineto, Perfetto)",
     "a profile goes with the execution trace of its run: orrery convert pytorch --et ET --kineto "
     "FILE -o PREFIX"},
    {{"schema", "nodes"},
     NULL,
     "an execution trace of PyTorch",
     "orrery convert pytorch --et FILE -o PREFIX makes traces of it"},
    {{"nodes", "links"},
     NULL,
     "a graph as node-link JSON",
     "such graphs are not read; write its links as network: {graph: {npus: N, links: [...]}}, or "
     "as "
     "DOT"},
    {{"wall_ps"},
     NULL,
     "a result of orrery run --json",
     "orrery diff A.json B.json compares results"},
    {{"num_hidden_layers"},
     NULL,
     "a model's config.json of Hugging Face",
     "such files are not read; write its numbers as workload: {generate: transformer, "
     "transformer: {layers: ..., hidden: ...}}"},
    {{"model_type", "hidden_size"},
     NULL,
     "a model's config.json of Hugging Face",
     "such files are not read; write its numbers as workload: {generate: transformer, "
     "transformer: {layers: ..., hidden: ...}}"},
    {{"zero_optimization"},
     NULL,
     "a configuration of DeepSpeed",
     "such files are not read; write its numbers as workload: {parallel: {zero: ...}, batch: ...}"},
    {{"train_batch_size"},
     NULL,
     "a configuration of DeepSpeed",
     "such files are not read; write its numbers as workload: {parallel: {zero: ...}, batch: ...}"},
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
     "workload: {model: ..., strategy: FILE} takes it"},
    {{"network"},
     "a platform with its workload",
     "a platform",
     "orrery run FILE WORKLOAD.yml runs a workload on it"},
    {{"workload"},
     "a platform with its workload",
     "a workload",
     "orrery run PLATFORM.yml FILE runs it"},
};

/* Beginnings of files; `ending` is the file name extension of binary files. */
struct file_head {
    const char *text, *ending;
    const char *what, *where;
};

static const char trace_where[] =
    "workload: {traces: PREFIX} or --workload-configuration PREFIX runs the traces PREFIX.RANK.et";

static const struct file_head by_text[] = {
    {NULL, ".et", "an execution trace", trace_where},
    {NULL, ".et.gz", "an execution trace", trace_where},
    {"{\"version\":", ".et", "an execution trace", trace_where},
    {NULL, ".fbuf", "a task graph of FlexFlow", "--taskgraph FILE runs it"},
    {NULL, ".otg", "a task graph", "--taskgraph FILE runs it"},
    {"\x1f\x8b", NULL, "compressed with gzip", "configurations are plain text: gunzip it first"},
    {"PK\x03\x04", NULL, "a ZIP archive", NULL},
    {"\x89PNG", NULL, "a picture (PNG)", NULL},
    {"%PDF", NULL, "a document (PDF)", NULL},
    {"\x7f"
     "ELF",
     NULL, "a program", NULL},
    {"<system", NULL, "a topology of NCCL (XML)",
     "such files are not read; write the machine as network: {graph: {npus: N, links: [...]}}"},
    {"<graphs", NULL, "a file of NCCL's graphs (XML)",
     "such files are not read; system: {trees: ...} takes trees, network: {graph: ...} links"},
    {"<graphml", NULL, "a graph as GraphML",
     "such graphs are not read; write its links as network: {graph: {npus: N, links: [...]}}, or "
     "as "
     "DOT"},
    {"<algo", NULL, "an algorithm of MSCCL (XML)",
     "such files are not read; system: {algorithms: {custom: ...}} takes traces of a collective"},
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
    {"HYBRID_", NULL, "a text workload of ASTRA-sim 1.0",
     "orrery convert text FILE --platform PLATFORM.yml -o PREFIX makes traces of it"},
};

/* ---- errors ---- */

static enum orr_status fail_wrong_file(const char *path, const char *what, const char *where,
                                       const char *expected, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "this is %s, not %s: %s", what, expected,
                         where != NULL ? where
                                       : "orrery run --list-inputs lists the installed "
                                         "inputs");
}

/* ---- by keys ---- */

static const struct orr_conf *find(const struct orr_conf *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->key[i], key) == 0) {
            return map->item[i];
        }
    }
    return NULL;
}

static bool has_keys(const struct orr_conf *map, const struct known_format *known_format)
{
    for (size_t k = 0; k < MAX_KEYS && known_format->key[k] != NULL; k++) {
        if (find(map, known_format->key[k]) == NULL) {
            return false;
        }
    }
    return true;
}

enum orr_status orr_conf_identify_map(const struct orr_conf *map, const char *owner,
                                      struct orr_diag *diag)
{
    if (map == NULL || map->path[0] != '\0' || map->kind != ORR_CONF_MAP) {
        return ORR_OK;
    }
    for (size_t i = 0; i < sizeof by_keys / sizeof *by_keys; i++) {
        const struct known_format *known_format = &by_keys[i];
        if (!has_keys(map, known_format)) {
            continue;
        }
        /* Of merged files, the one that has the key. */
        const char *file = find(map, known_format->key[0])->file;
        return strcmp(file, orr_conf_command_line) == 0 ||
                       (known_format->owner != NULL && strcmp(known_format->owner, owner) == 0)
                   ? ORR_OK
                   : fail_wrong_file(file, known_format->what, known_format->where, owner, diag);
    }
    return ORR_OK;
}

/* ---- by the text ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool begins_with(const char *head, const char *text)
{
    return strncmp(head, text, strlen(text)) == 0;
}

/* Skips an XML prolog, comments and blanks, which do not identify a file. */
static const char *skip_prolog(const char *head)
{
    const char *at = head + strspn(head, " \t\r\n");
    while (begins_with(at, "<?xml") || begins_with(at, "<!--")) {
        const char *end = strstr(at, begins_with(at, "<?xml") ? "?>" : "-->");
        if (end == NULL) {
            return at;
        }
        at = strchr(end, '>') + 1;
        at += strspn(at, " \t\r\n");
    }
    return *at != '\0' ? at : head;
}

/* "10 4 2 0 8 H100": nodes, GPUs of a server, switches of two kinds, links, the kind of GPU. */
static bool is_simai(const char *head)
{
    unsigned number[5];
    char kind = '\0';
    return sscanf(head, "%u %u %u %u %u %c", &number[0], &number[1], &number[2], &number[3],
                  &number[4], &kind) == 6 &&
           kind >= 'A' && kind <= 'Z';
}

/* Whether the first line has commas, and no colon before the end. */
static bool is_csv(const char *head)
{
    const size_t line = strcspn(head, "\r\n");
    const char *comma = memchr(head, ',', line);
    return comma != NULL && memchr(head, ':', line) == NULL && head[0] != '{' && head[0] != '[' &&
           head[line] != '\0';
}

/* Whether the text has the key at the start of a line (YAML) or in quotes (JSON). */
static bool has_key_text(const char *head, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = head; (at = strstr(at, key)) != NULL; at += length) {
        const bool plain = (at == head || at[-1] == '\n') && at[length] == ':';
        const bool quoted = at != head && at[-1] == '"' && at[length] == '"';
        if (plain || quoted) {
            return true;
        }
    }
    return false;
}

/* Finds a format by its keys; a model's name in a table is no key. */
static const struct known_format *find_keys(const char *head)
{
    for (size_t i = 0; i < sizeof by_keys / sizeof *by_keys; i++) {
        bool all = true;
        for (size_t k = 0; k < MAX_KEYS && by_keys[i].key[k] != NULL; k++) {
            all = all && has_key_text(head, by_keys[i].key[k]);
        }
        if (all) {
            return &by_keys[i];
        }
    }
    return NULL;
}

static enum orr_status identify_head(const char *path, const char *head, const char *expected,
                                     struct orr_diag *diag)
{
    const char *start = skip_prolog(head);
    for (size_t i = 0; i < sizeof by_text / sizeof *by_text; i++) {
        const struct file_head *file_head = &by_text[i];
        if ((file_head->text == NULL || begins_with(start, file_head->text)) &&
            (file_head->ending == NULL || ends_with(path, file_head->ending))) {
            return begins_with(expected, file_head->what)
                       ? ORR_OK /* the expected type: something else is wrong */
                       : fail_wrong_file(path, file_head->what, file_head->where, expected, diag);
        }
    }
    if (is_simai(head)) {
        return fail_wrong_file(
            path, "a topology of SimAI",
            "such files are not read; write its links as network: {graph: {npus: N, "
            "links: [...]}}",
            expected, diag);
    }
    return is_csv(head) ? fail_wrong_file(path, "a table (CSV)",
                                          "measured times go with --measured FILE, or orrery fit",
                                          expected, diag)
                        : ORR_OK;
}

enum orr_status orr_conf_identify_text(const struct orr_conf_source *source, struct orr_diag *diag)
{
    char head[HEAD_BYTES];
    const size_t taken = source->bytes < sizeof head ? source->bytes : sizeof head - 1;
    memcpy(head, source->data, taken);
    head[taken] = '\0';
    return identify_head(source->name, head, "a configuration in YAML", diag);
}

enum orr_status orr_conf_identify_file(const char *path, const char *expected,
                                       struct orr_diag *diag)
{
    char head[HEAD_BYTES];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return ORR_OK;
    }
    head[fread(head, 1, sizeof head - 1, file)] = '\0';
    (void)fclose(file);
    const struct known_format *known_format = find_keys(head);
    if (known_format != NULL && strcmp(known_format->what, expected) == 0) {
        return ORR_OK; /* the expected type: something else is wrong */
    }
    return known_format != NULL
               ? fail_wrong_file(path, known_format->what, known_format->where, expected, diag)
               : identify_head(path, head, expected, diag);
}
