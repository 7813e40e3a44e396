/* Files of before; see et_old.h. */
#include "workload/trace/et/et_old.h"

#include <string.h>

#include "core/time.h"
#include "workload/trace/op_kind.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

enum { COMMUNICATION = 11 }; /* in any order among themselves */

/* Attributes by the order in which they were written. */
static const struct {
    const char *name;
    unsigned place;
} written[] = {{"is_cpu_op", 1},
               {"duration_ps", 2},
               {"num_ops", 3},
               {"op_kind", 4},
               {"op_unaligned", 5},
               {"op_type", 6},
               {"tensor_size", 7},
               {"delay", 8},
               {"tensor_loc", 9},
               {"tensor_access", 10},
               {"comm_type", COMMUNICATION},
               {"comm_size", COMMUNICATION},
               {"comm_src", COMMUNICATION},
               {"comm_dst", COMMUNICATION},
               {"comm_root", COMMUNICATION},
               {"comm_tag", COMMUNICATION},
               {"comm_priority", COMMUNICATION},
               {"pg_name", COMMUNICATION},
               {"involved_dim", COMMUNICATION},
               {ORR_SEND_SIZES, COMMUNICATION},
               {ORR_RECV_SIZES, COMMUNICATION},
               {ORR_SIZES_DIFFER, COMMUNICATION},
               {"signal", 12},
               {"next", 13},
               {"prefix_of", 14},
               {"prefix_bytes", 15},
               {"inputs", 16},
               {"outputs", 17}};

bool orr_et_is_ours(struct et_origin *origin)
{
    if (!origin->known) {
        origin->ours = origin->find(origin->reader);
        origin->known = true;
    }
    return origin->ours;
}

static bool is_text(const struct et_value *value, const char *text)
{
    return value->kind == ET_TEXT && strcmp(value->of.as_text, text) == 0;
}

static bool is_op_kind(const struct et_value *value)
{
    for (unsigned i = 0; i < ORR_OP_NODE_KINDS; i++) {
        if (i != ORR_OP_DEFAULT && is_text(value, orr_op_kind_names[i])) {
            return true;
        }
    }
    return false;
}

/* Whether Orrery wrote such a value under the name of one of its own attributes. */
static bool is_value_of_ours(const char *name, const struct et_value *value)
{
    uint64_t duration_ps;
    if (strcmp(name, "op_kind") == 0) {
        return is_op_kind(value);
    }
    if (strcmp(name, "op_type") == 0) {
        return is_text(value, "fp8");
    }
    if (strcmp(name, "tensor_access") == 0) {
        return is_text(value, orr_mem_access_names[ORR_ACCESS_GATHERED]);
    }
    if (strcmp(name, "duration_ps") == 0) {
        return orr_et_to_integer(value, &duration_ps) && duration_ps % ORR_PS_PER_US != 0;
    }
    if (strcmp(name, "op_unaligned") == 0 || strcmp(name, "delay") == 0 ||
        strcmp(name, "signal") == 0) {
        return value->kind == ET_BOOL && value->of.as_bool;
    }
    return true;
}

bool orr_et_old_fits(unsigned *place, const char *name, const struct et_value *value)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (strcmp(written[i].name, name) == 0) {
            const unsigned before = *place;
            *place = written[i].place;
            return (*place > before || (*place == before && before == COMMUNICATION)) &&
                   (value->kind == ET_NONE || is_value_of_ours(name, value));
        }
    }
    return false;
}
