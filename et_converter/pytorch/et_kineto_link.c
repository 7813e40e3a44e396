/* Linking of execution trace and Kineto profile; see et_kineto_link.h. */
#include "et_converter/pytorch/et_kineto_link.h"

#include "core/strings.h"
#include "et_converter/pytorch/pytorch_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOK_AHEAD = 64 };

/* The operators of a thread in order, of the trace or of the profile. */
struct sequence {
    const uint32_t *index; /* [count] into nodes or ops */
    uint32_t count;
};

struct linker {
    const struct pt_trace *trace;
    struct kt_trace *kineto;
    struct pt_link *link;
    struct sequence et, kt; /* being aligned */
    bool by_sequence;       /* sequence numbers of both belong to the same iterations */
    uint32_t *anchor;       /* [et.count]: position in kt, or PT_NONE */
};

/* ---- by record-function id ---- */

static int compare_u64_pairs(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void set_match(struct linker *linker, uint32_t node, uint32_t op)
{
    linker->link->op[node] = op;
    linker->kineto->op[op].node = node;
    linker->link->matched++;
}

/* Pairs of (record-function id, op), sorted; *count: their number. NULL if out of memory. */
static uint64_t (*ids_of_ops(const struct linker *linker, uint32_t *count))[2]
{
    const struct kt_trace *kineto = linker->kineto;
    uint64_t(*pair)[2] = orr_arena_array(kineto->arena, kineto->ops, sizeof *pair);
    *count = 0;
    for (uint32_t i = 0; pair != NULL && i < kineto->ops; i++) {
        if (kineto->op[i].rf_id != 0) {
            pair[*count][0] = kineto->op[i].rf_id;
            pair[(*count)++][1] = i;
        }
    }
    if (pair != NULL && *count > 1) {
        qsort(pair, *count, sizeof *pair, compare_u64_pairs);
    }
    return pair;
}

static bool link_by_id(struct linker *linker)
{
    uint32_t count;
    uint64_t(*pair)[2] = ids_of_ops(linker, &count);
    linker->link->by_id = count > linker->kineto->ops / 2;
    for (uint32_t n = 0; linker->link->by_id && n < linker->trace->nodes; n++) {
        const struct pt_node *node = &linker->trace->node[n];
        const uint64_t key[2] = {node->rf_id, 0};
        const uint64_t(*found)[2] = node->rf_id != 0 && !node->is_label
                                        ? bsearch(key, pair, count, sizeof *pair, compare_u64_pairs)
                                        : NULL;
        if (found == NULL || linker->kineto->op[(*found)[1]].node != PT_NONE) {
            continue;
        }
        const uint32_t op = (uint32_t)(*found)[1];
        if (linker->kineto->op[op].name != node->name) {
            linker->link->renamed++;
        }
        set_match(linker, n, op);
    }
    return pair != NULL;
}

/* ---- by order ---- */

static const struct pt_node *node_at(const struct linker *linker, uint32_t position)
{
    return &linker->trace->node[linker->et.index[position]];
}

static const struct kt_op *op_at(const struct linker *linker, uint32_t position)
{
    return &linker->kineto->op[linker->kt.index[position]];
}

static bool can_match(const struct linker *linker, uint32_t a, uint32_t b)
{
    const struct pt_node *node = node_at(linker, a);
    const struct kt_op *op = op_at(linker, b);
    return node->name == op->name && (!linker->by_sequence || node->sequence < 0 ||
                                      op->sequence < 0 || node->sequence == op->sequence);
}

static void match(struct linker *linker, uint32_t a, uint32_t b)
{
    set_match(linker, linker->et.index[a], linker->kt.index[b]);
}

/* Matches the operators in [a, a_end) x [b, b_end) in order, with insertions of at most
 * LOOK_AHEAD. */
static void match_forwards(struct linker *linker, uint32_t a, uint32_t a_end, uint32_t b,
                           uint32_t b_end)
{
    while (a < a_end && b < b_end) {
        uint32_t skip = 0;
        bool skip_et = false, found = can_match(linker, a, b);
        for (uint32_t k = 1; !found && k <= LOOK_AHEAD; k++) {
            const bool in_kt = b + k < b_end && can_match(linker, a, b + k);
            const bool in_et = !in_kt && a + k < a_end && can_match(linker, a + k, b);
            found = in_kt || in_et;
            skip_et = in_et;
            skip = k;
        }
        if (!found) {
            a++;
            b++;
            continue;
        }
        a += skip_et ? skip : 0;
        b += skip_et ? 0 : skip;
        match(linker, a++, b++);
    }
}

/* Matches the operators between two anchors, behind the last, or before the first. */
static void match_between(struct linker *linker, uint32_t a, uint32_t a_end, uint32_t b,
                          uint32_t b_end)
{
    while (a < a_end && b < b_end && can_match(linker, a_end - 1, b_end - 1)) {
        match(linker, --a_end, --b_end);
    }
    match_forwards(linker, a, a_end, b, b_end);
}

struct key {
    uint64_t hash;
    uint32_t position;
    bool is_kt;
};

static uint64_t key_of(uint32_t name, int64_t sequence)
{
    uint64_t hash = ((uint64_t)name << 32) ^ (uint64_t)sequence * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
    hash *= UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->hash != y->hash) {
        return x->hash > y->hash ? 1 : -1;
    }
    return x->is_kt != y->is_kt ? x->is_kt - y->is_kt : (x->position > y->position) * 2 - 1;
}

/* Finds the anchors: keys that occur once on both sides. A key is a name, or name and sequence
 * number, which distinguishes iterations. */
static bool find_anchors(struct linker *linker)
{
    const bool with_sequence = linker->by_sequence;
    const size_t max = (size_t)linker->et.count + linker->kt.count;
    struct key *key = orr_heap_calloc(max + 1, sizeof *key);
    size_t count = 0;
    for (uint32_t a = 0; key != NULL && a < linker->et.count; a++) {
        const struct pt_node *node = node_at(linker, a);
        linker->anchor[a] = PT_NONE;
        if (!with_sequence || node->sequence >= 0) {
            key[count++] =
                (struct key){key_of(node->name, with_sequence ? node->sequence : -1), a, false};
        }
    }
    for (uint32_t b = 0; key != NULL && b < linker->kt.count; b++) {
        const struct kt_op *op = op_at(linker, b);
        if (!with_sequence || op->sequence >= 0) {
            key[count++] =
                (struct key){key_of(op->name, with_sequence ? op->sequence : -1), b, true};
        }
    }
    if (key == NULL) {
        return false;
    }
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 0; i + 1 < count; i++) {
        const bool lone = (i == 0 || key[i - 1].hash != key[i].hash) &&
                          key[i + 1].hash == key[i].hash &&
                          (i + 2 == count || key[i + 2].hash != key[i].hash);
        if (lone && !key[i].is_kt && key[i + 1].is_kt) {
            linker->anchor[key[i].position] = key[i + 1].position;
        }
    }
    orr_heap_free(key);
    return true;
}

/* Keeps a longest increasing subsequence of the anchors (patience sorting). */
static bool keep_ascending(struct linker *linker)
{
    const uint32_t count = linker->et.count;
    uint32_t *end = orr_heap_calloc((size_t)count + 1, sizeof *end);
    uint32_t *before = orr_heap_calloc((size_t)count + 1, sizeof *before), piles = 0;
    for (uint32_t a = 0; end != NULL && before != NULL && a < count; a++) {
        if (linker->anchor[a] == PT_NONE) {
            continue;
        }
        uint32_t low = 0, high = piles;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            const bool smaller = linker->anchor[end[middle]] < linker->anchor[a];
            low = smaller ? middle + 1 : low;
            high = smaller ? high : middle;
        }
        before[a] = low > 0 ? end[low - 1] : PT_NONE;
        end[low] = a;
        piles += low == piles;
    }
    const bool done = end != NULL && before != NULL;
    uint32_t kept = done && piles > 0 ? end[piles - 1] : PT_NONE;
    for (uint32_t a = count; done && a-- > 0;) {
        if (a == kept) {
            kept = before[a];
        } else {
            linker->anchor[a] = PT_NONE;
        }
    }
    orr_heap_free(end);
    orr_heap_free(before);
    return done;
}

/* Chooses anchors by name and sequence number. If fewer than a quarter of the numbered operators
 * become anchors, trace and profile are of different iterations of a run, and anchors are chosen by
 * name only. */
static bool choose_anchors(struct linker *linker)
{
    linker->by_sequence = true;
    bool done = find_anchors(linker) && keep_ascending(linker);
    uint32_t anchors = 0, numbered = 0;
    for (uint32_t a = 0; done && a < linker->et.count; a++) {
        anchors += linker->anchor[a] != PT_NONE;
        numbered += node_at(linker, a)->sequence >= 0;
    }
    if (done && (anchors == 0 || anchors < numbered / 4)) {
        linker->by_sequence = false;
        done = find_anchors(linker) && keep_ascending(linker);
    }
    return done;
}

/* Aligns linker->et with linker->kt. */
static bool align(struct linker *linker)
{
    bool done = choose_anchors(linker);
    uint32_t from_a = 0, from_b = 0;
    bool behind = false;
    for (uint32_t a = 0; done && a < linker->et.count; a++) {
        const uint32_t b = linker->anchor[a];
        if (b != PT_NONE) {
            match_between(linker, from_a, a, from_b, b);
            match(linker, a, b);
            from_a = a + 1;
            from_b = b + 1;
            behind = true;
        }
    }
    if (done && behind) {
        match_forwards(linker, from_a, linker->et.count, from_b, linker->kt.count);
    } else if (done) {
        match_between(linker, 0, linker->et.count, 0, linker->kt.count);
    }
    return done;
}

/* ---- threads ---- */

/* Upper bound on the operators that both have, by name. `count` is scratch, zero before and
 * after. */
static uint32_t count_common(const struct linker *linker, const struct sequence *et,
                             const struct sequence *kt, uint32_t *count)
{
    uint32_t common = 0;
    for (uint32_t b = 0; b < kt->count; b++) {
        count[linker->kineto->op[kt->index[b]].name]++;
    }
    for (uint32_t a = 0; a < et->count; a++) {
        uint32_t *left = &count[linker->trace->node[et->index[a]].name];
        common += *left > 0;
        *left -= *left > 0;
    }
    for (uint32_t b = 0; b < kt->count; b++) {
        count[linker->kineto->op[kt->index[b]].name] = 0;
    }
    return common;
}

struct threads {
    struct sequence *sequence;
    uint32_t *index;
    uint32_t count;
};

/* Splits the items 0..items-1 into sequences by thread, in ascending order; tid[i] = PT_NONE:
 * omitted. */
static bool split(struct orr_arena *arena, const uint32_t *tid, uint32_t items, uint32_t max,
                  struct threads *out)
{
    uint32_t *first = orr_arena_array(arena, (size_t)max + 2, sizeof *first);
    out->index = orr_arena_array(arena, (size_t)items + 1, sizeof *out->index);
    out->sequence = orr_arena_array(arena, (size_t)max + 1, sizeof *out->sequence);
    out->count = max;
    if (first == NULL || out->index == NULL || out->sequence == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < items; i++) {
        first[tid[i] != PT_NONE ? tid[i] + 1 : 0]++;
    }
    first[0] = 0;
    for (uint32_t t = 0; t < max; t++) {
        out->sequence[t].index = out->index + first[t];
        first[t + 1] += first[t];
    }
    for (uint32_t i = 0; i < items; i++) {
        if (tid[i] != PT_NONE) {
            struct sequence *sequence = &out->sequence[tid[i]];
            out->index[(size_t)(sequence->index - out->index) + sequence->count++] = i;
        }
    }
    return true;
}

/* Splits the trace by thread; makes the numbers of its threads dense. */
static bool split_trace(const struct linker *linker, struct threads *out)
{
    const struct pt_trace *trace = linker->trace;
    uint32_t *tid = orr_arena_array(trace->arena, trace->nodes, sizeof *tid), threads = 0;
    uint32_t *known_tid = orr_arena_array(trace->arena, trace->nodes, sizeof *known_tid);
    for (uint32_t i = 0; tid != NULL && known_tid != NULL && i < trace->nodes; i++) {
        uint32_t t = 0;
        while (t < threads && known_tid[t] != trace->node[i].tid) {
            t++;
        }
        if (t == threads) {
            known_tid[threads++] = trace->node[i].tid;
        }
        tid[i] = trace->node[i].is_label ? PT_NONE : t;
    }
    return tid != NULL && known_tid != NULL && split(trace->arena, tid, trace->nodes, threads, out);
}

static bool split_kineto(const struct linker *linker, struct threads *out)
{
    const struct kt_trace *kineto = linker->kineto;
    uint32_t *tid = orr_arena_array(kineto->arena, kineto->ops, sizeof *tid);
    for (uint32_t i = 0; tid != NULL && i < kineto->ops; i++) {
        tid[i] = kineto->op[i].thread;
    }
    return tid != NULL && split(kineto->arena, tid, kineto->ops, kineto->threads, out);
}

/* Repeatedly links the pair of threads with the largest number of common operators. */
static bool link_threads(struct linker *linker, struct threads *et, struct threads *kt)
{
    struct orr_arena *arena = linker->trace->arena;
    uint32_t *count =
        orr_arena_array(arena, (size_t)linker->trace->strings->count + 1, sizeof *count);
    uint32_t *common = orr_arena_array(arena, (size_t)et->count * kt->count, sizeof *common);
    for (uint32_t i = 0; count != NULL && common != NULL && i < et->count * kt->count; i++) {
        common[i] =
            count_common(linker, &et->sequence[i / kt->count], &kt->sequence[i % kt->count], count);
    }
    bool done = count != NULL && common != NULL;
    while (done) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < et->count * kt->count; i++) {
            best = common[i] > common[best] ? i : best;
        }
        if (et->count * kt->count == 0 || common[best] == 0) {
            break;
        }
        const uint32_t e = best / kt->count, k = best % kt->count;
        linker->et = et->sequence[e];
        linker->kt = kt->sequence[k];
        done = align(linker);
        for (uint32_t i = 0; i < et->count * kt->count; i++) {
            common[i] = i / kt->count == e || i % kt->count == k ? 0 : common[i];
        }
    }
    return done;
}

static bool link_by_order(struct linker *linker)
{
    struct threads et, kt;
    linker->anchor = orr_arena_array(linker->trace->arena, (size_t)linker->trace->nodes + 1,
                                     sizeof *linker->anchor);
    return linker->anchor != NULL && split_trace(linker, &et) && split_kineto(linker, &kt) &&
           link_threads(linker, &et, &kt);
}

/* ---- the runs ---- */

/* Days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400;
    const int64_t of_era = y - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Days between the starts of trace and profile, up to time zones; 0: unknown. */
static int64_t days_apart(const struct pt_trace *trace, const struct kt_trace *kineto)
{
    int year, month, day;
    const int64_t started = orr_kineto_absolute_ns(kineto->origin_ns, kineto->base_ns) / 1000000000;
    if (sscanf(trace->time, "%d-%d-%d", &year, &month, &day) != 3 || started < 1000000000) {
        return 0;
    }
    const int64_t apart = days_since_1970(year, month, day) - started / 86400;
    return apart < 0 ? -apart : apart;
}

static enum orr_status check_runs(const struct linker *linker, struct orr_diag *diag)
{
    const struct pt_trace *trace = linker->trace;
    const struct kt_trace *kineto = linker->kineto;
    const struct orr_location place = orr_location_file(kineto->path);
    if (trace->pid >= 0 && kineto->pid >= 0 && trace->pid != kineto->pid) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "the profile is of another run: of process %" PRId64
                             ", but the execution trace %s is of process %" PRId64,
                             kineto->pid, trace->path, trace->pid);
    }
    if (days_apart(trace, kineto) > 1) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "the profile is of another run: it begins %" PRId64
                             " days from the execution trace %s, of %s",
                             days_apart(trace, kineto), trace->path, trace->time);
    }
    const uint32_t fewer = trace->operators < kineto->ops ? trace->operators : kineto->ops;
    if (linker->link->matched < fewer / 2 || linker->link->renamed > linker->link->matched / 2) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "the profile is of another run: it has %u of the %u operators of the "
                             "execution trace %s",
                             linker->link->matched - linker->link->renamed, trace->operators,
                             trace->path);
    }
    return ORR_OK;
}

enum orr_status orr_pytorch_link(const struct pt_trace *trace, struct kt_trace *kineto,
                                 struct pt_link *out, struct orr_diag *diag)
{
    *out = (struct pt_link){
        .op = orr_arena_array(trace->arena, (size_t)trace->nodes + 1, sizeof *out->op)};
    struct linker linker = {.trace = trace, .kineto = kineto, .link = out};
    for (uint32_t i = 0; out->op != NULL && i < trace->nodes; i++) {
        out->op[i] = PT_NONE;
    }
    if (out->op == NULL || !link_by_id(&linker) || (!out->by_id && !link_by_order(&linker))) {
        return orr_diag_no_memory(diag, "linking a profile");
    }
    return check_runs(&linker, diag);
}
