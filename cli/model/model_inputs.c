/* Model and strategy from the files of a command line. */
#include "cli/model/model_command.h"
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sim/load/model_file.h"
#include "workload/strategy/strategy_file.h"

/* Reads the only section of a file. */
static enum orr_status open_file(struct orr_arena *arena, const char *path,
                                 const struct orr_key_table *file, const struct orr_conf **section,
                                 struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    const enum orr_status status = orr_conf_load(arena, path, &root, diag);
    return status == ORR_OK
               ? orr_conf_read(root, file->owner, file->keys, file->count, section, diag)
               : status;
}

enum orr_status orr_model_load_inputs(struct orr_arena *arena,
                                      const struct orr_model_arguments *arguments,
                                      struct model_graph *model, struct strategy *strategy,
                                      struct orr_diag *diag)
{
    const struct orr_conf *strategy_conf = NULL;
    uint32_t devices = 0;
    enum orr_status status = orr_model_file_load(arena, arguments->file, model, diag);
    if (arguments->batch != 0) {
        model->batch = arguments->batch;
    }
    if (status == ORR_OK && arguments->strategy != NULL) {
        status =
            open_file(arena, arguments->strategy, &orr_strategy_file_table, &strategy_conf, diag);
    }
    if (status == ORR_OK && strategy_conf != NULL) {
        status = orr_strategy_read_device_count(strategy_conf, &devices, diag);
    }
    if (status == ORR_OK && arguments->devices == 0 && devices == 0) {
        const struct orr_location place =
            strategy_conf != NULL ? orr_conf_location(strategy_conf) : orr_location_none();
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "the strategy does not say how many devices it is for: expected "
                             "devices, groups of both model and data, or --devices N");
    }
    return status == ORR_OK
               ? orr_strategy_read(arena, strategy_conf, model, arguments->devices, strategy, diag)
               : status;
}
