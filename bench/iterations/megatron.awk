# GPT on A100 with Megatron-LM (vTrain, SC'21, Korthikanti et al., 2020), on H100 with Megatron-Core,
# and BLOOM with Megatron-DeepSpeed.

set == "vtrain" {
    begin_row(at("Parameters (billion)") "B t" at("tensor parallelism") " p" \
              at("pipeline parallelism") " d" at("data parallelism") " b" at("micro batch"))
    put_npus(at("# GPUs"))
    put("network.dims[1].bandwidth", "12.5 GB/s") # four adapters of 200 Gb/s a node: not in the table
    put_model(at("# layers"), at("hidden size"), at("attention heads"), at("sequence length"))
    put_parallel(at("tensor parallelism"), at("pipeline parallelism"))
    put_uneven(at("# layers"), at("pipeline parallelism"))
    put_batch(at("global batch"), at("micro batch"))
    put("time_s", at("iteration time (ms)") / 1000)
}

# Micro-batches were not published: by size, as calibration assumed.
function sc21_micro(size) {
    size += 0
    if (size <= 7.5) return 16
    return size <= 18.4 ? 8 : size <= 39.1 ? 4 : size <= 145.6 ? 2 : 1
}

set == "sc21" {
    begin_row("SC21 " at("params_B") "B")
    put_npus(at("ngpus"))
    put("network.dims[1].bandwidth", "25 GB/s")
    put_model(at("layers"), at("hidden"), at("heads"), at("seq"))
    put_parallel(at("TP"), at("PP"))
    put_uneven(at("layers"), at("PP"))
    put_batch(at("global_batch"), sc21_micro(at("params_B")))
    put("time_s", at("iter_time_s_derived_eq3"))
}

function korthikanti(how, time,    chunks, sequence_parallel) {
    begin_row(at("model") " " how)
    put_npus(at("ngpus"))
    put("network.dims[1].bandwidth", "25 GB/s")
    put_model(at("layers"), at("hidden"), at("heads"), at("seq"))
    put_parallel(at("TP"), at("PP"))
    put("workload.parallel.schedule", at("interleave") + 0 > 1 ? "interleaved" : "1f1b")
    put("workload.parallel.chunks", at("interleave") + 0 > 1 ? at("interleave") : "")
    put_uneven(at("layers"), at("PP") * at("interleave"))
    put("workload.parallel.sequence", how == "selective" ? "true" : "false")
    put("workload.training.recompute", how)
    put_batch(at("global_batch"), at("model") == "22B" ? 4 : 1)
    put("time_s", time)
}

set == "korthikanti" {
    korthikanti("full", at("iter_full_recompute_s"))
    korthikanti("selective", at("iter_seqpar_selective_s"))
}

set == "megatron_2020" && at("system") ~ /A100/ {
    begin_row(at("case") " " at("ngpus") " GPUs")
    put_npus(at("ngpus"))
    put("network.dims[1].bandwidth", "25 GB/s")
    put_model(at("layers"), at("hidden"), at("heads"), 1024)
    put("workload.transformer.positions", 1024)
    put_parallel(at("TP"), 1)
    put_batch(at("global_batch"), at("global_batch") / at("DP"))
    put("time_s", at("iter_time_ms") / 1000)
}

# Rows that contradict themselves are left out: GPUs, heads, the size of the model (of 250,880 words), and
# operations a second against the time.
function bloom_agrees(    size, flops) {
    size = (12 * at("layers") * at("hidden") ^ 2 + 250880 * at("hidden")) / 1e9
    if (at("ngpus") != at("DP") * at("TP") * at("PP") || at("ngpus") + 0 == 0) return 0
    if (at("heads") + 0 == 0 || at("hidden") % at("heads") != 0) return 0
    if (size / (at("size") + 0) > 1.02 || size / (at("size") + 0) < 0.98) return 0
    flops = model_flops(at("GBS"), 2048, at("layers"), at("hidden"), 250880) * 4 / 3
    flops /= at("sec_per_iter") * at("ngpus") * 1e12 * at("TFLOPs_per_gpu")
    return flops < 1.1 && flops > 0.9
}

function bloom_aligned() {
    return at("hidden") / at("TP") % 64 == 0 && at("hidden") / at("heads") % 8 == 0
}

set == "bloom" && at("sec_per_iter") + 0 > 0 && bloom_agrees() {
    begin_row("BLOOM line " at("md_line"))
    put_npus(at("ngpus"))
    put_model(at("layers"), at("hidden"), at("heads"), 2048)
    put("workload.transformer.vocabulary", 250880)
    put("workload.transformer.positions", 0) # ALiBi
    put_parallel(at("TP"), at("PP"))
    put("workload.parallel.layers_per_stage", at("layers") % at("PP") == 0 ? "" : "uneven")
    put("workload.parallel.zero", 1)
    put_batch(at("GBS"), at("MBS"))
    put("#aligned", bloom_aligned() ? "yes" : "no")
    put("time_s", at("sec_per_iter"))
}

# The most parts of a stage of so many layers, up to 7; of whole ones, where stages do not divide the model.
function most_chunks(layers,    chunks) {
    layers = int(layers)
    for (chunks = 7; layers % chunks != 0; chunks--) continue
    return chunks
}

# By operations a second of a GPU (Megatron-LM's formula, with the logits). Micro-batches and parts of a stage were
# not published: all samples of a rank at once without a pipeline, one at a time with one, whose messages are
# overlapped, so that it is interleaved where the stages divide the micro-batches.
set == "megatron_h100" {
    begin_row("Megatron-Core " at("params_B") "B")
    put_npus(at("ngpus"))
    put_model(at("layers"), at("hidden"), at("heads"), 4096)
    put("workload.transformer.vocabulary", 131072)
    put("workload.transformer.positions", 4096)
    put_parallel(at("TP"), at("PP"))
    put("workload.parallel.sequence", at("TP") > 1 ? "true" : "false")
    staged = at("PP") + 0 > 1
    interleaved = staged && at("global_batch") / at("DP") % at("PP") == 0
    put("workload.parallel.schedule", interleaved ? "interleaved" : "1f1b")
    put("workload.parallel.chunks", interleaved ? most_chunks(at("layers") / at("PP")) : "")
    put_uneven(at("layers"), at("PP"))
    put_batch(at("global_batch"), staged ? 1 : at("global_batch") / at("DP"))
    put("time_s", model_flops(at("global_batch"), 4096, at("layers"), at("hidden"), 131072) / \
                  (at("ngpus") * at("TFLOPs_per_gpu") * 1e12))
}
