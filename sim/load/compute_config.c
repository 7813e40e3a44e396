/* The `compute` section; see workload_config.h. */
#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sim/load/workload_config.h"
#include "workload/engine/engine.h"
#include "workload/engine/slowdown.h"
#include "workload/roofline/efficiency.h"
#include "workload/roofline/fitted.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const modes[] = {"replay", "roofline", NULL};

struct compute_section {
    unsigned mode;
    double peak, fp8_peak, fp4_peak, alignment;
    const char *gpu;
    const struct orr_conf *efficiency, *slowdown, *fitted;
    double recorded_scale, cpu;
    double forwarding_slowdown, communication_slowdown;
    double logical_share, sms, token_sms, collective_sms;
    unsigned forwarding;
    bool replay_only;
};

static const char *const forwardings[] = {"message", "collective", NULL};

static const struct orr_key compute_keys[] = {
    {.name = "mode",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct compute_section, mode),
     .choices = modes,
     .default_text = "roofline",
     .doc = "compute times from a roofline, or the recorded durations"},
    {.name = "peak",
     .type = ORR_KEY_RATE,
     .offset = offsetof(struct compute_section, peak),
     .needed_with = "mode",
     .not_for = "replay",
     .example = "peak: 312 TFLOP/s",
     .doc = "peak rate of an NPU"},
    {.name = "fp8_peak",
     .type = ORR_KEY_RATE,
     .offset = offsetof(struct compute_section, fp8_peak),
     .output_if_given = true,
     .example = "fp8_peak: 1979 TFLOP/s",
     .absent = "none",
     .doc = "peak rate of fp8 GEMMs (workload.training.product_type)"},
    {.name = "fp4_peak",
     .type = ORR_KEY_RATE,
     .offset = offsetof(struct compute_section, fp4_peak),
     .output_if_given = true,
     .example = "fp4_peak: 10 PFLOP/s",
     .absent = "none",
     .doc = "peak rate of fp4 GEMMs"},
    {.name = "alignment",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, alignment),
     .low = 0.001,
     .high = 1,
     .output_if_given = true,
     .example = "alignment: 0.75",
     .absent = "not counted",
     .doc = "factor on the share of the peak, for GEMMs and attention whose sizes fit tensor cores "
            "badly"},
    {.name = "gpu",
     .type = ORR_KEY_TEXT,
     .offset = offsetof(struct compute_section, gpu),
     .absent = "that of system.library, if there is one",
     .output_if_given = true,
     .example = "gpu: A100",
     .doc = "GPU of an NPU; a different compute.fitted.gpu is warned about"},
    {.name = "efficiency",
     .type = ORR_KEY_NODE, /* workload/roofline/efficiency.c */
     .offset = offsetof(struct compute_section, efficiency),
     .default_text = "1",
     .example = "efficiency: 0.5",
     .doc = "share of the peak that operations reach, from 0.001 to 1; or curves by kind and size"},
    {.name = "fitted",
     .type = ORR_KEY_NODE,
     .offset = offsetof(struct compute_section, fitted),
     .table = &orr_wl_fitted_table,
     .absent = "not said",
     .example = "fitted: {gpu: A100, rows: 48}",
     .doc = "what the efficiency was fitted to, and how well; changes no time"},
    {.name = "slowdown",
     .type = ORR_KEY_NODE, /* workload/engine/slowdown_config.c */
     .offset = offsetof(struct compute_section, slowdown),
     .example = "slowdown: {stragglers: [{ranks: \"0-7,12\", factor: 1.3}]}",
     .doc = "NPUs that compute more slowly, and jitter"},
    {.name = "recorded_scale",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, recorded_scale),
     .low = 0.001,
     .high = 1000,
     .default_text = "1",
     .doc = "recorded durations of computations on the accelerator are multiplied by it"},
    {.name = "logical_share",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, logical_share),
     .low = 0.001,
     .high = 1,
     .absent = "an equal one",
     .doc = "share of a server's accelerators and memory that a logical server has (fabrics "
            "/K@logical)"},
    {.name = "cpu",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, cpu),
     .low = 0.001,
     .high = 1000,
     .default_text = "1",
     .doc = "speed of the CPU relative to the recorded one"},
    {.name = "forwarding_slowdown",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, forwarding_slowdown),
     .low = 1,
     .high = 1000,
     .default_text = "1",
     .doc = "slowdown factor of an NPU's computing while it forwards messages over channels"},
    {.name = "forwarding",
     .only_with = "forwarding_slowdown",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct compute_section, forwarding),
     .choices = forwardings,
     .default_text = "message",
     .doc = "duration of the slowdown: while a message of others is in transit, or from the first "
            "one on until the NPU's present collectives end"},
    {.name = "communication_slowdown",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, communication_slowdown),
     .low = 1,
     .high = 1000,
     .default_text = "1",
     .doc = "slowdown factor of an NPU's computing while one of its collectives runs"},
    {.name = "sms",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, sms),
     .low = 1,
     .high = 1e5,
     .output_if_given = true,
     .absent = "unknown: kernels that communicate take nothing from computing",
     .example = "sms: 132",
     .doc = "streaming multiprocessors (compute units) of an NPU"},
    {.name = "token_sms",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, token_sms),
     .only_with = "sms",
     .low = 0,
     .high = 1e5,
     .output_if_given = true,
     .default_text = "0",
     .doc = "of these held by exchanges of tokens among experts (parallel.dispatcher: deepep)"},
    {.name = "collective_sms",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct compute_section, collective_sms),
     .only_with = "sms",
     .low = 0,
     .high = 1e5,
     .output_if_given = true,
     .default_text = "0",
     .doc = "of these held by other collectives while they run"},
    {.name = "replay_only",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct compute_section, replay_only),
     .default_text = "false",
     .doc = "every node, communication too, takes its recorded duration"},
};

enum orr_status orr_wl_compute_read(struct orr_arena *arena, const struct orr_conf *map,
                                    uint32_t npus, struct wl_compute *compute,
                                    struct orr_diag *diag)
{
    struct compute_section section = {0};
    if (map == NULL) {
        return ORR_OK; /* without a compute section recorded durations are replayed */
    }
    enum orr_status status = orr_conf_read(map, "the compute section", compute_keys,
                                           COUNT(compute_keys), &section, diag);
    double share = 1;
    if (status == ORR_OK) {
        status =
            orr_wl_efficiency_read(arena, section.efficiency, &share, &compute->efficiency, diag);
    }
    if (status == ORR_OK) {
        status = orr_wl_slowdown_read(arena, section.slowdown, npus, &compute->slowdown, diag);
    }
    if (status == ORR_OK) {
        status = orr_wl_fitted_read(arena, section.fitted, &compute->fitted, diag);
    }
    compute->gpu = section.gpu;
    compute->roofline = section.mode == 1;
    compute->replay_only = section.replay_only;
    compute->forwarding_slowdown = section.forwarding_slowdown;
    compute->communication_slowdown = section.communication_slowdown;
    if (status == ORR_OK && section.sms > 0 &&
        section.token_sms + section.collective_sms >= section.sms) {
        return orr_conf_expected(orr_conf_get(map, "sms"),
                                 "more SMs than token_sms and collective_sms hold together", diag);
    }
    compute->sms = section.sms;
    compute->token_sms = section.token_sms;
    compute->collective_sms = section.collective_sms;
    compute->forwarding_lasts = section.forwarding == 1;
    compute->recorded_scale = section.recorded_scale;
    compute->logical_share = section.logical_share;
    compute->cpu_speed = section.cpu;
    compute->peak_flops = section.peak * share;
    compute->stated_peak_flops = section.peak;
    compute->stated_product_peak_flops[ORR_PRODUCT_FP8] = section.fp8_peak;
    compute->stated_product_peak_flops[ORR_PRODUCT_FP4] = section.fp4_peak;
    for (unsigned type = 0; type < ORR_PRODUCT_TYPES; type++) {
        compute->product_peak_flops[type] = compute->stated_product_peak_flops[type] * share;
    }
    compute->has_efficiency = section.efficiency != NULL;
    compute->alignment = section.alignment;
    if (status == ORR_OK && compute->roofline && !(section.peak > 0)) {
        const struct orr_location place = orr_conf_location(map);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "compute: a roofline needs the key \"peak\", such as "
                             "peak: 312 TFLOP/s (or set mode: replay)");
    }
    return status;
}

const struct orr_key_table orr_wl_compute_table = {"the compute section", compute_keys,
                                                   COUNT(compute_keys), NULL};
