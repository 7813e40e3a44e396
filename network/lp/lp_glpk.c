/* Linear programs by GLPK (lp.h): simplex method, branch and bound. GLPK is loaded late, because
 * loading takes longer than most runs. Its state is per thread, and freed with the last program. On
 * errors of its own, memory included, GLPK would end the process: longjmp leaves it instead, and
 * all of its state is then discarded. */
#include <dlfcn.h>
#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/lp/lp.h"

#define GLPK_CALLS(call)                                                                           \
    call(init_env) call(free_env) call(term_out) call(term_hook) call(error_hook)                  \
        call(create_prob) call(delete_prob) call(set_obj_dir) call(add_rows) call(add_cols)        \
            call(set_row_bnds) call(set_col_bnds) call(set_col_kind) call(set_obj_coef)            \
                call(load_matrix) call(init_smcp) call(simplex) call(get_status) call(get_obj_val) \
                    call(get_col_prim) call(init_iocp) call(intopt) call(mip_status)               \
                        call(mip_obj_val) call(mip_col_val) call(ios_reason) call(ios_terminate)   \
                            call(ios_best_node) call(ios_node_bound) call(std_basis)               \
                                call(set_mat_col) call(get_row_dual)

struct glpk {
#define GLPK_DECLARE(name) __typeof__(&glp_##name) name;
    GLPK_CALLS(GLPK_DECLARE)
#undef GLPK_DECLARE
};

struct lp {
    struct glpk glpk;
    glp_prob *problem;
    bool owns_state; /* this program initialized the state */
    bool broken;
    int old_term_out; /* whether terminal output was on before */
    jmp_buf guard_point;
    uint32_t columns;
    /* Arguments of opening. */
    const struct lp_program *program;
    int *row, *column; /* [1 + entries] */
    const struct lp_column *added;
    uint32_t added_entries;
    double *value;
    /* Arguments of solving. */
    struct lp_limits limits;
    uint32_t nodes; /* nodes of the search */
    struct lp_result *result;
    double *solution;
    bool is_integer; /* some columns are integers */
};

/* ISO C has no conversion of an object pointer to a function pointer; POSIX has. */
static bool find(void *library, const char *name, void *call, size_t bytes)
{
    void *address = dlsym(library, name);
    memcpy(call, &address, bytes);
    return address != NULL;
}

static enum orr_status load(struct glpk *out, struct orr_diag *diag)
{
    void *library = dlopen(ORR_GLPK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool found = library != NULL;
#define GLPK_FIND(name) found = found && find(library, "glp_" #name, &out->name, sizeof out->name);
    GLPK_CALLS(GLPK_FIND)
#undef GLPK_FIND
    if (!found) {
        const char *why = dlerror();
        return orr_diag_fail(diag, ORR_ERR_IO, NULL, "GLPK is needed and cannot be loaded: %s",
                             why == NULL ? ORR_GLPK_LIBRARY : why);
    }
    return ORR_OK;
}

/* Suppresses GLPK's message of an abort, which ignores term_out. */
static int suppress_output(void *info, const char *text)
{
    (void)info, (void)text;
    return 1;
}

static void return_to_guard(void *info)
{
    struct lp *lp = info;
    longjmp(lp->guard_point, 1);
}

/* Runs `work`, which GLPK can abort. */
static enum orr_status guard(struct lp *lp, void (*work)(struct lp *lp), struct orr_diag *diag)
{
    if (setjmp(lp->guard_point) == 0) {
        lp->glpk.error_hook(return_to_guard, lp);
        lp->glpk.term_hook(suppress_output, NULL);
        work(lp);
        lp->glpk.term_hook(NULL, NULL);
        lp->glpk.error_hook(NULL, NULL);
        return ORR_OK;
    }
    lp->broken = true;
    (void)lp->glpk.free_env();
    return orr_diag_fail(diag, ORR_ERR_INTERNAL, NULL,
                         "the solver of linear programs (GLPK) aborted");
}

/* GLPK's kind of a range, by which ends it has. */
static int kind_of(struct lp_range range)
{
    const bool low = isfinite(range.min), high = isfinite(range.max);
    if (low && high) {
        return range.min < range.max ? GLP_DB : GLP_FX;
    }
    return low ? GLP_LO : high ? GLP_UP : GLP_FR;
}

static void set_column(struct lp *lp, uint32_t index, const struct lp_column *column)
{
    const struct glpk *glpk = &lp->glpk;
    glpk->set_col_kind(lp->problem, (int)index + 1, column->is_integer ? GLP_IV : GLP_CV);
    glpk->set_col_bnds(lp->problem, (int)index + 1, kind_of(column->range), column->range.min,
                       column->range.max);
    glpk->set_obj_coef(lp->problem, (int)index + 1, column->objective);
    lp->is_integer = lp->is_integer || column->is_integer;
}

static void build(struct lp *lp)
{
    const struct glpk *glpk = &lp->glpk;
    const struct lp_program *program = lp->program;
    lp->problem = glpk->create_prob();
    glpk->set_obj_dir(lp->problem, GLP_MAX);
    if (program->rows != 0) {
        (void)glpk->add_rows(lp->problem, (int)program->rows);
    }
    if (program->columns != 0) {
        (void)glpk->add_cols(lp->problem, (int)program->columns);
    }
    for (uint32_t i = 0; i < program->rows; i++) {
        const struct lp_range range = program->row[i];
        glpk->set_row_bnds(lp->problem, (int)i + 1, kind_of(range), range.min, range.max);
    }
    for (uint32_t i = 0; i < program->columns; i++) {
        set_column(lp, i, &program->column[i]);
    }
    glpk->load_matrix(lp->problem, (int)program->entries, lp->row, lp->column, lp->value);
    glpk->std_basis(lp->problem);
}

/* GLPK counts from 1. */
static bool list_entries(struct lp *lp, const struct lp_program *program)
{
    const size_t entries = 1 + (size_t)program->entries;
    lp->row = orr_heap_calloc(entries, sizeof *lp->row);
    lp->column = orr_heap_calloc(entries, sizeof *lp->column);
    lp->value = orr_heap_calloc(entries, sizeof *lp->value);
    if (lp->row == NULL || lp->column == NULL || lp->value == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < program->entries; i++) {
        lp->row[1 + i] = (int)program->entry[i].row + 1;
        lp->column[1 + i] = (int)program->entry[i].column + 1;
        lp->value[1 + i] = program->entry[i].value;
    }
    return true;
}

static void forget_entries(struct lp *lp)
{
    orr_heap_free(lp->row);
    orr_heap_free(lp->column);
    orr_heap_free(lp->value);
    lp->row = lp->column = NULL;
    lp->value = NULL;
}

static enum orr_status fail_broken(struct orr_diag *diag)
{
    return orr_diag_fail(diag, ORR_ERR_INTERNAL, NULL,
                         "the solver of linear programs (GLPK) aborted before");
}

/* GLPK's own limit on rows, columns and entries. */
static bool is_small(const struct lp_program *program)
{
    const uint32_t max = 100000000;
    return program->rows <= max && program->columns <= max && program->entries <= max;
}

enum orr_status orr_lp_open(struct lp **out, const struct lp_program *program,
                            struct orr_diag *diag)
{
    struct lp *lp = orr_heap_calloc(1, sizeof *lp);
    *out = NULL;
    if (lp == NULL || !is_small(program)) {
        orr_heap_free(lp);
        return orr_diag_no_memory(diag, "linear program");
    }
    enum orr_status status = load(&lp->glpk, diag);
    if (status != ORR_OK) {
        orr_heap_free(lp);
        return status;
    }
    *out = lp;
    lp->owns_state = lp->glpk.init_env() == 0;
    lp->old_term_out = lp->glpk.term_out(GLP_OFF);
    lp->program = program;
    lp->columns = program->columns;
    status = list_entries(lp, program) ? guard(lp, build, diag)
                                       : orr_diag_no_memory(diag, "linear program");
    forget_entries(lp);
    lp->program = NULL;
    if (status != ORR_OK) {
        orr_lp_close(lp);
        *out = NULL;
    }
    return status;
}

void orr_lp_close(struct lp *lp)
{
    if (lp == NULL) {
        return;
    }
    if (!lp->broken) {
        if (lp->problem != NULL) {
            lp->glpk.delete_prob(lp->problem);
        }
        (void)lp->glpk.term_out(lp->old_term_out);
        if (lp->owns_state) {
            (void)lp->glpk.free_env();
        }
    }
    orr_heap_free(lp);
}

void orr_lp_set_objective(struct lp *lp, uint32_t column, double objective)
{
    if (!lp->broken) {
        lp->glpk.set_obj_coef(lp->problem, (int)column + 1, objective);
    }
}

static void add_column(struct lp *lp)
{
    (void)lp->glpk.add_cols(lp->problem, 1);
    set_column(lp, lp->columns, lp->added);
    lp->glpk.set_mat_col(lp->problem, (int)lp->columns + 1, (int)lp->added_entries, lp->row,
                         lp->value);
    lp->columns++;
}

enum orr_status orr_lp_add_column(struct lp *lp, const struct lp_column *column,
                                  const struct lp_entry *entry, uint32_t entries,
                                  struct orr_diag *diag)
{
    const struct lp_program listed = {.entries = entries, .entry = entry};
    lp->added = column;
    lp->added_entries = entries;
    const enum orr_status status = lp->broken ? fail_broken(diag)
                                   : list_entries(lp, &listed)
                                       ? guard(lp, add_column, diag)
                                       : orr_diag_no_memory(diag, "linear program");
    forget_entries(lp);
    return status;
}

double orr_lp_row_dual(struct lp *lp, uint32_t row)
{
    return lp->broken ? 0 : lp->glpk.get_row_dual(lp->problem, (int)row + 1);
}

static int limit_of(uint32_t limit)
{
    return limit == 0 || limit > INT_MAX ? INT_MAX : (int)limit;
}

static bool solve_linear(struct lp *lp)
{
    const struct glpk *glpk = &lp->glpk;
    struct lp_result *result = lp->result;
    glp_smcp how;
    glpk->init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.it_lim = limit_of(lp->limits.steps);
    how.tm_lim = limit_of(lp->limits.ms);
    const int ended = glpk->simplex(lp->problem, &how);
    const int state = glpk->get_status(lp->problem);
    if (state != GLP_OPT && state != GLP_FEAS) {
        return false;
    }
    const bool best = ended == 0 && state == GLP_OPT;
    result->end = best ? LP_OPTIMAL : LP_LIMIT_REACHED;
    result->objective = glpk->get_obj_val(lp->problem);
    result->bound = best ? result->objective : LP_NO_BOUND;
    if (ended == 0 && !best) {
        return false; /* unbounded */
    }
    for (uint32_t i = 0; i < lp->columns; i++) {
        lp->solution[i] = glpk->get_col_prim(lp->problem, (int)i + 1);
    }
    return best;
}

/* GLPK's callback between the steps of its search. */
static void watch(glp_tree *tree, void *info)
{
    struct lp *lp = info;
    const int best = lp->glpk.ios_best_node(tree);
    if (best != 0) {
        lp->result->bound = lp->glpk.ios_node_bound(tree, best);
    }
    if (lp->glpk.ios_reason(tree) == GLP_ISELECT && lp->nodes++ >= lp->limits.nodes &&
        lp->limits.nodes != 0) {
        lp->glpk.ios_terminate(tree);
    }
}

static void solve_integer(struct lp *lp)
{
    const struct glpk *glpk = &lp->glpk;
    struct lp_result *result = lp->result;
    glp_iocp how;
    glpk->init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.tm_lim = limit_of(lp->limits.ms);
    how.cb_func = watch;
    how.cb_info = lp;
    const int ended = glpk->intopt(lp->problem, &how);
    const int state = glpk->mip_status(lp->problem);
    if (state != GLP_OPT && state != GLP_FEAS) {
        result->end = LP_INFEASIBLE;
        return;
    }
    const bool best = ended == 0 && state == GLP_OPT;
    result->end = best ? LP_OPTIMAL : LP_LIMIT_REACHED;
    result->objective = glpk->mip_obj_val(lp->problem);
    if (best || result->bound < result->objective) {
        result->bound = result->objective;
    }
    for (uint32_t i = 0; i < lp->columns; i++) {
        lp->solution[i] = glpk->mip_col_val(lp->problem, (int)i + 1);
    }
}

static void solve(struct lp *lp)
{
    *lp->result = (struct lp_result){.end = LP_INFEASIBLE, .bound = LP_NO_BOUND};
    if (solve_linear(lp) && lp->is_integer) {
        lp->nodes = 0;
        solve_integer(lp);
    } else if (lp->is_integer) {
        lp->result->end = LP_INFEASIBLE; /* infeasible even without integers */
    }
}

enum orr_status orr_lp_solve(struct lp *lp, const struct lp_limits *limits,
                             struct lp_result *result, double *value, struct orr_diag *diag)
{
    if (lp->broken) {
        return fail_broken(diag);
    }
    lp->limits = *limits;
    lp->result = result;
    lp->solution = value;
    return guard(lp, solve, diag);
}
