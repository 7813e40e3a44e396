/* Variants of jobs of a cluster; see job_variants.h. */
#include "study/job_variants.h"

#include <ctype.h>
#include <string.h>

#include "core/conf/conf.h"
#include "report/jobs_compare.h"
#include "sim/cluster/jobs.h"
#include "sim/cluster/queue.h"
#include "sim/load/compute_basis.h"
#include "study/cluster/queue_run.h"

/* ---- texts ---- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* True if a text begins with "PATH=", after blanks. A PATH is as in keys: letters, digits,
 * "_.-[]". */
static bool begins_assignment(const char *text)
{
    text = skip_blanks(text);
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) ||
           (text[length] != '\0' && strchr("_.-[]", text[length]) != NULL)) {
        length++;
    }
    return length > 0 && text[length] == '=' && (isalpha((unsigned char)*text) || *text == '_');
}

/* The end of an assignment: a comma before another one, or the end of the text. */
static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && (text[length] != ',' || !begins_assignment(text + length + 1))) {
        length++;
    }
    return length;
}

static size_t count_assignments(const char *text)
{
    size_t count = 0;
    for (const char *at = text; *at != '\0';
         at += at[length_of(at)] == ',' ? length_of(at) + 1 : length_of(at)) {
        count++;
    }
    return count;
}

/* The name, without blanks around it, before a colon that comes before any "="; NULL: it has none.
 */
static const char *parse_name(struct orr_arena *arena, const char **text)
{
    const char *begin = skip_blanks(*text);
    const size_t colon = strcspn(begin, ":=");
    size_t length = colon;
    while (length > 0 && strchr(" \t", begin[length - 1]) != NULL) {
        length--;
    }
    if (begin[colon] != ':' || length == 0) {
        return NULL;
    }
    *text = begin + colon + 1;
    return orr_arena_strndup(arena, begin, length);
}

static enum orr_status read_variant(struct orr_arena *arena, const char *text, size_t number,
                                    struct orr_jobs_variant *variant, struct orr_diag *diag)
{
    const char *at = text;
    const char *name = parse_name(arena, &at);
    const size_t count = count_assignments(at);
    const char **set = orr_arena_array(arena, count + 1, sizeof *set);
    variant->name = name != NULL ? name : orr_arena_printf(arena, "run %zu", number + 1);
    variant->set = set;
    if (set == NULL || variant->name == NULL) {
        return orr_diag_no_memory(diag, "the variants of jobs");
    }
    while (*at != '\0' && begins_assignment(at)) {
        at = skip_blanks(at);
        const size_t length = length_of(at);
        set[variant->sets++] = orr_arena_strndup(arena, at, length);
        at += at[length] == ',' ? length + 1 : length;
    }
    return *at == '\0' && variant->sets > 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "--compare: expected [NAME:]PATH=VALUE[,PATH=VALUE...], such as "
                               "cluster.network=sharded, got \"%s\"",
                               text);
}

static enum orr_status check_names(const struct orr_jobs_comparison *comparison, size_t last,
                                   struct orr_diag *diag)
{
    for (size_t w = 0; w < last; w++) {
        if (strcmp(comparison->variant[w].name, comparison->variant[last].name) == 0) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "--compare: expected a name for each, got \"%s\" twice",
                                 comparison->variant[w].name);
        }
    }
    return ORR_OK;
}

/* ---- runs ---- */

static enum orr_status load(struct orr_arena *arena, const struct orr_job_variants *variants,
                            struct orr_jobs_variant *variant, struct orr_diag *diag)
{
    const char **set = orr_arena_array(arena, variants->sets + variant->sets + 1, sizeof *set);
    if (set == NULL) {
        return orr_diag_no_memory(diag, "the variants of jobs");
    }
    for (size_t i = 0; i < variants->sets; i++) {
        set[i] = variants->set[i];
    }
    for (size_t i = 0; i < variant->sets; i++) {
        set[variants->sets + i] = variant->set[i];
    }
    const enum orr_status status = orr_jobs_read(
        arena, variants->file, set, variants->sets + variant->sets, &variant->jobs, diag);
    return status == ORR_OK ? orr_jobs_place(&variant->jobs, diag) : status;
}

static enum orr_status check_same(const struct orr_jobs_variant *first,
                                  const struct orr_jobs_variant *variant, struct orr_diag *diag)
{
    const struct orr_conf *queue = orr_conf_get(variant->jobs.cluster, "queue");
    if (orr_jobs_wait(&first->jobs) != orr_jobs_wait(&variant->jobs)) {
        const struct orr_location location = orr_conf_location(queue);
        return orr_diag_fail(diag, ORR_ERR_INPUT, queue != NULL ? &location : NULL,
                             "cluster.queue: expected a queue in all variants "
                             "(--compare) or in none, got %s in \"%s\"",
                             orr_queue_orders[variant->jobs.queue.order], variant->name);
    }
    bool same = first->jobs.jobs == variant->jobs.jobs;
    for (size_t i = 0; same && i < variant->jobs.jobs; i++) {
        const struct orr_job *a = &first->jobs.job[i], *b = &variant->jobs.job[i];
        same = strcmp(a->name, b->name) == 0 && orr_job_servers(a) == orr_job_servers(b);
    }
    return same ? ORR_OK
                : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                "--compare: expected the jobs of %s, of as many servers each, got "
                                "others in \"%s\"",
                                first->name, variant->name);
}

static enum orr_status prepare(struct orr_arena *arena, const struct orr_job_variants *variants,
                               struct orr_jobs_comparison *out, struct orr_jobs_variant *variant,
                               struct orr_diag *diag)
{
    const char *slash = strrchr(variants->file, '/');
    variant[0].name = slash != NULL ? slash + 1 : variants->file;
    enum orr_status status = ORR_OK;
    for (size_t w = 0; w < out->variants && status == ORR_OK; w++) {
        if (w > 0) {
            status = read_variant(arena, variants->comparison[w - 1], w, &variant[w], diag);
        }
        if (status == ORR_OK) {
            status = check_names(out, w, diag);
        }
        if (status == ORR_OK) {
            status = load(arena, variants, &variant[w], diag);
        }
        if (status == ORR_OK) {
            status = check_same(&variant[0], &variant[w], diag);
        }
    }
    return status;
}

/* ---- how compute times are found ---- */

enum { BASIS_BYTES = 256 };

/* Of the handle-th network of a variant; "": nothing is computed, or it was not run. */
static char *describe_basis(const struct orr_jobs_variant *variant, size_t handle,
                            char text[BASIS_BYTES])
{
    text[0] = '\0';
    if (handle >= variant->run.handles) {
        return text;
    }
    struct orrery *job = variant->run.handle[handle];
    const struct orr_job_platform *own =
        orr_job_platform_of(&variant->jobs, &variant->jobs.job[handle]);
    orr_find_compute_basis_by(job, own != NULL ? own->compute : variant->jobs.compute);
    const char *basis = orr_compute_basis(job);
    return basis != NULL ? orr_describe_basis(basis, orr_compute_stack(job), text, BASIS_BYTES)
                         : text;
}

/* Warns of the first variant that is computed otherwise than the first. */
static void warn_of_bases(const struct orr_jobs_comparison *comparison, struct orr_diag *diag)
{
    const struct orr_jobs_variant *first = &comparison->variant[0];
    char ours[BASIS_BYTES], others[BASIS_BYTES];
    for (size_t w = 1; w < comparison->variants; w++) {
        const struct orr_jobs_variant *other = &comparison->variant[w];
        for (size_t h = 0; h < first->run.handles && h < other->run.handles; h++) {
            (void)describe_basis(first, h, ours);
            (void)describe_basis(other, h, others);
            if (ours[0] != '\0' && others[0] != '\0' && strcmp(ours, others) != 0) {
                orr_diag_warn(diag, NULL,
                              "the compute times of %s are by %s, those of %s by %s: part of the "
                              "difference between them may be that",
                              first->name, ours, other->name, others);
                return;
            }
        }
    }
}

enum orr_status orr_job_variants_run(struct orr_arena *arena,
                                     const struct orr_job_variants *variants,
                                     const struct orr_jobs_options *how,
                                     struct orr_jobs_comparison *out, struct orr_diag *diag)
{
    struct orr_jobs_variant *variant =
        orr_arena_array(arena, variants->comparisons + 1, sizeof *variant);
    *out = (struct orr_jobs_comparison){.variants = variant != NULL ? variants->comparisons + 1 : 0,
                                        .variant = variant};
    if (variant == NULL) {
        return orr_diag_no_memory(diag, "the variants of jobs");
    }
    enum orr_status status = prepare(arena, variants, out, variant, diag);
    for (size_t w = 0; w < out->variants && status == ORR_OK; w++) {
        status = orr_jobs_wait(&variant[w].jobs)
                     ? orr_queue_run(&variant[w].jobs, false, &variant[w].queue, diag)
                     : orr_jobs_run(&variant[w].jobs, how, &variant[w].run, diag);
    }
    if (status == ORR_OK) {
        warn_of_bases(out, diag);
    }
    return status;
}

void orr_job_variants_free(struct orr_jobs_comparison *comparison)
{
    for (size_t w = 0; w < comparison->variants; w++) {
        struct orr_jobs_run run = comparison->variant[w].run;
        orr_jobs_run_free(&run);
    }
}
