/* SiP-ML as hardware (sipml/hardware/): options, tables, JSON and CSV. */
#ifndef ORR_SIPML_REPORT_SIP_ML_REPORT_H
#define ORR_SIPML_REPORT_SIP_ML_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "sipml/hardware/sip_hardware.h"

struct orr_diag;

enum { ORR_SIP_MAX_HOLDS = 32, ORR_SIP_MAX_ROWS = 16 };

/* A request. */
struct orr_sip_request {
    struct sip_rules rules;
    sim_time hold[ORR_SIP_MAX_HOLDS]; /* above 0 */
    size_t holds;
    uint32_t rows[ORR_SIP_MAX_ROWS]; /* of rings; each divides the GPUs */
    size_t row_counts;
};

/* Fills the request: the paper's values, overridden by `set`, "NAME=VALUE" each, the options of
 * orrery topo sip-ml without "--". Errors (input): names and values, and contradictory rules;
 * messages begin with the name. (sip_ml_request.c) */
enum orr_status orr_sip_read(const char *const *set, size_t count, struct orr_sip_request *out,
                             struct orr_diag *diag);

/* The rules as JSON by their names, with '_' for '-' and with units; owned by the caller. NULL: no
 * memory. */
json_t *orr_sip_rules_json(const struct sip_rules *rules);

/* ---- tables (sip_ml_tables.c) ---- */

enum { ORR_SIP_TABLES = 7, ORR_SIP_TABLE_ROWS = 33, ORR_SIP_COLUMNS = 10, ORR_SIP_TEXT = 32 };

struct orr_sip_column {
    const char *key;     /* of JSON and CSV */
    const char *heading; /* of the table */
    int digits;          /* decimals in the table; < 0: as many as needed */
};

enum orr_sip_kind { ORR_SIP_NONE, ORR_SIP_NUMBER, ORR_SIP_WORD, ORR_SIP_YES, ORR_SIP_NO };
struct orr_sip_cell {
    enum orr_sip_kind kind;
    double number;
    char word[ORR_SIP_TEXT];
};

/* A table. The first cell of a row is its name. */
struct orr_sip_table {
    const char *key;
    char title[128], note[320]; /* "": no note */
    const struct orr_sip_column *column;
    size_t columns, rows;
    struct orr_sip_cell cell[ORR_SIP_TABLE_ROWS][ORR_SIP_COLUMNS];
};

/* Fills table[ORR_SIP_TABLES], which must be zeroed. O(N k). */
void orr_sip_fill(const struct orr_sip_request *request, struct orr_sip_table *table);

/* ---- as text (sip_ml_write.c) ---- */

/* Writes all tables as "text", "json" or "csv". Errors: another format (input); memory;
 * input/output. */
enum orr_status orr_sip_write(FILE *out, const struct orr_sip_request *request, const char *format,
                              struct orr_diag *diag);

#endif
