/* Coercion of attribute values; see et_attr.h. */
#include "workload/et/et_attr.h"

#include <stdio.h>

/* The one number of an attribute: an integer of either sign, or a floating-point value. */
struct number {
    enum { NO_NUMBER, SIGNED, UNSIGNED, REAL } kind;
    int64_t i;
    uint64_t u;
    double d;
};

static struct number of_signed(int64_t value)
{
    return (struct number){.kind = SIGNED, .i = value};
}

static struct number of_unsigned(uint64_t value)
{
    return (struct number){.kind = UNSIGNED, .u = value};
}

static struct number of_real(double value)
{
    return (struct number){.kind = REAL, .d = value};
}

static struct number of_text(const char *text)
{
    int64_t value = 0;
    return orr_parse_integer(text, &value) ? of_signed(value) : (struct number){.kind = NO_NUMBER};
}

static struct number number_of(const ChakraEt__Attribute *attr)
{
    switch (attr->value_case) {
    case CHAKRA_ET__ATTRIBUTE__VALUE_DOUBLE_VAL:
        return of_real(attr->double_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_FLOAT_VAL:
        return of_real((double)attr->float_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_INT32_VAL:
        return of_signed(attr->int32_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_INT64_VAL:
        return of_signed(attr->int64_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_UINT32_VAL:
        return of_unsigned(attr->uint32_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_UINT64_VAL:
        return of_unsigned(attr->uint64_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_SINT32_VAL:
        return of_signed(attr->sint32_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_SINT64_VAL:
        return of_signed(attr->sint64_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_FIXED32_VAL:
        return of_unsigned(attr->fixed32_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_FIXED64_VAL:
        return of_unsigned(attr->fixed64_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_SFIXED32_VAL:
        return of_signed(attr->sfixed32_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_SFIXED64_VAL:
        return of_signed(attr->sfixed64_val);
    case CHAKRA_ET__ATTRIBUTE__VALUE_BOOL_VAL:
        return of_unsigned(attr->bool_val != 0);
    case CHAKRA_ET__ATTRIBUTE__VALUE_STRING_VAL:
        return of_text(attr->string_val);
    default:
        return (struct number){.kind = NO_NUMBER};
    }
}

bool et_attr_unsigned(const ChakraEt__Attribute *attr, uint64_t most, uint64_t *out)
{
    const struct number number = number_of(attr);
    uint64_t value = number.u;
    switch (number.kind) {
    case NO_NUMBER:
        return false;
    case SIGNED:
        if (number.i < 0) {
            return false;
        }
        value = (uint64_t)number.i;
        break;
    case UNSIGNED:
        break;
    case REAL:
        if (!(number.d >= 0 && number.d < 1.8e19) || (double)(uint64_t)number.d != number.d) {
            return false;
        }
        value = (uint64_t)number.d;
        break;
    }
    if (value > most) {
        return false;
    }
    *out = value;
    return true;
}

const char *et_attr_text(const ChakraEt__Attribute *attr, char *buffer, size_t bytes)
{
    uint64_t value = 0;
    if (attr->value_case == CHAKRA_ET__ATTRIBUTE__VALUE_STRING_VAL) {
        return attr->string_val;
    }
    if (!et_attr_unsigned(attr, UINT64_MAX, &value)) {
        return NULL;
    }
    (void)snprintf(buffer, bytes, "%llu", (unsigned long long)value);
    return buffer;
}

const char *et_attr_found(const ChakraEt__Attribute *attr, char *buffer, size_t bytes)
{
    const struct number number = number_of(attr);
    switch (number.kind) {
    case SIGNED:
        (void)snprintf(buffer, bytes, "%lld", (long long)number.i);
        return buffer;
    case UNSIGNED:
        (void)snprintf(buffer, bytes, "%llu", (unsigned long long)number.u);
        return buffer;
    case REAL:
        (void)snprintf(buffer, bytes, "%g", number.d);
        return buffer;
    case NO_NUMBER:
        break;
    }
    if (attr->value_case == CHAKRA_ET__ATTRIBUTE__VALUE_STRING_VAL) {
        (void)snprintf(buffer, bytes, "\"%.60s\"", attr->string_val);
        return buffer;
    }
    return attr->value_case == CHAKRA_ET__ATTRIBUTE__VALUE__NOT_SET ? "no value" : "a list";
}
