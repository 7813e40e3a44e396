/* Implements planner/schema.h and orrery_write_schema (include/orrery/inputs.h). */
#include <string.h>

#include "orrery/orrery.h"
#include "planner/plan_file/plan_job.h"
#include "planner/schema.h"
#include "report/inputs_report.h"
#include "sim/api_object.h"
#include "study/schema/schema_json.h"

enum { FILES = 7, PLAN = 6, REFERENCES = 2 };

static const char *const files[FILES] = {"platform", "workload", "sweep", "jobs",
                                         "model",    "strategy", "plan"};

static void write_keys(FILE *out)
{
    orr_keys_write(out);
    orr_keys_write_file(out, "\n## The file of a plan\n\nAs `orrery plan topoopt` reads it.\n",
                        &orr_plan_file_table);
}

static const struct {
    const char *name;
    void (*write)(FILE *out);
} references[REFERENCES] = {{"keys", write_keys}, {"results", orr_results_write}};

static unsigned reference_of(const char *schema_name)
{
    unsigned i = 0;
    while (i < REFERENCES && strcmp(schema_name, references[i].name) != 0) {
        i++;
    }
    return i;
}

static unsigned file_of(const char *schema_name)
{
    unsigned i = 0;
    while (i < FILES && strcmp(schema_name, files[i]) != 0) {
        i++;
    }
    return i;
}

bool orr_schema_exists(const char *schema_name)
{
    return file_of(schema_name) < FILES || reference_of(schema_name) < REFERENCES;
}

int orr_schema_print(FILE *out, const char *schema_name)
{
    static const struct orr_schema_info plan = {
        "Orrery plan",
        "What is planned: a strategy, a topology and its routes. Made by `orrery schema plan`.",
        &orr_plan_file_table};
    const unsigned reference = reference_of(schema_name), file = file_of(schema_name);
    if (reference < REFERENCES) {
        references[reference].write(out);
        return 0;
    }
    return file == PLAN ? orr_schema_write_file(out, &plan)
                        : orr_schema_write(out, (enum orr_schema_file)file);
}

enum orrery_status orrery_write_schema(struct orrery_catalogue *catalogue, const char *schema_name,
                                       FILE *out)
{
    if (catalogue == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &catalogue->object.diag;
    enum orr_status status = ORR_OK;
    if (schema_name == NULL || !orr_schema_exists(schema_name)) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected " ORR_SCHEMAS ", got \"%s\"",
                               schema_name != NULL ? schema_name : "NULL");
    } else if (orr_schema_print(out, schema_name) != 0) {
        status = orr_diag_fail(diag, ORR_ERR_IO, NULL, "the schema cannot be written");
    } else {
        status = orr_check_written(out, diag);
    }
    return orr_object_finish(&catalogue->object, status);
}
