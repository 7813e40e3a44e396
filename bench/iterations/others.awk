# Jobs that no parameter is fitted to: LLaMA with torchtitan on H100, BERT, ResNet-50 and DLRM of NVIDIA's examples on A100.

# "FSDP32 TP8 PP8": the number after a word, 1 if it is absent
function degree(text, word,    part, n, i) {
    n = split(text, part, " ")
    for (i = 1; i <= n; i++)
        if (index(part[i], word) == 1) return substr(part[i], length(word) + 1) + 0
    return 1
}

# Samples of a step: local ones are those of a data-parallel rank.
function titan_batch() {
    if (at("global_batch") != "") return at("global_batch") + 0
    return at("local_batch") * degree(at("parallelism"), "FSDP")
}

function put_llama(size) {
    if (size == "8B") put_model(32, 4096, 32, at("seq"))
    else if (size == "70B") put_model(80, 8192, 64, at("seq"))
    else put_model(126, 16384, 128, at("seq"))
    put("workload.transformer.ffn", size == "8B" ? 14336 : size == "70B" ? 28672 : 53248)
}

set == "torchtitan" && at("technique") !~ /H200/ {
    size = at("model")
    sub(/.*-/, "", size)
    begin_row(at("model") " " at("ngpus") " GPUs " at("parallelism") " s" at("seq") " " at("technique"))
    put_npus(at("ngpus"))
    put_llama(size)
    put_parallel(degree(at("parallelism"), "TP"), degree(at("parallelism"), "PP"))
    put("workload.parallel.context", degree(at("parallelism"), "CP"))
    put("workload.parallel.sequence", degree(at("parallelism"), "TP") > 1 ? "true" : "false")
    put("workload.parallel.layers_per_stage", size == "405B" ? "uneven" : "")
    put("workload.training.recompute", at("act_ckpt") == "full" ? "full" : "selective")
    put("workload.training.product_type", at("technique") ~ /float8/ ? "fp8" : "element")
    put_batch(titan_batch(), degree(at("parallelism"), "PP") > 1 ? 1 : at("local_batch"))
    put("time_s", titan_batch() * at("seq") / (at("tokens_per_s_per_gpu") * at("ngpus")))
}

# Of 128 positions 20 are masked, of 512 80.
set == "bert" && at("workload") ~ /^BERT/ && at("system") ~ /A100/ {
    length_of = at("workload") ~ /seq128/ ? 128 : 512
    micro = length_of == 128 ? 256 : 32
    batch = micro * at("ngpus") * at("grad_accum")
    begin_row("BERT s" length_of " " at("ngpus") " GPUs " at("throughput") "/s")
    put_npus(at("ngpus"))
    put("workload.transformer.sequence", length_of)
    put("workload.transformer.masked", length_of == 128 ? 20 : 80)
    put_batch(batch, micro)
    put("time_s", batch / at("throughput"))
}

set == "resnet" && at("workload") ~ /^ResNet/ && at("system") ~ /A100/ {
    begin_row("ResNet-50 " at("ngpus") " GPUs")
    put_npus(at("ngpus"))
    put_batch(256 * at("ngpus"), 256)
    put("time_s", 256 * at("ngpus") / at("throughput"))
}

set == "dlrm" && at("workload") == "DLRM" && at("system") ~ /A100/ && at("ngpus") == 8 {
    begin_row("DLRM " at("ngpus") " GPUs")
    put_npus(at("ngpus"))
    put_batch(65536, 8192)
    put("time_s", 65536 / at("throughput"))
}
