/* Compares two traces; see trace_compare.h. */
#include "workload/trace/trace_compare.h"

#include "core/diag.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_query.h"

#include <string.h>

/* ---- one node ---- */

static unsigned bit_if(bool differs, enum orr_trace_difference difference)
{
    return differs ? 1u << difference : 0;
}

static const char *group_of(const struct orr_node_spec *spec)
{
    return spec->group != NULL ? spec->group : "";
}

static unsigned differences(const struct orr_trace *const trace[2], uint32_t in_a, uint32_t in_b)
{
    const struct orr_node_spec a = orr_trace_spec(trace[0], in_a);
    struct orr_node_spec b = orr_trace_spec(trace[1], in_b);
    const unsigned found =
        bit_if(a.duration_ps != b.duration_ps, ORR_DIFFERS_DURATION) |
        bit_if(a.num_ops != b.num_ops, ORR_DIFFERS_OPERATIONS) |
        bit_if(a.comm_bytes != b.comm_bytes || a.tensor_bytes != b.tensor_bytes,
               ORR_DIFFERS_BYTES) |
        bit_if(a.src != b.src || a.dst != b.dst || a.tag != b.tag, ORR_DIFFERS_PEER) |
        bit_if(strcmp(group_of(&a), group_of(&b)) != 0, ORR_DIFFERS_GROUP);
    b.duration_ps = a.duration_ps;
    b.num_ops = a.num_ops;
    b.comm_bytes = a.comm_bytes;
    b.tensor_bytes = a.tensor_bytes;
    b.src = a.src;
    b.dst = a.dst;
    b.tag = a.tag;
    b.group = a.group;
    return found | bit_if(!orr_specs_equal(&a, &b), ORR_DIFFERS_OTHER);
}

/* ---- dependencies ---- */

static const uint32_t *match_of(const struct orr_trace_comparison *comparison, unsigned side)
{
    return side == 0 ? comparison->match.b_of_a : comparison->match.a_of_b;
}

/* Whether the matched node waits for the same parent, and for the same prefix. */
static bool same_parent(const struct orr_parents *own, uint32_t p, const struct orr_parents *other,
                        uint32_t node, uint32_t parent)
{
    const uint32_t at = orr_parents_find(other, node, parent);
    return at != UINT32_MAX && orr_prefix_at(own, p) == orr_prefix_at(other, at);
}

uint32_t orr_trace_lost_parents(const struct orr_trace_comparison *comparison, unsigned side,
                                uint32_t node, uint32_t *lost, uint32_t max)
{
    const struct orr_parents *own = &comparison->parents[side];
    const struct orr_parents *other = &comparison->parents[1 - side];
    const uint32_t *match = match_of(comparison, side);
    uint32_t count = 0;
    for (uint32_t p = own->first[node]; p < own->first[node + 1]; p++) {
        const uint32_t parent = match[own->parent[p]];
        if (parent != ORR_NO_MATCH && !same_parent(own, p, other, match[node], parent)) {
            if (count < max) {
                lost[count] = own->parent[p];
            }
            count++;
        }
    }
    return count;
}

/* ---- all nodes ---- */

static void count_pair(const struct orr_trace *const trace[2], struct orr_trace_comparison *out,
                       struct orr_trace_change *change)
{
    change->differs = differences(trace, change->a, change->b);
    const uint32_t lost = orr_trace_lost_parents(out, 0, change->a, NULL, 0);
    const uint32_t gained = orr_trace_lost_parents(out, 1, change->b, NULL, 0);
    out->edges_only[0] += lost;
    out->edges_only[1] += gained;
    if (lost + gained != 0) {
        change->differs |= 1u << ORR_DIFFERS_DEPENDENCIES;
    }
    for (unsigned i = 0; i < ORR_DIFFERENCES; i++) {
        out->differ[i] += change->differs >> i & 1;
    }
}

static void list_changes(const struct orr_trace *const trace[2], struct orr_trace_comparison *out,
                         struct orr_trace_change *change)
{
    for (uint32_t i = 0; i < trace[0]->nodes; i++) {
        if (out->match.b_of_a[i] == ORR_NO_MATCH) {
            change[out->changes++] = (struct orr_trace_change){.a = i, .b = ORR_NO_MATCH};
        }
    }
    out->only[0] = out->changes;
    for (uint32_t i = 0; i < trace[1]->nodes; i++) {
        if (out->match.a_of_b[i] == ORR_NO_MATCH) {
            change[out->changes++] = (struct orr_trace_change){.a = ORR_NO_MATCH, .b = i};
        }
    }
    out->only[1] = out->changes - out->only[0];
    out->matched = trace[0]->nodes - out->only[0];
    for (uint32_t i = 0; i < trace[0]->nodes; i++) {
        struct orr_trace_change pair = {.a = i, .b = out->match.b_of_a[i]};
        if (pair.b != ORR_NO_MATCH) {
            count_pair(trace, out, &pair);
            change[out->changes] = pair;
            out->changes += pair.differs != 0 ? 1 : 0;
        }
    }
}

static enum orr_status total(struct orr_arena *arena, const struct orr_trace *trace, unsigned side,
                             struct orr_trace_comparison *out, struct orr_diag *diag)
{
    struct orr_trace_stats stats;
    enum orr_status status = orr_parents_build(arena, trace, &out->parents[side], diag);
    if (status == ORR_OK) {
        status = orr_trace_stats(arena, trace, &stats, diag);
    }
    if (status == ORR_OK) {
        memcpy(out->kind[side], stats.kind, sizeof stats.kind);
        out->sum[side] = stats.sum;
    }
    return status;
}

enum orr_status orr_trace_compare(struct orr_arena *arena, const struct orr_trace *const trace[2],
                                  struct orr_trace_comparison *out, struct orr_diag *diag)
{
    *out = (struct orr_trace_comparison){.changes = 0};
    enum orr_status status = orr_trace_match(arena, trace[0], trace[1], &out->match, diag);
    for (unsigned side = 0; side < 2 && status == ORR_OK; side++) {
        status = total(arena, trace[side], side, out, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const size_t max = (size_t)trace[0]->nodes + trace[1]->nodes + 1;
    struct orr_trace_change *change = orr_arena_array(arena, max, sizeof *change);
    if (change == NULL) {
        return orr_diag_no_memory(diag, "the comparison of traces");
    }
    list_changes(trace, out, change);
    out->change = change;
    return ORR_OK;
}
