# MPT models with PyTorch's FSDP (llm-foundry), -v gpu=a100|h100; sizes from their configurations.

BEGIN {
    split("125m 350m 760m 1b 3b 7b 13b 30b 70b", names, " ")
    split("12 24 24 24 32 32 40 48 80", layers_at, " ")
    split("768 1024 1536 2048 2560 4096 5120 7168 8192", hidden_at, " ")
    split("12 16 12 16 20 32 40 56 64", heads_at, " ")
    for (i = 1; i <= 9; i++) {
        layers_of[names[i]] = layers_at[i]
        hidden_of[names[i]] = hidden_at[i]
        heads_of[names[i]] = heads_at[i]
    }
}

# The size of a model's name, as in "7B" or "mpt-7b"; "" where the configurations have none.
function model_of(name) {
    name = tolower(name)
    sub(/^mpt-/, "", name)
    return name in layers_of ? name : ""
}

set == "fsdp" && at("GPU") ~ "^" gpu && at("Precision") !~ /fp8/ {
    model = model_of(at("Model"))
    if (model == "") {
        print FILENAME ":" FNR ": left out: " at("Model") " is no size of MPT" > "/dev/stderr"
        next
    }
    begin_row(model " s" at("SeqLen (T)") " n" at("# GPUs") " " at("GPU") " b" at("MicroBatchSize"))
    put_npus(at("# GPUs"))
    if (gpu == "a100") put("memory.local.bandwidth", at("GPU") ~ /40gb/ ? "1555 GB/s" : "2039 GB/s")
    put_model(layers_of[model], hidden_of[model], heads_of[model], at("SeqLen (T)"))
    put("workload.training.recompute", at("Activation Checkpointing") == "True" ? "full" : "none")
    put_batch(at("GlobalBatchSize"), at("MicroBatchSize"))
    put("#gpus", at("# GPUs"))
    put("time_s", at("GlobalBatchSize (T)") / at("Throughput (T/s)"))
}
