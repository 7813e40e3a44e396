/* The tables of keys as JSON Schema and as a reference for people, and those of results. */
#ifndef ORR_STUDY_SCHEMA_SCHEMA_JSON_H
#define ORR_STUDY_SCHEMA_SCHEMA_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum orr_schema_file {
    ORR_SCHEMA_PLATFORM,
    ORR_SCHEMA_WORKLOAD,
    ORR_SCHEMA_SWEEP,
    ORR_SCHEMA_JOBS,
    ORR_SCHEMA_MODEL,
    ORR_SCHEMA_STRATEGY
};

/* Writes the JSON Schema (draft 2020-12) of a kind of file. Returns 0, or 1 when memory is out or
 * nothing more can be written. */
int orr_schema_write(FILE *out, enum orr_schema_file file);

/* Writes the reference of all keys, as Markdown. */
void orr_keys_write(FILE *out);

/* Writes the reference of all results, as Markdown. */
void orr_results_write(FILE *out);

/* One of them by its name, those of `orrery schema`: whether there is one, and its text, as above.
 * (schema_api.c) */
#define ORR_SCHEMAS "platform, workload, sweep, jobs, model, strategy, keys or results"
bool orr_schema_knows(const char *what);
int orr_schema_print(FILE *out, const char *what);

#endif
