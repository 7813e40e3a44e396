# Runs of the case study, for statements.sh and bench/validate_case_studies.sh, which set $orrery, $root and $work.
#
#   simulated OPTION...                     the time of a run, in ms; its results are $work/run.json
#   training OPTION...                      a step of training as in run.sh, ms
#   lone PLATFORM OPTION...                 an all-reduce of 1 GiB as there, ms
#   strategies, groups                      lines NAME PLATFORM WHAT MS of runs that explain statements
simulated() {
    "$orrery" run "$@" --json "$work/run.json" >/dev/null 2>"$work/said" || {
        cat "$work/said" >&2
        exit 1
    }
    awk '/^  "wall_ps":/ { printf "%.6f", ($2 + 0) / 1e9 }' "$work/run.json"
}

training() {
    simulated --set system.algorithms.default=by_block --set system.chunks=64 --set system.port_order=smallest_first \
        --set 'compute={peak: 234 TFLOP/s}' "$@"
}

lone() {
    echo 'workload: {generate: all_reduce, bytes: 1 GiB}' >"$work/lone.yml"
    on=$root/inputs/platforms/$1.yml
    shift
    simulated "$on" "$work/lone.yml" --set system.algorithms.default=by_block \
        --set system.chunks=64 --set system.dimension_service=phase --set system.port_order=smallest_first "$@"
}

# Model, model-parallel ranks, samples of a step, samples of a micro-batch
strategies() {
    while read -r model ranks batch micro; do
        for platform in w_1d_350 conv_3d w_1d_600 conv_4d; do
            echo "$model $platform $ranks $(training "$root/inputs/platforms/$platform.yml" "$model" \
                --set workload.parallel.tensor="$ranks" --set workload.training.batch="$batch" \
                --set workload.training.micro_batch="$micro" --set system.scheduler=themis --set network.contention=senders)"
        done
    done <<'END'
gpt3_175b 16 512 4
gpt3_175b 2 512 2
transformer_1t 128 16 4
transformer_1t 32 16 1
END
}

# A model-parallel group of GPT-3 alone: no gradients are reduced.
groups() {
    while read -r platform topology bandwidth; do
        echo "alone $platform - $(training --workload gpt3_175b --set workload.parallel.tensor=16 --topology "$topology" \
            --bandwidth "${bandwidth}GiB/s" --bandwidth-is npu)"
    done <<'END'
w_2d Switch(16) 250
conv_3d Ring(16) 200
conv_4d Ring(2)_FC(8) 250_200
END
}
