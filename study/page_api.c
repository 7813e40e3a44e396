/* Pages for programs; see include/orrery/page.h. */
#include "orrery/page.h"

#include <jansson.h>

#include "report/page/page.h"
#include "report/run_report.h"
#include "sim/api_call.h"
#include "sim/api_object.h"
#include "study/job_page.h"

struct orrery_page {
    struct orr_object object;
    struct orr_page *page;
};

struct orrery_page *orrery_page_new(const char *title)
{
    struct orrery_page *page = orr_object_new(sizeof *page);
    if (page != NULL) {
        page->page = orr_page_create(title);
        if (page->page == NULL) {
            orr_object_free(&page->object);
            return NULL;
        }
    }
    return page;
}

void orrery_page_free(struct orrery_page *page)
{
    if (page != NULL) {
        orr_page_destroy(page->page);
        orr_object_free(&page->object);
    }
}

const char *orrery_page_error(const struct orrery_page *page)
{
    return orr_object_error(page != NULL ? &page->object : NULL);
}

enum orrery_status orrery_page_add(struct orrery_page *page, const char *json, const char *name)
{
    if (page == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    orr_diag_init(&page->object.diag);
    return orr_object_finish(
        &page->object, json != NULL ? orr_page_add_text(page->page, json, name, &page->object.diag)
                                    : orr_diag_fail(&page->object.diag, ORR_ERR_INPUT, NULL,
                                                    "json: expected a text, got NULL"));
}

enum orrery_status orrery_page_add_file(struct orrery_page *page, const char *file,
                                        const char *name)
{
    json_t *result = NULL;
    if (page == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &page->object.diag;
    orr_diag_init(diag);
    enum orr_status status =
        file != NULL ? orr_page_read(file, &result, diag)
                     : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "file: expected a path, got NULL");
    if (status == ORR_OK) {
        status = orr_page_add(page->page, result, name, file, diag);
    }
    return orr_object_finish(&page->object, status);
}

enum orrery_status orrery_page_add_job(struct orrery_page *page, struct orrery *job,
                                       const struct orrery_inputs *inputs, const char *name)
{
    if (page == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &page->object.diag;
    orr_diag_init(diag);
    enum orr_status ready = job != NULL ? orr_check_ran(job, diag)
                                        : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                                        "job: expected one that ran, got NULL");
    if (ready == ORR_OK) {
        ready = orr_prepare_report(job, diag);
    }
    if (ready != ORR_OK) {
        return orr_object_finish(&page->object, ready);
    }
    const struct orr_job_page job_page = {.job = job, .own = inputs};
    json_t *result = orr_job_page_result(&job_page);
    return orr_object_finish(&page->object, result != NULL
                                                ? orr_page_add(page->page, result, name, NULL, diag)
                                                : orr_diag_no_memory(diag, "a page"));
}

enum orrery_status orrery_page_write(struct orrery_page *page, FILE *out)
{
    if (page == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &page->object.diag;
    orr_diag_init(diag);
    enum orr_status status = ORR_OK;
    if (out == NULL) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "out: expected an open file, got NULL");
    } else if (orr_page_results(page->page) == 0) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "the page has no results");
    } else {
        (void)orr_page_write(out, page->page);
        status = orr_check_written(out, diag);
    }
    return orr_object_finish(&page->object, status);
}
