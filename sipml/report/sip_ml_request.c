/* Parses the options of SiP-ML's hardware; see sip_ml_report.h. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "core/diag.h"
#include "core/units.h"
#include "sipml/report/sip_ml_report.h"

/* Larger prices and losses are typing errors; up to here their sums stay finite. */
static const double max_number = 1e12;

enum kind { WHOLE, NUMBER, BANDWIDTH, TIME, HOLDS, ROWS };

static const struct setting {
    const char *name, *unit; /* suffix of the name in JSON */
    enum kind kind;
    size_t at;     /* offset in struct sip_rules */
    bool not_zero; /* 0 would mean the default, or be a divisor */
} settings[] = {
    {"gpus", "", WHOLE, offsetof(struct sip_rules, gpus), false},
    {"bandwidth", "_bytes_per_s", BANDWIDTH, offsetof(struct sip_rules, bytes_per_s), false},
    {"ocs", "", WHOLE, offsetof(struct sip_rules, ocs), false},
    {"wavelengths", "", WHOLE, offsetof(struct sip_rules, wavelengths), true},
    {"group", "", WHOLE, offsetof(struct sip_rules, group), false},
    {"reconfiguration", "_ps", TIME, offsetof(struct sip_rules, dark_ps), false},
    {"hold", "", HOLDS, 0, false},
    {"budget-db", "", NUMBER, offsetof(struct sip_rules, budget_db), false},
    {"coupler-db", "", NUMBER, offsetof(struct sip_rules, coupler_db), false},
    {"ring-db", "", NUMBER, offsetof(struct sip_rules, ring_db), false},
    {"ocs-db", "", NUMBER, offsetof(struct sip_rules, ocs_db), false},
    {"ocs-ports", "", WHOLE, offsetof(struct sip_rules, ocs_ports), false},
    {"radix", "", WHOLE, offsetof(struct sip_rules, radix), true},
    {"rows", "", ROWS, 0, false},
    {"wavelength-bandwidth", "_bytes_per_s", BANDWIDTH,
     offsetof(struct sip_rules, wavelength_bytes_per_s), false},
    {"interface-wavelengths", "", WHOLE, offsetof(struct sip_rules, interface_wavelengths), false},
    {"run-euros", "", NUMBER, offsetof(struct sip_rules, run_euros), false},
    {"run-chips", "", WHOLE, offsetof(struct sip_rules, run_chips), false},
    {"dollars-per-euro", "", NUMBER, offsetof(struct sip_rules, dollars_per_euro), false},
    {"mass-factor", "", NUMBER, offsetof(struct sip_rules, mass_factor), true},
    {"electronics-dollars", "", NUMBER, offsetof(struct sip_rules, electronics_dollars), false},
    {"optics-dollars", "", NUMBER, offsetof(struct sip_rules, optics_dollars), false},
    {"sr-dollars", "", NUMBER, offsetof(struct sip_rules, sr_dollars), false},
    {"ocs-port-dollars", "", NUMBER, offsetof(struct sip_rules, ocs_port_dollars), false}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static enum orr_status fail_setting(const struct setting *setting, const char *expected,
                                    const char *text, struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: expected %s, got \"%s\"", setting->name,
                         expected, text);
}

/* ---- one value ---- */

static enum orr_status read_integer(const struct setting *setting, const char *text, uint32_t *out,
                                    struct orr_diag *diag)
{
    int64_t value = 0;
    const int64_t min = setting->not_zero ? 1 : 0;
    if (!orr_parse_integer(text, &value) || value < min || value > UINT32_MAX) {
        return fail_setting(setting, min == 0 ? "a whole number" : "a whole number from 1 on", text,
                            diag);
    }
    *out = (uint32_t)value;
    return ORR_OK;
}

static enum orr_status read_number(const struct setting *setting, const char *text, double *out,
                                   struct orr_diag *diag)
{
    double value = 0;
    if (!orr_parse_number(text, &value) || value < 0 || value > max_number) {
        return fail_setting(setting, "a number from 0 to 1e12", text, diag);
    }
    if (setting->not_zero && !(value > 1 / max_number)) {
        return fail_setting(setting, "a number above 0", text, diag);
    }
    *out = value;
    return ORR_OK;
}

/* ---- lists ---- */

/* Copies the text up to the next comma into `part`; returns the rest, NULL: nothing. */
static const char *next_part(const char *text, char part[64])
{
    const char *comma = strchr(text, ',');
    const size_t length = comma != NULL ? (size_t)(comma - text) : strlen(text);
    (void)snprintf(part, 64, "%.*s", (int)(length < 64 ? length : 63), text);
    return comma != NULL ? comma + 1 : NULL;
}

static enum orr_status read_holds(const struct setting *setting, const char *text,
                                  struct orr_sip_request *out, struct orr_diag *diag)
{
    char part[64];
    out->holds = 0;
    for (const char *rest = text; rest != NULL;) {
        sim_time hold = 0;
        rest = next_part(rest, part);
        if (out->holds == ORR_SIP_MAX_HOLDS || !orr_parse_time(part, &hold) || hold <= 0) {
            return fail_setting(setting, "at most 32 times above 0 such as \"100 us,1 ms\"", text,
                                diag);
        }
        out->hold[out->holds++] = hold;
    }
    return ORR_OK;
}

static enum orr_status read_rows(const struct setting *setting, const char *text,
                                 struct orr_sip_request *out, struct orr_diag *diag)
{
    char part[64];
    out->row_counts = 0;
    for (const char *rest = text; rest != NULL;) {
        int64_t rows = 0;
        rest = next_part(rest, part);
        if (out->row_counts == ORR_SIP_MAX_ROWS || !orr_parse_integer(part, &rows) || rows < 1 ||
            rows > UINT32_MAX) {
            return fail_setting(setting, "at most 16 numbers of rows such as \"16,32\"", text,
                                diag);
        }
        out->rows[out->row_counts++] = (uint32_t)rows;
    }
    return ORR_OK;
}

/* ---- the request ---- */

static enum orr_status parse_value(const struct setting *setting, const char *text,
                                   struct orr_sip_request *out, struct orr_diag *diag)
{
    void *at = (char *)&out->rules + setting->at;
    switch (setting->kind) {
    case WHOLE:
        return read_integer(setting, text, at, diag);
    case NUMBER:
        return read_number(setting, text, at, diag);
    case BANDWIDTH:
        return orr_parse_bandwidth(text, at)
                   ? ORR_OK
                   : fail_setting(setting, orr_quantity_expected(ORR_QUANTITY_BANDWIDTH), text,
                                  diag);
    case TIME:
        return orr_parse_time(text, at)
                   ? ORR_OK
                   : fail_setting(setting, orr_quantity_expected(ORR_QUANTITY_TIME), text, diag);
    case HOLDS:
        return read_holds(setting, text, out, diag);
    default:
        return read_rows(setting, text, out, diag);
    }
}

static enum orr_status parse_assignment(const char *text, struct orr_sip_request *out,
                                        struct orr_diag *diag)
{
    const char *equals = text != NULL ? strchr(text, '=') : NULL;
    for (size_t i = 0; equals != NULL && i < SETTINGS; i++) {
        const char *name = settings[i].name;
        if (strlen(name) == (size_t)(equals - text) && strncmp(name, text, strlen(name)) == 0) {
            return parse_value(&settings[i], equals + 1, out, diag);
        }
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "expected NAME=VALUE of an option of orrery topo sip-ml, got \"%s\"",
                         text != NULL ? text : "NULL");
}

static enum orr_status check_rows(const struct orr_sip_request *request, struct orr_diag *diag)
{
    for (size_t i = 0; i < request->row_counts; i++) {
        if (request->rules.gpus % request->rows[i] != 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "rows: expected numbers that divide the %" PRIu32
                                 " GPUs, got \"%" PRIu32 "\"",
                                 request->rules.gpus, request->rows[i]);
        }
    }
    return ORR_OK;
}

/* The default hold times: multiples of the dark time, including SiP-Ring's 4 and the 10 of section
 * 3.1; arbitrary ones if the dark time is 0. */
static void add_default_holds(struct orr_sip_request *out)
{
    static const int times[] = {1, 2, 4, 5, 10, 20, 100};
    const sim_time dark = out->rules.dark_ps;
    for (size_t i = 0; i < sizeof times / sizeof *times && out->holds <= i; i++) {
        out->hold[out->holds++] = dark > 0 ? dark * times[i] : times[i] * 25 * ORR_PS_PER_US;
    }
    if (out->row_counts == 0) {
        out->rows[out->row_counts++] = orr_ring_even_rows(out->rules.gpus);
    }
}

enum orr_status orr_sip_read(const char *const *set, size_t count, struct orr_sip_request *out,
                             struct orr_diag *diag)
{
    *out = (struct orr_sip_request){.rules = orr_sip_rules()};
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < count && status == ORR_OK; i++) {
        status = parse_assignment(set[i], out, diag);
    }
    status = status == ORR_OK ? orr_sip_check(&out->rules, diag) : status;
    status = status == ORR_OK ? check_rows(out, diag) : status;
    if (status == ORR_OK) {
        add_default_holds(out);
    }
    return status;
}

json_t *orr_sip_rules_json(const struct sip_rules *rules)
{
    json_t *object = json_object();
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings[i];
        const void *at = (const char *)rules + setting->at;
        char key[64];
        if (setting->kind == HOLDS || setting->kind == ROWS) {
            continue;
        }
        (void)snprintf(key, sizeof key, "%s%s", setting->name, setting->unit);
        for (char *dash = key; (dash = strchr(dash, '-')) != NULL;) {
            *dash = '_';
        }
        json_t *value = setting->kind == WHOLE  ? json_integer(*(const uint32_t *)at)
                        : setting->kind == TIME ? json_integer(*(const sim_time *)at)
                                                : json_real(*(const double *)at);
        (void)json_object_set_new(object, key, value);
    }
    return object;
}
