/* See key_cases.h. Messages are written anew here, not with the reader's own functions. */
#include "tests/unit/key_cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "sim/load/config_keys.h"
#include "workload/gen/models.h"

const char *const key_case_kinds[KEY_CASE_KINDS] = {
    "right", "wrong type", "out of range", "too large", "without unit", "wrong unit", "misspelt"};

/* ---- files ---- */

/* What a file is to hold besides what it needs. */
struct target {
    const char *path, *name, *value; /* the key's path, its name as written, and its value */
};

struct file {
    const struct target *target;
    char *text;
    size_t used;
    unsigned line;             /* being written */
    unsigned key_line, column; /* of the target; the column of its key */
};

__attribute__((format(printf, 2, 3))) static void put(struct file *file, const char *format, ...)
{
    const char *begin = file->text + file->used;
    va_list args;
    va_start(args, format);
    file->used +=
        (size_t)vsnprintf(file->text + file->used, KEY_TEXT_BYTES - file->used, format, args);
    va_end(args);
    ORR_ASSERT(file->used < KEY_TEXT_BYTES);
    for (; *begin != '\0'; begin++) {
        file->line += *begin == '\n' ? 1 : 0;
    }
}

static const char *last_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : path;
}

static bool is_above(const char *path, const char *target)
{
    const size_t length = strlen(path);
    return strncmp(path, target, length) == 0 && strchr(".[", target[length]) != NULL &&
           target[length] != '\0';
}

static bool is_within(const char *path, const char *target)
{
    return strcmp(path, target) == 0 || is_above(path, target);
}

/* A value that the key takes. */
static const char *right_value(const struct orr_key *key, char *text, size_t bytes)
{
    (void)orr_key_example(key, text, bytes);
    return text + strlen(key->name) + 2;
}

/* Whether the file is about this key of the table at `path`. */
static bool is_about(const struct file *file, const char *path, const char *name)
{
    const size_t length = strlen(path);
    return strncmp(file->target->path, path, length) == 0 && file->target->path[length] == '.' &&
           strcmp(file->target->path + length + 1, name) == 0;
}

/* Whether the file is about a key of a generated model, which needs one (of those that take it). */
static bool is_of_model(const struct file *file)
{
    static const char *const sections[] = {"workload.parallel", "workload.training"};
    for (size_t i = 0; i < 2; i++) {
        if (is_within(sections[i], file->target->path)) {
            return true;
        }
    }
    return false;
}

/* Whether the file is about a key that goes with a network's graph. */
static bool wants_circuits(const struct file *file)
{
    return is_within("network.circuits", file->target->path);
}

static bool wants_graph(const struct file *file)
{
    return strcmp(file->target->path, "network.failures") == 0 ||
           strcmp(file->target->path, "network.routing") == 0 ||
           strcmp(file->target->path, "network.forwarding_limit") == 0 ||
           is_within("network.changes", file->target->path) ||
           is_within("network.cost", file->target->path) || wants_circuits(file);
}

/* Whether the file is about cuts or recomputation of a model of operators. */
static bool is_of_operators(const struct file *file)
{
    return is_within("workload.parallel.operators", file->target->path) ||
           is_within("workload.training.recompute_operators", file->target->path);
}

/* Where exactly one of some keys is needed, it is the last, unless the file is about another. */
static bool is_chosen(const struct file *file, const struct orr_key_table *table, const char *path,
                      const char *name)
{
    size_t last = 0;
    if (table->one_of != NULL && strcmp(path, "workload") == 0 && is_of_model(file)) {
        const bool of_layers = is_about(file, "workload.training", "bucket") ||
                               is_about(file, "workload.training", "slice");
        const bool chained = is_about(file, "workload.training", "chain");
        return strcmp(name, of_layers               ? "dlrm"
                            : chained               ? "cnn"
                            : is_of_operators(file) ? "" /* see companions */
                                                    : "transformer") == 0;
    }
    if (strcmp(path, "network") == 0 && wants_graph(file)) {
        return false;
    }
    for (; table->one_of != NULL && table->one_of[last] != NULL; last++) {
        char other[512];
        (void)snprintf(other, sizeof other, "%s.%s", path, table->one_of[last]);
        if (table->one_of[last + 1] != NULL &&
            (is_about(file, path, table->one_of[last]) || is_above(other, file->target->path))) {
            return false;
        }
    }
    return last > 0 && strcmp(table->one_of[last - 1], name) == 0;
}

static bool is_given(const struct file *file, const struct orr_key_table *table, const char *path,
                     const char *name)
{
    return is_about(file, path, name) || is_chosen(file, table, path, name);
}

/* Whether a file needs the key although it is not what it is about. */
static bool is_needed(const struct file *file, const struct orr_key_table *table, const char *path,
                      const struct orr_key *key)
{
    if (key->replaced_by != NULL && strcmp(last_name(file->target->path), key->replaced_by) == 0) {
        return false;
    }
    if (key->needed_with != NULL && is_given(file, table, path, key->needed_with)) {
        return key->not_for == NULL || strcmp(file->target->value, key->not_for) != 0;
    }
    const struct orr_key *other;
    for (size_t i = 0; key->needed_with != NULL && (other = orr_key_at(table, i)) != NULL; i++) {
        if (strcmp(other->name, key->needed_with) == 0 && other->required) {
            return true; /* by its example */
        }
        if (strcmp(other->name, key->needed_with) == 0 && other->default_text != NULL) {
            return key->not_for == NULL || strcmp(other->default_text, key->not_for) != 0;
        }
    }
    /* Without a reconfiguration there is no usual period. */
    const bool period = strcmp(path, "network.circuits") == 0 && strcmp(key->name, "period") == 0;
    return key->required || period || is_chosen(file, table, path, key->name);
}

static void put_table(struct file *file, const struct orr_key_table *table, const char *path,
                      int indent);

static void put_target(struct file *file, int indent)
{
    file->key_line = file->line;
    file->column = (unsigned)indent + 1;
    put(file, "%*s%s: %s\n", indent, "", file->target->name, file->target->value);
}

static void put_key(struct file *file, const struct orr_key *key, const char *path, int indent)
{
    char below[1024];
    const bool list = key->list;
    if (key->table == NULL && key->each == NULL) {
        char value[512];
        put(file, "%*s%s: %s\n", indent, "", key->name, right_value(key, value, sizeof value));
        return;
    }
    put(file, "%*s%s:\n", indent, "", key->name);
    if (key->each != NULL) {
        put_target(file, indent + 2);
        return;
    }
    if (list) {
        put(file, "%*s-\n", indent + 2, "");
    }
    (void)snprintf(below, sizeof below, "%s%s", path, list ? "[]" : "");
    put_table(file, key->table, below, indent + (list ? 4 : 2));
}

/* Whether the file's workload is a generated model. */
static bool computes(const struct file *file)
{
    bool is_model = is_of_model(file);
    for (size_t i = 0; orr_gen_models[i] != NULL; i++) {
        char section[128];
        (void)snprintf(section, sizeof section, "workload.%s", orr_gen_models[i]->name);
        is_model = is_model || is_above(section, file->target->path);
    }
    return is_model;
}

/* A graph whose NPUs are joined, whatever it is that the file is about. */
static void put_graph(struct file *file, const char *path, int indent)
{
    static const char *const key[] = {"bandwidth", "links"};
    static const char *const value[] = {"1 GB/s", "[{from: 0, to: 1}]"};
    const bool of_ways = is_about(file, path, "latency_of"); /* only of fabrics with switches */
    if (of_ways && strcmp(path, "network.graph") == 0) {
        put(file, "%*sfabric: ideal-switch\n", indent, "");
    }
    if (strcmp(path, "network") == 0 && wants_graph(file)) {
        put(file, "%*sgraph: {npus: 4, fabric: %s, bandwidth: 1 GB/s}\n", indent, "",
            wants_circuits(file) ? "ideal-switch" : "full-mesh");
    }
    for (size_t i = 0; strcmp(path, "network.graph") == 0 && i < 2; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s.%s", path, key[i]);
        const bool other = is_about(file, path, "file") ||
                           (i == 1 && (is_about(file, path, "fabric") || of_ways)) ||
                           is_above(name, file->target->path);
        if (!other && !is_about(file, path, key[i])) {
            put(file, "%*s%s: %s\n", indent, "", key[i], value[i]);
        }
    }
}

/* A design of so many servers and interfaces of a bandwidth, and of so many servers below its
 * switches where it has some. */
static void put_design(struct file *file, const char *path, int indent)
{
    static const char *const key[] = {"servers: 16", "degree: 4", "bandwidth: 100 Gb/s",
                                      "servers_per_tor: 2", "tors_per_spine: 2"};
    const size_t keys = strcmp(path, "network.design") == 0 ? sizeof key / sizeof *key : 0;
    for (size_t i = 0; i < keys; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(key[i], ":"), key[i]);
        if (!is_about(file, path, name)) {
            put(file, "%*s%s\n", indent, "", key[i]);
        }
    }
}

/* What a file about a key, or one below it, has in a table besides what is needed anyway. */
#define MODEL                                                                                      \
    "model: {batch: 8, operators: [{data: {name: x, shape: [8]}}, {dense: {name: NAME, out: 8}}, " \
    "{block: {name: layer, repeat: 2, operators: [{layer_norm: {name: norm}}, {activation: "       \
    "{name: act}}, {dense: {name: up, out: 8}}]}}]}"
static const struct companion {
    const char *about, *table, *line;
} companions[] = {
    {"workload.transformer.pattern", "workload.transformer", "experts: 8"},
    {"workload.transformer.expert_iteration", "workload.transformer", "experts: 8"},
    {"workload.transformer.expert_iteration", "workload.transformer", "expert_draw: 1"},
    {"workload.transformer.expert_places", "workload.transformer", "experts: 8"},
    {"workload.transformer.expert_places", "workload.transformer", "expert_draw: 1"},
    {"workload.parallel.expert_tensor", "workload.transformer", "experts: 8"},
    {"workload.parallel.context_ulysses", "workload.parallel", "context: 8"},
    {"workload.parallel.context_ulysses", "workload.parallel", "context_exchange: ulysses_ring"},
    {"workload.parallel.operators", "workload", MODEL},
    {"workload.parallel.operators", "workload.parallel", "tensor: 2"},
    {"workload.training.recompute_operators", "workload", MODEL},
    {"workload.training.recompute_operators", "workload.training", "recompute: selective"},
    {"workload.training.recompute_modules", "workload.training", "recompute: selective"},
    {"workload.training.recompute_method", "workload.training", "recompute: full"},
    {"workload.training.recompute_method", "workload.training", "recompute_layers: 2"},
    {"workload.training.recompute_layers", "workload.training", "recompute: full"},
    {"workload.training.weight_type", "workload.training", "product_type: fp8"},
    {"workload.training.gather_type", "workload.training", "product_type: fp8"},
    {"workload.training.kept_type", "workload.training", "product_type: fp8"},
    {"workload.training.casts", "workload.training", "product_type: fp8"},
    {"workload.training.narrow_forms", "workload.training", "product_type: fp8"},
    {"workload.training.bf16_products", "workload.training", "product_type: fp8"},
    {"workload.training.layers_at_start_in_bf16", "workload.training", "product_type: fp8"},
    {"workload.training.layers_at_end_in_bf16", "workload.training", "product_type: fp8"},
};

static void put_companions(struct file *file, const char *path, int indent)
{
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        const struct companion *row = &companions[i];
        if (strcmp(path, row->table) == 0 && is_within(row->about, file->target->path)) {
            put(file, "%*s%s\n", indent, "", row->line);
        }
    }
}

/* Keys of latent attention, of which each needs all others. */
static void put_latent(struct file *file, const char *path, int indent)
{
    static const char *const latent[] = {"attention: latent", "kv_rank: 64", "no_position_size: 8",
                                         "rotary_size: 8", "value_size: 8"};
    const size_t keys =
        strcmp(path, "workload.transformer") == 0 ? sizeof latent / sizeof *latent : 0;
    char name[64];
    bool about = is_about(file, path, "attention") && strcmp(file->target->value, "latent") == 0;
    for (size_t i = 1; i < keys; i++) {
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(latent[i], ":"), latent[i]);
        about = about || is_about(file, path, name);
    }
    for (size_t i = 0; i < keys && about; i++) {
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(latent[i], ":"), latent[i]);
        if (!is_about(file, path, name)) {
            put(file, "%*s%s\n", indent, "", latent[i]);
        }
    }
}

static void put_table(struct file *file, const struct orr_key_table *table, const char *path,
                      int indent)
{
    put_graph(file, path, indent);
    put_companions(file, path, indent);
    put_latent(file, path, indent);
    put_design(file, path, indent);
    if (path[0] == '\0' && computes(file)) {
        put(file, "compute: {mode: replay}\n"); /* a model computes */
    }
    if (path[0] == '\0' && strstr(file->target->path, "training.offload") != NULL) {
        put(file, "memory: {pool: {ring: {stops: 1, memory_bandwidth: 1 GB/s, link_bandwidth: 1 "
                  "GB/s, fabric_bandwidth: 1 GB/s}, chunk: 1 B}}\n");
    }
    const struct orr_key *key;
    for (size_t i = 0; (key = orr_key_at(table, i)) != NULL; i++) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s%s%s", path, path[0] != '\0' ? "." : "", key->name);
        if (strcmp(name, file->target->path) == 0) {
            put_target(file, indent);
        } else if (is_above(name, file->target->path) || is_needed(file, table, path, key)) {
            put_key(file, key, name, indent);
        }
    }
}

/* ---- cases ---- */

struct visit {
    key_case_fn visit;
    void *context;
    const char *path;
    const struct orr_key_table *table;
    const struct orr_key *key;
    struct key_case *each;
};

/* "network.dims[].npus" as messages have it, with `name` for the last one. */
static void actual_path(const char *path, const char *name, char *text, size_t bytes)
{
    size_t used = 0;
    const size_t length = (size_t)(last_name(path) - path);
    for (size_t i = 0; i < length && used + 2 < bytes; i++) {
        text[used++] = path[i];
        if (path[i] == '[') {
            text[used++] = '0';
        }
    }
    (void)snprintf(text + used, bytes - used, "%s", name);
}

/* Writes the case's file, and leaves the places in it. */
static struct file begin(const struct visit *visit, enum key_case_kind kind,
                         const struct target *target)
{
    struct key_case *each = visit->each;
    *each = (struct key_case){.kind = kind, .path = visit->path, .key = visit->key};
    struct file file = {.target = target, .text = each->text, .line = 1};
    put_table(&file, &orr_wl_key_table, "", 0);
    return file;
}

/* A value that is refused: "expected WHAT, got GOT". */
static void refused(const struct visit *visit, enum key_case_kind kind, const char *value,
                    const char *expected)
{
    char path[512];
    const struct target target = {visit->path, visit->key->name, value};
    const struct file file = begin(visit, kind, &target);
    /* A mapping in the next lines would begin elsewhere; all values are of one line. */
    const unsigned column = file.column + (unsigned)strlen(visit->key->name) + 2;
    actual_path(visit->path, visit->key->name, path, sizeof path);
    (void)snprintf(visit->each->message, sizeof visit->each->message, "f.yml:%u:%u: %s: %s",
                   file.key_line, column, path, expected);
    visit->visit(visit->context, visit->each);
}

static void right(const struct visit *visit, const char *value)
{
    char path[512];
    const struct target target = {visit->path, visit->key->name, value};
    const struct file file = begin(visit, KEY_RIGHT, &target);
    actual_path(visit->path, visit->key->name, path, sizeof path);
    (void)snprintf(visit->each->explained, sizeof visit->each->explained, "%s=%s@f.yml:%u", path,
                   value, file.key_line);
    visit->visit(visit->context, visit->each);
}

static void misspelt(const struct visit *visit)
{
    char name[256], path[512];
    (void)snprintf(name, sizeof name, "%s", visit->key->name);
    const size_t middle = strlen(name) / 2;
    memmove(name + middle, name + middle + 1, strlen(name + middle));
    char value[512];
    const struct target target = {visit->path, name, right_value(visit->key, value, sizeof value)};
    const struct file file = begin(visit, KEY_MISSPELT, &target);
    actual_path(visit->path, name, path, sizeof path);
    (void)snprintf(visit->each->message, sizeof visit->each->message,
                   "f.yml:%u:%u: %s: unknown key in %s; did you mean \"%s\"?", file.key_line,
                   file.column, path, visit->table->owner, visit->key->name);
    visit->visit(visit->context, visit->each);
}

/* ---- what is expected of a type ---- */

static const char *units(enum orr_key_type type)
{
    return type == ORR_KEY_TIME    ? "ps, ns, us, ms, s, min or h"
           : type == ORR_KEY_BYTES ? "B, kB, MB, GB, TB, KiB, MiB, GiB or TiB"
           : type == ORR_KEY_BANDWIDTH
               ? "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, Mb/s, Gb/s "
                 "or Tb/s"
               : "FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s or PFLOP/s";
}

static bool is_quantity(const struct orr_key *key)
{
    return key->type >= ORR_KEY_TIME && key->type <= ORR_KEY_RATE;
}

static bool is_any(const struct orr_key *key)
{
    return key->low == 0 && key->high == 0;
}

/* Up to a dozen names are listed; of more the first stands for all where none is near. */
static void expect_names(const struct orr_key *key, char *text, size_t bytes)
{
    enum { LISTED = 14 };
    size_t used = 0, count = 0;
    while (orr_key_name_at(key, count) != NULL) {
        count++;
    }
    if (count > LISTED) {
        (void)snprintf(text, bytes, "one of %zu names such as %s", count, orr_key_name_at(key, 0));
        return;
    }
    for (size_t i = 0; orr_key_name_at(key, i) != NULL && used < bytes; i++) {
        const char *between = i == 0 ? "" : orr_key_name_at(key, i + 1) == NULL ? " or " : ", ";
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%s", between, orr_key_name_at(key, i));
    }
}

static void expect_number(const struct orr_key *key, char *text, size_t bytes)
{
    const bool whole = key->type == ORR_KEY_INTEGER;
    const char *what = whole ? "a whole number" : "a number";
    char low[64], high[64];
    (void)snprintf(low, sizeof low, whole ? "%.0f" : "%g", key->low);
    (void)snprintf(high, sizeof high, whole ? "%.0f" : "%g", key->high);
    if (is_any(key) || (whole && key->high >= 0x1p63)) {
        (void)snprintf(text, bytes, "%s >= %s", what, low);
    } else {
        (void)snprintf(text, bytes, "%s from %s to %s", what, low, high);
    }
}

/* "a time such as ...", or "" for what cannot be known from the table. */
static void expect(const struct orr_key *key, char *text, size_t bytes)
{
    static const char *const types[] = {[ORR_KEY_TEXT] = "a text",
                                        [ORR_KEY_BOOL] = "true or false",
                                        [ORR_KEY_TIME] = "a time such as \"500 ns\"",
                                        [ORR_KEY_BYTES] = "a size such as \"1 MiB\"",
                                        [ORR_KEY_BANDWIDTH] =
                                            "a positive bandwidth such as \"50 GB/s\"",
                                        [ORR_KEY_RATE] = "a positive rate such as \"312 TFLOP/s\"",
                                        [ORR_KEY_IGNORED] = ""};
    if (orr_key_name_at(key, 0) != NULL) {
        expect_names(key, text, bytes);
    } else if (key->type == ORR_KEY_INTEGER || key->type == ORR_KEY_NUMBER) {
        expect_number(key, text, bytes);
    } else if (key->type == ORR_KEY_NODE) {
        (void)snprintf(text, bytes, "%s",
                       key->each != NULL && strcmp(key->name, "set") == 0
                           ? "a mapping of paths to values or expressions"
                       : key->each != NULL && strcmp(key->name, "operators") == 0
                           ? "names or patterns of operators with a dimension, such as {\"qkv*\": "
                             "output}"
                       : key->each != NULL  ? "a mapping of group names to lists of ranks"
                       : key->table != NULL ? "a mapping of keys to values"
                                            : "");
    } else {
        (void)snprintf(text, bytes, "%s", types[key->type]);
    }
}

/* "expected WHAT, got FOUND; WHY" */
static void refuse(const struct visit *visit, enum key_case_kind kind, const char *value,
                   const char *why)
{
    char what[1024], message[2048];
    expect(visit->key, what, sizeof what);
    const char *found = value[0] == '{' ? "a mapping" : value[0] == '[' ? "a list" : NULL;
    (void)snprintf(message, sizeof message, "expected %s, got %s%s%s%s%s", what,
                   found != NULL ? "" : "\"", found != NULL ? found : value,
                   found != NULL ? "" : "\"", why[0] != '\0' ? "; " : "", why);
    refused(visit, kind, value, message);
}

/* ---- the kinds ---- */

static void wrong_types(const struct visit *visit)
{
    const struct orr_key *key = visit->key;
    char what[1024];
    expect(key, what, sizeof what);
    if (what[0] == '\0') {
        return;
    }
    if (key->list && !key->scalar_as_list) {
        const bool ranks = strcmp(key->name, "NAME") == 0; /* read by the system layer */
        char text[128], mapping[128];
        (void)snprintf(what, sizeof what, "expected a list%s%s", ranks ? " of ranks" : "",
                       key->list_text != NULL ? ", or a text such as " : "");
        const char *list_text = key->list_text != NULL ? key->list_text : "";
        (void)snprintf(text, sizeof text, "%.80s%.30s, got \"soon\"", what, list_text);
        (void)snprintf(mapping, sizeof mapping, "%.80s%.30s, got a mapping", what, list_text);
        refused(visit, KEY_WRONG_TYPE, "soon", text);
        refused(visit, KEY_WRONG_TYPE, "{a: 1}", mapping);
        return;
    }
    if (key->type != ORR_KEY_TEXT || key->names != NULL) {
        refuse(visit, KEY_WRONG_TYPE, "soon", "");
    }
    if (key->type != ORR_KEY_NODE) {
        refuse(visit, KEY_WRONG_TYPE, "{a: 1}", "");
    }
    if (!key->list) {
        refuse(visit, KEY_WRONG_TYPE, "[a, b]", "");
    }
}

static void out_of_number(const struct visit *visit)
{
    const struct orr_key *key = visit->key;
    const bool whole = key->type == ORR_KEY_INTEGER;
    char value[64];
    if (key->list) {
        return; /* the place is an entry's */
    }
    (void)snprintf(value, sizeof value, whole ? "%.0f" : "%g",
                   whole ? key->low - 1 : key->low - 0.5);
    refuse(visit, KEY_OUT_OF_RANGE, value, "");
    if (!is_any(key) && key->high < 0x1p53) {
        (void)snprintf(value, sizeof value, whole ? "%.0f" : "%g", key->high + 1);
        refuse(visit, KEY_OUT_OF_RANGE, value, "");
    }
    refuse(visit, KEY_OUT_OF_RANGE, whole ? "99999999999999999999" : "1e999", "");
    refuse(visit, KEY_OUT_OF_RANGE, "nan", "");
    refuse(visit, KEY_OUT_OF_RANGE, "inf", "");
}

static void out_of_range(const struct visit *visit)
{
    const struct orr_key *key = visit->key;
    if (key->type == ORR_KEY_INTEGER || key->type == ORR_KEY_NUMBER) {
        out_of_number(visit);
    } else if (key->type == ORR_KEY_TIME) {
        refuse(visit, KEY_OUT_OF_RANGE, "-5 ns", "it is negative");
        refuse(visit, KEY_TOO_LARGE, "1e9 h", "it is longer than 106 days");
    } else if (key->type == ORR_KEY_BYTES) {
        refuse(visit, KEY_OUT_OF_RANGE, "-1 B", "it is negative");
        refuse(visit, KEY_TOO_LARGE, "1e30 B", "it is more than 2^64 - 1 bytes");
    } else if (is_quantity(key)) {
        const char *unit = key->type == ORR_KEY_BANDWIDTH ? "GB/s" : "TFLOP/s";
        char value[64];
        (void)snprintf(value, sizeof value, "0 %s", unit);
        refuse(visit, KEY_OUT_OF_RANGE, value, "it is zero");
        (void)snprintf(value, sizeof value, "-1 %s", unit);
        refuse(visit, KEY_OUT_OF_RANGE, value, "it is negative");
    }
}

static void wrong_units(const struct visit *visit)
{
    char why[512];
    if (!is_quantity(visit->key) || visit->key->list) {
        return;
    }
    (void)snprintf(why, sizeof why, "a unit is missing: %s", units(visit->key->type));
    refuse(visit, KEY_WITHOUT_UNIT, "5", why);
    (void)snprintf(why, sizeof why, "\"parsec\" is none of the units %s", units(visit->key->type));
    refuse(visit, KEY_WRONG_UNIT, "5 parsec", why);
}

/* Values that need no file and no other key. */
static void right_values(const struct visit *visit)
{
    const struct orr_key *key = visit->key;
    const bool names_files =
        strcmp(key->name, "include") == 0 || strcmp(key->name, "traces") == 0 ||
        strcmp(key->name, "taskgraph") == 0 || strcmp(key->name, "groups_file") == 0;
    if (key->table != NULL || key->each != NULL || key->type == ORR_KEY_IGNORED || names_files ||
        (key->type == ORR_KEY_NODE && strchr(orr_key_example(key, (char[512]){0}, 512), '.'))) {
        return;
    }
    char value[512];
    right(visit, right_value(key, value, sizeof value));
    for (size_t i = 0; key->type == ORR_KEY_CHOICE && key->choices[i] != NULL; i++) {
        right(visit, key->choices[i]);
    }
}

static void visit_key(void *context, const char *path, const struct orr_key_table *table,
                      const struct orr_key *key)
{
    struct visit visit = *(const struct visit *)context;
    visit.path = path;
    visit.table = table;
    visit.key = key;
    const bool any_name =
        strcmp(last_name(path), "NAME") == 0 || strcmp(last_name(path), "PATH") == 0;
    right_values(&visit);
    if (strcmp(path, "include") != 0 && strcmp(path, "workload.traces") != 0 &&
        strcmp(path, "workload.taskgraph") != 0) {
        out_of_range(&visit);
    }
    wrong_types(&visit);
    wrong_units(&visit);
    if (!any_name) {
        misspelt(&visit);
    }
}

void key_cases(key_case_fn visit, void *context)
{
    struct key_case each;
    struct visit all = {.visit = visit, .context = context, .each = &each};
    orr_keys_visit(&orr_wl_key_table, visit_key, &all);
}
