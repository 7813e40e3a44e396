# Dense Llama models with FP8 products in Megatron-Bridge and NeMo of 2025-26 (Megatron-Bridge's tables, MLPerf Training 5.1),
# -v gpu=h100|h200|b200|gb200|gb300. Rows of experts, hybrids and NVFP4 are not read: what bounds them is not in the model.

# GPUs of an NVLink domain, of which jobs on racks use 64.
function domain() { return at("gpu") ~ /^GB/ ? 64 : 8 }

function put_domains(npus, node) {
    npus += 0
    if (npus < node) node = npus
    put("network.topology", "Switch(" node ")_Switch(" npus / node ")")
}

function put_llama_of(name) {
    if (name == "llama3_8b") put_model(32, 4096, 32, at("sequence"))
    else if (name == "llama3_70b") put_model(80, 8192, 64, at("sequence"))
    else put_model(126, 16384, 128, at("sequence"))
    put("workload.transformer.ffn", name == "llama3_8b" ? 14336 : name == "llama3_70b" ? 28672 : 53248)
}

# Where parts do not divide the layers, embedding and head count as layers.
function put_ends(layers,    uneven) {
    uneven = layers % (at("pipeline") * at("chunks")) != 0 ? "true" : ""
    put("workload.parallel.embedding_as_layer", uneven)
    put("workload.parallel.head_as_layer", uneven)
}

set == "bridge" && at("model") ~ /^llama/ && at("precision") ~ /fp8/ && tolower(at("gpu")) == gpu {
    begin_row(at("id") " " at("model") " " at("gpus") " " at("gpu") " t" at("tensor") " p" at("pipeline") " c" at("context") \
              " " at("release"))
    put_domains(at("gpus"), domain())
    put_llama_of(at("model"))
    put_parallel(at("tensor"), at("pipeline"))
    put_ends(at("model") == "llama3_8b" ? 32 : at("model") == "llama3_70b" ? 80 : 126)
    put("workload.parallel.context", at("context"))
    put("workload.parallel.sequence", at("tensor") + 0 > 1 ? "true" : "false")
    put("workload.parallel.schedule", at("chunks") + 0 > 1 ? "interleaved" : "1f1b")
    put("workload.parallel.chunks", at("chunks") + 0 > 1 ? at("chunks") : "")
    put("workload.parallel.zero", at("fsdp") + 0 > 0 ? 3 : 1)
    put_batch(at("batch"), at("micro_batch"))
    put("workload.training.precision", at("precision") ~ /^mxfp8/ ? "mxfp8" : "fp8_cs")
    put("workload.training.narrow_forms", at("precision") ~ /^mxfp8/ || at("gpu") ~ /^H/ ? "2" : "1")
    put("#layout", at("layout_key"))
    put("time_s", at("step_s"))
}
