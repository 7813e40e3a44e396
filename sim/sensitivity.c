/* Sensitivities of a job's time; see sensitivity.h. */
#include "sim/sensitivity.h"

#include <stdio.h>
#include <string.h>

#include "sim/api_call.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"
#include "workload/roofline/efficiency_key.h"
#include "workload/roofline/fitted.h"
#include "workload/trace/trace.h"

enum { KEY_BYTES = 64 };

struct orr_sensitivities {
    const sim_time *part; /* by core/cause.h, computing broken down */
    sim_time wall_ps;
};

/* ---- results of the run ---- */

enum orr_status orr_sensitivities_keep(struct orrery *job, struct orr_arena *arena)
{
    const unsigned parts = ORR_PART_OF_KIND(job->network.dims, ORR_OP_KINDS, 0);
    struct wl_path path;
    if (!orr_records_sensitivities(job)) {
        return ORR_OK;
    }
    struct orr_sensitivities *slopes = orr_arena_alloc(arena, sizeof *slopes);
    sim_time *part = orr_arena_array(arena, parts, sizeof *part);
    if (slopes == NULL || part == NULL || !orr_engine_path(job->layers.engine, &path)) {
        return orr_diag_no_memory(&job->diag, "the critical path");
    }
    sim_time sum = 0;
    for (unsigned p = 0; p < parts; p++) {
        part[p] = orr_cause_part(path.causes, path.end, p);
        sum += part[p];
    }
    ORR_ASSERT(sum == orr_engine_wall(job->layers.engine));
    *slopes =
        (struct orr_sensitivities){.part = part, .wall_ps = orr_engine_wall(job->layers.engine)};
    job->found.slopes = slopes;
    return ORR_OK;
}

static sim_time part_of_kind(const struct orrery *job, unsigned kind, unsigned bound)
{
    return job->found.slopes->part[ORR_PART_OF_KIND(job->network.dims, kind, bound)];
}

sim_time orr_computed_ps(const struct orrery *job)
{
    sim_time sum = 0;
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        for (unsigned bound = ORR_PART_BY_PEAK; bound <= ORR_PART_CONSTANT; bound++) {
            sum += part_of_kind(job, kind, bound);
        }
    }
    return sum;
}

sim_time orr_recorded_ps(const struct orrery *job)
{
    return job->found.slopes->part[ORR_PART_COMPUTE];
}

/* ---- keys ---- */

/* The part of a dimension that depends on a key, and the sign of its exponent; false: none. */
static bool part_of_dim(const struct orrery *job, const char *key, unsigned *part, double *sign)
{
    char name[KEY_BYTES];
    for (unsigned d = 0; d < job->network.dims && job->network.graph == NULL; d++) {
        (void)snprintf(name, sizeof name, "network.dims[%u].bandwidth", d);
        if (strcmp(key, name) == 0) {
            *part = ORR_PART_BANDWIDTH(d);
            *sign = -1;
            return true;
        }
        (void)snprintf(name, sizeof name, "network.dims[%u].latency", d);
        if (strcmp(key, name) == 0) {
            *part = ORR_PART_LATENCY(d);
            *sign = 1;
            return true;
        }
    }
    return false;
}

/* Whether the key is the peak of the roofline; with separate peaks of narrow types, parts can
 * depend on either. */
static bool is_peak(const struct orrery *job, const char *key)
{
    const double *peak = job->compute.product_peak_flops;
    return strcmp(key, "compute.peak") == 0 && !(peak[ORR_PRODUCT_FP8] > 0) &&
           !(peak[ORR_PRODUCT_FP4] > 0);
}

bool orr_has_sensitivity(const struct orrery *job, const char *key)
{
    struct wl_efficiency_key share;
    unsigned part;
    double sign;
    return is_peak(job, key) || orr_wl_efficiency_key_read(key, &share) ||
           part_of_dim(job, key, &part, &sign);
}

/* ---- sensitivities ---- */

static double share_of(const struct orrery *job, sim_time part_ps)
{
    const sim_time wall = job->found.slopes->wall_ps;
    return wall > 0 ? (double)part_ps / (double)wall : 0;
}

/* The sensitivity of a key outside compute.efficiency. */
static double slope_of(const struct orrery *job, const char *key)
{
    unsigned part = 0;
    double sign = 0;
    if (is_peak(job, key)) {
        sim_time sum = 0;
        for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
            sum += part_of_kind(job, kind, ORR_PART_BY_PEAK);
        }
        return -share_of(job, sum);
    }
    return part_of_dim(job, key, &part, &sign) ? sign * share_of(job, job->found.slopes->part[part])
                                               : 0;
}

/* Adds a part of computing to the sensitivity of the key that it depends on. */
static void add_part(const struct orrery *job, const struct wl_efficiency_key *key, size_t count,
                     const struct wl_efficiency_key *part, double *slope)
{
    const size_t at = orr_wl_efficiency_key_find(job->compute.efficiency, key, count, part);
    const double share = share_of(job, part_of_kind(job, part->kind, part->bound));
    if (at != SIZE_MAX) {
        slope[at] += part->bound == ORR_PART_CONSTANT ? share : -share;
    }
}

void orr_find_sensitivities(const struct orrery *job, const char *const *key, size_t count,
                            double *slope)
{
    struct wl_efficiency_key share[WL_MAX_FITTED];
    size_t place[WL_MAX_FITTED], shares = 0;
    double of_share[WL_MAX_FITTED] = {0};
    ORR_ASSERT(count <= WL_MAX_FITTED);
    for (size_t i = 0; i < count; i++) {
        slope[i] = slope_of(job, key[i]);
        if (orr_wl_efficiency_key_read(key[i], &share[shares])) {
            place[shares++] = i;
        }
    }
    for (unsigned kind = 0; kind < ORR_OP_KINDS; kind++) {
        for (unsigned bound = ORR_PART_BY_PEAK; bound <= ORR_PART_CONSTANT; bound++) {
            const struct wl_efficiency_key part = {(enum orr_op_kind)kind,
                                                   (enum orr_part_bound)bound};
            add_part(job, share, shares, &part, of_share);
        }
    }
    for (size_t i = 0; i < shares; i++) {
        slope[place[i]] = of_share[i];
    }
}
