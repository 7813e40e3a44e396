/* Parses embedding options and makes the trees and rings; see embedding_report.h. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/divide.h"
#include "core/units.h"
#include "network/graph.h"
#include "report/topology/embedding_report.h"
#include "system/collectives/program.h"

/* The parsed options. */
struct request {
    struct sys_embed embed;
    struct sys_tree_search search;
    const uint32_t *parent; /* [trees * n] of the user; NULL: search for trees */
    uint32_t trees;
    struct orr_arena *arena;
    struct orr_diag *diag;
};

/* ---- parsing ---- */

static bool is_end(const char *at)
{
    return *at == '\0' || *at == ';';
}

/* The next number, or "-" if `can_be_none`. False: neither. */
static bool parse_number(const char **at, bool can_be_none, uint32_t *out)
{
    char text[16];
    int64_t value = 0;
    const size_t length = strcspn(*at, " ,;");
    if (length == 0 || length >= sizeof text) {
        return false;
    }
    memcpy(text, *at, length);
    text[length] = '\0';
    *at += length;
    *out = SYS_NO_PARENT;
    if (can_be_none && strcmp(text, "-") == 0) {
        return true;
    }
    if (!orr_parse_integer(text, &value) || value < 0 || value > NET_MAX_NODES) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

/* Parses numbers up to a semicolon or the end; < 0: one of them is invalid. */
static int64_t parse_numbers(const char **text, bool can_be_none, uint32_t *out, size_t capacity)
{
    size_t count = 0;
    for (*text += strspn(*text, " ,"); !is_end(*text); *text += strspn(*text, " ,")) {
        uint32_t value = 0;
        if (!parse_number(text, can_be_none, &value)) {
            return -1;
        }
        if (count < capacity) {
            out[count] = value;
        }
        count++;
    }
    return (int64_t)count;
}

static enum orr_status parse_ranks(struct request *request, const char *text)
{
    struct sys_embed *embed = &request->embed;
    embed->n = embed->graph->npus;
    if (text == NULL) {
        return ORR_OK;
    }
    uint32_t *npu = orr_arena_array(request->arena, embed->n, sizeof *npu);
    if (npu == NULL) {
        return orr_diag_no_memory(request->diag, "ranks");
    }
    const char *at = text;
    const int64_t count = parse_numbers(&at, false, npu, embed->n);
    bool wrong = count < 1 || count > embed->n || *at != '\0';
    for (int64_t i = 0; i < count && !wrong; i++) {
        wrong = npu[i] >= embed->graph->npus;
        for (int64_t j = 0; j < i; j++) {
            wrong = wrong || npu[j] == npu[i];
        }
    }
    embed->npu = npu;
    embed->n = (uint32_t)(count < 1 ? 1 : count);
    return !wrong ? ORR_OK
                  : orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                                  "ranks: expected different ones from 0 to %" PRIu32
                                  " such as \"0,1,2\", got \"%s\"",
                                  embed->graph->npus - 1, text);
}

/* ---- trees ---- */

static enum orr_status fail_parents(struct request *request, int64_t count, uint32_t tree)
{
    if (count < 0) {
        return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                             "trees[%" PRIu32 "]: expected the parents of %" PRIu32
                             " ranks such as \"- 0 0\", with - for the root",
                             tree, request->embed.n);
    }
    return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                         "trees[%" PRIu32 "]: expected the parents of %" PRIu32
                         " ranks, got %" PRId64,
                         tree, request->embed.n, count);
}

static enum orr_status parse_parents(struct request *request, const char *text)
{
    const uint32_t n = request->embed.n;
    uint32_t *parent = orr_arena_array(request->arena, (size_t)n * SYS_MAX_TREES, sizeof *parent);
    if (parent == NULL) {
        return orr_diag_no_memory(request->diag, "trees");
    }
    request->parent = parent;
    for (const char *at = text; request->trees == 0 || *at == ';';) {
        at += request->trees > 0 ? 1 : 0;
        if (request->trees == SYS_MAX_TREES) {
            return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL, "trees: expected %d at most",
                                 SYS_MAX_TREES);
        }
        const int64_t count = parse_numbers(&at, true, parent + (size_t)request->trees * n, n);
        if (count != n) {
            return fail_parents(request, count, request->trees);
        }
        request->trees++;
    }
    return ORR_OK;
}

/* The parent of a rank, to which it sends its sum, in one of the two trees of
 * double_binary_tree. */
static uint32_t dbt_parent(uint32_t n, uint32_t tree, uint32_t rank)
{
    const struct coll_algorithm *trees = orr_coll_for(COLL_FOR_TURNS);
    const struct coll_args args = {
        .kind = COLL_ALL_REDUCE, .n = n, .rank = rank, .variant = tree, .bytes = 1};
    for (uint32_t k = 0; k < trees->sends(&args); k++) {
        struct coll_send send;
        trees->send(&args, k, &send);
        if (send.up) {
            return send.peer;
        }
    }
    return SYS_NO_PARENT;
}

/* The two trees of the algorithm double_binary_tree with rank (jump x v mod n) in the position of v
 * (TopoOpt, appendix A). */
static enum orr_status parse_jump(struct request *request, const char *text)
{
    const uint32_t n = request->embed.n;
    uint32_t *parent = orr_arena_array(request->arena, (size_t)n * 2, sizeof *parent);
    int64_t jump = 0;
    if (parent == NULL) {
        return orr_diag_no_memory(request->diag, "trees");
    }
    if (!orr_parse_integer(text, &jump) || jump < 1 || jump > NET_MAX_NODES ||
        orr_gcd((uint32_t)jump, n) != 1) {
        return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                             "trees: jump=P: expected a whole number without a common divisor with "
                             "%" PRIu32 " ranks, got \"%s\"",
                             n, text);
    }
    for (uint32_t i = 0; i < 2 * n; i++) {
        const uint32_t up = dbt_parent(n, i / n, i % n);
        const uint64_t rank = (uint64_t)jump * (i % n) % n;
        parent[i / n * n + rank] = up == SYS_NO_PARENT ? up : (uint32_t)((uint64_t)jump * up % n);
    }
    request->parent = parent;
    request->trees = 2;
    return ORR_OK;
}

static enum orr_status parse_trees(struct request *request, const char *text)
{
    static const char jump[] = "jump=";
    int64_t count = 2;
    if (text != NULL && strncmp(text, jump, sizeof jump - 1) == 0) {
        return parse_jump(request, text + sizeof jump - 1);
    }
    if (text != NULL && !orr_parse_integer(text, &count)) {
        return parse_parents(request, text);
    }
    request->search.trees = count < 0 || count > SYS_MAX_TREES ? 0 : (uint32_t)count;
    return request->search.trees > 0
               ? ORR_OK
               : orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                               "trees: expected a number from 1 to %d, or lists of parents such as "
                               "\"- 0 0; 1 - 1\", got \"%s\"",
                               SYS_MAX_TREES, text);
}

static enum orr_status parse_shape(struct request *request, const char *text)
{
    /* "usual" is the deprecated name of a double binary tree's. */
    static const struct {
        const char *name;
        enum sys_shape shape;
    } shapes[] = {{"any", SYS_SHAPE_ANY},
                  {"double-binary", SYS_SHAPE_DOUBLE_BINARY},
                  {"usual", SYS_SHAPE_DOUBLE_BINARY},
                  {"free", SYS_SHAPE_FREE}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (text == NULL || strcmp(text, shapes[i].name) == 0) {
            request->search.shape = shapes[i].shape;
            return ORR_OK;
        }
    }
    return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                         "shape: expected any, double-binary or free, got \"%s\"", text);
}

/* ---- detours ---- */

static enum orr_status parse_detours(struct request *request, const char *text)
{
    int64_t max = 1;
    if (text != NULL && strcmp(text, "off") == 0) {
        request->embed.detours = SYS_DETOURS_OFF;
    } else if (text != NULL && strcmp(text, "on") != 0 &&
               (!orr_parse_integer(text, &max) || max < 1 || max > 16)) {
        return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                             "detours: expected on, off, or how many NPUs they go over at most (1 "
                             "to 16), got \"%s\"",
                             text);
    }
    request->embed.max_between = (uint32_t)max;
    return ORR_OK;
}

/* Parses "2-0-4". */
static bool parse_detour(struct request *request, const char *text, struct sys_detour *out)
{
    char *copy = orr_arena_strdup(request->arena, text);
    const size_t capacity = strlen(text) / 2 + 1;
    uint32_t *stop = orr_arena_array(request->arena, capacity, sizeof *stop);
    if (copy == NULL || stop == NULL) {
        return false;
    }
    for (char *c = copy; *c != '\0'; c++) {
        *c = *c == '-' ? ' ' : *c == ' ' || *c == ',' || *c == ';' ? '-' : *c;
    }
    const char *at = copy;
    const int64_t count = parse_numbers(&at, false, stop, capacity);
    if (count < 3 || *at != '\0') {
        return false;
    }
    *out = (struct sys_detour){
        .from = stop[0], .to = stop[count - 1], .count = (uint32_t)count - 2, .over = stop + 1};
    return true;
}

static enum orr_status parse_user_detours(struct request *request, const char *const *text,
                                          size_t count)
{
    struct sys_detour *given = orr_arena_array(request->arena, count + 1, sizeof *given);
    if (given == NULL) {
        return orr_diag_no_memory(request->diag, "detours");
    }
    for (size_t i = 0; i < count; i++) {
        if (!parse_detour(request, text[i], &given[i])) {
            return orr_diag_fail(request->diag, ORR_ERR_INPUT, NULL,
                                 "detour: expected FROM-OVER-TO such as \"2-0-4\", got \"%s\"",
                                 text[i]);
        }
    }
    request->embed.given = given;
    request->embed.givens = (uint32_t)count;
    return ORR_OK;
}

/* ---- the request ---- */

static enum orr_status embed_user_trees(struct request *request, struct sys_trees *out)
{
    struct sys_tree tree[SYS_MAX_TREES];
    enum orr_status status = ORR_OK;
    for (uint32_t t = 0; t < request->trees && status == ORR_OK; t++) {
        char what[32];
        (void)snprintf(what, sizeof what, "trees[%" PRIu32 "]", t);
        status =
            orr_sys_tree_make(&tree[t], request->embed.n,
                              request->parent + (size_t)t * request->embed.n, what, request->diag);
    }
    return status == ORR_OK ? orr_sys_embed(&request->embed, tree, request->trees, request->arena,
                                            out, request->diag)
                            : status;
}

static enum orr_status find(struct request *request, struct orr_embedding *out)
{
    if (out->is_rings) {
        return orr_sys_find_rings(&request->embed, request->search.seed, request->arena,
                                  &out->rings, request->diag);
    }
    return request->parent != NULL
               ? embed_user_trees(request, &out->trees)
               : orr_sys_search_trees(&request->embed, &request->search, request->arena,
                                      &out->trees, request->diag);
}

enum orr_status orr_embedding_make(const struct orr_graph_view *view,
                                   const struct orr_embedding_options *options,
                                   struct orr_embedding *out, struct orr_diag *diag)
{
    struct request request = {.arena = view->arena, .diag = diag};
    request.embed = (struct sys_embed){
        .graph = &view->graph, .around = options->around, .strict = options->strict};
    request.search.seed = options->seed;
    enum orr_status status = parse_ranks(&request, options->ranks);
    status = status == ORR_OK ? parse_trees(&request, options->trees) : status;
    status = status == ORR_OK ? parse_shape(&request, options->shape) : status;
    status = status == ORR_OK ? parse_detours(&request, options->detours) : status;
    status =
        status == ORR_OK ? parse_user_detours(&request, options->detour, options->given) : status;
    *out = (struct orr_embedding){.view = view, .is_rings = options->rings, .n = request.embed.n};
    return status == ORR_OK ? find(&request, out) : status;
}

enum orr_status orr_embedding_write(FILE *out, const struct orr_embedding *embedding,
                                    const char *format, struct orr_diag *diag)
{
    const bool text = strcmp(format, "text") == 0, json = strcmp(format, "json") == 0;
    if (!text && !json) {
        return orr_embedding_draw(out, embedding, format, diag);
    }
    return (text ? orr_embedding_text(out, embedding) : orr_embedding_json(out, embedding))
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "trees and rings cannot be written");
}
