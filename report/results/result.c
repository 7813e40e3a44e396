/* Access to the results of a table; see result.h. */
#include "report/results/result.h"

/* Results in a file of their own, for all tables. */
#define ORR_SINGLE_RESULT(name) extern const struct orr_result name;
#include "report/results/result_list.h"
#undef ORR_SINGLE_RESULT

static const struct orr_result *const single_result[] = {
#define ORR_SINGLE_RESULT(name) &name,
#include "report/results/result_list.h"
#undef ORR_SINGLE_RESULT
    NULL};

const struct orr_result *orr_result_at(const struct orr_result_table *table, size_t index)
{
    if (index < table->count) {
        return &table->results[index];
    }
    size_t behind = index - table->count;
    for (size_t i = 0; single_result[i] != NULL; i++) {
        if (single_result[i]->place == table && behind-- == 0) {
            return single_result[i];
        }
    }
    return NULL;
}

bool orr_result_in(const struct orr_result_table *table, const struct orr_result *result,
                   unsigned form)
{
    const unsigned forms = result->in_forms != 0 ? result->in_forms & table->forms : table->forms;
    return (forms & form) != 0 && (form != ORR_IN_TABLE || result->label != NULL) &&
           (form == ORR_IN_JSON || result->type != ORR_RESULT_LIST);
}

struct orr_value orr_integer_value(orr_sum integer)
{
    return (struct orr_value){.kind = ORR_VALUE_INTEGER, .integer = integer};
}

struct orr_value orr_real_value(double real)
{
    return (struct orr_value){.kind = ORR_VALUE_REAL, .real = real};
}

struct orr_value orr_text_value(const char *text)
{
    return (struct orr_value){.kind = text != NULL ? ORR_VALUE_TEXT : ORR_VALUE_NONE, .text = text};
}

static struct orr_value value_at(const struct orr_result *result, const void *row)
{
    const void *at = (const char *)row + result->offset;
    switch (result->type) {
    case ORR_RESULT_TEXT:
        return orr_text_value(*(const char *const *)at);
    case ORR_RESULT_U32:
        return orr_integer_value(*(const uint32_t *)at);
    case ORR_RESULT_U64:
        return orr_integer_value(*(const uint64_t *)at);
    case ORR_RESULT_I64:
        return orr_integer_value(*(const int64_t *)at);
    case ORR_RESULT_SUM:
        return orr_integer_value(*(const orr_sum *)at);
    case ORR_RESULT_REAL:
        return orr_real_value(*(const double *)at);
    case ORR_RESULT_BOOL:
        return (struct orr_value){.kind = ORR_VALUE_BOOL, .integer = *(const bool *)at};
    default:
        return (struct orr_value){.kind = ORR_VALUE_NONE};
    }
}

struct orr_value orr_result_value(const struct orr_result *result, const void *row)
{
    struct orr_value value = result->value != NULL ? result->value(row) : value_at(result, row);
    if (result->optional && ((value.kind == ORR_VALUE_INTEGER && value.integer == 0) ||
                             (value.kind == ORR_VALUE_REAL && !(value.real > 0)))) {
        value.kind = ORR_VALUE_NONE;
    }
    return value;
}

const char *orr_unit_name(enum orr_result_unit unit)
{
    static const char *const names[] = {[ORR_UNIT_NONE] = "",
                                        [ORR_UNIT_COUNT] = "count",
                                        [ORR_UNIT_PS] = "ps",
                                        [ORR_UNIT_US] = "us",
                                        [ORR_UNIT_S] = "s",
                                        [ORR_UNIT_BYTES] = "bytes",
                                        [ORR_UNIT_BYTES_PER_S] = "bytes/s",
                                        [ORR_UNIT_FLOPS] = "operations",
                                        [ORR_UNIT_PER_S] = "1/s",
                                        [ORR_UNIT_SHARE] = "0 to 1",
                                        [ORR_UNIT_PERCENT] = "%",
                                        [ORR_UNIT_RATIO] = "ratio",
                                        [ORR_UNIT_TIMES] = "ratio"};
    return names[unit];
}
